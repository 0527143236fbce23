#include "bench/sweep/query_pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/sides/workload.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMaxPool = uint64_t{4} << 20;
constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();
constexpr size_t kNumSingleKeys = 1024;
constexpr double kMaxSigmas = 6;

bool IsMember(Operation op, uint64_t i) {
  const bool coin = (KeyAt(~i) & 1) != 0;
  return op == Operation::kQueryHit || (op == Operation::kQueryHalf && coin);
}

bool SingleKeysAgree(const CountingFilter& filter, std::span<const uint64_t> digests) {
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(digests.size()));
  filter.Query(Keys::Digests(digests), bitmap);
  for (size_t i = 0; i < digests.size(); ++i) {
    const bool is_set = (bitmap[i / 64] >> (i % 64) & 1) != 0;
    if (filter.MayContain(Key::Digest(digests[i])) != is_set) return false;
  }
  return true;
}

}  // namespace

QueryPool::QueryPool(Operation op, uint64_t num_members, uint64_t stretch)
    : stretch_(stretch),
      digests_(std::min(kMaxPool, num_members) / stretch * stretch),
      num_in_(digests_.size() / stretch),
      num_present_(num_in_.size(), kUnknown) {
  std::vector<uint64_t> keys(digests_.size());
  for (uint64_t i = 0; i < keys.size(); ++i) {
    const bool is_member = IsMember(op, i);
    keys[i] = KeyAt((is_member ? kFirstMember : kFirstNonMember) + i);
    num_in_[i / stretch] += is_member ? 1 : 0;
  }
  DigestPolicy{}.Digests(keys, digests_);
}

std::string QueryPool::Check(const CountingFilter& filter, uint64_t num_present) {
  const uint64_t num_in = num_in_[turn_];
  if (num_present < num_in) return "a key that is in was said to be absent";
  if (num_present_[turn_] != kUnknown) {
    return num_present == num_present_[turn_] ? "" : "not the answers that these keys got before";
  }
  const double expected = static_cast<double>(stretch_ - num_in) * filter.GetStats().current_fpr;
  const double false_positives = static_cast<double>(num_present - num_in);
  if (std::abs(false_positives - expected) > kMaxSigmas * (1 + std::sqrt(expected))) {
    return std::to_string(num_present - num_in) + " false positives where " +
           std::to_string(expected) + " were to be expected";
  }
  if (!SingleKeysAgree(filter, digests().first(std::min<size_t>(kNumSingleKeys, stretch_)))) {
    return "a batch and a single key were answered differently";
  }
  num_present_[turn_] = num_present;
  return "";
}

}  // namespace trommel::bench
