// The kinds of filters that promises are proved for, and which of them a kind does not make.
#include <cstdint>
#include <set>
#include <string>

#include "promises/specimen.h"
#include "support/catch.h"
#include "trommel/any_filter.h"

namespace trommel::tests {
namespace {

TEST_CASE("promises are proved for every type that files have", "[engine][promises]") {
  std::set<FilterType> types;
  for (const FilterKind& kind : AllKinds()) {
    types.insert(TypeOfBytes(kind.make()->Serialize()).value());
  }
  for (int i = 0; i < 256; ++i) {
    const auto type = static_cast<FilterType>(i);
    CAPTURE(FilterTypeName(type));
    // Files of concurrent filters are those of counting ones.
    const bool is_in_files = type != FilterType::kConcurrent && FilterTypeName(type) != "unknown";
    CHECK(types.contains(type) == is_in_files);
  }
}

TEST_CASE("a promise that is not made is one that another type makes", "[engine][promises]") {
  for (size_t i = 0; i < kNumPromises; ++i) {
    CHECK_FALSE(KindsThatKeep({static_cast<Promise>(i)}).empty());
  }
}

TEST_CASE("the table of promises that are not made", "[.table][promises]") {
  std::set<std::string> lines;
  for (const FilterKind& kind : AllKinds()) {
    for (size_t i = 0; i < kNumPromises; ++i) {
      if (kind.Keeps(static_cast<Promise>(i))) continue;
      lines.insert(kind.type + ": not \"" + std::string(NameOf(static_cast<Promise>(i))) +
                   "\": " + std::string(kind.why_not[i]));
    }
  }
  for (const std::string& line : lines) WARN(line);
}

}  // namespace
}  // namespace trommel::tests
