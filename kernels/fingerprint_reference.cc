#include "kernels/fingerprint_reference.h"

#include "kernels/fingerprint_layout.h"

namespace trommel::kernels {

FingerprintReference::FingerprintReference(FingerprintShape shape, uint64_t num_blocks,
                                           uint32_t fingerprint_bits)
    : shape_(shape), num_blocks_(num_blocks), fingerprint_bits_(fingerprint_bits) {}

uint32_t FingerprintReference::MaxBits() const {
  return shape_ == FingerprintShape::kWide ? kMaxWideBits : kMaxNarrowBits;
}

uint32_t FingerprintReference::Unreserved(uint32_t key) const {
  if (shape_ == FingerprintShape::kNarrow) return key;
  if (key % 256 == 0x00) return key + 1;
  if (key % 256 == 0xff) return key - 1;
  return key;
}

// Digest x num_blocks is block x 2^64 + rest; the key is how many 2^(64 - bits) go into the rest.
FingerprintReference::Place FingerprintReference::PlaceOf(uint64_t digest) const {
  __extension__ using Product = unsigned __int128;
  const Product two_to_64 = Product{1} << 64;
  const Product product = Product{digest} * num_blocks_;
  const Product key = product % two_to_64 / (two_to_64 >> fingerprint_bits_);
  return {static_cast<uint64_t>(product / two_to_64), Unreserved(static_cast<uint32_t>(key))};
}

void FingerprintReference::Insert(uint64_t digest) { counts_[PlaceOf(digest)] += 1; }

bool FingerprintReference::InsertIfAbsent(uint64_t digest) {
  return counts_.emplace(PlaceOf(digest), 1).second;
}

bool FingerprintReference::Erase(uint64_t digest) {
  const auto found = counts_.find(PlaceOf(digest));
  if (found == counts_.end()) return false;
  found->second -= 1;
  if (found->second == 0) counts_.erase(found);
  return true;
}

uint64_t FingerprintReference::CountEstimate(uint64_t digest) const {
  const auto found = counts_.find(PlaceOf(digest));
  return found == counts_.end() ? 0 : found->second;
}

void FingerprintReference::Merge(const FingerprintReference& other) {
  for (const auto& [place, count] : other.counts_) counts_[place] += count;
}

bool FingerprintReference::Subtract(const FingerprintReference& other) {
  std::map<Place, uint64_t> left = counts_;
  for (const auto& [place, count] : other.counts_) {
    const auto found = left.find(place);
    if (found == left.end() || found->second < count) return false;
    found->second -= count;
    if (found->second == 0) left.erase(found);
  }
  counts_ = left;
  return true;
}

FingerprintReference FingerprintReference::Folded() const {
  const bool has_room = fingerprint_bits_ < MaxBits();
  FingerprintReference folded(shape_, num_blocks_ / 2, fingerprint_bits_ + (has_room ? 1 : 0));
  for (const auto& [place, count] : counts_) {
    const auto [block_idx, key] = place;
    const auto longer = static_cast<uint32_t>(block_idx % 2 << fingerprint_bits_) + key;
    folded.counts_[{block_idx / 2, Unreserved(has_room ? longer : longer / 2)}] += count;
  }
  return folded;
}

FingerprintReference FingerprintReference::Doubled() const {
  FingerprintReference doubled(shape_, 2 * num_blocks_, fingerprint_bits_ - 1);
  const uint32_t half = 1U << (fingerprint_bits_ - 1);
  for (const auto& [place, count] : counts_) {
    const auto [block_idx, key] = place;
    doubled.counts_[{2 * block_idx + key / half, key % half}] += count;
  }
  return doubled;
}

FingerprintReference::Contents FingerprintReference::ContentsOf(uint64_t block_idx) const {
  Contents contents;
  const auto end = counts_.lower_bound({block_idx + 1, 0});
  for (auto entry = counts_.lower_bound({block_idx, 0}); entry != end; ++entry) {
    contents.emplace_back(entry->first.second, entry->second);
  }
  return contents;
}

}  // namespace trommel::kernels
