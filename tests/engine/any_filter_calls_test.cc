// AnyFilter: filters made of descriptions, what they do as their own types do it, and what a type
// says that it does not do.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/every_type.h"
#include "support/random_keys.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr uint64_t kCapacity = 5000;

AnyFilterPtr MakeTuples() { return AnyFilter::Of(tests::MakePairs().value()); }

tests::KeyType AnyKeyType() { return GENERATE(from_range(tests::KeyTypes())); }

std::vector<uint64_t> BitmapFor(const std::vector<uint64_t>& keys) {
  return std::vector<uint64_t>(BitmapWords(keys.size()), ~uint64_t{0});
}

TEST_CASE("through the handle every type inserts, answers, counts and erases",
          "[engine][any_filter]") {
  const tests::KeyType of = AnyKeyType();
  INFO(of.name);
  const AnyFilterPtr filter = tests::MakeOf(of).value();
  const std::vector<uint64_t> keys = tests::MemberKeys(500, 3);
  std::vector<uint64_t> bits = BitmapFor(keys);
  uint64_t time = 77;
  if (filter->expires()) REQUIRE(filter->Advance(5).value());
  CHECK(filter->Insert(keys, bits, &time).value().num_inserted == 500);
  CHECK(time == (filter->expires() ? 5 : 0));
  CHECK(bits.back() == (uint64_t{1} << 500 % 64) - 1);
  CHECK(filter->num_keys() == 500);
  CHECK(filter->Query(keys, bits) == 500);
  std::vector<uint64_t> counts(keys.size());
  filter->CountEstimates(keys, counts);
  for (const uint64_t count : counts) REQUIRE(count >= 1);
  std::vector<uint64_t> times(filter->expires() ? 1 : 0);
  CHECK(filter->InsertIfAbsent(keys, bits, {}, times).value().num_inserted == 0);
  // One key as the batch of it.
  CHECK(filter->MayContain(keys[0]));
  CHECK(filter->InsertOne(keys[0], nullptr));
  CHECK(filter->CountEstimate(keys[0]) >= 2);
  CHECK_FALSE(filter->InsertOneIfAbsent(keys[0], &time));
  CHECK(filter->EraseOneAt(keys[0], 5));
  const Result<EraseOutcome> erased =
      filter->expires() ? filter->EraseAt(keys, 5, bits) : filter->Erase(keys, bits);
  CHECK(erased.value().num_erased == 500);
  CHECK(filter->num_keys() == 0);
  const std::vector<uint64_t> at = {5};
  const Result<EraseOutcome> again =
      filter->EraseAll(keys, filter->expires() ? AnyFilter::Times(at) : AnyFilter::Times(), bits);
  CHECK(again.value().num_refused == 500);
}

TEST_CASE("a filter from a description is the one of its configuration", "[engine][any_filter]") {
  const AnyFilterPtr counting =
      AnyFilter::Create(
          FilterType::kCounting,
          {{"capacity", kCapacity}, {"target_fpr", 0.002}, {"encoding", std::string("dense")}},
          {.seed = 9})
          .value();
  CHECK(*counting->As<CountingFilter>() == CountingFilter::Create({.capacity = kCapacity,
                                                                   .target_fpr = 0.002,
                                                                   .digest = {.seed = 9},
                                                                   .encoding = Encoding::kDense})
                                               .value());
  const AnyFilterPtr scalable =
      AnyFilter::Create(FilterType::kScalable, {{"first_capacity", kCapacity},
                                                {"target_fpr", 0.002},
                                                {"max_capacity", uint64_t{1'000'000}}})
          .value();
  CHECK(*scalable->As<ScalableFilter>() ==
        ScalableFilter::Create(
            {.first_capacity = kCapacity, .target_fpr = 0.002, .max_capacity = 1'000'000})
            .value());
  CHECK(counting->As<ScalableFilter>() == nullptr);
}

TEST_CASE("a description says what a type does not have, and what is of another kind",
          "[engine][any_filter]") {
  const auto error_of = [](FilterType type, const Figures& more) {
    const std::vector<tests::KeyType> types = tests::KeyTypes();
    tests::KeyType of = *std::ranges::find(types, type, &tests::KeyType::type);
    of.description.insert(of.description.end(), more.begin(), more.end());
    const Result<AnyFilterPtr> made = tests::MakeOf(of);
    REQUIRE_FALSE(made.ok());
    return made.error();
  };
  const Error unknown = error_of(FilterType::kWindow, {{"num_slices", uint64_t{8}}});
  CHECK(unknown.code == ErrorCode::kInvalidArgument);
  CHECK_THAT(unknown.message, ContainsSubstring("num_slices") && ContainsSubstring("is_erasable"));
  CHECK_THAT(error_of(FilterType::kCounting, {{"num_slices", 0.5}}).message,
             ContainsSubstring("num_slices is not a whole number"));
  CHECK_THAT(error_of(FilterType::kCounting, {{"encoding", std::string("round")}}).message,
             ContainsSubstring("encoding is not one of its names"));
  CHECK_THAT(error_of(FilterType::kWindow, {{"is_erasable", uint64_t{1}}}).message,
             ContainsSubstring("is_erasable is not true or false"));
  CHECK_THAT(error_of(FilterType::kWindow, {{"num_buckets", ~uint64_t{0}}}).message,
             ContainsSubstring("num_buckets"));
  CHECK(AnyFilter::Create(FilterType::kAttributes, {}).error().code == ErrorCode::kUnsupported);
}

