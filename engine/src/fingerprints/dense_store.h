// DenseStore: dense blocks (kernels/dense_layout.h), with a DenseRange per owned range for what the
// kernels leave to it.
//
//   update   kernel --> done
//                  \--> spilled --> DenseRange::Insert, Erase
//   query    kernel --> shown, absent
//                  \--> unsure: the bin is cut --> DenseRange::MayContain
//
// The keys that a kernel spills are applied behind the others of their chunk: contents are the
// same. With a limit of side memory keys are applied one by one, so that refusals do not depend on
// how batches are cut: all that decides one belongs to the range.
//
// *Queries beside updates* (ServeQueries) need versions of groups: kernels/group_versions.h. Every
// update of a block is a change of its group. A query of a bin that is cut looks, between the same
// two looks at the version, into lines, which have versions of their own (dense_lines.h) and are
// replaced as a whole when they grow: so it is inside of the grace periods, and loads where they
// are after the version. Why that is right: engine/docs/FINGERPRINTS.md, section 6.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_STORE_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/base/block_memory.h"
#include "engine/src/blocks/store.h"
#include "engine/src/fingerprints/dense_contents.h"
#include "engine/src/fingerprints/dense_range.h"
#include "engine/src/sizing/geometry_checks.h"
#include "engine/src/sync/running_figure.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"
#include "trommel/sync/grace_periods.h"

namespace trommel {

class DenseStore final : public Store {
 public:
  // An empty store. Requires Encoding::kDense. Fails as Validate does, or with kOutOfMemory over
  // limit_bytes (0: the machine's memory).
  static Result<std::unique_ptr<DenseStore>> Create(const Geometry& geometry, uint64_t limit_bytes);
  // The least limit of a store of this geometry.
  static uint64_t LeastSideBytes(const Geometry& geometry) {
    const uint32_t range_bits = OwnedRangeBits(geometry);
    return DenseRange::LeastSideBytes(geometry.num_blocks >> range_bits) << range_bits;
  }

  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers, uint64_t* refused) override;
  void FetchAhead(std::span<const uint64_t> digests) const override;
  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const override;
  bool MayContain(uint64_t digest) const noexcept override;
  OneKeyCalls CallsOfOneKey() const override { return CallsOf(Kernels(), &view_); }
  Fate FinishUpdate(Update update, uint64_t digest) override;
  bool FinishQuery(uint64_t digest) const override;
  void FetchForQuery(std::span<const uint64_t> digests) const noexcept override {
    FetchAhead(digests);
    if (!has_versions()) return;
    for (const uint64_t digest : digests) {
      const uint64_t block_idx =
          kernels::FingerprintPlaceOf(digest, geometry_.num_blocks).block_idx;
      __builtin_prefetch(view_.versions + kernels::VersionOf(digest, block_idx, view_));
    }
  }
  uint64_t CountEstimate(uint64_t digest) const override;
  void FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const override;

  // A limit is divided over the ranges, of each in halves: lines beyond the least, and counts. No
  // key is hidden then: what would be is refused.
  Result<std::unique_ptr<SideLimitChange>> PrepareSideLimit(uint64_t limit_bytes) override;
  BlockContents ReadContents(uint64_t block_idx) const override;
  // Cost: the block's whole range is built anew.
  [[nodiscard]] bool WriteContents(uint64_t block_idx, const BlockContents& contents) override;
  [[nodiscard]] bool Merge(const Store& other) noexcept override;
  [[nodiscard]] bool Subtract(const Store& other) noexcept override;
  Result<std::unique_ptr<Store>> HalfSize(uint64_t limit_bytes) const override;
  Result<std::unique_ptr<Store>> DoubleSize(uint64_t limit_bytes) const override;
  // Cost: 8 bytes per 64 blocks.
  Status ServeQueries(uint64_t limit_bytes) override;
  void StopServingQueries() override;
  void Clear() override;
  void CopyOwnedRange(const Store& from, uint64_t range_idx) override;
  void TouchOwnedRange(uint64_t range_idx) override;
  StoreFigures Figures() const override;
  kernels::Tally TallyOf(uint64_t range_idx) const override;
  uint64_t num_bytes() const override;
  uint64_t huge_page_bytes() const override { return blocks_.HugePageBytes(); }

