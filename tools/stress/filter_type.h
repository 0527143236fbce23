// The types of filters that `trommel stress` knows.
#ifndef TROMMEL_TOOLS_STRESS_FILTER_TYPE_H_
#define TROMMEL_TOOLS_STRESS_FILTER_TYPE_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace trommel::stress {

enum class FilterType : uint8_t { kConcurrent, kScalable, kWindow };
inline constexpr std::array<FilterType, 3> kFilterTypes = {
    FilterType::kConcurrent, FilterType::kScalable, FilterType::kWindow};

constexpr std::string_view FilterTypeName(FilterType type) {
  switch (type) {
    case FilterType::kConcurrent:
      return "concurrent";
    case FilterType::kScalable:
      return "scalable";
    case FilterType::kWindow:
      return "window";
  }
  return "";
}

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_FILTER_TYPE_H_
