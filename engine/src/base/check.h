// The programmer's mistakes: one check per batch, a message, and the end of the program.
#ifndef TROMMEL_ENGINE_SRC_BASE_CHECK_H_
#define TROMMEL_ENGINE_SRC_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

// Aborts with the message unless the condition holds. For misuse of the API, never for bad data.
#define TROMMEL_CHECK(condition, message)                                      \
  do {                                                                         \
    if (!(condition)) [[unlikely]] {                                           \
      std::fprintf(stderr, "trommel: misuse: %s [%s]\n", message, #condition); \
      std::abort();                                                            \
    }                                                                          \
  } while (false)

#endif  // TROMMEL_ENGINE_SRC_BASE_CHECK_H_
