// Copies of counting and concurrent filters, and keys that are fetched ahead.
#include <cstdint>
#include <numeric>
#include <vector>

#include "engine/src/disk/comparing_sink.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

std::vector<uint64_t> Numbers(size_t size) {
  std::vector<uint64_t> keys(size);
  std::iota(keys.begin(), keys.end(), 1);
  return keys;
}

TEST_CASE("filters of other contents, configuration or digest differ", "[engine][clone]") {
  const auto with = [](const CountingConfig& config, size_t num_keys) {
    CountingFilter filter = CountingFilter::Create(config).value();
    filter.Insert(Numbers(num_keys));
    return filter;
  };
  const CountingFilter filter = with({.capacity = 100'000}, 1000);
  CHECK(filter == with({.capacity = 100'000}, 1000));
  CHECK(filter != with({.capacity = 100'000}, 1001));
  CHECK(filter != with({.capacity = 100'000, .target_fpr = 0.0101}, 1000));
  CHECK(filter != with({.capacity = 100'000, .digest = {.seed = 1}}, 1000));
  CHECK(filter != with({.capacity = 100'000, .encoding = Encoding::kPlanes}, 1000));
  CHECK(filter != with({.capacity = 200'000}, 1000));
}

TEST_CASE("a comparison sees through headers that are written last", "[engine][clone]") {
  const std::vector<std::byte> bytes = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  const auto all = std::span(bytes);
  const std::vector<std::byte> blank(2);
  ComparingSink same(bytes);
  REQUIRE(same.Append(blank).ok());
  REQUIRE(same.Append(all.subspan(2)).ok());
  CHECK_FALSE(same.are_same());
  REQUIRE(same.Overwrite(0, all.first(1)).ok());
  CHECK_FALSE(same.are_same());
  REQUIRE(same.Overwrite(1, all.subspan(1, 1)).ok());
  CHECK(same.are_same());
  REQUIRE(same.Overwrite(2, blank).ok());
  CHECK_FALSE(same.are_same());
  ComparingSink shorter(bytes);
  REQUIRE(shorter.Append(all.first(3)).ok());
  CHECK_FALSE(shorter.are_same());
  CHECK_FALSE(ComparingSink(all.first(3)).Append(all).ok());
}

}  // namespace
}  // namespace trommel
