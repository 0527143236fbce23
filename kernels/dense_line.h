// The overflow lines of dense blocks (dense_layout.h), entry by entry.
#ifndef TROMMEL_KERNELS_DENSE_LINE_H_
#define TROMMEL_KERNELS_DENSE_LINE_H_

#include <array>
#include <cstdint>

#include "kernels/dense_layout.h"

namespace trommel::kernels {

// `line` has 16 words of 32 bits, and places for `num_entries`, the shape's line_entries.

struct DenseEntry {
  uint32_t tag;
  uint32_t key;
};

uint32_t NumDenseEntries(const uint32_t* line);
DenseEntry DenseEntryAt(uint32_t num_entries, const uint32_t* line, uint32_t i);
// Replaces an entry, or adds one behind the last. Requires i <= the entries < num_entries.
void SetDenseEntry(uint32_t num_entries, uint32_t* line, uint32_t i, const DenseEntry& entry);
// The last entry takes the place of this one.
void RemoveDenseEntry(uint32_t num_entries, uint32_t* line, uint32_t i);

// The entries of a line that have a tag, in order.
struct DenseTagged {
  struct Entry {
    uint32_t i;
    uint32_t key;
  };
  DenseTagged() {}  // leaves the entries uninitialized
  const Entry* begin() const { return entries.data(); }
  const Entry* end() const { return entries.data() + size; }

  uint32_t size = 0;
  std::array<Entry, kMaxLineEntries> entries;
};
DenseTagged DenseEntriesOf(uint32_t num_entries, const uint32_t* line, uint32_t tag);

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_DENSE_LINE_H_
