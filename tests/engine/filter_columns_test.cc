// The contract of filter_columns.h, by one thread. Its files: filter_columns_snapshot_test.cc; its
// threads: filter_columns_threads_test.cc.
#include "trommel/filter_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/random_keys.h"
#include "support/statistics.h"
#include "support/targets.h"
#include "trommel/counting_filter.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

FilterColumns MadeColumns(const ColumnsConfig& config) {
  return FilterColumns::Create(config).value();
}

// The columns of a key's answer.
bool ShowsColumn(std::span<const uint64_t> answer, uint32_t column) {
  return (answer[column / 64] >> column % 64 & 1) != 0;
}

std::vector<uint64_t> AnswersOf(const FilterColumns& columns, Keys keys) {
  std::vector<uint64_t> answers(keys.size() * columns.row_words(), ~uint64_t{0});
  columns.Query(keys, answers);
  return answers;
}

TEST_CASE("columns answer as counting filters of their geometry after the same operations",
          "[engine][columns][long]") {
  const auto [encoding, num_slices] =
      GENERATE(table<Encoding, uint32_t>({{Encoding::kRuns, 4},
                                          {Encoding::kRuns, 5},
                                          {Encoding::kRuns, 10},
                                          {Encoding::kPlanes, 8},
                                          {Encoding::kPlanes, 16}}));
  const uint32_t num_columns = GENERATE(3U, 130U, 700U);
  FilterColumns columns = MadeColumns({.column_capacity = 60,
                                       .target_fpr = 0.01,
                                       .num_columns = num_columns,
                                       .num_slices = num_slices,
                                       .encoding = encoding});
  // Some columns, at both ends of words; the others stay closed.
  std::map<uint32_t, CountingFilter> want;
  for (const uint32_t column : {0U, 1U, num_columns / 2, num_columns - 1}) {
    if (want.contains(column)) continue;
    REQUIRE(columns.OpenColumn(column).ok());
    want.emplace(column, CountingFilter::CreateWithGeometry(columns.geometry(), {}).value());
  }
  std::mt19937_64 random(Catch::rngSeed());
  // Twice the capacity, with duplicates: blocks are promoted and come back.
  const std::vector<uint64_t> pool = tests::MemberKeys(150, 1);
  for (int step = 0; step < 200; ++step) {
    auto& [column, filter] = *std::next(want.begin(), random() % want.size());
    std::vector<uint64_t> batch(random() % 40);
    for (uint64_t& key : batch) key = pool[random() % pool.size()];
    if (random() % 2 == 0) {
      columns.Insert(column, batch);
      filter.Insert(batch);
    } else {
      REQUIRE(columns.Erase(column, batch) == filter.Erase(batch));
    }
    const uint64_t key = pool[random() % pool.size()];
    if (random() % 2 == 0) {
      columns.Insert(column, key);
      filter.Insert(key);
    } else {
      REQUIRE(columns.Erase(column, key) == filter.Erase(key));
    }
  }
  std::vector<uint64_t> queried = pool;
  for (const uint64_t key : tests::NonMemberKeys(500, 2)) queried.push_back(key);
  const std::vector<uint64_t> answers = AnswersOf(columns, queried);
  const size_t words = columns.row_words();
  for (size_t i = 0; i < queried.size(); ++i) {
    const auto answer = std::span(answers).subspan(i * words, words);
    std::vector<uint64_t> single(words, ~uint64_t{0});
    columns.Query(queried[i], single);
    REQUIRE(std::ranges::equal(answer, single));
    for (uint32_t c = 0; c < words * 64; ++c) {
      const auto filter = want.find(c);
      const bool shown = filter != want.end() && filter->second.MayContain(queried[i]);
      REQUIRE(ShowsColumn(answer, c) == shown);
      if (c < num_columns) REQUIRE(columns.MayContain(c, queried[i]) == shown);
    }
  }
  for (const auto& [column, filter] : want) {
    const Stats got = columns.GetStats(column);
    const Stats wanted = filter.GetStats();
    CHECK(got.num_keys == wanted.num_keys);
    CHECK(got.num_refused_erases == wanted.num_refused_erases);
    CHECK(got.num_promoted == wanted.num_promoted);
    const BlockFill got_fill = columns.MeasureFill(column);
    const BlockFill wanted_fill = filter.MeasureFill();
    CHECK(got_fill.fill_ratio == wanted_fill.fill_ratio);
    CHECK(got_fill.current_fpr == wanted_fill.current_fpr);
  }
}

