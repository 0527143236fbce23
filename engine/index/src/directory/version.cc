#include "engine/index/src/directory/version.h"

#include <algorithm>

namespace trommel::index {

void AttributeColumns::Prepare(size_t num_words) {
  num_unbuilt_next = 0;
  for (size_t i = 0; next && i < next->regions.size(); ++i) {
    const RegionColumn& region = *next->regions[i];
    // One that is full stays unbuilt, whether its structure is used or not.
    if (!region.is_built.load(std::memory_order_acquire) && !region.has_given_up) {
      ++num_unbuilt_next;
    }
  }

  const PairStructure* const structure = now.structure.get();
  const std::vector<std::shared_ptr<RegionColumn>>& regions = now.regions;
  is_plain = structure != nullptr && structure->num_words() == num_words;
  unbuilt.reset(new std::atomic<uint64_t>[num_words] {});
  uint32_t count = 0;
  for (size_t i = 0; i < regions.size(); ++i) {
    is_plain = is_plain && regions[i]->column == i;
    if (regions[i]->is_built.load(std::memory_order_acquire)) continue;
    ++count;
    unbuilt[i / 64].fetch_or(uint64_t{1} << i % 64, std::memory_order_relaxed);
  }
  num_unbuilt.store(count, std::memory_order_relaxed);
  if (structure == nullptr || is_plain) return;

  // Counting sort of the positions by column.
  first_position_of_column.assign(structure->num_columns() + 1, 0);
  for (const auto& region : regions) {
    if (region->column != kNoColumn) ++first_position_of_column[region->column + 1];
  }
  for (size_t c = 0; c < structure->num_columns(); ++c) {
    first_position_of_column[c + 1] += first_position_of_column[c];
  }
  positions_of_columns.resize(first_position_of_column.back());
  std::vector<uint32_t> next_index(first_position_of_column.begin(),
                                   first_position_of_column.end() - 1);
  for (size_t i = 0; i < regions.size(); ++i) {
    if (regions[i]->column == kNoColumn) continue;
    positions_of_columns[next_index[regions[i]->column]++] = static_cast<uint32_t>(i);
  }
}

void AttributeColumns::SetBuilt(size_t position) {
  const uint64_t bit = uint64_t{1} << position % 64;
  // A reader that sees the bit clear, or the number without it, sees all pairs of the column: the
  // stores of its bits happened before this one.
  if ((unbuilt[position / 64].fetch_and(~bit, std::memory_order_acq_rel) & bit) != 0) {
    num_unbuilt.fetch_sub(1, std::memory_order_acq_rel);
  }
}

}  // namespace trommel::index
