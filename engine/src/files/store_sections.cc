#include "engine/src/files/store_sections.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/encoding.h"
#include "engine/src/fingerprints/make_store.h"

namespace trommel {
namespace {

// Capacity and rate could have been asked for, or are both zero: not sized.
bool CouldBeAsked(uint64_t capacity, double target_fpr) {
  const bool is_sized = capacity >= 1 && capacity <= kMaxCapacity && target_fpr >= kMinTargetFpr &&
                        target_fpr <= kMaxTargetFpr;
  // Bits are compared, for -0.0 is a second spelling of "not sized".
  return is_sized || (capacity == 0 && std::bit_cast<uint64_t>(target_fpr) == 0);
}

// Refuses blocks that a later library could write, and those that no filter has.
Status CheckNumbers(const FileSection& section, const StoreNumbers& numbers, FileType type) {
  const bool is_window = type == FileType::kWindow;
  if (numbers.encoding > static_cast<uint32_t>(Encoding::kDense) ||
      (is_window && numbers.encoding != static_cast<uint32_t>(Encoding::kFingerprints16))) {
    return UnknownAt(section.record().offset, "the encoding", numbers.encoding,
                     is_window ? "2 (slots) of windows"
                               : "0 (planes), 1 (runs), 2 (slots of 16 bits) and 3 (dense)");
  }
  if (Status valid = Validate(GeometryOf(numbers)); !valid) {
    return section.CorruptAt(0, valid.error().message);
  }
  if (CouldBeAsked(numbers.capacity, numbers.target_fpr)) return Ok();
  return section.CorruptAt(offsetof(StoreNumbers, capacity),
                           "capacity and target_fpr are no possible request");
}

// The sections of the store's words have the size that the geometry wants.
Status CheckWords(FileReader& file, uint32_t store_idx, const Geometry& geometry) {
  const auto check = [&](const SectionRow& row, uint64_t num_bytes) {
    return file.Take(row, store_idx).CheckBytes(num_bytes);
  };
  if (HasFingerprints(geometry.encoding)) {
    const uint64_t block_bytes =
        geometry.num_blocks * kernels::kFingerprintBlockWords * sizeof(uint32_t);
    Status right = check(sections::kBlocks, block_bytes);
    if (geometry.encoding == Encoding::kDense) return right;  // lines follow from what is in
    return right ? check(sections::kLines, geometry.num_bytes() - block_bytes) : right;
  }
  if (EncodingTable(geometry.encoding).is_interleaved) {
    return check(sections::kBlocks, geometry.num_bytes());
  }
  if (Status right = check(sections::kPresence, geometry.presence_bytes()); !right) return right;
  return check(sections::kCounts, geometry.num_bytes() - geometry.presence_bytes());
}

// What the store takes at least with the entries of its side table.
uint64_t LeastBytes(FileReader& file, uint32_t store_idx, const Geometry& geometry) {
  if (HasFingerprints(geometry.encoding)) return geometry.num_bytes();
  // An entry has counters of 8 bytes at most, and takes a word for its block and one per slice.
  const uint64_t entry_bytes = 2 * sizeof(uint64_t) + uint64_t{geometry.num_slices} *
                                                          geometry.slice_positions() *
                                                          sizeof(uint64_t);
  const uint64_t least_entries = file.Take(sections::kSide, store_idx).num_bytes() / entry_bytes;
  return geometry.num_bytes() + least_entries * 8 * (uint64_t{geometry.num_slices} + 1);
}

}  // namespace

StoreNumbers NumbersOf(const Geometry& geometry, uint64_t capacity, double target_fpr) {
  return {.encoding = static_cast<uint32_t>(geometry.encoding),
          .shape = geometry.encoding == Encoding::kDense ? geometry.slots : geometry.num_slices,
          .fingerprint_bits = geometry.fingerprint_bits,
          .shard_bits = geometry.shard_bits,
          .num_blocks = geometry.num_blocks,
          .capacity = capacity,
          .target_fpr = target_fpr};
}

Geometry GeometryOf(const StoreNumbers& numbers) {
  const auto encoding = static_cast<Encoding>(numbers.encoding);
  const bool is_dense = encoding == Encoding::kDense;
  return {.num_slices = is_dense ? 0 : numbers.shape,
          .encoding = encoding,
          .shard_bits = numbers.shard_bits,
          .num_blocks = numbers.num_blocks,
          .fingerprint_bits = numbers.fingerprint_bits,
          .slots = is_dense ? numbers.shape : 0};
}

Result<StoreNumbers> ReadNumbers(FileReader& file, uint32_t store_idx) {
  const FileSection section = file.Take(sections::kNumbers, store_idx);
  Result<StoreNumbers> numbers = section.ReadAs<StoreNumbers>();
  if (!numbers) return numbers;
  if (Status valid = CheckNumbers(section, *numbers, file.type()); !valid) return valid.error();
  if (Status there = CheckWords(file, store_idx, GeometryOf(*numbers)); !there) {
    return there.error();
  }
  return numbers;
}

uint64_t SectionBytes(const Store& store) { return store.num_bytes() + 4 * kPageAlignment; }

void WriteStore(const Store& store, uint32_t store_idx, uint64_t capacity, double target_fpr,
                FileWriter& file) {
  file.Add(sections::kNumbers, store_idx,
           BytesOf(NumbersOf(store.geometry(), capacity, target_fpr)));
  if (store.geometry().encoding == Encoding::kDense) {
    WriteDense(static_cast<const DenseStore&>(store), store_idx, file);
  } else if (HasFingerprints(store.geometry().encoding)) {
    WriteFingerprints(static_cast<const WideStore&>(store), store_idx, file);
  } else {
    WriteSlices(static_cast<const BlockStore&>(store), store_idx, file);
  }
}

Result<StoreContents> ReadStore(FileReader& file, uint32_t store_idx, const StoreNumbers& numbers,
                                uint64_t limit_bytes, uint64_t used_bytes) {
  const Geometry geometry = GeometryOf(numbers);
  const char* const needs = used_bytes == 0 ? "the filter needs" : "the filter needs at least";
  const uint64_t least_bytes = used_bytes + LeastBytes(file, store_idx, geometry);
  if (Status fits = CheckMemoryLimit(needs, least_bytes, limit_bytes); !fits) return fits.error();
  Result<std::unique_ptr<Store>> made = MakeStore(geometry, limit_bytes);
  if (!made) return made.error();
  StoreContents contents{.store = *std::move(made)};
  Store& store = *contents.store;
  Result<uint64_t> num_keys = uint64_t{0};
  if (geometry.encoding == Encoding::kDense) {
    num_keys = ReadDense(file, store_idx, static_cast<DenseStore&>(store), limit_bytes, used_bytes);
  } else if (HasFingerprints(geometry.encoding)) {
    num_keys = ReadFingerprints(file, store_idx, static_cast<WideStore&>(store));
  } else {
    num_keys = ReadSlices(file, store_idx, static_cast<BlockStore&>(store));
  }
  if (!num_keys) return num_keys.error();
  contents.num_keys = *num_keys;
  const uint64_t num_bytes = used_bytes + contents.store->num_bytes();
  if (Status fits = CheckMemoryLimit(needs, num_bytes, limit_bytes); !fits) return fits.error();
  return contents;
}

}  // namespace trommel
