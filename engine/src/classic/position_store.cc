// Batches of digests. Whole stores: position_store_combine.cc.
//
// A batch of insertions goes hash by hash: with slices, one slice after the other, so that what is
// written at a time is a k-th of the filter. Where one key's answer decides what happens to it, or
// to the next key, batches go key by key, with the lines of a few keys fetched together.
#include "engine/src/classic/position_store.h"

#include <algorithm>
#include <bit>
#include <string>

#include "engine/src/base/memory_limit.h"
#include "kernels/targets.h"

namespace trommel::classic {
namespace {

using kernels::ClassicField;

// Positions found by one kernel call, and how far ahead of the update their lines are asked for.
constexpr size_t kPositionsAtATime = 1024;
constexpr size_t kFetchAhead = 24;

}  // namespace

Result<PositionStore> PositionStore::Create(const ArrayGeometry& geometry, uint64_t limit_bytes) {
  if (Status valid = Validate(geometry); !valid) return valid.error();
  if (Status fits = CheckMemoryLimit("the filter needs", geometry.num_bytes(), limit_bytes);
      !fits) {
    return fits.error();
  }
  Result<BlockMemory> memory = BlockMemory::Allocate(geometry.num_bytes() / sizeof(uint32_t));
  if (!memory) return memory.error();
  kernels::UseKernels<kernels::AddClassic>();
  PositionStore store;
  store.geometry_ = geometry;
  store.memory_ = *std::move(memory);
  store.array_ = {.bytes = reinterpret_cast<uint8_t*>(store.memory_.data()),
                  .slice_stride = geometry.num_slices() == 1 ? 0 : geometry.slice_bytes(),
                  .num_positions = geometry.num_positions,
                  .num_hashes = geometry.num_hashes,
                  .field_log2 = static_cast<uint32_t>(std::countr_zero(geometry.field_bits())),
                  .max_count = geometry.max_count(),
                  .is_mixed = geometry.hashing == Hashing::kMixed};
  store.num_present_.assign(geometry.num_slices(), 0);
  return store;
}

std::span<std::byte> PositionStore::writable_bytes() {
  return std::as_writable_bytes(std::span(memory_.data(), memory_.num_words()));
}

double PositionStore::Fill(size_t slice_idx) const {
  return static_cast<double>(num_present_[slice_idx]) /
         static_cast<double>(geometry_.num_positions);
}

double PositionStore::FillProduct(uint32_t num_probes) const {
  double product = 1;
  for (uint32_t i = 0; i < num_probes; ++i) product *= Fill(SliceOf(i));
  return product;
}

// --- Hash by hash.

PositionStore::Added PositionStore::AddHash(std::span<const uint64_t> digests, size_t hash_idx) {
  const kernels::ClassicKernels& run = kernels::ActiveKernels().classic;
  uint8_t* const slice = array_.slice(hash_idx);
  std::array<uint32_t, kPositionsAtATime> positions;
  Added added;
  for (size_t first = 0; first < digests.size(); first += positions.size()) {
    const size_t count = std::min(positions.size(), digests.size() - first);
    run.positions(digests.data() + first, count, array_, hash_idx, positions.data());
    for (size_t i = 0; i < count; ++i) {
      if (i + kFetchAhead < count) {
        __builtin_prefetch(ClassicField(array_, slice, positions[i + kFetchAhead]).byte, 1);
      }
      const ClassicField field(array_, slice, positions[i]);
      const uint32_t old = field.Get();
      const bool is_stuck = old == array_.max_count;
      field.Add(is_stuck ? 0 : 1);
      added.num_filled += old == 0 ? 1 : 0;
      added.num_lost += is_stuck ? 1 : 0;
    }
  }
  return added;
}

void PositionStore::Insert(std::span<const uint64_t> digests, Executor* executor) {
  // Tasks write to slices of their own; in an array without slices there is nothing to own.
  const bool is_spread = executor != nullptr && array_.slice_stride != 0;
  std::array<Added, kMaxHashes> added;
  const auto add = [&](size_t i) { added[i] = AddHash(digests, i); };
  if (is_spread) {
    executor->ForEach(geometry_.num_hashes, add);
  } else {
    for (size_t i = 0; i < geometry_.num_hashes; ++i) add(i);
  }
  for (size_t i = 0; i < geometry_.num_hashes; ++i) {
    num_present_[SliceOf(i)] += added[i].num_filled;
    num_lost_ += added[i].num_lost;
  }
}

// --- Key by key.

void PositionStore::AddOne(size_t hash_idx, uint32_t position) {
  const ClassicField field(array_, array_.slice(hash_idx), position);
  const uint32_t old = field.Get();
  const bool is_stuck = old == array_.max_count;
  field.Add(is_stuck ? 0 : 1);
  num_present_[SliceOf(hash_idx)] += old == 0 ? 1 : 0;
  num_lost_ += is_stuck ? 1 : 0;
}

bool PositionStore::TryTakeOne(size_t hash_idx, uint32_t position) {
  const ClassicField field(array_, array_.slice(hash_idx), position);
  const uint32_t old = field.Get();
  if (old == 0) return false;
  if (old != array_.max_count) {
    field.Subtract(1);
    num_present_[SliceOf(hash_idx)] -= old == 1 ? 1 : 0;
  }
  return true;
}

void PositionStore::PutBack(size_t hash_idx, uint32_t position) {
  const ClassicField field(array_, array_.slice(hash_idx), position);
  const uint32_t now = field.Get();
  if (now == array_.max_count) return;  // it was then, too: what was taken from is lower
  field.Add(1);
  num_present_[SliceOf(hash_idx)] += now == 0 ? 1 : 0;
}

template <class Visit>
void PositionStore::ForEachKey(std::span<const uint64_t> digests, const Visit& visit) const {
  const kernels::ClassicKernels& run = kernels::ActiveKernels().classic;
  // As many lines at a time as stay in the nearest cache until they are needed.
  constexpr size_t kLines = 256;
  constexpr size_t kMaxGroup = 64;
  const size_t group = std::clamp<size_t>(kLines / geometry_.num_hashes, 4, kMaxGroup);
  std::array<uint32_t, kMaxHashes * kMaxGroup> positions;
  std::array<uint32_t, kMaxHashes> of_key;
  for (size_t first = 0; first < digests.size(); first += group) {
    const size_t count = std::min(group, digests.size() - first);
    for (size_t h = 0; h < geometry_.num_hashes; ++h) {
      uint32_t* const of_hash = positions.data() + h * group;
      run.positions(digests.data() + first, count, array_, h, of_hash);
      for (size_t i = 0; i < count; ++i) {
        __builtin_prefetch(ClassicField(array_, array_.slice(h), of_hash[i]).byte);
      }
    }
    for (size_t i = 0; i < count; ++i) {
      for (size_t h = 0; h < geometry_.num_hashes; ++h) of_key[h] = positions[h * group + i];
      visit(first + i, std::span(of_key).first(geometry_.num_hashes));
    }
  }
}

uint64_t PositionStore::InsertIfAbsent(std::span<const uint64_t> digests, uint64_t* inserted) {
  std::fill_n(inserted, (digests.size() + 63) / 64, 0);
  uint64_t num_inserted = 0;
  ForEachKey(digests, [&](size_t i, std::span<const uint32_t> positions) {
    bool is_present = true;
    for (size_t h = 0; h < positions.size() && is_present; ++h) {
      is_present = ClassicField(array_, array_.slice(h), positions[h]).Get() != 0;
    }
    if (is_present) return;
    for (size_t h = 0; h < positions.size(); ++h) AddOne(h, positions[h]);
    inserted[i / 64] |= uint64_t{1} << i % 64;
    ++num_inserted;
  });
  return num_inserted;
}

uint64_t PositionStore::Erase(std::span<const uint64_t> digests, uint64_t* erased) {
  std::fill_n(erased, (digests.size() + 63) / 64, 0);
  uint64_t num_erased = 0;
  ForEachKey(digests, [&](size_t i, std::span<const uint32_t> positions) {
    // Taking one after the other also finds the counter of one that two hashes fall on.
    for (size_t h = 0; h < positions.size(); ++h) {
      if (TryTakeOne(h, positions[h])) continue;
      while (h-- > 0) PutBack(h, positions[h]);
      return;
    }
    erased[i / 64] |= uint64_t{1} << i % 64;
    ++num_erased;
  });
  return num_erased;
}

// --- Queries.

size_t PositionStore::Query(std::span<const uint64_t> digests, uint32_t num_probes,
                            uint64_t* maybe_present) const {
  return kernels::ActiveKernels().classic.query(digests.data(), digests.size(), array_, num_probes,
                                                maybe_present);
}

bool PositionStore::MayContain(uint64_t digest) const {
  for (size_t h = 0; h < geometry_.num_hashes; ++h) {
    const uint32_t position = kernels::ClassicPosition(array_, digest, h);
    if (ClassicField(array_, array_.slice(h), position).Get() == 0) return false;
  }
  return true;
}

void PositionStore::CountEstimates(std::span<const uint64_t> digests,
                                   std::span<uint64_t> counts) const {
  ForEachKey(digests, [&](size_t i, std::span<const uint32_t> positions) {
    uint32_t least = array_.max_count;
    for (size_t h = 0; h < positions.size(); ++h) {
      least = std::min(least, ClassicField(array_, array_.slice(h), positions[h]).Get());
    }
    counts[i] = least;
  });
}

}  // namespace trommel::classic
