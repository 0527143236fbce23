// Updates and queries of a block store. Whole-store operations: block_store_combine.cc.
#include "engine/src/blocks/block_store.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "kernels/run_slice.h"

namespace trommel {

Result<BlockStore> BlockStore::Create(const Geometry& geometry, uint64_t limit_bytes) {
  if (Status valid = Validate(geometry); !valid) return valid.error();
  if (HasFingerprints(geometry.encoding)) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = "encoding is " + std::string(EncodingName(geometry.encoding)) +
                            "; filters store planes or runs"};
  }
  if (Status fits = CheckMemoryLimit("the filter needs", geometry.num_bytes(), limit_bytes);
      !fits) {
    return fits.error();
  }
  BlockStore store;
  store.geometry_ = geometry;
  store.encoding_ = &EncodingTable(geometry.encoding);
  store.kernels_ = store.encoding_->kernels(geometry.num_slices);
  store.count_words_ = store.encoding_->count_words(geometry.num_slices);
  const bool is_interleaved = store.encoding_->is_interleaved;
  const size_t block_words = store.presence_words() + store.count_words_;
  store.presence_stride_ = is_interleaved ? block_words : store.presence_words();
  store.count_stride_ = is_interleaved ? block_words : store.count_words_;
  Result<BlockMemory> counts = BlockMemory::Allocate(geometry.num_blocks * store.count_stride_);
  if (!counts) return counts.error();
  store.counts_ = *std::move(counts);
  if (!is_interleaved) {
    Result<BlockMemory> presence =
        BlockMemory::Allocate(geometry.num_blocks * store.presence_stride_);
    if (!presence) return presence.error();
    store.presence_ = *std::move(presence);
  }
  (void)kernels::ActiveKernels();  // block_kernels requires it
  store.view_ = {is_interleaved ? store.counts_.data() : store.presence_.data(),
                 store.counts_.data() + (is_interleaved ? store.presence_words() : 0),
                 geometry.num_blocks};
  store.side_table_ = SideTable(geometry.num_blocks, geometry.num_slices, store.owned_range_bits());
  return store;
}

bool BlockStore::IsPromoted(uint64_t block_idx) const {
  return encoding_->is_promoted(PresenceOf(block_idx), CountsOf(block_idx), geometry_.num_slices);
}

// --- Updates. The kernel spills keys of promoted blocks, and with runs those of full ones, which
// are applied here, in order. A block where it stops is promoted.

uint64_t BlockStore::Apply(Update update, const uint64_t* digests,
                           const kernels::DigestRange& range, uint64_t* answers,
                           uint64_t* refused) {
  uint64_t num_refused = 0;
  UpdateByKernels(
      block_kernels(), view_, update, digests, range, answers,
      [this](uint64_t digest) { side_table_.PrefetchIndex(BlockOf(digest)); },
      [this](uint64_t digest) { side_table_.PrefetchEntry(BlockOf(digest)); },
      [&](size_t key_idx) {
        const uint64_t digest = digests[key_idx];
        // An erasure before may have returned the block.
        const bool is_back = update == Update::kErase && !IsPromoted(BlockOf(digest));
        const Fate fate = is_back ? UpdateOne(update, digest) : FinishUpdate(update, digest);
        num_refused += NoteFate(fate, update, key_idx, answers, refused);
      });
  return num_refused;
}

Fate BlockStore::FinishUpdate(Update update, uint64_t digest) {
  if (update == Update::kErase) return ErasePromoted(digest) ? Fate::kChanged : Fate::kUnchanged;
  if (update == Update::kInsertIfAbsent && MayContain(digest)) return Fate::kUnchanged;
  return InsertSpilled(digest) ? Fate::kChanged : Fate::kRefused;
}

void BlockStore::Refuse(uint64_t block_idx) {
  TROMMEL_CHECK(side_limit_bytes_ != 0,
                "the system refused memory for the side table of a filter without a limit of it "
                "(side_memory_limit_bytes)");
  side_table_.CountRefusal(block_idx);
}

void BlockStore::FetchAhead(std::span<const uint64_t> digests) const {
  constexpr size_t kWordsPerLine = 16;
  for (const uint64_t digest : digests) {
    const uint64_t block_idx = BlockOf(digest);
    __builtin_prefetch(PresenceOf(block_idx));
    // Presence words and counts may begin in the middle of a cache line.
    const uint32_t* counts = CountsOf(block_idx);
    for (size_t w = 0; w < count_words_; w += kWordsPerLine) __builtin_prefetch(counts + w);
    __builtin_prefetch(counts + count_words_ - 1);
  }
}

bool BlockStore::Promote(uint64_t block_idx) {
  const auto mark = [&] {
    encoding_->mark_promoted(CountsOf(block_idx), geometry_.num_slices);
    return true;
  };
  if (encoding_->unpack_runs != nullptr) {
    std::array<uint64_t, kernels::kMaxSlices> runs;
    encoding_->unpack_runs(CountsOf(block_idx), geometry_.num_slices, runs);
    // 63 keys would fit run strings, and with the next one no longer.
    if (kernels::KeysOfRuns(runs[0]) < kernels::kMaxLongRunKeys) {
      return side_table_.PutRuns(block_idx, std::span(runs).first(geometry_.num_slices)) && mark();
    }
  }
  Counters counters;
  ReadCounters(block_idx, counters);
  return side_table_.Promote(block_idx, std::span(counters).first(num_counters())) && mark();
}

