// The parts of a text between separators.
#ifndef TROMMEL_BENCH_TEXT_SPLIT_H_
#define TROMMEL_BENCH_TEXT_SPLIT_H_

#include <string_view>
#include <vector>

namespace trommel::bench {

// One part more than there are separators; parts may be empty. They point into the text.
inline std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TEXT_SPLIT_H_
