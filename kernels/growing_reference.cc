#include "kernels/growing_reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

int64_t EntriesOf(uint64_t count) { return static_cast<int64_t>(std::min<uint64_t>(count, 4)); }

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

void GrowingReference::Change(const Bits& string, int64_t by) {
  uint64_t& count = strings_[string];
  const int64_t before = EntriesOf(count);
  count += static_cast<uint64_t>(by);
  num_entries_ += static_cast<uint64_t>(EntriesOf(count) - before);
  if (count == 0) strings_.erase(string);
}

void GrowingReference::Insert(uint64_t digest) {
  const Bits bits = BitsOf(digest);
  const size_t length = depth_ == 0 ? kWholeBits : DepthOf(bits) + kKeyBits;
  Change(bits.substr(0, length), 1);
  TakeSteps();
}

bool GrowingReference::InsertIfAbsent(uint64_t digest) {
  if (MayContain(digest)) return false;
  Insert(digest);
  return true;
}

bool GrowingReference::Erase(uint64_t digest) {
  const Bits bits = BitsOf(digest);
  for (size_t length = kWholeBits; length > 0; --length) {
    if (strings_.count(bits.substr(0, length)) == 0) continue;
    Change(bits.substr(0, length), -1);
    TakeSteps();
    return true;
  }
  return false;
}

uint64_t GrowingReference::CountEstimate(uint64_t digest) const {
  const Bits bits = BitsOf(digest);
  uint64_t count = 0;
  for (size_t length = 1; length <= kWholeBits; ++length) {
    const auto at = strings_.find(bits.substr(0, length));
    if (at != strings_.end()) count += at->second;
  }
  return count;
}

void GrowingReference::Truncate() {
  Strings before;
  before.swap(strings_);
  num_entries_ = 0;
  for (const auto& [string, count] : before) {
    const Bits known = string.substr(0, DepthOf(string) + kKeyBits);
    Change(known, static_cast<int64_t>(count));
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
    const auto num_entries = static_cast<double>(num_entries_);
    if (depth_ == 0) {
      if (num_entries_ < kMostDigests) return;
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
    } else if (num_entries_ == 0 && first_bits_ == kLeastBits) {
      depth_ = 0;
      return;
    } else {
      return;
    }
  }
}

}  // namespace trommel::kernels
