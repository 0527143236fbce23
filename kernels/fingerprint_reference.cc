#include "kernels/fingerprint_reference.h"

#include "kernels/fingerprint_layout.h"

namespace trommel::kernels {

FingerprintReference::FingerprintReference(std::optional<DenseShape> dense, uint64_t num_blocks,
                                           uint32_t fingerprint_bits)
    : dense_(dense), num_blocks_(num_blocks), fingerprint_bits_(fingerprint_bits) {}

uint32_t FingerprintReference::MaxBits() const { return dense_ ? dense_->max_bits : kMaxWideBits; }

uint64_t FingerprintReference::NumValues() const {
  return (dense_ ? uint64_t{dense_->bins} : 1) << fingerprint_bits_;
}

uint32_t FingerprintReference::Unreserved(uint64_t key) const {
  if (!dense_ && key % 256 == 0x00) key += 1;
  if (!dense_ && key % 256 == 0xff) key -= 1;
  return static_cast<uint32_t>(key);
}

// Digest x num_blocks is block x 2^64 + rest; the key is rest x values / 2^64.
FingerprintReference::Place FingerprintReference::PlaceOf(uint64_t digest) const {
  __extension__ using Product = unsigned __int128;
  const Product product = Product{digest} * num_blocks_;
  const Product key = Product{static_cast<uint64_t>(product)} * NumValues() >> 64;
  return {static_cast<uint64_t>(product >> 64), Unreserved(static_cast<uint64_t>(key))};
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
  FingerprintReference folded(dense_, num_blocks_ / 2, fingerprint_bits_ + (has_room ? 1 : 0));
  for (const auto& [place, count] : counts_) {
    const auto [block_idx, key] = place;
    const uint64_t longer = block_idx % 2 * NumValues() + key;
    folded.counts_[{block_idx / 2, folded.Unreserved(has_room ? longer : longer / 2)}] += count;
  }
  return folded;
}

FingerprintReference FingerprintReference::Doubled() const {
  FingerprintReference doubled(dense_, 2 * num_blocks_, fingerprint_bits_ - 1);
  const auto half = static_cast<uint32_t>(doubled.NumValues());
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
