// Versions of groups for tests of kernels: which sets of kernels there are, and what an update must
// do to the versions.
#ifndef TROMMEL_TESTS_SUPPORT_KERNEL_VERSIONS_H_
#define TROMMEL_TESTS_SUPPORT_KERNEL_VERSIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"

namespace trommel::tests {

// The kernels of one shape of fingerprint blocks.
struct FingerprintKernelSets {
  using Member = const kernels::FingerprintKernels kernels::KernelTable::*;

  // Of the active target.
  const kernels::FingerprintKernels& Of(bool has_versions) const {
    return kernels::ActiveKernels().*(has_versions ? versioned : unversioned);
  }

  Member unversioned;
  Member versioned;
};

// The blocks of a batch of updates, once for each key.
struct UpdatedBlocks {
  void Add(uint64_t digest, uint64_t num_blocks, kernels::OneFate fate) {
    met.push_back(kernels::FingerprintPlaceOf(digest, num_blocks).block_idx);
    if (fate == kernels::OneFate::kDone) changed.push_back(met.back());
  }

  std::vector<uint64_t> met;
  std::vector<uint64_t> changed;  // of the keys that were inserted or erased
};

// The versions of the groups of so many blocks; each group begins with another one.
class KernelVersions {
 public:
  explicit KernelVersions(uint64_t num_blocks)
      : versions_((num_blocks + kernels::kGroupBlocks - 1) / kernels::kGroupBlocks) {
    for (size_t g = 0; g < versions_.size(); ++g) versions_[g] = 1000 * g;
  }

  uint64_t* data() { return versions_.data(); }
  size_t size() const { return versions_.size(); }

  // Have all versions risen by 2 for each change of a block of the group, and for nothing else but
  // updates that found nothing to change? (Kernels without versions must leave them as they were.)
  bool HaveRisen(const KernelVersions& before, const UpdatedBlocks& blocks,
                 bool has_versions) const {
    std::vector<uint64_t> least(before.versions_);
    std::vector<uint64_t> most(before.versions_);
    if (has_versions) {
      for (const uint64_t block_idx : blocks.changed) least[block_idx / kernels::kGroupBlocks] += 2;
      for (const uint64_t block_idx : blocks.met) most[block_idx / kernels::kGroupBlocks] += 2;
    }
    for (size_t g = 0; g < versions_.size(); ++g) {
      const uint64_t version = versions_[g];
      if (version < least[g] || version > most[g] || version % 2 != 0) return false;
    }
    return true;
  }

 private:
  std::vector<uint64_t> versions_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_KERNEL_VERSIONS_H_