bool BlockStore::InsertSpilled(uint64_t digest) {
  const uint64_t block_idx = BlockOf(digest);
  if ((IsPromoted(block_idx) || Promote(block_idx)) &&
      side_table_.Increment(block_idx, digest, PresenceOf(block_idx))) {
    return true;
  }
  Refuse(block_idx);
  return false;
}

bool BlockStore::ErasePromoted(uint64_t digest) {
  if (!MayContain(digest)) return false;
  const uint64_t block_idx = BlockOf(digest);
  uint32_t* presence = PresenceOf(block_idx);
  side_table_.Decrement(block_idx, digest, presence);
  if (MayHaveDrained(block_idx, digest)) ReturnIfDrained(block_idx);
  return true;
}

bool BlockStore::MayHaveDrained(uint64_t block_idx, uint64_t erased) const {
  const std::span<const uint64_t> runs = side_table_.RunsOf(block_idx);
  if (!runs.empty()) return encoding_->has_drained_runs(runs, geometry_.num_slices);
  // A crowded block. For runs the number of its keys decides. For planes its counts do: a single
  // run as long as the erased key's remaining count must have drained, or the block has not.
  const uint64_t left = encoding_->pack_runs != nullptr
                            ? side_table_.KeysOf(block_idx)
                            : side_table_.CountAt(block_idx, erased, 0, PresenceOf(block_idx));
  const uint64_t run = left > kernels::kMaxLongRunKeys ? 0 : uint64_t{1} << left | 1;
  return run != 0 && encoding_->has_drained_runs(std::span(&run, 1), geometry_.num_slices);
}

void BlockStore::ReturnIfDrained(uint64_t block_idx) {
  const std::span<const uint64_t> runs = side_table_.RunsOf(block_idx);
  if (encoding_->pack_runs != nullptr && !runs.empty()) {  // the same run strings
    encoding_->pack_runs(runs, geometry_.num_slices, CountsOf(block_idx));
    side_table_.Remove(block_idx);
    return;
  }
  Counters buffer;
  const std::span<uint64_t> counters = std::span(buffer).first(num_counters());
  uint32_t* presence = PresenceOf(block_idx);
  side_table_.CopyTo(block_idx, presence, counters);
  if (!encoding_->has_drained(counters, geometry_.num_slices)) return;
  side_table_.Remove(block_idx);
  encoding_->encode(counters, geometry_.num_slices, presence, CountsOf(block_idx));
}

// --- Queries.

size_t BlockStore::Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const {
  return block_kernels().query(digests.data(), digests.size(), View(), maybe_present);
}

size_t BlockStore::Select(std::span<const uint64_t> digests, bool maybe_present, uint32_t first_idx,
                          uint32_t* selection) const {
  return block_kernels().select(digests.data(), digests.size(), View(), maybe_present, first_idx,
                                selection);
}

uint64_t BlockStore::CountAt(uint64_t digest, size_t slice_idx) const {
  const uint64_t block_idx = BlockOf(digest);
  const uint32_t* presence = PresenceOf(block_idx);
  if (IsPromoted(block_idx)) return side_table_.CountAt(block_idx, digest, slice_idx, presence);
  return encoding_->count_at(presence, CountsOf(block_idx), geometry_.num_slices, slice_idx,
                             kernels::Position(digest, slice_idx, geometry_.num_slices));
}

uint64_t BlockStore::CountEstimate(uint64_t digest) const {
  uint64_t least = ~uint64_t{0};
  for (size_t s = 0; s < geometry_.num_slices && least > 0; ++s) {
    least = std::min(least, CountAt(digest, s));
  }
  return least;
}

void BlockStore::FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const {
  const size_t num_slices = geometry_.num_slices;
  Counters claimed = {};  // by the digests of one block
  const auto claimed_by = [&](uint64_t digest, size_t slice_idx) -> uint64_t& {
    return claimed[kernels::CounterIndex(digest, slice_idx, num_slices)];
  };
  const auto block_of = [this](uint64_t digest) { return BlockOf(digest); };
  ForEachHome(*this, digests, block_of, [&](std::span<const uint64_t> of_block) {
    ForEachDistinct(of_block, [&](uint64_t digest, uint64_t num_copies) {
      uint64_t num_covered = num_copies;
      for (size_t s = 0; s < num_slices && num_covered > 0; ++s) {
        num_covered = std::min(num_covered, CountAt(digest, s) - claimed_by(digest, s));
      }
      for (size_t s = 0; s < num_slices; ++s) claimed_by(digest, s) += num_covered;
      shortfalls.Note(digest, num_copies, num_covered);
    });
    for (const uint64_t digest : of_block) {
      for (size_t s = 0; s < num_slices; ++s) claimed_by(digest, s) = 0;
    }
  });
}

}  // namespace trommel
