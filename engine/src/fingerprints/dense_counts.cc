#include "engine/src/fingerprints/dense_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <numeric>
#include <utility>

#include "kernels/run_slice.h"

namespace trommel {
namespace {

constexpr uint64_t kFollowedBits = 0x8888888888888888;  // of each group: another one follows

constexpr uint64_t Below(uint32_t num_bits) {
  return num_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << num_bits) - 1;
}

// Up to 16 groups of a record, behind its first word.
uint64_t ReadGroups(const uint64_t* record, uint32_t first, uint32_t num_groups) {
  const uint64_t* word = record + 1 + first / 16;
  const uint32_t shift = first % 16 * 4;
  uint64_t groups = word[0] >> shift;
  if (shift + 4 * num_groups > 64) groups |= word[1] << (64 - shift);
  return groups & Below(4 * num_groups);
}
void WriteGroups(uint64_t* record, uint32_t first, uint32_t num_groups, uint64_t groups) {
  uint64_t* word = record + 1 + first / 16;
  const uint32_t shift = first % 16 * 4;
  const uint64_t mask = Below(4 * num_groups);
  word[0] = (word[0] & ~(mask << shift)) | groups << shift;
  if (shift > 0 && shift + 4 * num_groups > 64) {
    word[1] = (word[1] & ~(mask >> (64 - shift))) | groups >> (64 - shift);
  }
}

// Moves groups within a record; the two ranges may overlap.
void MoveGroups(uint64_t* record, uint32_t from, uint32_t to, uint32_t num_groups) {
  if (from > to) {
    for (uint32_t i = 0; i < num_groups; i += 16) {
      const uint32_t size = std::min(16U, num_groups - i);
      WriteGroups(record, to + i, size, ReadGroups(record, from + i, size));
    }
  } else {
    for (uint32_t left = num_groups; left > 0;) {
      const uint32_t size = std::min(16U, left);
      left -= size;
      WriteGroups(record, to + left, size, ReadGroups(record, from + left, size));
    }
  }
}

// Where the record's k-th number begins, if all before it are numbers.
uint32_t StartOfNumber(const uint64_t* record, uint32_t k) {
  if (k == 0) return 0;
  k -= 1;  // the end of this one
  for (uint32_t i = 0;; ++i) {
    const uint64_t ends = ~record[1 + i] & kFollowedBits;
    if (ends == kFollowedBits) {  // counts to 8, as nearly all are
      if (k < 16) return 16 * i + k + 1;
      k -= 16;
      continue;
    }
    const uint32_t num_ends = kernels::CountOnes(ends);
    if (k < num_ends) {
      return 16 * i + static_cast<uint32_t>(std::countr_zero(kernels::SelectOne(ends, k))) / 4 + 1;
    }
    k -= num_ends;
  }
}

// The number that begins there: its groups, and the count.
std::pair<uint32_t, uint64_t> NumberAt(const uint64_t* record, uint32_t first) {
  uint64_t number = 0;
  for (uint32_t i = 0;; ++i) {
    const uint64_t group = ReadGroups(record, first + i, 1);
    number |= (group & 7) << (3 * i);
    if (group < 8) return {i + 1, number + 1};
  }
}

// An eighth to spare, where a vector would take twice the memory.
template <class T>
void ReserveMore(std::vector<T>& list, size_t num_more) {
  const size_t size = list.size() + num_more;
  if (size > list.capacity()) list.reserve(size + size / 8);
}

}  // namespace

// Groups that are not in a record yet.
struct DenseCounts::NewGroups {
  void Append(uint64_t group) {
    words[num_groups / 16] |= group << (num_groups % 16 * 4);
    num_groups += 1;
  }
  void AppendNumber(uint64_t count) {
    uint64_t number = count - 1;
    for (; number >= 8; number >>= 3) Append((number & 7) | 8);
    Append(number);
  }

  std::array<uint64_t, 2> words{};  // 7 groups and 22
  uint32_t num_groups = 0;
};

uint64_t DenseCounts::BitmapOf(const uint64_t* record) { return record[0] & Below(kBitmapBits); }

