// FamilyFilter: every type does through it what it does itself, and says what it cannot.
#include "tools/trommel/filters/family_filter.h"

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/filters/applied.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<uint64_t> SomeDigests(size_t count) {
  std::vector<uint64_t> digests(count);
  for (size_t i = 0; i < count; ++i) digests[i] = (i + 1) * 0x9e3779b97f4a7c15;
  return digests;
}

std::vector<uint64_t> Bitmap(size_t num_keys) {
  return std::vector<uint64_t>(BitmapWords(num_keys));
}

FamilyFilter MakeFamilyFilter(FilterType type) {
  if (type == FilterType::kScalable) {
    return FamilyFilter(
        ScalableFilter::Create({.first_capacity = 100, .target_fpr = 1e-4}).value());
  }
  return FamilyFilter(CountingFilter::Create({.capacity = 2000, .target_fpr = 1e-4}).value());
}

// But window filters: they need times.
FilterType AnyType() { return GENERATE(FilterType::kCounting, FilterType::kScalable); }

FamilyFilter MakeWindow() {
  return FamilyFilter(
      WindowFilter::Create({.window = 100, .num_buckets = 4, .capacity = 10000, .target_fpr = 1e-4})
          .value());
}

TEST_CASE("every type inserts, answers, counts and erases", "[tools][family_filter]") {
  FamilyFilter filter = MakeFamilyFilter(AnyType());
  INFO(FilterTypeName(filter.type()));
  const std::vector<uint64_t> digests = SomeDigests(1000);
  const Keys keys = Keys::Digests(digests);
  CHECK(filter.num_keys() == 0);
  CHECK(filter.Insert(digests, {}).num_done == 1000);
  CHECK(filter.num_keys() == 1000);
  CHECK(filter.num_bytes() > 1000);
  CHECK(filter.current_fpr() > 0);
  CHECK(filter.capacity() >= 1000);
  std::vector<uint64_t> bitmap = Bitmap(1000);
  CHECK(filter.Query(keys, bitmap) == 1000);
  std::vector<uint64_t> counts(1000);
  filter.CountEstimates(keys, counts);
  CHECK(std::accumulate(counts.begin(), counts.end(), uint64_t{0}) >= 1000);
  CHECK(filter.InsertIfAbsent(digests, {}, bitmap).num_done == 0);
  REQUIRE(filter.CheckCanErase(false).ok());
  CHECK(filter.Erase(digests, {}).num_done == 1000);
  CHECK(filter.num_keys() == 0);
  CHECK(filter.Erase(digests, {}).num_refused == 1000);
}

TEST_CASE("types without time refuse times and advances", "[tools][family_filter]") {
  FamilyFilter filter = MakeFamilyFilter(AnyType());
  CHECK(filter.CheckTimes(false).ok());
  REQUIRE_FALSE(filter.CheckTimes(true).ok());
  const std::string name(FilterTypeName(filter.type()));
  CHECK_THAT(filter.CheckTimes(true).error().message, ContainsSubstring("this is a " + name));
  CHECK_THAT(filter.CheckCanErase(true).error().message, ContainsSubstring("--time"));
  CHECK_THAT(filter.Advance(1).error().message, ContainsSubstring(name + " filter has no time"));
}

TEST_CASE("a scalable filter without room says how many keys it refused",
          "[tools][family_filter]") {
  FamilyFilter filter(
      ScalableFilter::Create(
          {.first_capacity = 100, .mode = GrowthMode::kGenerations, .max_capacity = 300})
          .value());
  const std::vector<uint64_t> digests = SomeDigests(5000);
  std::vector<uint64_t> inserted = Bitmap(5000);
  const Applied absent = filter.InsertIfAbsent(digests, {}, inserted);
  CHECK(absent.num_refused > 4000);
  CHECK_FALSE(absent.refusal.empty());
  const Applied all = filter.Insert(digests, {});
  CHECK(all.num_refused > 4000);
  CHECK(all.num_done + all.num_refused == 5000);
  Report report;
  DescribeInserted(all, report);
}

