// The counting Bloom filter: M counters, k hashes over all of them. For reproduction, teaching and
// comparison.
//
// Two hashes of a key may fall on one counter, which then rises and falls by two. It does no harm
// while no counter sticks, but the counter sticks sooner, and the least of a key's counters is then
// no sharper bound of its count. With slices it cannot happen.
#ifndef TROMMEL_CLASSIC_COUNTING_BLOOM_FILTER_H_
#define TROMMEL_CLASSIC_COUNTING_BLOOM_FILTER_H_

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

class CountingBloomFilter : public CountedFilter {
 public:
  // An empty filter for config.capacity keys. Fails with kInvalidArgument as SizeFor does, and with
  // kOutOfMemory over the limit or when the system refuses.
  static Result<CountingBloomFilter> Create(const Config& config);

  // An empty filter of exactly this geometry. Fails as Validate and Create do, and with
  // kInvalidArgument for a geometry of another kind.
  static Result<CountingBloomFilter> CreateWithGeometry(const Geometry& geometry,
                                                        const DigestPolicy& digest = {},
                                                        uint64_t memory_limit_bytes = 0);

  // Reads a snapshot. Fails with kIo, kVersion, kOutOfMemory, kMismatch (a classic filter of
  // another kind) or kCorrupt (naming the byte offset); never crashes, whatever the bytes.
  // `digest_key` as for CountingFilter::Load.
  static Result<CountingBloomFilter> Load(const std::filesystem::path& path,
                                          uint64_t memory_limit_bytes = 0,
                                          const DigestKey& digest_key = {});
  static Result<CountingBloomFilter> Deserialize(std::span<const std::byte> bytes,
                                                 uint64_t memory_limit_bytes = 0,
                                                 const DigestKey& digest_key = {});

 private:
  explicit CountingBloomFilter(std::unique_ptr<Impl> impl) noexcept;
};

}  // namespace trommel::classic

#endif  // TROMMEL_CLASSIC_COUNTING_BLOOM_FILTER_H_
