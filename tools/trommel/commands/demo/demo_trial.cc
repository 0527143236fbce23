// The demo's trial, and its speed.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "bench/machine/roofline.h"
#include "bench/sweep/sweep_row.h"
#include "tools/trommel/commands/demo/demo.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

constexpr std::string_view kNonMemberSuffix = "~no-such-key";

// Calls `each` with one batch of keys after the other.
template <class Each>
void ForEachDemoBatch(std::span<const std::string_view> keys, Each each) {
  for (size_t first = 0; first < keys.size(); first += kDemoBatch) {
    each(keys.subspan(first, std::min(kDemoBatch, keys.size() - first)));
  }
}

void InsertAll(CountingFilter& filter, std::span<const std::string_view> keys) {
  ForEachDemoBatch(keys, [&filter](auto batch) { filter.Insert(batch); });
}

EraseOutcome EraseAll(CountingFilter& filter, std::span<const std::string_view> keys) {
  EraseOutcome total;
  ForEachDemoBatch(keys, [&](auto batch) {
    const EraseOutcome outcome = filter.Erase(batch);
    total.num_erased += outcome.num_erased;
    total.num_refused += outcome.num_refused;
  });
  return total;
}

}  // namespace

double Answers::rate() const {
  return num_asked == 0 ? expected_rate
                        : static_cast<double>(num_maybe_present) / static_cast<double>(num_asked);
}

double Answers::sigma() const {
  if (num_asked == 0) return 0;
  return std::sqrt(expected_rate * (1 - expected_rate) / static_cast<double>(num_asked));
}

double Answers::deviations() const {
  return sigma() > 0 ? std::fabs(rate() - expected_rate) / sigma() : 0;
}

bool Answers::as_expected() const {
  constexpr double kMaxDeviations = 6;
  constexpr double kFewKeys = 4;
  if (num_asked == 0) return true;
  return std::fabs(rate() - expected_rate) <=
         kMaxDeviations * sigma() + kFewKeys / static_cast<double>(num_asked);
}

bool Trial::ok() const {
  return members.all_present() && non_members.as_expected() && erased.num_refused == 0 &&
         erased.num_erased == part.num_chosen && left.all_present() && gone.as_expected() &&
         is_restored && is_emptied && predicted_fpr <= kDemoTargetFpr;
}

Answers Ask(const CountingFilter& filter, std::span<const std::string_view> keys,
            double expected_rate) {
  Answers answers;
  answers.num_asked = keys.size();
  answers.expected_rate = expected_rate;
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(std::min(kDemoBatch, keys.size())));
  ForEachDemoBatch(keys, [&](auto batch) {
    const std::span<uint64_t> words(bitmap.data(), CountingFilter::BitmapWords(batch.size()));
    filter.Query(batch, words);
    // Key by key: the promise is about each of them, not about the filter's own count.
    for (size_t i = 0; i < batch.size(); ++i) {
      answers.num_maybe_present += words[i / 64] >> (i % 64) & 1;
    }
  });
  return answers;
}

std::vector<std::string_view> MakeNonMembers(std::span<const std::string_view> members,
                                             std::vector<char>& bytes, uint64_t& num_skipped) {
  const std::unordered_set<std::string_view> exact(members.begin(), members.end());
  std::vector<size_t> ends;
  num_skipped = 0;
  bytes.clear();
  for (const std::string_view member : members) {
    const size_t begin = bytes.size();
    bytes.insert(bytes.end(), member.begin(), member.end());
    bytes.insert(bytes.end(), kNonMemberSuffix.begin(), kNonMemberSuffix.end());
    if (exact.contains(std::string_view(bytes.data() + begin, bytes.size() - begin))) {
      bytes.resize(begin);
      ++num_skipped;
    } else {
      ends.push_back(bytes.size());
    }
  }
  std::vector<std::string_view> non_members;
  size_t begin = 0;
  for (const size_t end : ends) {
    non_members.emplace_back(bytes.data() + begin, end - begin);
    begin = end;
  }
  return non_members;
}

Result<Trial> RunTrial(const DemoKeys& keys, std::span<const std::string_view> non_members,
                       Encoding encoding) {
  CountingConfig config;
  config.encoding = encoding;
  config.capacity = keys.keys.size();
  config.target_fpr = kDemoTargetFpr;
  Result<CountingFilter> created = CountingFilter::Create(config);
  if (!created.ok()) return created.error();
  CountingFilter& filter = *created;
  const std::vector<std::byte> empty_bytes = filter.Serialize();

  Trial trial;
  trial.geometry = filter.geometry();
  trial.num_keys = keys.keys.size();
  trial.part = ChoosePart(keys);
  std::vector<std::string_view> chosen;
  std::vector<std::string_view> others;
  for (size_t i = 0; i < keys.keys.size(); ++i) {
    (trial.part.chosen[i] ? chosen : others).push_back(keys.keys[i]);
  }

  InsertAll(filter, keys.keys);
  const Stats full = filter.GetStats();
  trial.num_bytes = full.num_bytes;
  trial.predicted_fpr = full.predicted_fpr;
  trial.current_fpr = filter.MeasureFill().current_fpr;
  trial.members = Ask(filter, keys.keys, 1);
  trial.non_members = Ask(filter, non_members, trial.current_fpr);
  const std::vector<std::byte> full_bytes = filter.Serialize();

  trial.erased = EraseAll(filter, chosen);
  trial.left = Ask(filter, others, 1);
  trial.gone = Ask(filter, chosen, filter.MeasureFill().current_fpr);

  InsertAll(filter, chosen);
  trial.is_restored = filter.Serialize() == full_bytes;
  EraseAll(filter, keys.keys);
  trial.is_emptied = filter.Serialize() == empty_bytes;
  return trial;
}

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