size_t DenseCounts::RankOf(uint64_t block_idx) const {
  const uint64_t before =
      has_record_[block_idx / 64] & Below(static_cast<uint32_t>(block_idx % 64));
  return num_before_[block_idx / 64] + kernels::CountOnes(before);
}

bool DenseCounts::Has(uint64_t block_idx) const {
  return !has_record_.empty() && (has_record_[block_idx / 64] >> (block_idx % 64) & 1) != 0;
}

const uint64_t* DenseCounts::Find(uint64_t block_idx) const {
  return Has(block_idx) ? words_.data() + starts_[RankOf(block_idx)] : nullptr;
}

DenseCounts::Item DenseCounts::ItemOfSlot(const uint64_t* record, uint32_t slot) {
  const uint64_t bitmap = BitmapOf(record);
  const uint32_t first = StartOfNumber(record, kernels::CountOnes(bitmap & Below(slot)));
  if ((bitmap >> slot & 1) == 0) return {first, 0, 0};
  const auto [size, count] = NumberAt(record, first);
  return {first, size, count};
}

DenseCounts::Item DenseCounts::ItemOfKey(const uint64_t* record, uint32_t key) const {
  uint32_t first = StartOfNumber(record, kernels::CountOnes(BitmapOf(record)));
  while (first < GroupsOf(record)) {
    const auto [size, count] = NumberAt(record, first + key_groups_);
    if (ReadGroups(record, first, key_groups_) == key) return {first, key_groups_ + size, count};
    first += key_groups_ + size;
  }
  return {first, 0, 0};
}

uint64_t DenseCounts::OfSlot(uint64_t block_idx, uint32_t slot) const {
  const uint64_t* record = Find(block_idx);
  return record == nullptr ? 0 : ItemOfSlot(record, slot).count;
}

uint64_t DenseCounts::OfKey(uint64_t block_idx, uint32_t key) const {
  const uint64_t* record = Find(block_idx);
  return record == nullptr ? 0 : ItemOfKey(record, key).count;
}

uint64_t* DenseCounts::FirstGroupOf(uint64_t block_idx, uint32_t slot, uint32_t& shift) {
  uint64_t* record = Find(block_idx);
  if (record == nullptr || (BitmapOf(record) >> slot & 1) == 0) return nullptr;
  const uint32_t first = StartOfNumber(record, kernels::CountOnes(BitmapOf(record) & Below(slot)));
  shift = first % 16 * 4;
  return record + 1 + first / 16;
}

// Seven times of eight the number's first group changes, and nothing else.
bool DenseCounts::Increment(uint64_t block_idx, uint32_t slot) {
  uint32_t shift = 0;
  uint64_t* word = FirstGroupOf(block_idx, slot, shift);
  if (word == nullptr) return SetSlot(block_idx, slot, 1);
  if ((*word >> shift & 7) == 7) return SetSlot(block_idx, slot, OfSlot(block_idx, slot) + 1);
  *word += uint64_t{1} << shift;
  num_copies_ += 1;
  return true;
}

bool DenseCounts::Decrement(uint64_t block_idx, uint32_t slot) {
  uint32_t shift = 0;
  uint64_t* word = FirstGroupOf(block_idx, slot, shift);
  if (word == nullptr) return false;
  if ((*word >> shift & 7) == 0) return SetSlot(block_idx, slot, OfSlot(block_idx, slot) - 1);
  *word -= uint64_t{1} << shift;
  num_copies_ -= 1;
  return true;
}

bool DenseCounts::SetSlot(uint64_t block_idx, uint32_t slot, uint64_t count) {
  const uint64_t* record = Find(block_idx);
  const Item item = record == nullptr ? Item{0, 0, 0} : ItemOfSlot(record, slot);
  NewGroups groups;
  if (count > 0) groups.AppendNumber(count);
  if (!Replace(block_idx, item, count, groups, kMaxGroups)) return false;
  if (!Has(block_idx)) return true;
  const uint64_t bit = uint64_t{1} << slot;
  uint64_t& head = *Find(block_idx);
  head = count > 0 ? head | bit : head & ~bit;
  return true;
}

