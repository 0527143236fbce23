// GroupTable: the entries of one group of blocks, by key: a hash table in a record of the arena, at
// most seven eighths full, with linear probing. It is one word, its *root*:
//
//   root (64 bits)   | entries, 24 | 0 | log2 of the slots, 6 | record, 32 |      0: no entries
//
// Removal moves later entries back, so there are no marks of removed ones. A table that is to
// become smaller stays as it is where there is no memory for that.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_GROUP_TABLE_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_GROUP_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "engine/src/column_map/column_sets.h"
#include "engine/src/column_map/record_arena.h"

namespace trommel {

class GroupTable {
 public:
  // The table whose root is this word. The arena must be that of the group.
  GroupTable(RecordArena& arena, uint64_t* root) : arena_(arena), root_(root) {}

  // --- Of the writer, one thread at a time.

  size_t size() const { return LoadWord(root_) >> 40; }
  // The entry's word, valid until the next entry is added or removed; null if there is none.
  uint64_t* Find(uint32_t key) const;
  // Returns false, and changes nothing, if there is no memory. Requires that there is none of its
  // key.
  [[nodiscard]] bool Add(MapEntry entry);
  // Requires a word that Find returned.
  void Remove(uint64_t* word);
  // Calls visit(word) for each entry, which may change its bits but not its key.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    if (size() == 0) return;
    uint64_t* const slots = arena_.At(RecordOf(LoadWord(root_)));
    const size_t num_slots = SlotsOf(LoadWord(root_));
    for (size_t i = 0; i < num_slots; ++i) {
      if (LoadWord(slots + i) != 0) visit(slots + i);
    }
  }
  // The word of an entry that is wanted(entry); null if there is none. The search begins at a slot
  // that `start` chooses: searches that all began at the first would walk again and again over
  // what those before them have emptied.
  template <class Wanted>
  uint64_t* FindFrom(uint32_t start, const Wanted& wanted) const {
    if (size() == 0) return nullptr;
    uint64_t* const slots = arena_.At(RecordOf(LoadWord(root_)));
    const size_t num_slots = SlotsOf(LoadWord(root_));
    size_t i = HomeOf(start, num_slots);
    for (size_t step = 0; step < num_slots; ++step, i = Next(i, num_slots)) {
      const MapEntry entry(LoadWord(slots + i));
      if (!entry.is_free() && wanted(entry)) return slots + i;
    }
    return nullptr;
  }

  // --- Thread safety: any thread at any time.

  enum class Found : uint8_t { kNone, kEntry, kDoubt };
  // What is under the key in the table of this root. kDoubt: it was read while it was changed.
  static Found Lookup(const RecordArena& arena, const uint64_t* root, uint32_t key,
                      MapEntry& entry);

 private:
  static constexpr uint32_t RecordOf(uint64_t root) { return static_cast<uint32_t>(root); }
  static constexpr uint32_t ClassOf(uint64_t root) { return root >> 32 & 63; }
  static constexpr uint32_t SlotsOf(uint64_t root) {
    return RecordArena::ClassWords(ClassOf(root));
  }
  static constexpr size_t HomeOf(uint32_t key, size_t num_slots) {
    const uint32_t mixed = key * 0x9e3779b1U;
    return (uint64_t{mixed} * num_slots) >> 32;
  }
  static constexpr size_t Next(size_t i, size_t num_slots) {
    return i + 1 == num_slots ? 0 : i + 1;
  }

  // Returns false, and changes nothing, if there is no memory.
  bool Resize(uint32_t size_class);
  void FreeRecord(uint64_t root) { arena_.Free(RecordOf(root), ClassOf(root)); }
  static void Put(uint64_t* slots, size_t num_slots, uint64_t entry);

  RecordArena& arena_;
  uint64_t* root_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_GROUP_TABLE_H_
