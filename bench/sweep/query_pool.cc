#include "bench/sweep/query_pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/sides/workload.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMostBatches = 4;
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

QueryPool::QueryPool(Operation op, uint64_t num_members, uint64_t batch_size)
    : batch_size_(batch_size),
      digests_(std::min(kMostBatches, num_members / batch_size) * batch_size),
      num_in_(digests_.size() / batch_size),
      num_present_(num_in_.size(), kUnknown) {
  std::vector<uint64_t> keys(digests_.size());
  for (uint64_t i = 0; i < keys.size(); ++i) {
    const bool is_member = IsMember(op, i);
    keys[i] = KeyAt((is_member ? kFirstMember : kFirstNonMember) + i);
    num_in_[i / batch_size] += is_member ? 1 : 0;
  }
  DigestPolicy{}.Digests(keys, digests_);
}

std::string QueryPool::Check(const CountingFilter& filter, uint64_t num_present) {
  const uint64_t num_in = num_in_[current_];
  if (num_present < num_in) return "a member was answered \"absent\"";
  if (num_present_[current_] != kUnknown) {
    return num_present == num_present_[current_] ? "" : "the answers to these keys changed";
  }
  const double expected =
      static_cast<double>(batch_size_ - num_in) * filter.MeasureFill().current_fpr;
  const double false_positives = static_cast<double>(num_present - num_in);
  if (std::abs(false_positives - expected) > kMaxSigmas * (1 + std::sqrt(expected))) {
    return std::to_string(num_present - num_in) + " false positives; expected " +
           std::to_string(std::llround(expected));
  }
  if (!SingleKeysAgree(filter, digests().first(std::min<size_t>(kNumSingleKeys, batch_size_)))) {
    return "the batch and the single-key form answered differently";
  }
  num_present_[current_] = num_present;
  return "";
}

}  // namespace trommel::bench