bool DenseCounts::SetKey(uint64_t block_idx, uint32_t key, uint64_t count) {
  const uint64_t* record = Find(block_idx);
  const Item item = record == nullptr ? Item{0, 0, 0} : ItemOfKey(record, key);
  NewGroups groups;
  if (count > 0) {
    for (uint32_t i = 0; i < key_groups_; ++i) groups.Append(key >> (4 * i) & 15);
    groups.AppendNumber(count);
  }
  return Replace(block_idx, item, count, groups, kMaxGroupsWithKeys);
}

bool DenseCounts::Replace(uint64_t block_idx, const Item& item, uint64_t count,
                          const NewGroups& groups, uint32_t max_groups) {
  const uint32_t num_groups = groups.num_groups;
  const uint64_t* old = Find(block_idx);
  if (old == nullptr && num_groups == 0) return true;
  const uint32_t old_size = old == nullptr ? 0 : GroupsOf(old);
  const uint32_t size = old_size + num_groups - item.size;
  const uint64_t old_num_words = old == nullptr ? 0 : WordsFor(old_size);
  const uint64_t new_num_words = WordsFor(size);
  if (size > old_size && size > max_groups) return false;
  if (new_num_words > old_num_words && num_words() + new_num_words - old_num_words > max_words_) {
    return false;
  }
  if (new_num_words > old_num_words && words_.size() + new_num_words > MostWords()) {
    CompactIfUnused(0);
  }
  num_copies_ += count - item.count;  // before the last record goes
  if (old == nullptr) Insert(block_idx);
  if (new_num_words > old_num_words) Lengthen(block_idx, old_num_words, new_num_words);
  uint64_t* record = Find(block_idx);
  const uint32_t tail = item.first + item.size;
  MoveGroups(record, tail, item.first + num_groups, old_size - tail);
  for (uint32_t i = 0; i < num_groups; i += 16) {
    WriteGroups(record, item.first + i, std::min(16U, num_groups - i), groups.words[i / 16]);
  }
  record[0] = BitmapOf(record) | uint64_t{size} << kBitmapBits;
  if (new_num_words < old_num_words) num_unused_ += old_num_words - new_num_words;
  if (size == 0) Remove(block_idx);
  constexpr uint64_t kFewWords = 32;
  CompactIfUnused(num_words() / 8 + kFewWords);
  CountBytes();
  return true;
}

void DenseCounts::CountBytes() {
  num_bytes_ = (words_.capacity() + has_record_.capacity()) * sizeof(uint64_t) +
               (num_before_.capacity() + starts_.capacity() + ranks_.capacity()) * sizeof(uint32_t);
}

bool DenseCounts::HasSpaceFor(uint64_t block_idx, size_t num_numbers) const {
  const uint64_t* record = Find(block_idx);
  const uint32_t size = record == nullptr ? 0 : GroupsOf(record);
  const uint64_t old_num_words = record == nullptr ? 0 : WordsFor(size);
  const uint64_t new_size = size + num_numbers * (key_groups_ + kMaxNumberGroups);
  return new_size <= kMaxGroupsWithKeys &&
         num_words() + WordsFor(static_cast<uint32_t>(new_size)) - old_num_words <= max_words_;
}

// --- The limit.

void DenseCounts::LimitTo(uint64_t max_words) {
  max_words_ = max_words;
  if (is_limited()) {
    CompactIfUnused(0);
    words_.shrink_to_fit();  // what was unused may exceed the reserve
    words_.reserve(MostWords());
    starts_.reserve(max_words / 2);
    ranks_.reserve(max_words / 2);
    has_record_.resize(num_blocks_ / 64 + 1);
    num_before_.resize(num_blocks_ / 64 + 1);
  } else if (starts_.empty()) {
    Clear();
  }
  CountBytes();
}

void DenseCounts::Clear() {
  if (!is_limited()) {
    *this = DenseCounts(num_blocks_, 4 * key_groups_);
    return;
  }
  words_.clear();
  starts_.clear();
  std::ranges::fill(has_record_, 0);
  std::ranges::fill(num_before_, 0);
  num_unused_ = 0;
  num_copies_ = 0;
}