TEST_CASE("a window filter inserts and erases at the keys' times", "[tools][family_filter]") {
  FamilyFilter filter = MakeWindow();
  CHECK(filter.CheckTimes(true).ok());
  CHECK(filter.CheckCanErase(true).ok());
  CHECK_THAT(filter.CheckCanErase(false).error().message, ContainsSubstring("--time"));
  const std::vector<uint64_t> digests = SomeDigests(3);
  const std::vector<uint64_t> times = {10, 60, 5};
  const Applied inserted = filter.Insert(digests, times);
  CHECK(inserted.num_done == 3);
  CHECK(inserted.num_late == 1);
  CHECK(filter.num_keys() == 3);
  std::vector<uint64_t> bitmap = Bitmap(3);
  CHECK(filter.Advance(140).ok());
  CHECK(filter.Query(Keys::Digests(digests), bitmap) == 1);  // the first bucket has gone
  CHECK(bitmap[0] == 0b010);
  const Applied erased = filter.Erase(digests, times);
  CHECK(erased.num_expired == 2);
  CHECK(erased.num_done == 1);
  CHECK(filter.num_keys() == 0);
  CHECK_THAT(filter.Advance(139).error().message, ContainsSubstring("140 ms already"));
}

TEST_CASE("a window filter without times goes by the clock", "[tools][family_filter]") {
  FamilyFilter filter = MakeWindow();
  const std::vector<uint64_t> digests = SomeDigests(3);
  CHECK(filter.Insert(digests, {}).num_late == 0);
  CHECK(filter.Advance(~uint64_t{0}).ok());
  CHECK(filter.num_keys() == 0);
  std::vector<uint64_t> bitmap = Bitmap(3);
  const Applied late = filter.InsertIfAbsent(digests, {}, bitmap);
  CHECK(late.num_done == 3);
  CHECK(late.num_late == 3);
}

TEST_CASE("outcomes add up", "[tools][family_filter]") {
  Applied applied{.num_done = 1, .num_refused = 2, .num_expired = 3, .num_late = 4};
  applied += {.num_done = 10, .num_refused = 20, .num_expired = 30, .num_late = 40, .refusal = "x"};
  CHECK(applied.num_done == 11);
  CHECK(applied.num_refused == 22);
  CHECK(applied.num_expired == 33);
  CHECK(applied.num_late == 44);
  CHECK(applied.refusal == "x");
}

std::string JsonOf(const Applied& applied) {
  Report report;
  DescribeInserted(applied, report);
  const tests::TempFolder folder;
  std::FILE* const file = std::fopen(folder.Path("report").c_str(), "w");
  REQUIRE(file != nullptr);
  CHECK(report.Print(true, file).ok());
  std::fclose(file);
  return folder.Read("report");
}

TEST_CASE("what became of batches adds up, and the first refusal stands", "[tools][applied]") {
  Applied all = AppliedOf({.num_inserted = 5});
  CHECK(all.refusal.empty());
  all += AppliedOf({.num_inserted = 2, .num_refused = 3, .refusal = GrowthRefusal::kMemoryLimit});
  all += AppliedOf({.num_refused = 1, .refusal = GrowthRefusal::kLargestCapacity});
  all += {.num_expired = 6, .num_late = 4};
  CHECK(all.num_done == 7);
  CHECK(all.num_refused == 4);
  CHECK(all.num_late == 4);
  CHECK(all.refusal == GrowthRefusalText(GrowthRefusal::kMemoryLimit));
  CHECK(JsonOf(all) == "{\"num_refused_inserts\":4,\"num_late\":4,\"num_expired\":6}\n");
  CHECK(JsonOf({.num_done = 9}) == "{}\n");
}

}  // namespace
}  // namespace trommel::tool
