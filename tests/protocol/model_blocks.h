// Blocks of the model, as small as their rules allow; the layouts are those of
// kernels/fingerprint_layout.h and engine/src/fingerprints/wide_store.h. Writers change them under
// the lock, readers read them without it. A change may use several words, which become visible in
// any order.
//
//   WideGroup   | slot 0 | slot 1 or mark |  x 2 blocks     line | key 0, 1 | home 0, 1 |
//   BinBlock    | slot 0 | slot 1 | slot 2 | bins |         keys of bin 0 come first
#ifndef TROMMEL_TESTS_PROTOCOL_MODEL_BLOCKS_H_
#define TROMMEL_TESTS_PROTOCOL_MODEL_BLOCKS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/group_versions_model.h"

namespace trommel {

// A key: its block, and what the block keeps of it. Keys may have equal fingerprints.
struct ModelKey {
  uint32_t block = 0;
  uint32_t fingerprint = 0;
};

inline constexpr uint32_t kModelLineMark = 0xffff;
inline constexpr uint32_t kModelSpillMark = 0x00ff;

// The words that a block, or a group of two with their line, starts with.
struct ModelWords {
  std::array<uint32_t, 4> blocks{};
  std::array<uint32_t, 2> line_keys{};
  std::array<uint32_t, 2> line_homes{};
};

// Two blocks with slots of 16 bits, and their overflow line.
class WideGroup {
 public:
  explicit WideGroup(const ModelWords& words) {
    for (size_t i = 0; i < slots_.size(); ++i) slots_[i].Store(words.blocks[i]);
    for (size_t i = 0; i < kEntries; ++i) {
      keys_[i].Store(words.line_keys[i]);
      homes_[i].Store(words.line_homes[i]);
    }
  }

  // --- Readers.

  Shown Find(ModelKey key) const {
    for (size_t i = 0; i < kSlots; ++i) {
      const uint32_t slot = slots_[key.block * kSlots + i].Load();
      if (slot == key.fingerprint || slot == kModelSpillMark) return Shown::kYes;
      if (slot == kModelLineMark) return Shown::kAskLine;
    }
    return Shown::kNo;
  }
  bool LineHolds(ModelKey key) const {
    for (size_t i = 0; i < kEntries; ++i) {
      if (keys_[i].Load() == key.fingerprint && homes_[i].Load() == key.block) return true;
    }
    return false;
  }

  // --- Writers.

  bool InsertsSlowly(ModelKey key) const { return SlotWith(key.block, 0) == kSlots; }
  bool ErasesSlowly(ModelKey key) const { return IsMarked(key.block); }

  void Insert(ModelKey key) {
    const size_t free_slot = SlotWith(key.block, 0);
    if (free_slot < kSlots) {
      SlotAt(key.block, free_slot).Store(key.fingerprint);
      return;
    }
    if (NumFree() < (IsMarked(key.block) ? 1 : 2)) {
      Spill(key.block);
      return;
    }
    ModelWord& last = SlotAt(key.block, kSlots - 1);
    if (!IsMarked(key.block)) {
      Fill({key.block, last.Latest()});
      last.Store(kModelLineMark);
    }
    Fill(key);
  }

  // Requires that the key is there, and that its block is not spilled. The lowest of equal slots
  // becomes free. A key that leaves a slot of a marked block is replaced by one of the line; when
  // one is left there, it returns to the last slot.
  void Erase(ModelKey key) {
    const size_t slot = SlotWith(key.block, key.fingerprint);
    if (!IsMarked(key.block)) {
      SlotAt(key.block, slot).Store(0);
      return;
    }
    size_t erased = kEntries;
    for (size_t i = 0; i < kEntries; ++i) {
      if (IsOf(i, key.block) && keys_[i].Latest() == key.fingerprint) erased = i;
    }
    if (erased == kEntries) {
      erased = EntryOf(key.block);
      SlotAt(key.block, slot).Store(keys_[erased].Latest());
    }
    Free(erased);
    const size_t other = EntryOf(key.block);
    if (NumOf(key.block) > 1) return;
    SlotAt(key.block, kSlots - 1).Store(keys_[other].Latest());
    Free(other);
  }

 private:
  static constexpr size_t kSlots = 2;
  static constexpr size_t kEntries = 2;