TEST_CASE("every key that is in a column is shown, on every target", "[engine][columns]") {
  const uint32_t num_slices = GENERATE(4U, 5U, 8U, 10U);
  tests::ForEachRunnableTarget([&] {
    FilterColumns columns =
        MadeColumns({.column_capacity = 500, .num_columns = 70, .num_slices = num_slices});
    for (uint32_t c = 0; c < 70; ++c) REQUIRE(columns.OpenColumn(c).ok());
    for (uint32_t c = 0; c < 70; ++c) columns.Insert(c, tests::MemberKeys(500, c));
    for (uint32_t c = 0; c < 70; ++c) {
      const std::vector<uint64_t> keys = tests::MemberKeys(500, c);
      const std::vector<uint64_t> answers = AnswersOf(columns, keys);
      for (size_t i = 0; i < keys.size(); ++i) {
        REQUIRE(ShowsColumn(std::span(answers).subspan(i * 2, 2), c));
      }
    }
  });
}

TEST_CASE("keys of every kind have the digests of the policy", "[engine][columns]") {
  const DigestPolicy policy{.kind = DigestKind::kXxh3, .seed = 5};
  FilterColumns columns =
      MadeColumns({.column_capacity = 5000, .num_columns = 2, .digest = policy});
  REQUIRE(columns.OpenColumn(1).ok());
  const std::vector<std::string> keys = tests::MemberStrings(3000, 1);  // more than one chunk
  columns.Insert(1, keys);
  std::vector<uint64_t> digests(keys.size());
  policy.Digests(keys, digests);
  CHECK(AnswersOf(columns, keys) == std::vector<uint64_t>(keys.size(), 2));
  CHECK(AnswersOf(columns, Keys::Digests(digests)) == std::vector<uint64_t>(keys.size(), 2));
  CHECK(columns.MayContain(1, keys[7]));
  CHECK(columns.MayContain(1, Key::Digest(digests[7])));
  CHECK(columns.Erase(1, Keys::Digests(digests)) == EraseOutcome{keys.size(), 0});
  CHECK(columns.MeasureFill(1).fill_ratio == 0);
  CHECK(AnswersOf(columns, keys) == std::vector<uint64_t>(keys.size(), 0));
}

TEST_CASE("a closed column shows nothing, and opens empty again", "[engine][columns]") {
  FilterColumns columns = MadeColumns({.column_capacity = 100, .num_columns = 65});
  const std::vector<uint64_t> keys = tests::MemberKeys(300, 1);
  CHECK(AnswersOf(columns, keys) == std::vector<uint64_t>(2 * keys.size(), 0));
  for (const uint32_t c : {5U, 6U}) {
    REQUIRE(columns.OpenColumn(c).ok());
    columns.Insert(c, keys);
  }
  const uint64_t num_bytes = columns.num_bytes();
  columns.CloseColumn(5);
  columns.CloseColumn(5);
  CHECK(!columns.IsOpen(5));
  CHECK(columns.IsOpen(6));
  CHECK(columns.num_bytes() < num_bytes);
  for (size_t i = 0; i < keys.size(); ++i) {
    CHECK(!columns.MayContain(5, keys[i]));
    CHECK(AnswersOf(columns, std::span(keys).subspan(i, 1)) == std::vector<uint64_t>{64, 0});
  }
  REQUIRE(columns.OpenColumn(5).ok());
  CHECK(columns.GetStats(5).num_keys == 0);
  CHECK(columns.Erase(5, keys) == EraseOutcome{0, keys.size()});
  CHECK(columns.GetStats(5).num_refused_erases == keys.size());
  columns.CloseColumn(6);
  CHECK(AnswersOf(columns, keys) == std::vector<uint64_t>(2 * keys.size(), 0));
  REQUIRE(columns.OpenColumn(6).ok());
  CHECK(columns.GetStats(6).num_refused_erases == 0);
}

