// Filters of generations in files: what a file says of each, for scalable filters, which are one,
// and attribute filters, which are one per set of attributes. The section `growth` has how each
// filter grows; each generation is a store that begins with the section `generation`. Stores stand
// in the order of the filters, a filter's oldest generation first.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GENERATIONS_FILE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GENERATIONS_FILE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "engine/src/files/store_sections.h"
#include "engine/src/scalable/generations_engine.h"
#include "engine/src/scalable/growth_plan.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

struct GrowthNumbers {
  uint64_t first_capacity;  //  0
  double target_fpr;        //  8
  uint64_t max_capacity;    // 16  0: as many as the budgets allow
  double tightening;        // 24
  uint32_t growth;          // 32
  uint32_t num_slices;      // 36  of generations of slices
  uint32_t encoding;        // 40  Encoding, kAutomatic too
  uint32_t reserved;        // 44  0
};
static_assert(sizeof(GrowthNumbers) == 48);

struct GenerationNumbers {
  uint64_t slot;        //  0  which of the filter's budgets it has
  uint64_t load;        //  8
  uint32_t filter_idx;  // 16  in `growth`
  uint32_t reserved;    // 20  0
};
static_assert(sizeof(GenerationNumbers) == 24);

// What a file says of one of its filters, before memory is taken for blocks.
struct GrowthOutline {
  GrowthNumbers growth;
  uint64_t growth_at;  // in the file
  uint32_t first_store;
  std::vector<GenerationNumbers> generations;
  std::vector<StoreNumbers> stores;
};

// At least one. Fails with kCorrupt and kVersion, and as the source does.
Result<std::vector<GrowthOutline>> ReadOutlines(FileReader& file);
// What the blocks will take: no more than the file has.
uint64_t BlockBytes(const std::vector<GrowthOutline>& outlines);

// The generations of an outline. Fails as ReadStore.
Result<std::unique_ptr<GenerationsEngine>> ReadGenerations(FileReader& file,
                                                           const GrowthOutline& outline,
                                                           const DigestPolicy& policy,
                                                           uint64_t limit_bytes,
                                                           uint64_t used_bytes, GrowthPlans& plans);

GrowthNumbers GrowthOf(const GenerationsEngine& engine);

struct WrittenGenerations {
  uint32_t num_stores = 0;
  uint64_t num_keys = 0;
};
// The sections of all generations, as stores from `first_store` on. Fails with kOutOfMemory.
Result<WrittenGenerations> WriteGenerations(const GenerationsEngine& engine, uint32_t filter_idx,
                                            uint32_t first_store, FileWriter& file);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GENERATIONS_FILE_H_
