// A filter made of nothing but kernels: it drives them as the engine does, holds them to their
// contract at each call, and keeps its bytes canonical so that they can be compared with the
// reference's at any time.
#ifndef TROMMEL_TESTS_SUPPORT_KERNEL_FILTER_H_
#define TROMMEL_TESTS_SUPPORT_KERNEL_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "support/words.h"

namespace trommel::tests {

class KernelFilter {
 public:
  KernelFilter(uint64_t num_blocks, kernels::Shape shape);
  // The same counters as the reference's.
  explicit KernelFilter(const kernels::ReferenceFilter& reference);

  // Digests [begin, end) of the batch. Bitmaps count from the batch's start.
  void Insert(std::span<const uint64_t> digests, size_t begin, size_t end);
  void InsertIfAbsent(std::span<const uint64_t> digests, size_t begin, size_t end,
                      std::span<uint64_t> inserted);
  void Erase(std::span<const uint64_t> digests, size_t begin, size_t end,
             std::span<uint64_t> erased);

  kernels::Blocks View();
  const kernels::BlockKernels& block_kernels() const;

  // Empty if presence, counts and side counters are the reference's and nothing was written
  // outside.
  std::string DifferenceFrom(const kernels::ReferenceFilter& reference) const;
  std::vector<uint32_t> PresenceWords() const;
  std::vector<uint32_t> CountWords() const;
  uint32_t* PresenceOf(uint64_t block_idx) const;
  uint32_t* CountsOf(uint64_t block_idx) const;

 private:
  using Counters = std::vector<uint64_t>;

  bool IsPromoted(uint64_t block_idx) const;
  bool IsFullOfRuns(uint64_t block_idx) const;
  void Promote(uint64_t block_idx);
  // One key of a promoted block, counter by counter. Returns whether it was done.
  bool Apply(uint64_t digest, bool is_insert, bool only_if_absent);
  // What every update must do and must not do, whatever it does.
  void CheckContract(const kernels::UpdateProgress& applied, std::span<const uint64_t> digests,
                     size_t begin, size_t end, const Guarded<uint32_t>& spilled) const;

  size_t presence_words() const { return shape_.num_counters() / 32; }

  uint64_t num_blocks_;
  kernels::Shape shape_;
  size_t count_words_;
  // With runs the first array holds whole blocks, and the second nothing.
  mutable Guarded<uint32_t> presence_;
  mutable Guarded<uint32_t> planes_;
  std::map<uint64_t, Counters> promoted_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_KERNEL_FILTER_H_
