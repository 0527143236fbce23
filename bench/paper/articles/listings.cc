#include "bench/paper/articles/listings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/sides/workload.h"
#include "trommel/sizing.h"

namespace trommel::paper {
namespace {

constexpr uint32_t kListingHashes = 3;

uint32_t ListingIndex(uint64_t key, uint32_t i, uint32_t size) {
  return static_cast<uint32_t>(ListingHash(key, i) % size);
}

}  // namespace

uint64_t ListingHash(uint64_t key, uint32_t i) { return bench::KeyAt(key ^ bench::KeyAt(i)); }

bool ThrowsAsPrinted(uint64_t key, uint32_t num_hashes, uint32_t size) {
  for (uint32_t i = 0; i < num_hashes; ++i) {
    // C++ and Java agree: the remainder has the dividend's sign, and -7 / 8 is 0.
    const auto index = static_cast<int64_t>(ListingHash(key, i)) % static_cast<int64_t>(size);
    if (index / 8 < 0) return true;
  }
  return false;
}

void ListingBits::Add(uint64_t key, uint32_t num_hashes) {
  for (uint32_t i = 0; i < num_hashes; ++i) bits_[ListingIndex(key, i, size())] = true;
}

void ListingBits::Remove(uint64_t key, uint32_t num_hashes) {
  for (uint32_t i = 0; i < num_hashes; ++i) bits_[ListingIndex(key, i, size())] = false;
}

bool ListingBits::MightContain(uint64_t key, uint32_t num_hashes) const {
  for (uint32_t i = 0; i < num_hashes; ++i) {
    if (!bits_[ListingIndex(key, i, size())]) return false;
  }
  return true;
}

double ListingBits::Fill() const {
  return static_cast<double>(std::count(bits_.begin(), bits_.end(), true)) /
         static_cast<double>(bits_.size());
}

void AdaptiveListing::Add(uint64_t key) {
  constexpr double kTarget = 0.01;
  ++num_elements_;
  bits_.Add(key, num_hashes_);
  const double k = num_hashes_;
  const double elements_per_bit = static_cast<double>(num_elements_) / bits_.size();
  const double fpr = std::pow(1 - std::exp(-k * elements_per_bit), k);
  if (fpr > kTarget) {
    ++num_hashes_;
  } else if (fpr < kTarget / 2 && num_elements_ > 100) {
    --num_hashes_;
  }
}

void DoublingListing::Add(uint64_t key) {
  if (static_cast<double>(num_elements_) / bits_.size() >= 0.8) Expand();
  bits_.Add(key, kListingHashes);
  ++num_elements_;
}

void DoublingListing::Expand() {
  const ListingBits old = bits_;
  bits_ = ListingBits(2 * old.size());
  for (uint32_t position = 0; position < old.size(); ++position) {
    if (old[position]) bits_.Add(position, kListingHashes);  // the position, not a key
  }
}

void ExpiringListing::Add(uint64_t key, int64_t time) {
  bits_.Add(key, kListingHashes);
  times_[key] = time;
}

void ExpiringListing::CleanExpired(int64_t now, int64_t lifetime) {
  std::erase_if(times_, [&](const auto& entry) {
    if (now - entry.second <= lifetime) return false;
    bits_.Remove(entry.first, kListingHashes);
    return true;
  });
}

void LayeredListing::Add(uint64_t key) {
  high_.Add(key, 2);
  low_.Add(key, 4);
}

bool LayeredListing::MightContain(uint64_t key) const {
  return high_.MightContain(key, 2) && low_.MightContain(key, 4);
}

namespace {

constexpr double kFirstFpr = 0.2;
constexpr size_t kChunkKeys = 2048;

}  // namespace

// The layers nest: each block of the first one stands for equally many blocks of the large one, and
// both have slices of 32 positions. So the first layer shows whatever the large one shows, and the
// rate of both is that of the large one. A block is floor(x B) of a digest x in [0, 1), and
// floor(floor(x c B) / c) = floor(x B).
//
//   large   | block 0 | block 1 | .. | block c-1 | block c ..     c x as many blocks
//   first   |           block 0                  | block 1 ..
Layers Layers::Create(uint64_t capacity, double target_fpr) {
  Geometry large = SizeFor({.capacity = capacity,
                            .target_fpr = target_fpr,
                            .num_slices = 8,
                            .encoding = Encoding::kRuns})
                       .value()
                       .geometry;
  Geometry first = SizeFor({.capacity = capacity,
                            .target_fpr = kFirstFpr,
                            .num_slices = 8,
                            .encoding = Encoding::kPlanes})
                       .value()
                       .geometry;
  const uint64_t ratio = large.num_blocks / first.num_blocks;
  const uint64_t unit = uint64_t{1} << large.shard_bits;  // both have whole shards of the large one
  first.num_blocks = ((large.num_blocks + ratio - 1) / ratio + unit - 1) / unit * unit;
  first.shard_bits = std::min(large.shard_bits, ShardBitsFor(first.num_blocks));
  large.num_blocks = first.num_blocks * ratio;
  const DigestPolicy digests{.kind = DigestKind::kCaller};
  return {CountingFilter::CreateWithGeometry(first, digests).value(),
          CountingFilter::CreateWithGeometry(large, digests).value()};
}

size_t Layers::Query(Keys digests, std::span<uint64_t> maybe_present) const {
  std::array<uint32_t, kChunkKeys> passed;
  std::array<uint64_t, kChunkKeys> gathered;
  std::array<uint32_t, kChunkKeys> shown;
  std::ranges::fill(maybe_present, 0);
  size_t num_present = 0;
  for (size_t begin = 0; begin < digests.size(); begin += kChunkKeys) {
    const Keys chunk = digests.Subspan(begin, std::min(kChunkKeys, digests.size() - begin));
    const auto* values = static_cast<const uint64_t*>(chunk.data());
    const size_t num_passed =
        first_.Select(chunk, Answer::kMaybePresent, std::span(passed).first(chunk.size()));
    for (size_t i = 0; i < num_passed; ++i) gathered[i] = values[passed[i]];
    const Keys left = Keys::Digests(std::span(gathered).first(num_passed));
    const size_t num_shown =
        large_.Select(left, Answer::kMaybePresent, std::span(shown).first(num_passed));
    for (size_t i = 0; i < num_shown; ++i) {
      const size_t idx = begin + passed[shown[i]];
      maybe_present[idx / 64] |= uint64_t{1} << (idx % 64);
    }
    num_present += num_shown;
  }
  return num_present;
}

double Layers::num_bytes() const {
  return static_cast<double>(first_.GetStats().num_bytes + large_.GetStats().num_bytes);
}

}  // namespace trommel::paper
