// The demo's speed.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/machine/roofline.h"
#include "bench/sweep/sweep_step.h"
#include "tools/trommel/commands/demo/demo.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSecondsPerCeiling = 0.25;
constexpr double kSecondsPerVariant = 0.6;
constexpr size_t kMinRounds = 3;
constexpr uint64_t kLineBytes = 64;

enum Operation : uint8_t { kInsert, kQueryHit, kQueryMiss, kErase, kHash, kNumOperations };

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Keys Wrap(std::span<const std::string_view> keys) { return keys; }
Keys Wrap(std::span<const uint64_t> digests) { return Keys::Digests(digests); }

// The median ns per key of each operation. T is a string view or a digest.
template <class T>
std::array<double, kNumOperations> TimeOperations(CountingFilter& filter,
                                                  std::span<const T> members,
                                                  std::span<const T> non_members) {
  std::array<std::vector<double>, kNumOperations> ns;
  std::vector<uint64_t> words(kDemoBatch / 64);
  std::vector<uint64_t> digests(kDemoBatch);
  const auto time = [&ns](Operation operation, std::span<const T> keys, auto each) {
    const bench::StepClock clock(1);  // of this thread's time: others may be busy
    for (size_t first = 0; first < keys.size(); first += kDemoBatch) {
      each(keys.subspan(first, std::min(kDemoBatch, keys.size() - first)));
    }
    ns[operation].push_back(clock.Stop(keys.size()).seconds * 1e9 /
                            static_cast<double>(keys.size()));
  };
  const auto query = [&](std::span<const T> batch) {
    filter.Query(Wrap(batch), std::span(words).first(CountingFilter::BitmapWords(batch.size())));
  };
  const auto start = Clock::now();
  for (size_t round = 0; round < kMinRounds ||
                         Clock::now() - start < std::chrono::duration<double>(kSecondsPerVariant);
       ++round) {
    time(kInsert, members, [&](std::span<const T> batch) { filter.Insert(Wrap(batch)); });
    time(kQueryHit, members, query);
    time(kQueryMiss, non_members, query);
    time(kErase, members, [&](std::span<const T> batch) { filter.Erase(Wrap(batch)); });
    time(kHash, members, [&](std::span<const T> batch) {
      filter.digest_policy().Digests(Wrap(batch), std::span(digests).first(batch.size()));
    });
  }
  std::array<double, kNumOperations> medians;
  for (size_t operation = 0; operation < kNumOperations; ++operation) {
    medians[operation] = Median(ns[operation]);
  }
  return medians;
}

std::vector<uint64_t> DigestsOf(const DigestPolicy& policy,
                                std::span<const std::string_view> keys) {
  std::vector<uint64_t> digests(keys.size());
  policy.Digests(keys, digests);
  return digests;
}

}  // namespace

Result<Speed> MeasureSpeed(std::span<const std::string_view> members,
                           std::span<const std::string_view> non_members, Encoding encoding) {
  CountingConfig config;
  config.encoding = encoding;
  config.capacity = members.size();
  config.target_fpr = kDemoTargetFpr;
  Result<CountingFilter> filter = CountingFilter::Create(config);
  if (!filter.ok()) return filter.error();
  const std::vector<uint64_t> member_digests = DigestsOf(filter->digest_policy(), members);
  const std::vector<uint64_t> non_member_digests = DigestsOf(filter->digest_policy(), non_members);

  const auto keys_ns = TimeOperations<std::string_view>(*filter, members, non_members);
  const auto digests_ns = TimeOperations<uint64_t>(*filter, member_digests, non_member_digests);
  // A query reads one array, of presence bits or of whole blocks. An update changes that and, where
  // counts are apart, the counts of its block.
  const Geometry& geometry = filter->geometry();
  const auto touch = [&geometry](uint64_t num_bytes) {
    const uint64_t bytes_per_block = num_bytes / geometry.num_blocks;
    return bench::Touch{num_bytes,
                        static_cast<uint32_t>((bytes_per_block + kLineBytes - 1) / kLineBytes)};
  };
  const bench::Touch query = touch(geometry.query_bytes());
  std::vector<bench::Touch> update = {query};
  if (geometry.num_bytes() > geometry.query_bytes()) {
    update.push_back(touch(geometry.num_bytes() - geometry.query_bytes()));
  }
  const double read_ns = bench::RandomReadNs(query.bytes, query.lines, kSecondsPerCeiling);
  const double update_ns = bench::RandomUpdateNs(update, kSecondsPerCeiling);

  Speed speed;
  speed.insert = {keys_ns[kInsert], digests_ns[kInsert], update_ns};
  speed.erase = {keys_ns[kErase], digests_ns[kErase], update_ns};
  speed.query_hit = {keys_ns[kQueryHit], digests_ns[kQueryHit], read_ns};
  speed.query_miss = {keys_ns[kQueryMiss], digests_ns[kQueryMiss], read_ns};
  speed.hash_ns = keys_ns[kHash];
  return speed;
}

}  // namespace trommel::tool
