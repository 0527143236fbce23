// Many random questions while tuples come and go: none about what is in may be answered absent.
// TROMMEL_TEST_SCALE=125 asks 10^8.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"

namespace trommel::tests {

TEST_CASE("no question about what is in is ever answered absent",
          "[engine][attributes][attribute_filter][long]") {
  constexpr size_t kTuples = 20'000;
  constexpr size_t kChanged = 400;  // after each batch of questions
  const uint64_t seed = Catch::rngSeed();
  const std::vector<AttributeMask> cuts = {0b00011, 0b11100, 0b10010};
  Result<AttributeFilter> made = AttributeFilter::Create(
      {.sets = *AttributeSets::Create(5, cuts), .capacity = 3000, .target_fpr = 0.05});
  REQUIRE(made.ok());
  AttributeFilter& filter = *made;
  const std::vector<std::byte> as_new = filter.Serialize();
  const std::vector<uint64_t> num_values = {0, 300, 5, 0, 70};
  std::vector<TupleRow> rows = RandomRows(kTuples, num_values, seed);
  REQUIRE(filter.Insert(TupleColumns(rows).view()).num_refused == 0);

  std::vector<uint64_t> bits(TupleIndex::BitmapWords(kTuples));
  const uint64_t num_batches = (Scaled(800'000) + kTuples - 1) / kTuples;
  for (uint64_t b = 0; b < num_batches; ++b) {
    const TupleColumns columns(rows);
    // What is not asked for is not read.
    const auto asked = static_cast<AttributeMask>(RandomKey(KeySpace::kMembers, seed, b) & 0b11111);
    Tuples tuples = columns.view();
    for (size_t a = 0; a < num_values.size(); ++a) {
      if ((asked >> a & 1) == 0) tuples.columns[a] = nullptr;
    }
    REQUIRE(filter.Query(asked, tuples, bits) == kTuples);

    const size_t first = b * kChanged % kTuples;
    const auto changed = std::span(rows).subspan(first, kChanged);
    REQUIRE(filter.Erase(TupleColumns(changed).view()).num_refused == 0);
    std::ranges::copy(RandomRows(kChanged, num_values, seed + 10 * (b + 1)), changed.begin());
    REQUIRE(filter.Insert(TupleColumns(changed).view()).num_refused == 0);
  }
  CHECK(filter.num_tuples() == kTuples);
  REQUIRE(filter.Erase(TupleColumns(rows).view()).num_refused == 0);
  CHECK(filter.Serialize() == as_new);
}

}  // namespace trommel::tests
