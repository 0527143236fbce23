// Padding: zeros, any number of them, and what is none.
#include "engine/src/snapshots/padding.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/src/snapshots/snapshot_format.h"
#include "support/catch.h"

namespace trommel {
namespace {

TEST_CASE("padding is zeros, and a stray byte is named", "[engine][padding]") {
  VectorSink sink;
  REQUIRE(AppendZeros(0, sink).ok());
  REQUIRE(AppendZeros(2 * kPageAlignment + 7, sink).ok());
  std::vector<std::byte> bytes = sink.Take();
  REQUIRE(bytes.size() == 2 * kPageAlignment + 7);
  CHECK(std::ranges::count(bytes, std::byte{0}) == static_cast<ptrdiff_t>(bytes.size()));
  CHECK(CheckZeros(SpanSource(bytes), 5, 5 + kPageAlignment).ok());

  bytes[100] = std::byte{1};
  CHECK(CheckZeros(SpanSource(bytes), 0, 100).ok());
  CHECK(CheckZeros(SpanSource(bytes), 101, 200).ok());
  const Status stray = CheckZeros(SpanSource(bytes), 90, 110);
  REQUIRE(!stray.ok());
  CHECK(stray.error().code == ErrorCode::kCorrupt);
  CHECK_THAT(stray.error().message, Catch::Matchers::ContainsSubstring("byte 100"));
}

}  // namespace
}  // namespace trommel
