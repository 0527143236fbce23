#include "support/dense_program.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "kernels/dense_block.h"

namespace trommel::tests {

using kernels::DenseBlock;

namespace {

constexpr uint64_t kWords = 16;  // of a block

BlockMemory BlocksOf(uint64_t num_blocks) { return *BlockMemory::Allocate(kWords * num_blocks); }

bool AreZero(const BlockMemory& memory) {
  return std::ranges::all_of(memory.bytes(), [](std::byte byte) { return byte == std::byte{}; });
}

}  // namespace

OwnedDenseRange::OwnedDenseRange(const DenseLayout& of, uint64_t num_blocks, uint64_t least_lines,
                                 const std::optional<DenseLimit>& limit)
    : layout(of),
      blocks(BlocksOf(num_blocks)),
      range(*DenseRange::Create(of, blocks.data(), num_blocks, least_lines)) {
  if (limit) range.Take(range.WithLimit(limit).value());
}

bool OwnedDenseRange::IsZero() const {
  return AreZero(blocks) && AreZero(range.lines().memory()) && range.hidden().empty() &&
         range.counts().num_bytes() == 0;
}

namespace {

// The share of bins that are cut in blocks that are selected.
template <class IsSelected>
double ShareOfCutBins(const OwnedDenseRange& owned, const IsSelected& is_selected) {
  const DenseRange& range = owned.range;
  const uint32_t num_bins = owned.layout.shape.bins;
  uint64_t num_cut = 0;
  for (uint64_t b = 0; b < range.num_blocks(); ++b) {
    const DenseBlock block(owned.layout, range.BlockAt(b));
    if (is_selected(block)) num_cut += num_bins - block.num_bins();
  }
  return static_cast<double>(num_cut) / static_cast<double>(range.num_blocks() * num_bins);
}

}  // namespace

uint64_t OwnedDenseRange::num_bytes() const {
  constexpr uint64_t kBytesOfHidden = 64;  // a node of a map
  return blocks.num_bytes() + range.lines().memory().num_bytes() + range.counts().num_bytes() +
         kBytesOfHidden * range.hidden().size();
}

double OwnedDenseRange::UndecidedShare() const {
  return ShareOfCutBins(*this, [](const DenseBlock& block) { return block.is_spilled(); });
}

double OwnedDenseRange::CutBins() const {
  return ShareOfCutBins(*this, [](const DenseBlock&) { return true; });
}

DenseProgram::DenseProgram(const kernels::DenseShape& shape, DenseKeysOf keys, uint64_t seed)
    : random_(seed),
      layout_{shape,
              shape.max_bits - static_cast<uint32_t>(Below(3) == 0 ? Below(shape.max_bits) : 0)},
      keys_(keys),
      num_blocks_(std::array{1, 2, 3, 20, 60, 200}[Below(6)]),
      least_lines_(std::max(DenseLines::LeastLines(num_blocks_), num_blocks_ * Below(40) / 20)),
      capacity_(1 + num_blocks_ * shape.slots * (50 + Below(150)) / 100),
      subject_(layout_, 1, 1) {
  if (Below(4) == 0) {
    limit_ = DenseLimit{.num_lines = least_lines_ + Below(3), .max_count_words = Below(200)};
  }
  subject_ = OwnedDenseRange(layout_, num_blocks_, least_lines_, limit_);
}

std::string DenseProgram::Name() const {
  std::ostringstream name;
  name << layout_.shape.slots << " slots, remainders of " << layout_.bits << " bits, "
       << num_blocks_ << " blocks, " << least_lines_ << " lines, " << capacity_ << " keys of kind "
       << static_cast<int>(keys_) << (limit_ ? ", with a limit" : "");
  return name.str();
}

void DenseProgram::Check(bool holds, const char* what) {
  if (!holds && wrong_.empty()) wrong_ = std::string(what) + " (" + Name() + ")";
}

DenseProgram::Place DenseProgram::SomePlace() {
  const uint64_t block_idx = Below(num_blocks_);
  const auto key = static_cast<uint32_t>(Below(layout_.num_keys()));
  switch (keys_) {
    case DenseKeysOf::kAll:
      break;
    case DenseKeysOf::kThirdAgain:
      if (!members_.empty() && Below(3) == 0) return members_[Below(members_.size())];
      break;
    case DenseKeysOf::kHot:
      if (Below(2) == 0) {
        return {block_idx % 5, static_cast<uint32_t>(Below(4)) * 977 % layout_.num_keys()};
      }
      break;
    case DenseKeysOf::kThreeBlocks:
      return {block_idx % 3, key};
    case DenseKeysOf::kOneBlock:
      return {0, layout_.num_keys() / 2 + key / 2};
    case DenseKeysOf::kFiveTimes: {
      const uint64_t hash = Below(capacity_ / 5 + 1) * 0x9e3779b97f4a7c15;
      return {(hash >> 32) % num_blocks_, static_cast<uint32_t>(hash % layout_.num_keys())};
    }
  }
  return {block_idx, key};
}

void DenseProgram::Erase(size_t i) {
  const auto found = model_.find(members_[i]);
  Check(subject_.range.Erase(found->first.first, found->first.second), "a member was not erased");
  if (--found->second == 0) model_.erase(found);
  members_[i] = members_.back();
  members_.pop_back();
}

void DenseProgram::ChangeLimit() {
  const DenseLimit other{.num_lines = least_lines_ + Below(num_blocks_ + 1),
                         .max_count_words = Below(2'000)};
  const std::optional<DenseLimit> limit = Below(2) == 0 ? std::nullopt : std::optional(other);
  Result<DenseRange::SideMemory> side = subject_.range.WithLimit(limit);
  Check(side.ok() || limit, "a limit was not lifted");
  if (!side) return;
  subject_.range.Take(*std::move(side));
  limit_ = limit;
}

void DenseProgram::Step() {
  const bool inserts = Below(100) < (members_.size() < capacity_ ? 60 : 40);
  const Place place = SomePlace();
  if (inserts) {
    if (subject_.range.Insert(place.first, place.second)) {
      model_[place] += 1;
      members_.push_back(place);
    } else {
      Check(limit_.has_value(), "an insertion was refused");
    }
  } else if (model_.contains(place)) {
    Erase(static_cast<size_t>(std::ranges::find(members_, place) - members_.begin()));
  } else if (Below(8) == 0) {
    Check(!subject_.range.Erase(place.first, place.second), "a non-member was erased");
  } else if (!members_.empty()) {
    Erase(Below(members_.size()));
  }
  const Place other = SomePlace();
  const auto found = model_.find(other);
  const uint64_t count = found == model_.end() ? 0 : found->second;
  Check(subject_.range.MayContain(other.first, other.second) == (count > 0), "a query");
  Check(subject_.range.CountOf(other.first, other.second) == count, "a count");
}

void DenseProgram::CheckBlock(uint64_t block_idx) {
  const DenseRange& range = subject_.range;
  const DenseBlock block(layout_, range.BlockAt(block_idx));
  const auto first = range.hidden().lower_bound(block_idx << DenseRange::kMaxKeyBits);
  const bool has_hidden =
      first != range.hidden().end() && first->first >> DenseRange::kMaxKeyBits == block_idx;
  Check(block.is_spilled() == has_hidden, "R3: the bit of hidden keys");
  Check(block.is_counted() == range.counts().Has(block_idx), "R3: the bit of counts");
  alignas(64) std::array<uint32_t, kWords> words;
  block.Store(words.data());
  Check(std::ranges::equal(words, std::span(range.BlockAt(block_idx), kWords)),
        "a block has bits that mean nothing");
  if (!block.is_counted()) return;
  std::array<uint32_t, kernels::kMaxDenseSlots> keys;
  const auto end = keys.begin() + block.Keys(keys);
  std::sort(keys.begin(), end);
  Check(std::adjacent_find(keys.begin(), end) == end, "a counted block shows a key twice");
}

void DenseProgram::CheckInvariants() {
  const DenseRange& range = subject_.range;
  std::map<Place, int> entries;
  uint64_t num_entries = 0;
  range.lines().ForEach([&](uint64_t block_idx, uint32_t key) {
    num_entries += 1;
    Check(block_idx < num_blocks_, "an entry of no block");
    if (block_idx >= num_blocks_) return;
    Check(++entries[{block_idx, key}] == 1, "R2: a key has two entries");
    Check(range.lines().Holds(block_idx, key), "R4: an entry is not in its lines");
    const DenseBlock block(layout_, range.BlockAt(block_idx));
    Check(!block.Shows(layout_.BinOf(key)), "R2: an entry of a bin that is shown");
  });
  Check(num_entries == range.lines().num_entries(), "the number of entries");
  Check(!limit_ || range.lines().num_lines() == limit_->num_lines, "lines are not the limit's");
  Check(!limit_ || range.counts().num_words() <= limit_->max_count_words, "words over the limit");
  Check(!limit_ || range.hidden().empty(), "a limit with hidden keys");
  for (const auto& [id, count] : range.hidden()) {
    const uint64_t block_idx = id >> DenseRange::kMaxKeyBits;
    const uint32_t key = id % (1U << DenseRange::kMaxKeyBits);
    const DenseBlock block(layout_, range.BlockAt(block_idx));
    Check(count > 0, "a hidden key that is not in");
    Check(!block.Shows(layout_.BinOf(key)), "a hidden key of a bin that is shown");
    Check(!entries.contains({block_idx, key}), "a hidden key with an entry");
  }
  for (uint64_t b = 0; b < num_blocks_; ++b) CheckBlock(b);
}

BlockContents DenseProgram::ModelOf(uint64_t block_idx) const {
  BlockContents contents;
  const auto end = model_.lower_bound({block_idx + 1, 0});
  for (auto at = model_.lower_bound({block_idx, 0}); at != end; ++at) {
    contents.push_back({at->first.second, at->second});
  }
  return contents;
}

void DenseProgram::CheckContents() {
  for (uint64_t b = 0; b < num_blocks_; ++b) {
    Check(std::ranges::equal(subject_.range.ReadContents(b), ModelOf(b)), "the contents");
  }
}

void DenseProgram::CheckBuild() {
  BlockMemory blocks[2] = {BlocksOf(num_blocks_), BlocksOf(num_blocks_)};
  const auto build = [&](size_t i, const std::function<BlockContents(uint64_t)>& contents_of) {
    return *DenseRange::Build(layout_, blocks[i].data(), num_blocks_, least_lines_, contents_of);
  };
  const DenseRange of_range = build(0, [&](uint64_t b) { return subject_.range.ReadContents(b); });
  const DenseRange of_model = build(1, [&](uint64_t b) { return ModelOf(b); });
  Check(std::ranges::equal(blocks[0].bytes(), blocks[1].bytes()) &&
            std::ranges::equal(of_range.lines().memory().bytes(),
                               of_model.lines().memory().bytes()) &&
            of_range.hidden() == of_model.hidden(),
        "equal contents have unequal bytes");
  for (uint64_t b = 0; b < num_blocks_; ++b) {
    Check(std::ranges::equal(of_range.ReadContents(b), ModelOf(b)), "contents that were built");
  }
}

std::string DenseProgram::Run(uint64_t num_operations) {
  for (uint64_t i = 0; i < num_operations && wrong_.empty(); ++i) {
    Step();
    if (i % (num_operations / 8 + 1) != 0) continue;
    CheckInvariants();
    CheckContents();
    CheckBuild();
    if (Below(3) != 0) continue;
    ChangeLimit();
    CheckInvariants();
    CheckContents();
  }
  std::shuffle(members_.begin(), members_.end(), random_);
  while (!members_.empty() && wrong_.empty()) Erase(members_.size() - 1);
  CheckInvariants();
  subject_.range.Take(subject_.range.WithLimit(std::nullopt).value());
  Check(subject_.IsZero(), "bytes are left when all keys are erased");
  return wrong_;
}

}  // namespace trommel::tests
