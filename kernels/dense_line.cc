#include "kernels/dense_line.h"

namespace trommel::kernels {

namespace {

// Calls use(line_of) with the DenseLineOf of so many entries.
template <class Use>
auto WithLineOf(uint32_t num_entries, const Use& use) {
  if (num_entries == 24) return use(DenseLineOf<24>());
  if (num_entries == 23) return use(DenseLineOf<23>());
  if (num_entries == 22) return use(DenseLineOf<22>());
  if (num_entries == 21) return use(DenseLineOf<21>());
  return use(DenseLineOf<kWordLineEntries>());
}

}  // namespace

DenseEntry DenseEntryAt(uint32_t num_entries, const uint32_t* line, uint32_t i) {
  return WithLineOf(num_entries, [&](auto line_of) { return line_of.At(line, i); });
}

void SetDenseEntry(uint32_t num_entries, uint32_t* line, uint32_t i, const DenseEntry& entry) {
  WithLineOf(num_entries, [&](auto line_of) { line_of.Set(line, i, entry); });
}

void RemoveDenseEntry(uint32_t num_entries, uint32_t* line, uint32_t i) {
  WithLineOf(num_entries, [&](auto line_of) { line_of.Remove(line, i); });
}

}  // namespace trommel::kernels
