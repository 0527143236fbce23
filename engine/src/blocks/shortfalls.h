// Shortfalls: which keys of a batch a store counts less often than the batch needs, if all of them
// were to be erased. Keys that share what counts them are looked up together:
//
//   digests, ascending   a a b c c       a and b have the same fingerprint in one block, count 2
//   covered              2 0 1           a twice, b not at all; c is counted once
//   missing              - b c           b, and one of the two c
//
// *Why that is all.* An erasure takes one from each counter of its key: one counter with
// fingerprints, one per slice with presence bits. Let each digest claim its copies at each of its
// counters. Where no counter has more claims than counts, an erasure of the batch finds each of its
// counters above 0, whatever came before it in the batch: none is refused. Where one has more, the
// last erasure that claims it finds 0, unless one that claims it was refused. So the batch can be
// erased as a whole, in any order, if and only if all of it is covered.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_SHORTFALLS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_SHORTFALLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trommel {

class Shortfalls {
 public:
  // Only counts copies, or also lists digests for IsMissing.
  enum class Kept : uint8_t { kNumber, kDigests };
  explicit Shortfalls(Kept kept) : kept_(kept) {}

  // Of num_copies of a digest in the batch so many are covered. May throw std::bad_alloc.
  void Note(uint64_t digest, uint64_t num_copies, uint64_t num_covered) {
    if (num_covered == num_copies) return;
    num_missing_ += num_copies - num_covered;
    if (kept_ == Kept::kDigests) digests_.push_back({digest, num_covered});
  }
  // Copies that are not covered.
  uint64_t num_missing() const { return num_missing_; }

  // Requires Kept::kDigests, and that all digests have been noted. Then, of the copies of a digest
  // the covered ones come first.
  void BeginTelling() { std::ranges::sort(digests_, {}, &Shortfall::digest); }
  // Returns whether the next copy of the digest is missing.
  bool IsNextMissing(uint64_t digest) {
    const auto at = std::ranges::lower_bound(digests_, digest, {}, &Shortfall::digest);
    if (at == digests_.end() || at->digest != digest) return false;
    if (at->num_covered == 0) return true;
    at->num_covered -= 1;
    return false;
  }

 private:
  struct Shortfall {
    uint64_t digest;
    uint64_t num_covered;
  };

  Kept kept_;
  uint64_t num_missing_ = 0;
  std::vector<Shortfall> digests_;
};

// Calls visit(digest, its number of copies) for each of the ascending digests.
template <class Visit>
void ForEachDistinct(std::span<const uint64_t> digests, const Visit& visit) {
  for (size_t begin = 0; begin < digests.size();) {
    size_t end = begin + 1;
    while (end < digests.size() && digests[end] == digests[begin]) ++end;
    visit(digests[begin], uint64_t{end - begin});
    begin = end;
  }
}

// Calls visit(digests that have one home) for all of the ascending digests, of which those of one
// home stand together, and store.FetchAhead for each some digests before.
template <class Store, class HomeOf, class Visit>
void ForEachHome(const Store& store, std::span<const uint64_t> digests, const HomeOf& home_of,
                 const Visit& visit) {
  constexpr size_t kDistance = 16;
  size_t fetched = 0;
  for (size_t begin = 0; begin < digests.size();) {
    const auto home = home_of(digests[begin]);
    size_t end = begin + 1;
    while (end < digests.size() && home_of(digests[end]) == home) ++end;
    const size_t wanted = std::min(digests.size(), end + kDistance);
    store.FetchAhead(digests.subspan(fetched, wanted - fetched));
    fetched = wanted;
    visit(digests.subspan(begin, end - begin));
    begin = end;
  }
}

// Where one counter counts all of the ascending digests.
inline void NoteOfOneCounter(std::span<const uint64_t> digests, uint64_t count,
                             Shortfalls& shortfalls) {
  ForEachDistinct(digests, [&](uint64_t digest, uint64_t num_copies) {
    const uint64_t num_covered = std::min(num_copies, count);
    count -= num_covered;
    shortfalls.Note(digest, num_copies, num_covered);
  });
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_SHORTFALLS_H_
