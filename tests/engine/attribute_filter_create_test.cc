// What a filter over attributes may be asked for, and how it is refused.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "support/catch.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"

namespace trommel::tests {
namespace {

AttributeConfig UsualAttributes() {
  const std::vector<AttributeMask> cuts = {0b011};
  return {.sets = *AttributeSets::Create(3, cuts), .names = {}, .capacity = 1000};
}

std::string RefusalOf(const AttributeConfig& config, ErrorCode code = ErrorCode::kInvalidArgument) {
  const Result<AttributeFilter> filter = AttributeFilter::Create(config);
  if (filter.ok()) return "made";
  CHECK(filter.error().code == code);
  return filter.error().message;
}

}  // namespace

TEST_CASE("numbers out of range are refused for a filter over attributes",
          "[engine][attributes][attribute_filter]") {
  CHECK(RefusalOf(UsualAttributes()) == "made");
  AttributeConfig config = UsualAttributes();
  config.capacity = 0;
  CHECK(RefusalOf(config) == "capacity is 0; it must be between 1 and 1099511627776");
  config = UsualAttributes();
  for (const double rate : {0.0, 0.6, std::numeric_limits<double>::quiet_NaN()}) {
    config.target_fpr = rate;
    CHECK(RefusalOf(config).starts_with("the filter of {0}: target_fpr is "));
  }
  config = UsualAttributes();
  config.digest.kind = static_cast<DigestKind>(9);
  CHECK(RefusalOf(config) ==
        "digest kind is 9; it must be between 0 and 3 "
        "(xxh64, xxh3, caller, siphash)");
  config = UsualAttributes();
  for (const uint64_t max_capacity : {uint64_t{999}, (uint64_t{1} << 40) + 1}) {
    config.max_capacity = max_capacity;
    CHECK(RefusalOf(config) == "max_capacity is " + std::to_string(max_capacity) +
                                   "; it must be between capacity, 1000, and 1099511627776");
  }
  config = UsualAttributes();
  config.num_values = {1, 2};
  CHECK(RefusalOf(config) ==
        "num_values has 2 numbers; it must have one for each of the 3 attributes, or none");
  config.num_values = {1, 0, 2};
  CHECK(RefusalOf(config) == "num_values[1] is 0; it must be at least 1");
}

TEST_CASE("names must be one for each attribute, and different",
          "[engine][attributes][attribute_filter]") {
  AttributeConfig config = UsualAttributes();
  config.names = {"a", "b"};
  CHECK(RefusalOf(config) == "there are 2 names for 3 attributes");
  config.names = {"a", "b", "a"};
  CHECK(RefusalOf(config) == "two attributes are named \"a\"");
  config.names = {"a", "", "b"};
  CHECK(RefusalOf(config) == "the name of attribute 1 has 0 bytes; it must have between 1 and 255");
  config.names = {"a", "b", std::string(256, 'c')};
  CHECK(RefusalOf(config) ==
        "the name of attribute 2 has 256 bytes; it must have between 1 and 255");
  config.names = {"a", "b", std::string(255, 'c')};
  CHECK(RefusalOf(config) == "made");
}

TEST_CASE("sets are given max_capacity to grow to, in proportion to what they are sized for",
          "[engine][attributes][attribute_filter]") {
  AttributeConfig config = UsualAttributes();
  config.capacity = 100'000;
  config.num_values = {100'000, 5'000, 100'000};
  const uint64_t usual = AttributeFilter::Create(config)->num_bytes();
  config.max_capacity = 16 * config.capacity;
  CHECK(AttributeFilter::Create(config)->num_bytes() == usual);
  config.max_capacity = config.capacity;
  AttributeFilter filter = AttributeFilter::Create(config).value();
  CHECK(filter.num_bytes() < usual / 5 * 4);
  // Attribute 1 has as many values as may be: further copies take no place.
  std::vector<TupleRow> rows = RandomRows(100'000, std::vector<uint64_t>{0, 5'000, 0}, 1);
  CHECK(filter.Insert(TupleColumns(rows).view()).num_refused == 0);
  for (const SetStats& set : filter.GetStats().sets) CHECK(set.stats.predicted_fpr <= 0.0102);
  // More raise the rate.
  rows = RandomRows(300'000, std::vector<uint64_t>{0, 5'000, 0}, 2);
  CHECK(filter.Insert(TupleColumns(rows).view()).num_refused == 0);
  for (const SetStats& set : filter.GetStats().sets) {
    if (set.set == 0b010) continue;  // of few values
    CHECK(set.stats.predicted_fpr <= 0.0402);
    CHECK(set.stats.predicted_fpr >= 0.02);
  }
}

