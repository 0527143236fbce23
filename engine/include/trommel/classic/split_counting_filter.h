// The split counting filter (SCBF) of Huang, Fang and Zhang: k slices of m counters, any k and any
// m; hash i falls into slice i. For reproduction, teaching and comparison: CountingFilter is the
// same idea cut to the size of a cache line.
//
//   slice 0    | . . 1 . . 2 . . |      a key touches one counter in each slice, and slices
//   slice 1    | 1 . . . 1 . . 1 |      never interact: a batch is inserted slice by slice, by as
//     ...      |                 |      many tasks, and the false-positive rate is exactly the
//   slice k-1  | . 2 . 1 . . . . |      product of the slices' fills
//
// Because slices do not interact, the first j of them are a filter of their own: exactly the one
// with k = j and the same m. Queries may probe as few as a rate needs (QueryFirst), and slices that
// will never be needed can be given back (DropSlices). The other way round there is no way: hashes
// added after keys came in would make these absent.
#ifndef TROMMEL_CLASSIC_SPLIT_COUNTING_FILTER_H_
#define TROMMEL_CLASSIC_SPLIT_COUNTING_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "trommel/classic/filter.h"
#include "trommel/classic/geometry.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel::classic {

class SplitCountingFilter : public CountedFilter {
 public:
  // An empty filter for config.capacity keys. Fails with kInvalidArgument as SizeFor does, and with
  // kOutOfMemory over the limit or when the system refuses.
  static Result<SplitCountingFilter> Create(const Config& config);

  // An empty filter of exactly this geometry. Fails as Validate and Create do, and with
  // kInvalidArgument for a geometry of another kind.
  static Result<SplitCountingFilter> CreateWithGeometry(const Geometry& geometry,
                                                        const DigestPolicy& digest = {},
                                                        uint64_t memory_limit_bytes = 0);

  // --- As few probes as the rate needs. Any of these answers "maybe present" for every key that is
  // in, and "absent" only for keys that are not.

  // The fewest slices, first slices first, whose present fills multiply to target_fpr or less; all
  // where none do. At least 1. Fills are those of this moment (not of a model): duplicates, strays
  // and stuck counters are in them. Microseconds.
  uint32_t ProbesFor(double target_fpr) const noexcept;

  // Query, probing the first num_probes slices only: a programmer's mistake unless 1 <= num_probes
  // <= num_hashes.
  size_t QueryFirst(Keys keys, uint32_t num_probes,
                    std::span<uint64_t> maybe_present) const noexcept;

  // Keeps the first num_slices slices and gives the memory of the others back. One-way: the filter
  // is then exactly one built with num_hashes = num_slices. It merges with such filters only, and
  // its snapshot is theirs. Never a false negative; more false positives (PredictedFpr). Fails with
  // kInvalidArgument unless 1 <= num_slices <= num_hashes, and with kOutOfMemory (needs memory for
  // both sizes while it runs); nothing is changed then. capacity() and target_fpr() stay what was
  // asked for.
  Status DropSlices(uint32_t num_slices);

  // Reads a snapshot. Fails with kIo, kVersion, kOutOfMemory, kMismatch (a classic filter of
  // another kind) or kCorrupt (naming the byte offset); never crashes, whatever the bytes.
  // `digest_key` as for CountingFilter::Load.
  static Result<SplitCountingFilter> Load(const std::filesystem::path& path,
                                          uint64_t memory_limit_bytes = 0,
                                          const DigestKey& digest_key = {});
  static Result<SplitCountingFilter> Deserialize(std::span<const std::byte> bytes,
                                                 uint64_t memory_limit_bytes = 0,
                                                 const DigestKey& digest_key = {});

 private:
  explicit SplitCountingFilter(std::unique_ptr<Impl> impl) noexcept;
};

}  // namespace trommel::classic

#endif  // TROMMEL_CLASSIC_SPLIT_COUNTING_FILTER_H_