  ModelWord& SlotAt(uint32_t block, size_t i) { return slots_[block * kSlots + i]; }
  // The first slot with this value, or kSlots.
  size_t SlotWith(uint32_t block, uint32_t value) const {
    size_t i = 0;
    while (i < kSlots && slots_[block * kSlots + i].Latest() != value) ++i;
    return i;
  }
  bool IsMarked(uint32_t block) const {
    return slots_[block * kSlots + kSlots - 1].Latest() == kModelLineMark;
  }
  bool IsOf(size_t entry, uint32_t block) const {
    return keys_[entry].Latest() != 0 && homes_[entry].Latest() == block;
  }
  size_t EntryOf(uint32_t block) const {
    size_t i = 0;
    while (i < kEntries - 1 && !IsOf(i, block)) ++i;
    return i;
  }
  size_t NumOf(uint32_t block) const { return size_t{IsOf(0, block)} + size_t{IsOf(1, block)}; }
  size_t NumFree() const { return size_t{keys_[0].Latest() == 0} + size_t{keys_[1].Latest() == 0}; }
  void Fill(ModelKey key) {
    const size_t entry = keys_[0].Latest() == 0 ? 0 : 1;
    homes_[entry].Store(key.block);
    keys_[entry].Store(key.fingerprint);
  }
  void Free(size_t entry) {
    keys_[entry].Store(0);
    homes_[entry].Store(0);
  }
  // The side table, which no reader asks, takes the key and those of the line.
  void Spill(uint32_t block) {
    for (size_t i = 0; i < kEntries; ++i) {
      if (IsOf(i, block)) Free(i);
    }
    SlotAt(block, kSlots - 1).Store(kModelSpillMark);
  }

  std::array<ModelWord, 2 * kSlots> slots_;
  std::array<ModelWord, kEntries> keys_;
  std::array<ModelWord, kEntries> homes_;
};

// A block with slots of 8 bits in two bins. A fingerprint is 16 x bin + slot; the word of bins is
// 16 x the keys of bin 1 + the keys of bin 0.
class BinBlock {
 public:
  explicit BinBlock(const ModelWords& words) : num_keys_(NumIn(words.blocks[kSlots], 2)) {
    for (size_t i = 0; i < kSlots; ++i) slots_[i].Store(words.blocks[i]);
    bins_.Store(words.blocks[kSlots]);
  }

  Shown Find(ModelKey key) const {
    const uint32_t bins = bins_.Load();
    const uint32_t bin = key.fingerprint / 16;
    for (size_t i = NumIn(bins, bin); i < NumIn(bins, bin + 1); ++i) {
      if (slots_[i].Load() == key.fingerprint % 16) return Shown::kYes;
    }
    return Shown::kNo;
  }
  bool LineHolds(ModelKey) const { return false; }

  bool InsertsSlowly(ModelKey) const { return false; }
  bool ErasesSlowly(ModelKey) const { return false; }

  void Insert(ModelKey key) {
    const size_t place = PlaceOf(key);
    for (size_t i = num_keys_++; i > place; --i) slots_[i].Store(slots_[i - 1].Latest());
    slots_[place].Store(key.fingerprint % 16);
    bins_.Store(bins_.Latest() + OneIn(key));
  }
  // Requires that the key is there.
  void Erase(ModelKey key) {
    num_keys_ -= 1;
    for (size_t i = PlaceOf(key); i < num_keys_; ++i) slots_[i].Store(slots_[i + 1].Latest());
    slots_[num_keys_].Store(0);
    bins_.Store(bins_.Latest() - OneIn(key));
  }

 private:
  static constexpr size_t kSlots = 3;

  static uint32_t OneIn(ModelKey key) { return key.fingerprint < 16 ? 1 : 16; }
  // The keys of the bins below this one.
  static uint32_t NumIn(uint32_t bins, uint32_t bin) {
    return bin == 0 ? 0 : bins % 16 + (bin == 1 ? 0 : bins / 16);
  }
  // The slot of the first key that is not less.
  size_t PlaceOf(ModelKey key) const {
    const uint32_t bin = key.fingerprint / 16;
    size_t i = NumIn(bins_.Latest(), bin);
    while (i < NumIn(bins_.Latest(), bin + 1) && slots_[i].Latest() < key.fingerprint % 16) ++i;
    return i;
  }

  size_t num_keys_;  // the lock's
  std::array<ModelWord, kSlots> slots_;
  ModelWord bins_;
};

}  // namespace trommel

#endif  // TROMMEL_TESTS_PROTOCOL_MODEL_BLOCKS_H_
