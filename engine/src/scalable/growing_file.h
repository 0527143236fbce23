// The section `growing` of files: what filters that grow by themselves are, an entry each.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GROWING_FILE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GROWING_FILE_H_

#include <cstdint>
#include <vector>

#include "engine/src/files/file_reader.h"
#include "engine/src/growing/growing_store.h"
#include "engine/src/scalable/growth_plan.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

struct GrowingNumbers {
  uint32_t value_bits;      //  0  of a shard
  uint32_t is_one_shard;    //  4  0: 64 shards; 1: one, of a part of a filter
  uint64_t first_capacity;  //  8
  uint64_t max_capacity;    // 16
  uint64_t asked_capacity;  // 24  max_capacity as asked for; 0: none
  double target_fpr;        // 32  as asked for

  GrowingOptions options() const {
    return {.value_bits = value_bits,
            .shard_bits = is_one_shard != 0 ? 0 : GrowingStore::kShardBits,
            .first_capacity = first_capacity,
            .max_capacity = max_capacity};
  }
};
static_assert(sizeof(GrowingNumbers) == 40);

// The entries, of filters that can be. Fails with kCorrupt, also without any.
Result<std::vector<GrowingNumbers>> ReadGrowing(FileReader& file);
// What the blocks, digests and counts of so many stores from this one on take at least.
uint64_t LeastBytes(FileReader& file, uint32_t first_store, size_t num_stores);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GROWING_FILE_H_
