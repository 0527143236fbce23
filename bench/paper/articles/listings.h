// The listings of the article on the space of HBase's Bloom filters, line by line, except for two
// things that would stop them at once: Java's % is negative for half of all hashes (here it is
// not), and the layered filter's arrays are allocated. The rest is what the article means,
// including how it loses keys. Not to be used for anything else.
#ifndef TROMMEL_BENCH_PAPER_ARTICLES_LISTINGS_H_
#define TROMMEL_BENCH_PAPER_ARTICLES_LISTINGS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trommel/counting_filter.h"
#include "trommel/keys.h"

namespace trommel::paper {

// Hash i of a key: practically independent for each i, like the listings' murmur3_128(key, i).
uint64_t ListingHash(uint64_t key, uint32_t i);

// Whether adding a key to `size` bits throws as printed: an index is negative, beyond the -7 to -1
// that still fall into byte 0.
bool ThrowsAsPrinted(uint64_t key, uint32_t num_hashes, uint32_t size);

// A bit array queried with the first num_hashes hashes.
class ListingBits {
 public:
  explicit ListingBits(uint32_t size) : bits_(size) {}
  void Add(uint64_t key, uint32_t num_hashes);
  void Remove(uint64_t key, uint32_t num_hashes);  // clears its bits
  bool MightContain(uint64_t key, uint32_t num_hashes) const;
  uint32_t size() const { return static_cast<uint32_t>(bits_.size()); }
  bool operator[](uint32_t position) const { return bits_[position]; }
  double Fill() const;

 private:
  std::vector<bool> bits_;
};

// "Adaptive": more hashes when the computed rate is above 1 %, fewer when it is under half of that.
class AdaptiveListing {
 public:
  explicit AdaptiveListing(uint32_t size = 10'000) : bits_(size) {}
  void Add(uint64_t key);
  bool MightContain(uint64_t key) const { return bits_.MightContain(key, num_hashes_); }
  uint32_t num_hashes() const { return num_hashes_; }
  const ListingBits& bits() const { return bits_; }

 private:
  ListingBits bits_;
  uint32_t num_hashes_ = 3;
  uint32_t num_elements_ = 0;
};

// "Dynamic": doubles when elements / bits reach 80 %, hashing the positions of set bits again.
class DoublingListing {
 public:
  explicit DoublingListing(uint32_t size = 1'000) : bits_(size) {}
  void Add(uint64_t key);
  bool MightContain(uint64_t key) const { return bits_.MightContain(key, 3); }
  const ListingBits& bits() const { return bits_; }

 private:
  void Expand();

  ListingBits bits_;
  uint32_t num_elements_ = 0;
};

// "Time-based": a map from every key to its time; expired keys' bits are cleared.
class ExpiringListing {
 public:
  explicit ExpiringListing(uint32_t size = 1'000) : bits_(size) {}
  void Add(uint64_t key, int64_t time);
  bool MightContain(uint64_t key) const { return bits_.MightContain(key, 3); }
  void CleanExpired(int64_t now, int64_t lifetime);
  const ListingBits& bits() const { return bits_; }

 private:
  ListingBits bits_;
  std::unordered_map<uint64_t, int64_t> times_;
};

// "Layered": 1,000 bits with 2 hashes before 10,000 bits with 4.
class LayeredListing {
 public:
  void Add(uint64_t key);
  bool MightContain(uint64_t key) const;
  uint32_t num_bits() const { return high_.size() + low_.size(); }

 private:
  ListingBits high_{1'000};
  ListingBits low_{10'000};
};

// Two layers, as the article on space means them, of two counting filters: a small coarse one that
// is queried first, and a large one that is queried for what the small one passes. Both hold all
// keys, and one digest serves both.
//
//   key --> first (small) --maybe present--> large --maybe present--> maybe present
//              | absent                        | absent

class Layers {
 public:
  // Sized for the rate of the large layer. The first one passes at most 20 % of non-members.
  static Layers Create(uint64_t capacity, double target_fpr);

  // Requires digests.
  void Insert(Keys digests) {
    first_.Insert(digests);
    large_.Insert(digests);
  }
  // As CountingFilter::Query. Requires digests.
  size_t Query(Keys digests, std::span<uint64_t> maybe_present) const;

  const CountingFilter& first() const { return first_; }
  const CountingFilter& large() const { return large_; }
  double num_bytes() const;

 private:
  Layers(CountingFilter first, CountingFilter large)
      : first_(std::move(first)), large_(std::move(large)) {}

  CountingFilter first_;
  CountingFilter large_;
};

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_ARTICLES_LISTINGS_H_
