#include "engine/src/column_map/group_table.h"

namespace trommel {
namespace {

constexpr uint32_t kLeastClass = 1;  // two slots
constexpr uint64_t kOneEntry = uint64_t{1} << 40;

}  // namespace

uint64_t* GroupTable::Find(uint32_t key) const {
  const uint64_t root = LoadWord(root_);
  if (root == 0) return nullptr;
  uint64_t* const slots = arena_.At(RecordOf(root));
  const size_t num_slots = SlotsOf(root);
  for (size_t i = HomeOf(key, num_slots);; i = Next(i, num_slots)) {
    const MapEntry entry(LoadWord(slots + i));
    if (entry.is_free()) return nullptr;
    if (entry.key() == key) return slots + i;
  }
}

void GroupTable::Put(uint64_t* slots, size_t num_slots, uint64_t entry) {
  size_t i = HomeOf(MapEntry(entry).key(), num_slots);
  while (LoadWord(slots + i) != 0) i = Next(i, num_slots);
  StoreWord(entry, slots + i);
}

bool GroupTable::Resize(uint32_t size_class) {
  const uint64_t before = LoadWord(root_);
  const uint32_t num_slots = RecordArena::ClassWords(size_class);
  const uint32_t reference = arena_.Allocate(size_class);
  if (reference == 0) return false;
  uint64_t* const slots = arena_.At(reference);
  for (uint32_t i = 0; i < num_slots; ++i) StoreWord(0, slots + i);
  ForEach([&](const uint64_t* word) { Put(slots, num_slots, LoadWord(word)); });
  StoreWord(size() * kOneEntry | uint64_t{size_class} << 32 | reference, root_);
  if (before != 0) FreeRecord(before);
  return true;
}

bool GroupTable::Add(MapEntry entry) {
  const uint64_t before = LoadWord(root_);
  if (before == 0) {
    if (!Resize(kLeastClass)) return false;
  } else if (const uint32_t num_slots = SlotsOf(before);
             // One slot is always free: searches end there.
             size() + 1 > num_slots - num_slots / 8 || size() + 1 == num_slots) {
    if (!Resize(ClassOf(before) + 1)) return false;
  }
  const uint64_t root = LoadWord(root_);
  Put(arena_.At(RecordOf(root)), SlotsOf(root), entry.bits());
  StoreWord(root + kOneEntry, root_);
  return true;
}

void GroupTable::Remove(uint64_t* word) {
  const uint64_t root = LoadWord(root_) - kOneEntry;
  uint64_t* const slots = arena_.At(RecordOf(root));
  const size_t num_slots = SlotsOf(root);
  const auto distance = [num_slots](size_t from, size_t to) {
    return to >= from ? to - from : to + num_slots - from;
  };
  auto hole = static_cast<size_t>(word - slots);
  for (size_t i = Next(hole, num_slots); LoadWord(slots + i) != 0; i = Next(i, num_slots)) {
    // An entry may not stand before its home.
    const size_t home = HomeOf(MapEntry(LoadWord(slots + i)).key(), num_slots);
    if (distance(home, i) < distance(hole, i)) continue;
    StoreWord(LoadWord(slots + i), slots + hole);
    hole = i;
  }
  StoreWord(0, slots + hole);
  if (root >> 40 == 0) {
    StoreWord(0, root_);
    FreeRecord(root);
    return;
  }
  StoreWord(root, root_);
  if (num_slots > 3 && size() < num_slots / 4) (void)Resize(ClassOf(root) - 2);  // half
}

GroupTable::Found GroupTable::Lookup(const RecordArena& arena, const uint64_t* root_word,
                                     uint32_t key, MapEntry& found) {
  const uint64_t root = LoadWord(root_word);
  if (root == 0) return Found::kNone;
  const uint32_t num_slots = SlotsOf(root);
  const uint64_t* const slots = arena.Find(RecordOf(root), num_slots);
  if (slots == nullptr) return Found::kDoubt;
  size_t i = HomeOf(key, num_slots);
  for (size_t step = 0; step < num_slots; ++step, i = Next(i, num_slots)) {
    const MapEntry entry(LoadWord(slots + i));
    if (entry.is_free()) return Found::kNone;
    if (entry.key() != key) continue;
    found = entry;
    return Found::kEntry;
  }
  return Found::kDoubt;
}

}  // namespace trommel