  // --- For files: the words of a block, the same for equal contents, and its rest.
  BlockContents WriteBlock(uint64_t block_idx, uint32_t* words) const {
    return EncodeDense(layout_, ReadContents(block_idx), words);
  }
  const BlockMemory& blocks() const { return blocks_; }
  // Takes the contents that the blocks' words, which a file has, and these rests say. Fails with
  // kCorrupt if they are not what WriteBlock makes of some, and `bad_block` is where; with
  // kOutOfMemory. Requires a store without limit that has had no keys. Returns their number.
  Result<uint64_t> Adopt(const DenseRests& rests, uint64_t& bad_block);

  const DenseLayout& layout() const { return layout_; }
  const DenseRange& range(size_t range_idx) const { return ranges_[range_idx].range; }

 private:
  class LimitChange;
  struct alignas(64) OwnedRange {  // no two ranges write to one cache line
    explicit OwnedRange(DenseRange of) : range(std::move(of)) { Keep(); }
    // Makes the figures the range's.
    void Keep() {
      num_marked.Set(range.num_marked());
      num_undecided_bins.Set(range.num_undecided_bins());
      side_bytes.Set(range.side_bytes());
    }

    DenseRange range;
    // Read beside updates.
    RunningFigure num_marked;
    RunningFigure num_undecided_bins;
    RunningFigure side_bytes;
    RunningFigure num_refused_inserts;  // since Clear
  };
  // Where a digest's key is: the block's index is within its range.
  struct Place {
    size_t range_idx;
    uint64_t block_idx;
    uint32_t key;
  };
  // So often a query reads a group that is changed meanwhile, before it answers "maybe present".
  static constexpr int kMaxReads = 4;
  using ContentsOf = std::function<BlockContents(uint64_t block_idx)>;

  explicit DenseStore(const Geometry& geometry)
      : layout_(DenseLayoutOf(geometry)), shape_idx_(kernels::DenseShapeIdx(layout_.shape)) {
    geometry_ = geometry;
  }

  const kernels::FingerprintKernels& Kernels() const {
    const kernels::KernelTable& table = kernels::ChosenKernels();
    return has_versions() ? table.versioned_dense[shape_idx_] : table.dense[shape_idx_];
  }
  bool has_versions() const { return view_.versions != nullptr; }
  // Inside of the grace periods if queries may run beside updates: lines stay where they are.
  std::optional<GracePeriods::Reader> EnterBesideUpdates() const {
    if (!has_versions()) return std::nullopt;
    return grace_periods_->Enter();
  }
  // What the kernels leave. Requires a reader inside of the grace periods.
  bool MayContainInside(uint64_t digest) const;
  bool MayContainBesideUpdates(uint64_t digest) const;
  // Tells the range what its updates owe to queries.
  void SetReaders(size_t range_idx);
  Place PlaceOf(uint64_t digest) const {
    const auto place = kernels::FingerprintPlaceOf(digest, geometry_.num_blocks);
    const size_t range_idx = digest >> 1 >> (63 - owned_range_bits());
    return {range_idx, place.block_idx - range_idx * blocks_per_owned_range(),
            layout_.KeyOf(place.rest)};
  }
  uint64_t FirstBlockOf(size_t range_idx) const { return range_idx * blocks_per_owned_range(); }
  uint32_t* BlockAt(uint64_t block_idx) const {
    return blocks_.data() + block_idx * kernels::kFingerprintBlockWords;
  }
  uint32_t* WordsOf(size_t range_idx) const { return BlockAt(FirstBlockOf(range_idx)); }
  // Gives a range these contents. Fails with kOutOfMemory, and changes nothing, also if a limit
  // leaves no space.
  Status Rebuild(size_t range_idx, const ContentsOf& contents_of);
  // A store of other blocks with the contents that they have.
  Result<std::unique_ptr<Store>> Resized(uint64_t num_blocks, uint32_t bits, uint64_t limit_bytes,
                                         const ContentsOf& contents_of) const;

  DenseLayout layout_;
  size_t shape_idx_;
  std::optional<DenseLimit> limit_;  // of each range
  BlockMemory blocks_;
  std::vector<OwnedRange> ranges_;
  kernels::FingerprintBlocks view_{};
  std::vector<uint64_t> versions_;  // view_.versions
  std::unique_ptr<GracePeriods> grace_periods_;
  mutable std::atomic<uint64_t> num_interrupted_queries_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_STORE_H_
