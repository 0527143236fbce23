// Numbers as people read them: 6,464.
#ifndef TROMMEL_ENGINE_SRC_BASE_GROUPED_TEXT_H_
#define TROMMEL_ENGINE_SRC_BASE_GROUPED_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace trommel {

inline std::string GroupedText(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_GROUPED_TEXT_H_