void DenseCounts::OpenSlot(uint64_t block_idx, uint32_t slot) {
  uint64_t* record = Find(block_idx);
  if (record == nullptr) return;
  const uint64_t bitmap = BitmapOf(record);
  const uint64_t opened = (bitmap & Below(slot)) | (bitmap & ~Below(slot)) << 1;
  record[0] ^= bitmap ^ opened;
}

void DenseCounts::CloseSlot(uint64_t block_idx, uint32_t slot) {
  uint64_t* record = Find(block_idx);
  if (record == nullptr) return;
  const uint64_t bitmap = BitmapOf(record);
  record[0] ^= bitmap ^ ((bitmap & Below(slot)) | (bitmap >> 1 & ~Below(slot)));
}

// --- Where records are.

void DenseCounts::Insert(uint64_t block_idx) {
  if (has_record_.empty()) {
    has_record_.assign(num_blocks_ / 64 + 1, 0);
    num_before_.assign(num_blocks_ / 64 + 1, 0);
  }
  ReserveMore(starts_, 1);
  starts_.insert(starts_.begin() + static_cast<ptrdiff_t>(RankOf(block_idx)),
                 static_cast<uint32_t>(words_.size()));
  has_record_[block_idx / 64] |= uint64_t{1} << (block_idx % 64);
  for (size_t i = block_idx / 64 + 1; i < num_before_.size(); ++i) num_before_[i] += 1;
}

void DenseCounts::Remove(uint64_t block_idx) {
  starts_.erase(starts_.begin() + static_cast<ptrdiff_t>(RankOf(block_idx)));
  has_record_[block_idx / 64] &= ~(uint64_t{1} << (block_idx % 64));
  for (size_t i = block_idx / 64 + 1; i < num_before_.size(); ++i) num_before_[i] -= 1;
  num_unused_ += WordsFor(0);
  if (starts_.empty()) Clear();
}

void DenseCounts::Lengthen(uint64_t block_idx, uint64_t num_words, uint64_t new_num_words) {
  uint32_t& start = starts_[RankOf(block_idx)];
  if (num_words > 0 && words_.size() + new_num_words > MostWords()) {
    // There is no space for a second one: the records behind it come before it.
    const auto first = words_.begin() + start;
    std::rotate(first, first + static_cast<ptrdiff_t>(num_words), words_.end());
    for (uint32_t& other : starts_) other -= other > start ? static_cast<uint32_t>(num_words) : 0;
    start = static_cast<uint32_t>(words_.size() - num_words);
  }
  if (start + num_words == words_.size()) {
    ReserveMore(words_, new_num_words - num_words);
    words_.resize(start + new_num_words);
    return;
  }
  ReserveMore(words_, new_num_words);
  const size_t end = words_.size();
  words_.resize(end + new_num_words);
  std::copy_n(words_.begin() + start, num_words, words_.begin() + static_cast<ptrdiff_t>(end));
  start = static_cast<uint32_t>(end);
  num_unused_ += num_words;
}

void DenseCounts::CompactIfUnused(uint64_t num_unused) {
  if (num_unused_ <= num_unused) return;
  try {
    ranks_.resize(starts_.size());
  } catch (const std::bad_alloc&) {  // erasures need no memory: records stay until a later change
    return;
  }
  std::iota(ranks_.begin(), ranks_.end(), 0U);
  std::ranges::sort(ranks_, {}, [&](uint32_t rank) { return starts_[rank]; });
  auto end = words_.begin();
  for (const uint32_t rank : ranks_) {
    const auto first = words_.begin() + starts_[rank];
    starts_[rank] = static_cast<uint32_t>(end - words_.begin());
    end = std::copy_n(first, WordsFor(GroupsOf(&*first)), end);
  }
  words_.erase(end, words_.end());
  num_unused_ = 0;
  if (is_limited()) return;
  ranks_ = std::vector<uint32_t>();  // {} would keep the memory
  if (words_.capacity() > words_.size() + words_.size() / 4) words_.shrink_to_fit();
}

}  // namespace trommel