TEST_CASE("false columns per query are as many as the model predicts", "[engine][columns]") {
  // More keys in later columns: the sum is of different rates.
  constexpr uint32_t kColumns = 100;
  FilterColumns columns =
      MadeColumns({.column_capacity = 1000, .target_fpr = 0.01, .num_columns = kColumns});
  // The sampling of non-members, and that the columns themselves differ (statistics.h).
  constexpr uint64_t kQueries = 20'000;
  double predicted = 0;
  double variance = 0;
  for (uint32_t c = 0; c < kColumns; ++c) {
    REQUIRE(columns.OpenColumn(c).ok());
    const uint64_t num_keys = 500 + 10 * c;
    columns.Insert(c, tests::MemberKeys(num_keys, c));
    const double rate = PredictedFpr(columns.geometry(), num_keys);
    predicted += rate;
    variance += rate * (1 - rate) / kQueries + tests::FilterVariance(columns.geometry(), num_keys);
    CHECK(columns.GetStats(c).predicted_fpr == rate);
  }
  // All columns answer the same positions of one block, but their keys are independent, so their
  // answers are not correlated and the variances add up.
  uint64_t num_false = 0;
  for (const uint64_t word : AnswersOf(columns, tests::NonMemberKeys(kQueries, 7))) {
    num_false += static_cast<uint64_t>(std::popcount(word));
  }
  const double measured = static_cast<double>(num_false) / kQueries;
  INFO("measured " << measured << ", predicted " << predicted);
  CHECK(std::abs(measured - predicted) <= 6 * std::sqrt(variance));
}

TEST_CASE("configurations out of range are refused with the number's name", "[engine][columns]") {
  const auto message = [](const ColumnsConfig& config) {
    const Result<FilterColumns> columns = FilterColumns::Create(config);
    REQUIRE(!columns.ok());
    CHECK(columns.error().code == ErrorCode::kInvalidArgument);
    return columns.error().message;
  };
  using Catch::Matchers::ContainsSubstring;
  const ColumnsConfig good{.column_capacity = 100, .num_columns = 10};
  REQUIRE(FilterColumns::Create(good).ok());
  ColumnsConfig bad = good;
  for (const uint64_t capacity : {uint64_t{0}, kMaxCapacity + 1, ~uint64_t{0}}) {
    bad.column_capacity = capacity;
    CHECK_THAT(message(bad), ContainsSubstring("column_capacity is " + std::to_string(capacity) +
                                               "; it must be between 1 and"));
  }
  bad = good;
  for (const uint32_t num_columns : {0U, kMaxColumns + 1, ~0U}) {
    bad.num_columns = num_columns;
    CHECK_THAT(message(bad), ContainsSubstring("num_columns is " + std::to_string(num_columns) +
                                               "; it must be between 1 and 65536"));
  }
  bad = good;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double rate : {kNan, 0.0, -0.01, 0.6, 1.0, 1e-7, kInfinity}) {
    bad.target_fpr = rate;
    CHECK_THAT(message(bad), ContainsSubstring("target_fpr is "));
  }
  bad = good;
  bad.num_slices = 7;
  CHECK_THAT(message(bad), ContainsSubstring("num_slices is 7"));
  bad = good;
  bad.encoding = static_cast<Encoding>(9);
  CHECK_THAT(message(bad), ContainsSubstring("encoding"));
  for (const Encoding encoding :
       {Encoding::kFingerprints16, Encoding::kFingerprints8, Encoding::kAutomatic}) {
    bad.encoding = encoding;
    CHECK_THAT(message(bad), ContainsSubstring("needs presence bits: planes or runs"));
  }
  bad = good;
  bad.digest.kind = static_cast<DigestKind>(9);
  CHECK_THAT(message(bad), ContainsSubstring("digest"));
}

