// Filters over attributes with a limit of side memory: a tuple that one set has no space for is in
// none, and no update needs memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/exact_model.h"
#include "support/least_named.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"
#include "trommel/executor.h"

namespace trommel::tests {
namespace {

using Rows = std::vector<TupleRow>;

// The first attribute has few values, each in many tuples: its counts are in side memory.
AttributeConfig SkewedConfig(Encoding encoding) {
  return {.sets = *AttributeSets::Create(3, {}),
          .names = {},
          .capacity = 1500,
          .num_values = {60, 400, 1500},
          .encoding = encoding};
}

Rows SkewedRows(size_t size, std::mt19937_64& random) {
  constexpr uint64_t kNumValues[] = {60, 400, 6000};
  Rows rows(size, TupleRow(3));
  for (TupleRow& row : rows) {
    for (size_t a = 0; a < 3; ++a) {
      row[a] = (random() % kNumValues[a] * 3 + a + 1) * 0x9e3779b97f4a7c15;
    }
  }
  return rows;
}

std::vector<uint64_t> BitsFor(const Rows& rows) {
  return std::vector<uint64_t>(TupleIndex::BitmapWords(rows.size()), ~uint64_t{0});
}

Rows ChosenRows(const Rows& rows, const std::vector<uint64_t>& bits) {
  Rows chosen;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (BitAt(bits, i)) chosen.push_back(rows[i]);
  }
  return chosen;
}

Encoding AnySetEncoding() {
  return GENERATE(Encoding::kRuns, Encoding::kPlanes, Encoding::kAutomatic);
}

// Little more than one promoted block for each range of blocks.
uint64_t LeastOf(const AttributeConfig& config) {
  return LeastNamed(AttributeFilter::Create(config).value().LimitSideMemory(1));
}

}  // namespace

TEST_CASE("with a limit of side memory a tuple is in all sets, or refused and in none",
          "[engine][attribute_filter][side_limit]") {
  const AttributeConfig config = SkewedConfig(AnySetEncoding());
  std::mt19937_64 random(Catch::rngSeed());
  // Holds what was not refused, without a limit: all bytes must be the same, loads of generations
  // among them.
  AttributeFilter model = AttributeFilter::Create(config).value();
  AttributeConfig limited = config;
  limited.side_memory_limit_bytes = LeastOf(config);
  AttributeFilter filter = AttributeFilter::Create(limited).value();
  AttributeFilter by_one = filter.Clone().value();
  AttributeFilter spread = filter.Clone().value();
  spread.UseExecutor(Executor::Create(3).value());
  uint64_t num_refused = 0;
  for (int step = 0; step < 30; ++step) {
    CAPTURE(step);
    const Rows rows = SkewedRows(step == 0 ? 5000 : 1 + random() % 1500, random);
    const TupleColumns columns(rows);
    std::vector<uint64_t> bits = BitsFor(rows);
    std::vector<uint64_t> other_bits = BitsFor(rows);
    if (step % 5 == 3) {
      REQUIRE(filter.Erase(columns.view(), bits) == model.Erase(columns.view(), other_bits));
      REQUIRE(bits == other_bits);
      spread.Erase(columns.view());
      by_one.Erase(columns.view());
      continue;
    }
    const InsertOutcome outcome = filter.Insert(columns.view(), bits);
    const Rows taken = ChosenRows(rows, bits);
    REQUIRE(outcome.num_inserted == taken.size());
    REQUIRE(outcome.num_refused == rows.size() - taken.size());
    num_refused += outcome.num_refused;
    if (outcome.num_refused != 0) CHECK(outcome.refusal == GrowthRefusal::kSideMemoryLimit);
    REQUIRE(model.Insert(TupleColumns(taken).view()).num_refused == 0);
    REQUIRE(spread.Insert(columns.view(), other_bits) == outcome);
    REQUIRE(other_bits == bits);
    for (size_t i = 0; i < rows.size(); ++i) {
      const TupleColumns one(std::span<const TupleRow>(&rows[i], 1));
      REQUIRE((by_one.Insert(one.view()).num_inserted == 1) == BitAt(bits, i));
    }
    REQUIRE(filter.num_tuples() == model.num_tuples());
    std::vector<uint64_t> answers = BitsFor(taken);
    REQUIRE(filter.Query(0b111, TupleColumns(taken).view(), answers) == taken.size());
  }
  CHECK(num_refused > 100);
  CHECK(filter.num_tuples() > 1000);
  CHECK(filter.GetStats().num_refused_inserts == num_refused);
  CHECK((filter.Serialize() == model.Serialize()));
  CHECK((by_one.Serialize() == model.Serialize()));
  CHECK((spread.Serialize() == model.Serialize()));
}

