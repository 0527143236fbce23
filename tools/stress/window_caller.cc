// Calls on the window under stress.
#include "tools/stress/window_caller.h"

#include <fmt/format.h>

#include <bit>

namespace trommel::stress {

void WindowCaller::Clear(size_t num_keys) {
  bits_.assign(CountingFilter::BitmapWords(num_keys), 0);
}

void WindowCaller::CheckTime(uint64_t before, uint64_t tick, Ids ids) {
  const uint64_t after = board_.filter.now();
  if (before <= tick && tick <= after) return;
  Blame(Law::kTimeAsTold, ids.front(),
        fmt::format("inserted at {}, in a call from {} to {}", tick, before, after));
}

void WindowCaller::CheckSum(uint64_t num_told, Ids ids) {
  uint64_t num_set = 0;
  for (const uint64_t word : bits_) num_set += static_cast<uint64_t>(std::popcount(word));
  if (num_set == num_told) return;
  Blame(Law::kSumsAgree, ids.front(),
        fmt::format("{} told, {} bits of {} keys", num_told, num_set, ids.size()));
}

uint64_t WindowCaller::Insert(Ids ids, bool as_point) {
  const uint64_t begin = Begin(Op::kInsert, ids);
  const uint64_t before = board_.filter.now();
  const uint64_t tick = as_point ? board_.filter.Insert(board_.keys.One(ids.front()))
                                 : board_.filter.Insert(batch_.Gather(ids));
  End(Op::kInsert, begin, ids, {});
  CheckTime(before, tick, ids);
  return tick;
}

WindowCaller::Bits WindowCaller::InsertIfAbsent(Ids ids, uint64_t* tick, bool as_point) {
  Clear(ids.size());
  const uint64_t begin = Begin(Op::kInsertIfAbsent, ids);
  const uint64_t before = board_.filter.now();
  size_t num_new = 0;
  if (as_point) {
    num_new = board_.filter.InsertIfAbsent(board_.keys.One(ids.front()), tick) ? 1 : 0;
    bits_[0] = num_new;
  } else {
    num_new = board_.filter.InsertIfAbsent(batch_.Gather(ids), bits_, tick);
  }
  End(Op::kInsertIfAbsent, begin, ids, bits_);
  if (num_new > 0) CheckTime(before, *tick, ids);
  CheckSum(num_new, ids);
  return bits_;
}

WindowCaller::Bits WindowCaller::Erase(Ids ids, uint64_t tick, bool as_point) {
  Clear(ids.size());
  const uint64_t begin = Begin(Op::kErase, ids);
  const uint64_t bucket = board_.span.Bucket(tick);
  const bool was_gone = !board_.span.IsLive(bucket, board_.filter.now());
  WindowEraseOutcome outcome;
  if (as_point) {
    bits_[0] = board_.filter.Erase(board_.keys.One(ids.front()), tick) ? 1 : 0;
    outcome.num_erased = bits_[0];
    outcome.num_expired = 1 - bits_[0];  // it does not say why
  } else {
    outcome = board_.filter.Erase(batch_.Gather(ids), tick, bits_);
  }
  End(Op::kErase, begin, ids, bits_);
  const uint64_t begun = board_.Begun();
  CheckSum(outcome.num_erased, ids);
  if (outcome.num_erased + outcome.num_refused + outcome.num_expired != ids.size()) {
    Blame(Law::kSumsAgree, ids.front(), "erased, refused and expired are not all keys");
  }
  const bool is_live = board_.span.IsLive(bucket, begun);
  totals.num_checked += was_gone || is_live ? ids.size() : 0;
  for (size_t i = 0; i < ids.size() && !violation(); ++i) {
    const bool is_erased = Bit(bits_, i);
    if (is_erased && was_gone) {
      Blame(Law::kExpiredIsGone, ids[i], fmt::format("erased from bucket {}, long gone", bucket));
    } else if (!is_erased && (is_live || outcome.num_refused > 0)) {
      Blame(Law::kEraseNotRefused, ids[i],
            fmt::format("inserted at {} in bucket {}, refused before {}", tick, bucket, begun));
    }
  }
  return bits_;
}

WindowCaller::Bits WindowCaller::Query(Ids ids, bool as_selection) {
  Clear(ids.size());
  const uint64_t begin = Begin(Op::kQuery, ids);
  size_t num_present = 0;
  if (as_selection) {
    selection_.resize(ids.size());
    num_present = board_.filter.Select(batch_.Gather(ids), Answer::kMaybePresent, selection_);
    for (size_t i = 0; i < num_present; ++i) {
      bits_[selection_[i] / 64] |= uint64_t{1} << (selection_[i] % 64);
    }
  } else if (ids.size() == 1) {
    num_present = board_.filter.MayContain(board_.keys.One(ids.front())) ? 1 : 0;
    bits_[0] = num_present;
  } else {
    num_present = board_.filter.Query(batch_.Gather(ids), bits_);
  }
  End(Op::kQuery, begin, ids, bits_);
  CheckSum(num_present, ids);
  return bits_;
}

std::span<const uint64_t> WindowCaller::Counts(Ids ids) {
  counts_.resize(ids.size());
  const uint64_t begin = Begin(Op::kCount, ids);
  board_.filter.CountEstimates(batch_.Gather(ids), counts_);
  Clear(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    bits_[i / 64] |= uint64_t{counts_[i] > 0} << (i % 64);
  }
  End(Op::kCount, begin, ids, bits_);
  return counts_;
}

}  // namespace trommel::stress
