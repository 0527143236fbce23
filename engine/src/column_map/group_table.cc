#include "engine/src/column_map/group_table.h"

#include <bit>

namespace trommel {
namespace {

constexpr size_t kLeastSlots = RecordArena::kUnitWords;
constexpr uint64_t kOneEntry = uint64_t{1} << 40;

}  // namespace

uint64_t* GroupTable::Find(uint32_t key) const {
  const uint64_t root = LoadWord(root_);
  if (root == 0) return nullptr;
  uint64_t* const slots = arena_.At(RecordOf(root));
  const size_t num_slots = SlotsOf(root);
  for (size_t i = HomeOf(key, num_slots);; i = (i + 1) & (num_slots - 1)) {
    const MapEntry entry(LoadWord(slots + i));
    if (entry.is_free()) return nullptr;
    if (entry.key() == key) return slots + i;
  }
}

void GroupTable::Put(uint64_t* slots, size_t num_slots, uint64_t entry) {
  size_t i = HomeOf(MapEntry(entry).key(), num_slots);
  while (LoadWord(slots + i) != 0) i = (i + 1) & (num_slots - 1);
  StoreWord(entry, slots + i);
}

void GroupTable::Resize(size_t num_slots) {
  const uint64_t before = LoadWord(root_);
  uint64_t root = 0;
  if (num_slots != 0) {
    const uint32_t reference = arena_.Allocate(ClassOf(num_slots));
    uint64_t* const slots = arena_.At(reference);
    for (size_t i = 0; i < num_slots; ++i) StoreWord(0, slots + i);
    ForEach([&](const uint64_t* word) { Put(slots, num_slots, LoadWord(word)); });
    const auto log2 = static_cast<uint64_t>(std::countr_zero(num_slots));
    root = size() * kOneEntry | log2 << 32 | reference;
  }
  StoreWord(root, root_);
  if (before != 0) arena_.Free(RecordOf(before), ClassOf(SlotsOf(before)));
}

void GroupTable::Add(MapEntry entry) {
  const uint64_t before = LoadWord(root_);
  const size_t num_slots = before == 0 ? 0 : SlotsOf(before);
  // One slot is always free: searches end there.
  if (size() + 1 > num_slots - num_slots / 4 || size() + 1 >= num_slots) {
    Resize(num_slots == 0 ? kLeastSlots : 2 * num_slots);
  }
  const uint64_t root = LoadWord(root_);
  Put(arena_.At(RecordOf(root)), SlotsOf(root), entry.bits());
  StoreWord(root + kOneEntry, root_);
}

void GroupTable::Remove(uint64_t* word) {
  const uint64_t root = LoadWord(root_) - kOneEntry;
  uint64_t* const slots = arena_.At(RecordOf(root));
  const size_t num_slots = SlotsOf(root);
  auto hole = static_cast<size_t>(word - slots);
  for (size_t i = (hole + 1) & (num_slots - 1); LoadWord(slots + i) != 0;
       i = (i + 1) & (num_slots - 1)) {
    // An entry may not stand before its home.
    const size_t home = HomeOf(MapEntry(LoadWord(slots + i)).key(), num_slots);
    if (((i - home) & (num_slots - 1)) < ((i - hole) & (num_slots - 1))) continue;
    StoreWord(LoadWord(slots + i), slots + hole);
    hole = i;
  }
  StoreWord(0, slots + hole);
  StoreWord(root, root_);
  if (size() == 0) {
    Resize(0);
  } else if (num_slots > kLeastSlots && size() < num_slots / 4) {
    Resize(num_slots / 2);
  }
}

GroupTable::Found GroupTable::Lookup(const RecordArena& arena, const uint64_t* root_word,
                                     uint32_t key, MapEntry& found) {
  const uint64_t root = LoadWord(root_word);
  if (root == 0) return Found::kNone;
  const size_t num_slots = SlotsOf(root);
  const uint64_t* const slots =
      arena.Find(RecordOf(root), static_cast<uint32_t>(num_slots / RecordArena::kUnitWords));
  if (slots == nullptr) return Found::kDoubt;
  size_t i = HomeOf(key, num_slots);
  for (size_t step = 0; step < num_slots; ++step, i = (i + 1) & (num_slots - 1)) {
    const MapEntry entry(LoadWord(slots + i));
    if (entry.is_free()) return Found::kNone;
    if (entry.key() != key) continue;
    found = entry;
    return Found::kEntry;
  }
  return Found::kDoubt;
}

}  // namespace trommel
