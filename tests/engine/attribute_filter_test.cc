// Filters over attributes: what they answer, refuse and count. Programs of operations:
// attribute_filter_invariants_test.cc. Threads: attribute_filter_threads_test.cc.
#include "trommel/attribute_filter.h"

#include <cstdint>
#include <vector>

#include "support/bit_at.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/statistics.h"
#include "support/tuple_rows.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

AttributeSets CutSets(uint32_t num_attributes, std::vector<AttributeMask> cuts) {
  return *AttributeSets::Create(num_attributes, cuts);
}

size_t NumShownOf(const AttributeFilter& filter, AttributeMask asked,
                  const std::vector<TupleRow>& rows) {
  std::vector<uint64_t> bits(TupleIndex::BitmapWords(rows.size()));
  return filter.Query(asked, TupleColumns(rows).view(), bits);
}

const std::vector<uint64_t> kAllDifferent3 = {0, 0, 0};

TEST_CASE("every set of attributes keeps its rate while its filter grows",
          "[engine][attributes][attribute_filter]") {
  const uint64_t seed = Catch::rngSeed();
  AttributeFilter filter =
      AttributeFilter::Create({.sets = CutSets(3, {0b101}),
                               .capacity = 2000,
                               .target_fpr = 0.02,
                               .budgets = {{.set = 0b011, .target_fpr = 0.001}}})
          .value();
  const std::vector<TupleRow> rows = RandomRows(30'000, kAllDifferent3, seed);
  CHECK(filter.Insert(TupleColumns(rows).view()).num_inserted == rows.size());
  const std::vector<TupleRow> non_members =
      RandomRows(100'000, kAllDifferent3, seed, KeySpace::kNonMembers);
  const AttributeStats stats = filter.GetStats();
  REQUIRE(stats.sets.size() == 5);
  CHECK(stats.num_bytes == filter.num_bytes());
  const std::vector<ScalableFill> fill = filter.MeasureFill();
  REQUIRE(fill.size() == stats.sets.size());
  for (size_t s = 0; s < stats.sets.size(); ++s) {
    const SetStats& of_set = stats.sets[s];
    const double current_fpr = fill[s].current_fpr;
    INFO("set " << AttributeMaskText(of_set.set));
    const double target = of_set.set == 0b011 ? 0.001 : 0.02;
    CHECK(of_set.target_fpr == target);
    CHECK(of_set.stats.most_doublings > 1);
    CHECK(of_set.stats.num_keys == rows.size());
    CHECK(current_fpr < target);
    CHECK(NumShownOf(filter, of_set.set, rows) == rows.size());
    const RateBound bound = BinomialBound(current_fpr, non_members.size());
    CHECK(bound.ContainsHits(NumShownOf(filter, of_set.set, non_members)));
  }
}

TEST_CASE("parts are asked in the order of their rates", "[engine][attributes][attribute_filter]") {
  const AttributeFilter filter =
      AttributeFilter::Create({.sets = CutSets(3, {0b011, 0b101}),
                               .capacity = 100,
                               .target_fpr = 0.01,
                               .budgets = {{.set = 0b001, .capacity = 7, .target_fpr = 0.0001}}})
          .value();
  CHECK(filter.PartsOf(0b111) == std::vector<AttributeMask>{0b001, 0b110});
  CHECK(filter.PartsOf(0b110) == std::vector<AttributeMask>{0b110});
  CHECK(filter.PartsOf(0).empty());
  CHECK(filter.CanAnswer(0));
  CHECK(filter.CanAnswer(0b111));
  CHECK_FALSE(filter.CanAnswer(0b1000));
  CHECK(filter.GetStats().sets.front().capacity == 7);
}

TEST_CASE("one tuple has the answer of a batch, however many parts the question has",
          "[engine][attributes][attribute_filter]") {
  // Five pairs are cut: the question for all attributes has 32 parts.
  const std::vector<AttributeMask> cuts = {0b11, 0b11 << 2, 0b11 << 4, 0b11 << 6, 0b11 << 8};
  AttributeFilter filter =
      AttributeFilter::Create({.sets = CutSets(10, cuts), .capacity = 60, .target_fpr = 0.1})
          .value();
  REQUIRE(filter.PartsOf(filter.sets().full()).size() == 32);
  // Of few values, so that many parts of a row that is not in are; and grown, some sets more.
  const std::vector<uint64_t> num_values = {2, 3, 2, 3, 2, 3, 2, 3, 2, 0};
  const std::vector<TupleRow> in = RandomRows(200, num_values, 1);
  REQUIRE(filter.Insert(TupleColumns(in).view()).num_refused == 0);
  std::vector<TupleRow> asked_for = RandomRows(60, num_values, 2);
  asked_for.insert(asked_for.end(), in.begin(), in.begin() + 60);
  // All but one attribute from a row that is in: one part or a few say "absent", wherever they are.
  for (size_t i = 0; i < 60; ++i) {
    TupleRow mixed = in[i];
    mixed[i % 10] = RandomKey(KeySpace::kNonMembers, 3, i);
    asked_for.push_back(mixed);
  }
  const TupleColumns columns(asked_for);
  std::vector<uint64_t> bits(TupleIndex::BitmapWords(asked_for.size()));
  size_t num_different = 0;
  size_t num_shown = 0;
  size_t num_absent = 0;
  for (AttributeMask asked = 0; asked <= filter.sets().full(); ++asked) {
    filter.Query(asked, columns.view(), bits);
    for (size_t i = 0; i < asked_for.size(); ++i) {
      const bool is_shown = filter.MayContain(asked, asked_for[i]);
      if (is_shown != BitAt(bits, i)) ++num_different;
      if (!is_shown && i >= 60 && i < 120) ++num_absent;
      if (is_shown) ++num_shown;
    }
  }
  CHECK(num_different == 0);
  CHECK(num_absent == 0);
  CHECK(num_shown < asked_for.size() << 10);
}

TEST_CASE("several threads erase a batch of tuples from all sets",
          "[engine][attributes][attribute_filter][threads]") {
  AttributeConfig config{.sets = CutSets(5, {}), .capacity = 3'000, .target_fpr = 0.01};
  AttributeFilter alone = AttributeFilter::Create(config).value();
  config.executor = Executor::Create(2, 1).value();
  AttributeFilter filter = AttributeFilter::Create(config).value();
  REQUIRE(filter.GetStats().sets.size() == 31);  // no number of sets that tasks divide
  const std::vector<uint64_t> num_values = {0, 0, 10, 100, 1'000};
  const std::vector<TupleRow> rows = RandomRows(3'000, num_values, Catch::rngSeed());
  const std::vector<TupleRow> erased(rows.begin(), rows.begin() + 2'000);
  for (AttributeFilter* each : {&alone, &filter}) {
    REQUIRE(each->Insert(TupleColumns(rows).view()).num_refused == 0);
    CHECK(each->Erase(TupleColumns(erased).view()).num_refused == 0);
  }
  CHECK((filter.Serialize() == alone.Serialize()));
}

TEST_CASE("a question for nothing is always answered maybe present",
          "[engine][attributes][attribute_filter]") {
  const AttributeFilter filter =
      AttributeFilter::Create({.sets = CutSets(2, {}), .capacity = 10}).value();
  Tuples tuples;
  tuples.size = 70;
  std::vector<uint64_t> bits(2, 0);
  CHECK(filter.Query(0, tuples, bits) == 70);
  CHECK(bits == std::vector<uint64_t>{~uint64_t{0}, 0x3f});
  std::vector<uint64_t> counts(70, 5);
  filter.CountEstimates(0, tuples, counts);
  CHECK(counts == std::vector<uint64_t>(70, 0));
  CHECK(filter.MayContain(0, std::vector<uint64_t>(2)));
  CHECK(filter.Query(0, {}, {}) == 0);
  CHECK(filter.Query(0b11, {}, {}) == 0);
}

TEST_CASE("names say which attribute is which", "[engine][attributes][attribute_filter][long]") {
  const AttributeFilter plain =
      AttributeFilter::Create({.sets = CutSets(2, {}), .capacity = 10}).value();
  CHECK(plain.AttributeNamed("1").value() == 1);
  const AttributeFilter named =
      AttributeFilter::Create({.sets = CutSets(2, {}), .names = {"host", "port"}, .capacity = 10})
          .value();
  CHECK(named.AttributeNamed("port").value() == 1);
  CHECK(named.names()[0] == "host");
  const Result<uint32_t> unknown = named.AttributeNamed("prot");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().code == ErrorCode::kInvalidArgument);
  CHECK(unknown.error().message == "no attribute is named \"prot\"; there are host, port");
}

TEST_CASE("misuse of a filter over attributes ends the program",
          "[engine][attributes][attribute_filter]") {
  AttributeFilter filter =
      AttributeFilter::Create({.sets = CutSets(2, {}), .capacity = 10}).value();
  const std::vector<uint64_t> column = {1, 2};
  Tuples half;
  half.columns[0] = column.data();
  half.size = 2;
  uint64_t bit = 0;
  const std::span<uint64_t> bits(&bit, 1);
  CHECK_THAT(AbortMessage([&] { filter.Insert(half); }), ContainsSubstring("column"));
  CHECK_THAT(AbortMessage([&] { filter.Erase(half); }), ContainsSubstring("column"));
  CHECK_THAT(AbortMessage([&] { filter.Query(0b10, half, bits); }), ContainsSubstring("column"));
  CHECK_THAT(AbortMessage([&] { filter.Query(0b100, half, bits); }),
             ContainsSubstring("attributes that the filter does not have"));
  CHECK_THAT(AbortMessage([&] { filter.Query(0b01, half, {}); }), ContainsSubstring("bitmap"));
  CHECK_THAT(AbortMessage([&] { filter.MayContain(0b01, std::vector<uint64_t>(3)); }),
             ContainsSubstring("a digest per attribute"));
  CHECK_THAT(AbortMessage([&] { filter.MayContain(0b100, column); }),
             ContainsSubstring("attributes that the filter does not have"));
  CHECK(filter.Query(0b01, half, bits) == 0);  // that is allowed
}

}  // namespace
}  // namespace trommel::tests
