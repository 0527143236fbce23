// Filters over attributes whose memory is limited: what is refused, and that it leaves no trace.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/bit_at.h"
#include "support/catch.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"

namespace trommel::tests {
namespace {

AttributeFilter LimitedAttributes(const AttributeConfig& config) {
  Result<AttributeFilter> filter = AttributeFilter::Create(config);
  if (!filter.ok()) FAIL(filter.error().message);
  return *std::move(filter);
}

AttributeSets PairSets(const std::vector<AttributeMask>& cuts = {}) {
  return *AttributeSets::Create(2, cuts);
}

size_t NumShownBy(const AttributeFilter& filter, AttributeMask asked,
                  const std::vector<TupleRow>& rows) {
  std::vector<uint64_t> bits(TupleIndex::BitmapWords(rows.size()));
  return filter.Query(asked, TupleColumns(rows).view(), bits);
}

}  // namespace

TEST_CASE("where one set has no room a tuple is inserted into none",
          "[engine][attributes][attribute_filter][long]") {
  const uint64_t seed = Catch::rngSeed();
  AttributeConfig config{.sets = PairSets(),
                         .names = {},
                         .capacity = 30'000,
                         .target_fpr = 1e-4,
                         .budgets = {{.set = 0b11, .capacity = 4000}}};
  // No room but for what there is at first.
  config.memory_limit_bytes = LimitedAttributes(config).num_bytes();
  AttributeFilter filter = LimitedAttributes(config);
  const std::vector<std::byte> as_new = filter.Serialize();
  const std::vector<TupleRow> rows = RandomRows(20'000, std::vector<uint64_t>{0, 0}, seed);
  std::vector<uint64_t> bits(TupleIndex::BitmapWords(rows.size()), ~uint64_t{0});
  const InsertOutcome outcome = filter.Insert(TupleColumns(rows).view(), bits);
  CHECK(outcome.num_inserted + outcome.num_refused == rows.size());
  CHECK(outcome.num_inserted >= 4000);
  CHECK(outcome.num_inserted < 6000);
  CHECK(outcome.refusal == GrowthRefusal::kMemoryLimit);
  CHECK(filter.num_tuples() == outcome.num_inserted);
  CHECK(filter.GetStats().num_refused_inserts == outcome.num_refused);
  for (const SetStats& of_set : filter.GetStats().sets) {
    CHECK(of_set.stats.num_keys == outcome.num_inserted);
  }
  std::vector<TupleRow> in;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (BitAt(bits, i)) in.push_back(rows[i]);
  }
  REQUIRE(in.size() == outcome.num_inserted);
  for (const AttributeMask asked : {0b01, 0b10, 0b11}) {
    CHECK(NumShownBy(filter, asked, in) == in.size());
    CHECK(NumShownBy(filter, asked, rows) < in.size() + 20);
  }
  // Refused once more: not one byte changes.
  const std::vector<std::byte> full = filter.Serialize();
  const std::vector<TupleRow> more = RandomRows(3000, std::vector<uint64_t>{0, 0}, seed + 100);
  CHECK(filter.Insert(TupleColumns(more).view()).num_inserted < 10);  // shown already, perhaps
  if (filter.num_tuples() == in.size()) CHECK((filter.Serialize() == full));
  // With those that came in, the same bytes as without those that were refused.
  AttributeFilter without = LimitedAttributes(config);
  CHECK(without.Insert(TupleColumns(in).view()).num_refused == 0);
  CHECK((without.Serialize() == full));
  CHECK(filter.Erase(TupleColumns(in).view()).num_erased == in.size());
  if (filter.num_tuples() == 0) CHECK((filter.Serialize() == as_new));
}

// Rows with new values of one attribute; the other one's is always the same.
std::vector<TupleRow> NewIn(size_t attribute, size_t count, uint64_t seed) {
  std::vector<TupleRow> rows(count, TupleRow(2, RandomKey(KeySpace::kNonMembers, 0, 0)));
  for (size_t i = 0; i < count; ++i) rows[i][attribute] = RandomKey(KeySpace::kMembers, seed, i);
  return rows;
}

TEST_CASE("refused tuples leave the room of sets that had some",
          "[engine][attributes][attribute_filter]") {
  const size_t batch = GENERATE(1U, 50U, 100'000U);
  AttributeConfig config{
      .sets = PairSets({0b11}), .names = {}, .capacity = 3000, .target_fpr = 0.01};
  config.memory_limit_bytes = LimitedAttributes(config).num_bytes();
  AttributeFilter filter = LimitedAttributes(config);
  const auto insert = [&](const std::vector<TupleRow>& rows) {
    const TupleColumns columns(rows);
    uint64_t num_inserted = 0;
    for (size_t first = 0; first < rows.size(); first += batch) {
      const size_t count = std::min(batch, rows.size() - first);
      num_inserted += filter.Insert(columns.view().From(first, count)).num_inserted;
    }
    return num_inserted;
  };
  // One value of attribute 0 that thousands share, beside more values of attribute 1 than fit.
  const uint64_t shared = RandomKey(KeySpace::kNonMembers, 0, 0);
  CHECK(insert({{shared, shared}}) == 1);
  const uint64_t num_second = insert(NewIn(1, 9000, 1));
  CHECK(num_second >= 2999);
  CHECK(num_second < 5000);
  const std::vector<std::byte> before = filter.Serialize();
  // Their values are new: attribute 0 has room, attribute 1 has not.
  std::vector<TupleRow> non_members = NewIn(0, 8000, 2);
  const std::vector<TupleRow> seconds = NewIn(1, 8000, 3);
  for (size_t i = 0; i < non_members.size(); ++i) non_members[i][1] = seconds[i][1];
  const uint64_t num_by_chance = insert(non_members);
  CHECK(num_by_chance < 40);
  if (num_by_chance == 0) CHECK((filter.Serialize() == before));
  CHECK(filter.GetStats().sets[0].stats.num_entries <= num_second + 1 + num_by_chance);
  CHECK(insert(NewIn(0, 2500, 4)) == 2500);
}

TEST_CASE("sets share one memory limit while they grow", "[engine][attributes][attribute_filter]") {
  AttributeConfig config{
      .sets = PairSets({0b11}), .names = {}, .capacity = 3000, .target_fpr = 0.01};
  const uint64_t first = LimitedAttributes(config).num_bytes();
  config.memory_limit_bytes = first * 3;
  AttributeFilter filter = LimitedAttributes(config);
  // One attribute has few values and need not grow: the other one may have all the room.
  const std::vector<TupleRow> rows =
      RandomRows(30'000, std::vector<uint64_t>{0, 3}, Catch::rngSeed());
  const InsertOutcome outcome = filter.Insert(TupleColumns(rows).view());
  CHECK(outcome.refusal == GrowthRefusal::kMemoryLimit);
  const AttributeStats stats = filter.GetStats();
  CHECK(stats.sets[0].stats.most_doublings > 0);
  CHECK(stats.sets[1].stats.most_doublings == 0);
  CHECK(stats.num_bytes > config.memory_limit_bytes / 2);
  uint64_t side_bytes = 0;
  for (const SetStats& set : stats.sets) side_bytes += set.stats.side_table_bytes;
  CHECK(stats.num_bytes - side_bytes <= config.memory_limit_bytes);
}

TEST_CASE("room that one set's erasures give back is another's",
          "[engine][attributes][attribute_filter]") {
  AttributeConfig config{
      .sets = PairSets({0b11}), .names = {}, .capacity = 3000, .target_fpr = 0.01};
  config.memory_limit_bytes = LimitedAttributes(config).num_bytes() * 3;
  AttributeFilter filter = LimitedAttributes(config);
  // Once attribute 0 has the many values, then attribute 1.
  for (const bool is_second : {false, true, false}) {
    const std::vector<uint64_t> num_values = {is_second ? 3U : 0U, is_second ? 0U : 3U};
    const std::vector<TupleRow> rows = RandomRows(6000, num_values, 1);
    const TupleColumns columns(rows);
    CHECK(filter.Insert(columns.view()).num_refused == 0);
    CHECK(filter.GetStats().sets[is_second ? 1 : 0].stats.most_doublings == 1);
    CHECK(filter.Erase(columns.view()).num_refused == 0);
  }
}

}  // namespace trommel::tests