TEST_CASE("budgets are for allowed sets, each once", "[engine][attributes][attribute_filter]") {
  AttributeConfig config = UsualAttributes();
  config.budgets = {{.set = 0b011}};
  CHECK(RefusalOf(config) == "a budget for {0,1}, which is not an allowed set of attributes");
  config.budgets = {{.set = 0}};
  CHECK(RefusalOf(config) == "a budget for {}, which is not an allowed set of attributes");
  config.budgets = {{.set = 0b1000}};
  CHECK(RefusalOf(config) == "a budget for {3}, which is not an allowed set of attributes");
  config.budgets = {{.set = 0b101}, {.set = 0b101}};
  CHECK(RefusalOf(config) == "two budgets for {0,2}");
  config.budgets = {{.set = 0b101, .target_fpr = 2}};
  CHECK(RefusalOf(config).starts_with("the filter of {0,2}: target_fpr is 2"));
  config.budgets = {{.set = 0b101, .capacity = ~uint64_t{0}}};
  CHECK(RefusalOf(config).starts_with("the filter of {0,2}: first_capacity is 184467440737095516"));
}

TEST_CASE("sets are sized for as many projections as there can be",
          "[engine][attributes][attribute_filter][long]") {
  AttributeConfig config = UsualAttributes();
  config.num_values = {3, 20, ~uint64_t{0}};
  config.budgets = {{.set = 0b010, .capacity = 77, .target_fpr = 0.2}};
  const Result<AttributeFilter> filter = AttributeFilter::Create(config);
  REQUIRE(filter.ok());
  std::vector<uint64_t> capacities;
  for (const SetStats& of_set : filter->GetStats().sets) capacities.push_back(of_set.capacity);
  CHECK(capacities == std::vector<uint64_t>{3, 77, 1000, 1000, 1000});
  config.num_values = {3, 20, 11};
  config.budgets = {};
  capacities.clear();
  for (const SetStats& of_set : AttributeFilter::Create(config)->GetStats().sets) {
    capacities.push_back(of_set.capacity);
  }
  CHECK(capacities == std::vector<uint64_t>{3, 20, 11, 33, 220});
}

TEST_CASE("the memory of all sets is judged before any is taken",
          "[engine][attributes][attribute_filter]") {
  AttributeConfig config = UsualAttributes();
  const uint64_t num_bytes = AttributeFilter::Create(config)->num_bytes();
  config.memory_limit_bytes = num_bytes;
  CHECK(RefusalOf(config) == "made");
  config.memory_limit_bytes = num_bytes - 1;
  CHECK(RefusalOf(config, ErrorCode::kOutOfMemory) ==
        "the filters of 5 sets of attributes need " + GroupedText(num_bytes) +
            " bytes, more than the limit of " + GroupedText(num_bytes - 1) +
            " bytes (memory_limit_bytes): keep fewer sets");
  // 65,535 sets of ten million tuples: terabytes.
  config = {.sets = *AttributeSets::Create(16), .names = {}, .capacity = 10'000'000};
  const std::string refusal = RefusalOf(config, ErrorCode::kOutOfMemory);
  CHECK(refusal.starts_with("the filters of 65,535 sets of attributes need "));
  CHECK(refusal.ends_with(" bytes (this machine's memory): keep fewer sets"));
  config = {.sets = *AttributeSets::AtMost(20, 4),
            .capacity = 100'000,
            .memory_limit_bytes = uint64_t{1} << 20};
  CHECK(RefusalOf(config, ErrorCode::kOutOfMemory)
            .starts_with("the filters of 6,195 sets of attributes (20 attributes, at most 4 "
                         "together) need "));
}

}  // namespace trommel::tests
