#include "kernels/growing_reference.h"

#include <cmath>
#include <iterator>

namespace trommel::kernels {
namespace {

constexpr size_t kShardBits = 6;
constexpr size_t kWholeBits = 58;
constexpr size_t kKeyBits = 15;
constexpr uint32_t kLeastBits = 7;     // with so many blocks at first, digests come before
constexpr uint32_t kSegmentBits = 12;  // segments are not larger
constexpr uint64_t kMostDigests = 832;

GrowingReference::Bits BitsOf(uint64_t digest) {
  GrowingReference::Bits bits;
  for (size_t i = kShardBits; i < 64; ++i)
    bits.push_back((digest >> (63 - i) & 1) != 0 ? '1' : '0');
  return bits;
}

}  // namespace

GrowingReference::GrowingReference(uint32_t first_bits, uint32_t most_doublings)
    : first_bits_(first_bits),
      most_doublings_(most_doublings),
      depth_(first_bits == kLeastBits ? 0 : first_bits) {}

uint64_t GrowingReference::NumSegments(uint32_t depth) const {
  return depth <= kSegmentBits ? 1 : uint64_t{1} << (depth - kSegmentBits);
}

uint32_t GrowingReference::DepthOf(const Bits& bits) const {
  uint64_t segment = 0;
  for (size_t i = 0; i + kSegmentBits < depth_; ++i) {
    segment = 2 * segment + static_cast<uint64_t>(bits[i] == '1');
  }
  return segment < num_split_ ? depth_ + 1 : depth_;
}

size_t GrowingReference::MatchOf(const Bits& bits) const {
  size_t length = 1;
  while (length <= kWholeBits && !strings_.contains(bits.substr(0, length))) ++length;
  return length <= kWholeBits ? length : 0;
}

void GrowingReference::Insert(uint64_t digest) {
  const Bits bits = BitsOf(digest);
  size_t length = MatchOf(bits);
  if (length == 0) length = depth_ == 0 ? kWholeBits : DepthOf(bits) + kKeyBits;
  strings_[bits.substr(0, length)] += 1;
  TakeSteps();
}

void GrowingReference::Merge(const GrowingReference& other) {
  for (const auto& [string, count] : other.strings_) {
    uint64_t& sum = strings_[string];
    sum += count;
  }
  // What another string begins is counted there: it comes first in the order of strings.
  for (auto at = strings_.begin(); at != strings_.end(); ++at) {
    for (auto next = std::next(at); next != strings_.end() && next->first.starts_with(at->first);) {
      at->second += next->second;
      next = strings_.erase(next);
    }
  }
}

bool GrowingReference::InsertIfAbsent(uint64_t digest) {
  if (MayContain(digest)) return false;
  Insert(digest);
  return true;
}

bool GrowingReference::Erase(uint64_t digest) {
  const Bits bits = BitsOf(digest);
  const size_t length = MatchOf(bits);
  if (length == 0) return false;
  const auto at = strings_.find(bits.substr(0, length));
  at->second -= 1;
  if (at->second == 0) strings_.erase(at);
  TakeSteps();
  return true;
}

uint64_t GrowingReference::CountEstimate(uint64_t digest) const {
  const Bits bits = BitsOf(digest);
  const size_t length = MatchOf(bits);
  return length == 0 ? 0 : strings_.at(bits.substr(0, length));
}

void GrowingReference::Truncate() {
  Strings before;
  before.swap(strings_);
  for (const auto& [string, count] : before) {
    strings_[string.substr(0, DepthOf(string) + kKeyBits)] += count;
  }
}

double GrowingReference::SplitsAt(uint32_t depth, uint64_t num_split) const {
  const double num_blocks = std::ldexp(1, static_cast<int>(depth));
  const auto num_segments = static_cast<double>(NumSegments(depth));
  if (num_segments == 1) return 21.5 * num_blocks;
  return num_blocks * (20 + 1.5 * static_cast<double>(num_split) / num_segments);
}

double GrowingReference::FoldsAt(uint32_t depth, uint64_t num_split) const {
  const double num_doubled = std::ldexp(2, static_cast<int>(depth));
  const auto num_segments = static_cast<double>(NumSegments(depth));
  if (num_segments == 1) return 8 * num_doubled;
  return num_doubled * (7.5 + 0.5 * static_cast<double>(num_split - 1) / num_segments);
}

void GrowingReference::TakeSteps() {
  for (;;) {
    const auto num_entries = static_cast<double>(strings_.size());
    if (depth_ == 0) {
      if (strings_.size() < kMostDigests) return;
      depth_ = first_bits_;
      Truncate();
    } else if (num_entries >= std::floor(SplitsAt(depth_, num_split_))) {
      if (depth_ - first_bits_ == most_doublings_) return;
      num_split_ += 1;
      if (num_split_ == NumSegments(depth_)) {
        depth_ += 1;
        num_split_ = 0;
      }
    } else if (num_split_ > 0 || depth_ > first_bits_) {
      const uint32_t depth = num_split_ > 0 ? depth_ : depth_ - 1;
      const uint64_t num_split = num_split_ > 0 ? num_split_ : NumSegments(depth);
      if (num_entries > std::floor(FoldsAt(depth, num_split))) return;
      depth_ = depth;
      num_split_ = num_split - 1;
      Truncate();
    } else if (strings_.empty() && first_bits_ == kLeastBits) {
      depth_ = 0;
      return;
    } else {
      return;
    }
  }
}

}  // namespace trommel::kernels
