// CheckUse: a programmer's mistake ends the program with a message.
#ifndef TROMMEL_ENGINE_INDEX_SRC_MODEL_MISUSE_H_
#define TROMMEL_ENGINE_INDEX_SRC_MODEL_MISUSE_H_

#include <cstdio>
#include <cstdlib>

namespace trommel::index {

// Requires the condition, which a caller's numbers must meet. Not for bad data.
inline void CheckUse(bool condition, const char* message) noexcept {
  if (condition) [[likely]]
    return;
  std::fprintf(stderr, "trommel: misuse: %s\n", message);
  std::abort();
}

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_MODEL_MISUSE_H_