TEST_CASE("rows and columns over the memory limit are refused", "[engine][columns]") {
  ColumnsConfig config{.column_capacity = 10'000, .num_columns = 100};
  const FilterColumns probe = MadeColumns(config);
  const uint64_t column_bytes = probe.geometry().num_bytes();
  config.memory_limit_bytes = probe.row_bytes() - 1;
  const Result<FilterColumns> refused = FilterColumns::Create(config);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(refused.error().message, Catch::Matchers::ContainsSubstring("the rows need"));

  config.memory_limit_bytes = probe.row_bytes() + 2 * column_bytes;
  FilterColumns columns = MadeColumns(config);
  CHECK(columns.OpenColumn(0).ok());
  CHECK(columns.OpenColumn(1).ok());
  const Status third = columns.OpenColumn(2);
  REQUIRE(!third.ok());
  CHECK(third.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(third.error().message, Catch::Matchers::ContainsSubstring("(memory_limit_bytes)"));
  CHECK(!columns.IsOpen(2));
  columns.CloseColumn(0);
  CHECK(columns.OpenColumn(2).ok());
  // Sets that no machine holds are refused by its memory, not tried.
  config = {.column_capacity = kMaxCapacity / 1024, .num_columns = kMaxColumns};
  CHECK(FilterColumns::Create(config).error().code == ErrorCode::kOutOfMemory);
}

TEST_CASE("columns that cannot be opened are refused with the reason", "[engine][columns]") {
  FilterColumns columns = MadeColumns({.column_capacity = 100, .num_columns = 3});
  REQUIRE(columns.OpenColumn(1).ok());
  CHECK(columns.OpenColumn(1).error().code == ErrorCode::kInvalidArgument);
  CHECK(columns.OpenColumn(1).error().message == "column 1 is open");
  CHECK(columns.OpenColumn(3).error().code == ErrorCode::kInvalidArgument);
  CHECK(columns.OpenColumn(3).error().message == "column is 3; it must be between 0 and 2");
}

TEST_CASE("misuse of columns ends the program", "[engine][columns]") {
  using Catch::Matchers::ContainsSubstring;
  FilterColumns columns = MadeColumns({.column_capacity = 100, .num_columns = 100});
  const std::vector<uint64_t> keys = tests::MemberKeys(2, 1);
  std::vector<uint64_t> answers(5);
  CHECK_THAT(tests::AbortMessage([&] { columns.Insert(1, keys); }),
             ContainsSubstring("the column is closed"));
  CHECK_THAT(tests::AbortMessage([&] { columns.Erase(1, keys[0]); }),
             ContainsSubstring("the column is closed"));
  CHECK_THAT(tests::AbortMessage([&] { (void)columns.GetStats(1); }),
             ContainsSubstring("the column is closed"));
  CHECK_THAT(tests::AbortMessage([&] { (void)columns.SerializeColumn(1); }),
             ContainsSubstring("the column is closed"));
  CHECK_THAT(tests::AbortMessage([&] { (void)columns.MayContain(100, keys[0]); }),
             ContainsSubstring("column is not below num_columns"));
  CHECK_THAT(tests::AbortMessage([&] { columns.Query(keys, answers); }),
             ContainsSubstring("answers of another size"));
  CHECK_THAT(tests::AbortMessage([&] { columns.Query(keys[0], answers); }),
             ContainsSubstring("an answer of another size"));
  std::vector<uint64_t> both(6);
  CHECK_THAT(tests::AbortMessage(
                 [&] { columns.Query(std::span(both).first(2), std::span(both).subspan(1, 4)); }),
             ContainsSubstring("the answers overlap the keys"));
}

TEST_CASE("a set of columns is what it was created as, and moves", "[engine][columns]") {
  FilterColumns made = MadeColumns({.column_capacity = 2000,
                                    .target_fpr = 0.02,
                                    .num_columns = 300,
                                    .digest = {.seed = 9},
                                    .num_slices = 8,
                                    .encoding = Encoding::kPlanes});
  REQUIRE(made.OpenColumn(299).ok());
  made.Insert(299, "key");
  FilterColumns columns = std::move(made);
  const Geometry want =
      SizeFor(
          {.capacity = 2000, .target_fpr = 0.02, .num_slices = 8, .encoding = Encoding::kPlanes})
          ->geometry;
  CHECK(columns.geometry() == want);
  CHECK(columns.digest_policy() == DigestPolicy{.seed = 9});
  CHECK(columns.num_columns() == 300);
  CHECK(columns.column_capacity() == 2000);
  CHECK(columns.target_fpr() == 0.02);
  CHECK(columns.row_words() == 8);
  CHECK(columns.row_bytes() == want.num_positions() * 64);
  CHECK(columns.num_bytes() == columns.row_bytes() + want.num_bytes());
  CHECK(columns.MayContain(299, "key"));
}

}  // namespace
}  // namespace trommel
