#include "bench/paper/articles/listings.h"

#include <algorithm>
#include <cmath>

#include "bench/sides/workload.h"

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

}  // namespace trommel::paper
