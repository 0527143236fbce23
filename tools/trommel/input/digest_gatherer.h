// DigestGatherer: the digests of many small batches, given to a filter as few large ones, with
// their times where these are read. Large batches can be split by shard, and spread over threads.
#ifndef TROMMEL_TOOLS_DIGEST_GATHERER_H_
#define TROMMEL_TOOLS_DIGEST_GATHERER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tools/trommel/input/key_batch.h"
#include "tools/trommel/input/key_pipeline.h"
#include "trommel/digest.h"

namespace trommel::tool {

// Not thread-safe.
class DigestGatherer {
 public:
  // Times are empty, or one per digest.
  using Apply =
      std::function<void(std::span<const uint64_t> digests, std::span<const uint64_t> times)>;

  // Calls apply(digests, times) for num_keys at a time or more.
  DigestGatherer(size_t num_keys, Apply apply);

  // How many to gather where that many are worth splitting (one key per block): not so few that
  // threads idle, nor so many that they and the memory to split them take more than a quarter of
  // the filter's own, or a few megabytes.
  static size_t NumKeysFor(uint64_t num_keys_worth_splitting) noexcept;

  // What a pass over keys must do so that the digests of all come here. The gatherer must outlive
  // it.
  KeyStages Stages(const DigestPolicy& policy);

  // Adds batch.digests and batch.times(). Applies them at once when the input is idle: the time is
  // free.
  void Add(const KeyBatch& batch);

  // Applies what is left. Must be called at the end.
  void Flush();

 private:
  const size_t num_keys_;
  const Apply apply_;
  std::vector<uint64_t> digests_;
  std::vector<uint64_t> times_;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DIGEST_GATHERER_H_