TEST_CASE("with a limit of side memory no update of tuples needs memory",
          "[engine][attribute_filter][side_limit][refused_memory][long]") {
  if (!AllocationPeak::IsCounted()) return;
  AttributeConfig config = SkewedConfig(AnySetEncoding());
  config.side_memory_limit_bytes = LeastOf(config);
  std::mt19937_64 random(Catch::rngSeed());
  AttributeFilter filter = AttributeFilter::Create(config).value();
  const std::vector<std::byte> empty = filter.Serialize();
  const Rows rows = SkewedRows(6000, random);
  const TupleColumns columns(rows);
  std::vector<uint64_t> bits = BitsFor(rows);
  InsertOutcome outcome;
  {
    const RefusedAllocation refused(1, Refused::kAllFrom);
    outcome = filter.Insert(columns.view(), bits);
  }
  const Rows taken = ChosenRows(rows, bits);
  CHECK(outcome.num_inserted == taken.size());
  CHECK(outcome.num_inserted + outcome.num_refused == rows.size());
  CHECK(outcome.num_refused > 0);
  CHECK(filter.num_tuples() == taken.size());
  for (const SetStats& of_set : filter.GetStats().sets) {
    CHECK(of_set.stats.num_keys == taken.size());
  }
  const TupleColumns taken_columns(taken);
  EraseOutcome erased;
  {
    const RefusedAllocation refused(1, Refused::kAllFrom);
    erased = filter.Erase(taken_columns.view());
  }
  CHECK(erased.num_erased == taken.size());
  CHECK(filter.num_tuples() == 0);
  CHECK((filter.Serialize() == empty));
}

TEST_CASE("a limit of side memory is taken by all sets or by none",
          "[engine][attribute_filter][side_limit][refused_memory]") {
  const AttributeConfig config = SkewedConfig(Encoding::kRuns);
  std::mt19937_64 random(Catch::rngSeed());
  AttributeFilter filter = AttributeFilter::Create(config).value();
  const uint64_t least = LeastOf(config);
  const uint64_t first_bytes = filter.num_bytes();
  const Rows rows = SkewedRows(20'000, random);
  filter.Insert(TupleColumns(rows).view());
  const Rows hot(5000, rows[0]);
  const TupleColumns hot_columns(hot);
  bool was_refused = AllocationPeak::IsCounted();
  for (uint64_t n = 1; was_refused; n += 1 + n / 4) {
    CAPTURE(n);
    Status limited = Ok();
    was_refused = WasRefusedAt(n, [&] { limited = filter.LimitSideMemory(50 * least); });
    CHECK(limited.ok() != was_refused);
    if (limited.ok()) break;
    CHECK(limited.error().code == ErrorCode::kOutOfMemory);
    CHECK(filter.Insert(hot_columns.view()).num_refused == 0);
    CHECK(filter.Erase(hot_columns.view()).num_refused == 0);
  }
  CHECK(filter.LimitSideMemory(~uint64_t{0}).error().code == ErrorCode::kOutOfMemory);
  REQUIRE(filter.LimitSideMemory(50 * least).ok());
  const uint64_t num_bytes = filter.num_bytes();
  CHECK(num_bytes > first_bytes + 4 * least);
  const AttributeFilter copy = filter.Clone().value();
  CHECK(copy == filter);
  CHECK(copy.num_bytes() == num_bytes);
  const Status scarce = filter.LimitSideMemory(least);
  REQUIRE_FALSE(scarce.ok());
  CHECK(scarce.error().code == ErrorCode::kOutOfMemory);
  CHECK(filter.num_bytes() == num_bytes);
  filter.Clear();
  CHECK(filter.num_bytes() > first_bytes + 4 * least);
  CHECK(filter.LimitSideMemory(least).ok());
  CHECK(filter.num_bytes() < num_bytes);
  // A set has one digit for the counters of each range.
  CHECK(filter.Insert(hot_columns.view()).num_inserted == 255);
  CHECK(filter.LimitSideMemory(0).ok());

  AttributeConfig with_both = config;
  with_both.memory_limit_bytes = first_bytes + least;
  with_both.side_memory_limit_bytes = 50 * least;
  const auto too_large = AttributeFilter::Create(with_both);
  REQUIRE_FALSE(too_large.ok());
  CHECK(too_large.error().code == ErrorCode::kOutOfMemory);
}

}  // namespace trommel::tests
