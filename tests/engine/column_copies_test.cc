// Copies of sets and maps of columns, and columns through sinks and sources.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "trommel/byte_stream.h"
#include "trommel/column_map.h"
#include "trommel/filter_columns.h"

namespace trommel {
namespace {

FilterColumns NewColumns(double target_fpr = 0.004) {
  return FilterColumns::Create(
             {.column_capacity = 1000, .target_fpr = target_fpr, .num_columns = 70})
      .value();
}

ColumnMap NewColumns(uint64_t capacity) {
  return ColumnMap::Create({.capacity = capacity, .num_columns = 70}).value();
}

// Columns 3, 4 and 69: of a few keys, of more than are sized for, and of none.
template <class Columns>
void Fill(Columns& columns) {
  for (const uint32_t column : {3U, 4U, 69U}) REQUIRE(columns.OpenColumn(column).ok());
  columns.Insert(3, tests::MemberKeys(100, 1));
  columns.Insert(4, tests::MemberKeys(3000, 2));
  for (int copy = 0; copy < 100; ++copy) columns.Insert(4, uint64_t{7});
}

template <class Columns>
void CheckCopies(Columns columns, Columns others) {
  const Columns none = columns.Clone().value();
  Fill(columns);
  Result<Columns> copy = columns.Clone();
  REQUIRE(copy.ok());
  CHECK(*copy == columns);
  CHECK(none != columns);
  CHECK(columns != others);  // of other sizes
  for (uint32_t c = 0; c < 70; ++c) CHECK(copy->IsOpen(c) == columns.IsOpen(c));
  CHECK(copy->MayContain(3, tests::MemberKeys(100, 1)[99]));

  copy->Insert(3, uint64_t{8});
  CHECK(*copy != columns);
  CHECK(copy->Erase(3, uint64_t{8}));
  CHECK(*copy == columns);
  copy->CloseColumn(69);
  CHECK(*copy != columns);  // an open column is not a closed one
}

template <class Columns>
void CheckSinks(Columns columns, Columns into) {
  Fill(columns);
  const std::vector<std::byte> bytes = columns.SerializeColumn(4);
  std::vector<std::byte> buffer(bytes.size());
  SpanSink sink(buffer);
  REQUIRE(columns.SaveColumnTo(4, sink).ok());
  CHECK(buffer == bytes);
  SpanSink small(std::span<std::byte>(buffer).first(bytes.size() - 1));
  const Status refused = columns.SaveColumnTo(4, small);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);

  REQUIRE(into.LoadColumnFrom(4, SpanSource(bytes)).ok());
  CHECK(into.SerializeColumn(4) == bytes);
  buffer = bytes;
  buffer[bytes.size() / 2] ^= std::byte{1};
  CHECK_FALSE(into.LoadColumnFrom(5, SpanSource(buffer)).ok());
  CHECK_FALSE(into.IsOpen(5));
}

// Gives its bytes, or an error.
class FailingSource final : public ByteSource {
 public:
  uint64_t num_bytes() const override { return 4096; }
  Status ReadAt(uint64_t, std::span<std::byte>) const override {
    return Error{ErrorCode::kIo, "the line is down"};
  }
};

TEST_CASE("a copy of columns has the same columns open and answers by its own counters",
          "[engine][clone][columns]") {
  CheckCopies(NewColumns(), NewColumns(0.01));
  CheckCopies(NewColumns(uint64_t{5000}), NewColumns(uint64_t{50'000}));
}

TEST_CASE("columns go through sinks and sources as they go through bytes",
          "[engine][clone][columns]") {
  CheckSinks(NewColumns(), NewColumns());
  CheckSinks(NewColumns(uint64_t{5000}), NewColumns(uint64_t{5000}));
}

TEST_CASE("a source's error is that of the column, which stays closed",
          "[engine][clone][columns]") {
  FilterColumns columns = NewColumns();
  ColumnMap map = NewColumns(uint64_t{5000});
  for (const Status& loaded :
       {columns.LoadColumnFrom(1, FailingSource()), map.LoadColumnFrom(1, FailingSource())}) {
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().code == ErrorCode::kIo);
    CHECK(loaded.error().message.find("the line is down") != std::string::npos);
  }
  CHECK_FALSE(columns.IsOpen(1));
  CHECK_FALSE(map.IsOpen(1));
}

}  // namespace
}  // namespace trommel
