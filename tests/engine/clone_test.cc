// Copies of counting and concurrent filters, and keys that are fetched ahead.
#include <cstdint>
#include <numeric>
#include <vector>

#include "engine/src/disk/comparing_sink.h"
#include "support/catch.h"
#include "trommel/byte_stream.h"
#include "trommel/concurrent_filter.h"
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

TEST_CASE("a concurrent filter's copy is one of its own, as are its files", "[engine][clone]") {
  ConcurrentFilter filter =
      ConcurrentFilter::Create({.capacity = 1000, .encoding = Encoding::kFingerprints16}).value();
  filter.Insert(Numbers(900));
  for (const bool point_in_time : {false, true}) {
    Result<ConcurrentFilter> clone = filter.Clone(point_in_time);
    REQUIRE(clone.ok());
    CHECK(*clone == filter);
    clone->Insert(4711);
    CHECK(*clone != filter);
    CHECK(clone->num_keys() == 901);
    CHECK(filter.num_keys() == 900);

    const std::vector<std::byte> bytes = filter.Serialize();
    std::vector<std::byte> buffer(bytes.size());
    SpanSink sink(buffer);
    REQUIRE(filter.SaveTo(sink, {}, point_in_time).ok());
    CHECK(buffer == bytes);
    CHECK(ConcurrentFilter::LoadFrom(SpanSource(buffer)).value() == filter);
    CHECK(ConcurrentFilter::Deserialize(bytes).value() == filter);
    buffer.back() ^= std::byte{1};
    CHECK_FALSE(ConcurrentFilter::Deserialize(buffer).ok());
  }
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
