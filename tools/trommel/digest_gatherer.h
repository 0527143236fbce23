// DigestGatherer: the digests of many small batches, given to a filter as few large ones. Large
// batches can be split by shard, and spread over threads.
#ifndef TROMMEL_TOOLS_DIGEST_GATHERER_H_
#define TROMMEL_TOOLS_DIGEST_GATHERER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/trommel/key_batch.h"
#include "tools/trommel/key_pipeline.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel::tool {

// Not thread-safe.
class DigestGatherer {
 public:
  using Apply = std::function<void(Keys)>;

  // Calls apply(digests) for num_keys at a time or more.
  DigestGatherer(size_t num_keys, Apply apply);

  // As many as are worth splitting for this filter: a key a block. They and the memory to split
  // them take at most a quarter of the filter's own, or a few megabytes.
  static size_t NumKeysFor(const CountingFilter& filter) noexcept;

  // What a pass over keys must do so that the digests of all come here. The gatherer must outlive
  // it.
  KeyStages Stages(const DigestPolicy& policy);

  // Adds batch.digests. Applies them at once when the input is idle: the time is free.
  void Add(const KeyBatch& batch);

  // Applies what is left. Must be called at the end.
  void Flush();

 private:
  const size_t num_keys_;
  const Apply apply_;
  std::vector<uint64_t> digests_;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DIGEST_GATHERER_H_