TEST_CASE("what a type does not do it says, and stays as it was", "[engine][any_filter]") {
  const tests::KeyType of = AnyKeyType();
  INFO(of.name);
  const AnyFilterPtr filter = tests::MakeOf(of).value();
  const FilterType type = of.type;
  const std::string name(FilterTypeName(type));
  const std::vector<uint64_t> keys = tests::MemberKeys(10, 3);
  std::vector<uint64_t> bits = BitmapFor(keys);
  REQUIRE(filter->Insert(keys, {}, nullptr).ok());
  const std::vector<std::byte> before = filter->Serialize();
  const auto check_unsupported = [&](const auto& result, const std::string& what) {
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == ErrorCode::kUnsupported);
    CHECK_THAT(result.error().message, ContainsSubstring(name + " filters " + what));
  };
  const AnyFilterPtr twin = tests::MakeOf(of).value();
  if (type != FilterType::kCounting) {
    check_unsupported(filter->Fold(), "cannot be folded");
    check_unsupported(filter->Grow(), "cannot be grown");
    check_unsupported(filter->Subtract(*twin), "cannot be subtracted");
  }
  if (type == FilterType::kConcurrent) {
    check_unsupported(filter->UseExecutor(nullptr), "take their executor when they are made");
  }
  if (type == FilterType::kScalable) {
    std::vector<uint64_t> refused = BitmapFor(keys);
    check_unsupported(filter->InsertIfAbsent(keys, bits, refused, {}), "do not say which");
  }
  if (filter->expires()) {
    check_unsupported(filter->Erase(keys, bits), "erase by time");
    check_unsupported(filter->EraseAll(keys, {}, bits), "erase by time");
  } else {
    check_unsupported(filter->Advance(1), "have no time");
    check_unsupported(filter->InsertAt(keys, 0, bits), "have no time");
    check_unsupported(filter->EraseAt(keys, 0, bits), "have no time");
    check_unsupported(filter->EraseAll(keys, std::vector<uint64_t>{0}, bits), "have no time");
  }
  const AnyFilterPtr tuples = MakeTuples();
  CHECK(filter->Merge(*tuples).error().code == ErrorCode::kMismatch);
  CHECK_THAT(filter->Merge(*tuples).error().message, ContainsSubstring("is an attribute filter"));
  CHECK_FALSE(filter->Equals(*tuples));
  CHECK(filter->Serialize() == before);
}

TEST_CASE("a filter of tuples takes no keys, and says so", "[engine][any_filter]") {
  const AnyFilterPtr filter = MakeTuples();
  CHECK_FALSE(filter->takes_keys());
  std::vector<uint64_t> bit(1);
  const std::vector<uint64_t> key = {1};
  CHECK_THAT(filter->Insert(key, {}, nullptr).error().message, ContainsSubstring("hold tuples"));
  CHECK_THAT(filter->Erase(key, {}).error().message, ContainsSubstring("hold tuples"));
  CHECK_THAT(filter->EraseAll(key, {}, {}).error().message, ContainsSubstring("hold tuples"));
  CHECK_THAT(filter->InsertIfAbsent(key, bit, {}, {}).error().message,
             ContainsSubstring("hold tuples"));
  CHECK_THAT(filter->Merge(*MakeTuples()).error().message, ContainsSubstring("cannot be merged"));
  CHECK_THAT(filter->LimitSideMemory(1000).error().message, ContainsSubstring("side memory"));
  CHECK_THAT(tests::AbortMessage([&] { (void)filter->Query(key, bit); }),
             ContainsSubstring("takes_keys"));
}

TEST_CASE("copies and merges through the handle are those of the type", "[engine][any_filter]") {
  const tests::KeyType of = AnyKeyType();
  INFO(of.name);
  const AnyFilterPtr filter = tests::MakeOf(of).value();
  REQUIRE(filter->Insert(tests::MemberKeys(200, 4), {}, nullptr).ok());
  const AnyFilterPtr copy = filter->Clone().value();
  CHECK(copy->Equals(*filter));
  CHECK(copy->type() == filter->type());
  const bool is_concurrent = filter->type() == FilterType::kConcurrent;
  const AnyFilterPtr counting = AnyFilter::Deserialize(filter->Serialize()).value();
  const bool merges = tests::Merges(*filter);
  CHECK(filter->Merge(is_concurrent ? *counting : *copy).ok() == merges);
  CHECK(filter->num_keys() == (merges ? 400 : 200));
  CHECK(copy->Equals(*filter) == !merges);
  filter->Clear();
  CHECK(filter->num_keys() == 0);
}

TEST_CASE("a limit of side memory tells what it refuses", "[engine][any_filter]") {
  const FilterType type = GENERATE(FilterType::kCounting, FilterType::kConcurrent);
  const AnyFilterPtr filter =
      AnyFilter::Create(type, {{"capacity", kCapacity},
                               {"encoding", "fingerprints16"},
                               {"side_memory_limit_bytes", uint64_t{16'384}}})
          .value();
  const std::vector<uint64_t> keys = tests::MemberKeys(4 * kCapacity, 4);
  std::vector<uint64_t> bits = BitmapFor(keys);
  const InsertOutcome outcome = filter->InsertIfAbsent(keys, bits, {}, {}).value();
  CHECK(outcome.num_refused > 0);
  CHECK(outcome.refusal == GrowthRefusal::kSideMemoryLimit);
  std::vector<uint64_t> refused = BitmapFor(keys);
  CHECK(filter->InsertIfAbsent(keys, bits, refused, {}).value().num_refused > 0);
}

}  // namespace
}  // namespace trommel
