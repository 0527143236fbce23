// How a thread calls the filter.
#include "tools/stress/caller.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace trommel::stress {

Caller::Caller(Board& board, uint32_t thread)
    : Witness(board, thread),
      board_(board),
      // How a call is made must not disturb which calls are made.
      random_(board.plan.seed ^ 0x63616c6c, board.plan.round, thread),
      batch_(board.keys) {}

// Full of ones, so that bits nobody wrote are seen.
void Caller::ClearBitmap(Ids ids) {
  bitmap_.assign(CountingFilter::BitmapWords(ids.size()), ~uint64_t{0});
}

uint64_t Caller::NumSet() const {
  uint64_t num_set = 0;
  for (const uint64_t word : bitmap_) num_set += static_cast<uint64_t>(std::popcount(word));
  return num_set;
}

void Caller::CheckSum(uint64_t returned, std::string_view what) {
  const uint64_t num_set = NumSet();
  if (returned == num_set) return;
  Blame(Law::kSumsAgree, std::nullopt,
        fmt::format("{} returned {}, its bitmap has {} bits", what, returned, num_set));
}

void Caller::CheckRoom() {
  const uint64_t num_refused = board_.subject.num_refused_inserts();
  if (num_refused == 0) return;
  Blame(Law::kRoomForAll, std::nullopt, fmt::format("{} insertions were refused", num_refused));
}

void Caller::Insert(Ids ids) {
  if (ids.empty()) return;
  const bool is_for_one = IsForOne(ids);
  const Keys keys = batch_.Gather(ids);
  const uint64_t begin = Begin(Op::kInsert, ids);
  if (is_for_one) {
    board_.subject.InsertOne(board_.keys.One(ids[0]));
  } else {
    board_.subject.Insert(keys);
  }
  End(Op::kInsert, begin, ids, {});
  CheckRoom();
}

std::span<const uint64_t> Caller::InsertIfAbsent(Ids ids) {
  ClearBitmap(ids);
  if (ids.empty()) return bitmap_;
  const bool is_for_one = IsForOne(ids);
  const Keys keys = batch_.Gather(ids);
  const uint64_t begin = Begin(Op::kInsertIfAbsent, ids);
  uint64_t num_new = 0;
  if (is_for_one) {
    num_new = bitmap_[0] = board_.subject.InsertOneIfAbsent(board_.keys.One(ids[0])) ? 1 : 0;
  } else {
    num_new = board_.subject.InsertIfAbsent(keys, bitmap_);
  }
  End(Op::kInsertIfAbsent, begin, ids, bitmap_);
  CheckSum(num_new, "InsertIfAbsent");
  CheckRoom();
  return bitmap_;
}

std::span<const uint64_t> Caller::Erase(Ids ids) {
  ClearBitmap(ids);
  if (ids.empty()) return bitmap_;
  const bool is_for_one = IsForOne(ids);
  const Keys keys = batch_.Gather(ids);
  const uint64_t begin = Begin(Op::kErase, ids);
  EraseOutcome outcome;
  if (is_for_one) {
    bitmap_[0] = board_.subject.EraseOne(board_.keys.One(ids[0])) ? 1 : 0;
    outcome = {bitmap_[0], 1 - bitmap_[0]};
  } else {
    outcome = board_.subject.Erase(keys, bitmap_);
  }
  End(Op::kErase, begin, ids, bitmap_);
  CheckSum(outcome.num_erased, "Erase");
  if (outcome.num_erased + outcome.num_refused != ids.size()) {
    Blame(Law::kSumsAgree, std::nullopt,
          fmt::format("Erase of {} keys: {} erased, {} refused", ids.size(), outcome.num_erased,
                      outcome.num_refused));
  }
  return bitmap_;
}

std::span<const uint64_t> Caller::Query(Ids ids) {
  ClearBitmap(ids);
  if (ids.empty()) return bitmap_;
  const bool is_for_one = IsForOne(ids);
  const bool is_selected = random_.OneIn(8);
  const Keys keys = batch_.Gather(ids);
  const uint64_t begin = Begin(Op::kQuery, ids);
  uint64_t num_present = 0;
  if (is_for_one) {
    num_present = bitmap_[0] = board_.subject.MayContain(board_.keys.One(ids[0])) ? 1 : 0;
  } else if (is_selected) {
    selection_.resize(ids.size());
    num_present = board_.subject.Select(keys, Answer::kMaybePresent, selection_);
    std::fill(bitmap_.begin(), bitmap_.end(), 0);
    for (size_t i = 0; i < std::min<size_t>(num_present, ids.size()); ++i) {
      const uint32_t idx = selection_[i];
      if (idx < ids.size()) bitmap_[idx / 64] |= uint64_t{1} << (idx % 64);
    }
  } else {
    num_present = board_.subject.Query(keys, bitmap_);
  }
  End(Op::kQuery, begin, ids, bitmap_);
  CheckSum(num_present, is_selected && !is_for_one ? "Select" : "Query");
  return bitmap_;
}

std::span<const uint64_t> Caller::Counts(Ids ids) {
  counts_.assign(ids.size(), 0);
  ClearBitmap(ids);
  if (ids.empty()) return counts_;
  const bool is_for_one = IsForOne(ids);
  const Keys keys = batch_.Gather(ids);
  const uint64_t begin = Begin(Op::kCount, ids);
  if (is_for_one) {
    counts_[0] = board_.subject.CountEstimate(board_.keys.One(ids[0]));
  } else {
    board_.subject.CountEstimates(keys, counts_);
  }
  std::fill(bitmap_.begin(), bitmap_.end(), 0);
  for (size_t i = 0; i < ids.size(); ++i) {
    bitmap_[i / 64] |= uint64_t{counts_[i] != 0} << (i % 64);
  }
  End(Op::kCount, begin, ids, bitmap_);
  return counts_;
}

}  // namespace trommel::stress
