// How a thread calls the filter.
#include "tools/stress/threads/caller.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <thread>

namespace trommel::stress {

Caller::Caller(Board& board, uint32_t thread)
    : ThreadRecord(board, thread),
      board_(board),
      // Of its own: how a call is made must not influence which calls are made.
      random_(board.plan.seed ^ 0x63616c6c, board.plan.round, thread),
      batch_(board.keys) {}

void Caller::CheckSum(uint64_t returned, std::string_view function) {
  uint64_t num_set = 0;
  for (const uint64_t word : bitmap_) num_set += static_cast<uint64_t>(std::popcount(word));
  if (returned == num_set) return;
  Report(Invariant::kSumsAgree, std::nullopt,
         fmt::format("{} returned {}, its bitmap has {} bits", function, returned, num_set));
}

void Caller::CheckTime(uint64_t before, uint64_t time, Ids ids) {
  const uint64_t after = board_.subject.now();
  if (before <= time && time <= after) return;
  Report(Invariant::kTimeAsTold, ids.front(),
         fmt::format("inserted at {}, in a call from {} to {}", time, before, after));
}

void Caller::CheckNoneRefused() {
  const uint64_t num_refused = board_.subject.num_refused_inserts();
  if (num_refused == 0) return;
  Report(Invariant::kNoRefusedInsert, std::nullopt,
         fmt::format("{} insertions were refused", num_refused));
}

template <class One, class Many>
auto Caller::Call(Op op, Ids ids, const One& one, const Many& many) {
  const bool is_for_one = ids.size() == 1 && random_.OneIn(2);
  const Keys keys = batch_.Gather(ids);
  // All ones, so that bits that the filter does not write are found.
  bitmap_.assign(BitmapWords(ids.size()), ~uint64_t{0});
  const uint32_t yield_one_in = board_.plan.yield_one_in;
  if (yield_one_in > 0 && random_.OneIn(yield_one_in)) std::this_thread::yield();
  const uint64_t begin = Begin(op, ids);
  const auto result = is_for_one ? one(board_.keys.One(ids[0])) : many(keys);
  End(op, begin, ids, bitmap_);
  return result;
}

uint64_t Caller::Insert(Ids ids) {
  if (ids.empty()) return 0;
  const uint64_t before = board_.subject.now();
  Subject& subject = board_.subject;
  if (subject.may_refuse()) {
    const InsertOutcome outcome = Call(
        Op::kInsert, ids,
        [&](Key key) {
          bitmap_[0] = subject.InsertOneNoting(key) ? 1 : 0;
          return InsertOutcome{.num_inserted = bitmap_[0], .num_refused = 1 - bitmap_[0]};
        },
        [&](Keys keys) { return subject.InsertNoting(keys, bitmap_); });
    CheckSum(outcome.num_inserted, "Insert");
    if (outcome.num_inserted + outcome.num_refused != ids.size()) {
      Report(Invariant::kRefusalsAgree, std::nullopt,
             fmt::format("Insert of {} keys: {} inserted, {} refused", ids.size(),
                         outcome.num_inserted, outcome.num_refused));
    }
    totals.num_refused += outcome.num_refused;
    return board_.span.Bucket(before);
  }
  const uint64_t time = Call(
      Op::kInsert, ids, [&](Key key) { return subject.InsertOne(key); },
      [&](Keys keys) { return subject.Insert(keys); });
  CheckTime(before, time, ids);
  CheckNoneRefused();
  return board_.span.Bucket(time);
}

Caller::Bits Caller::InsertIfAbsent(Ids ids) {
  if (ids.empty()) return {};
  const uint64_t before = board_.subject.now();
  times_.assign((ids.size() + AnyFilter::kChunkKeys - 1) / AnyFilter::kChunkKeys, 0);
  const bool is_noting = board_.subject.may_refuse() && !random_.OneIn(4);
  std::optional<InsertOutcome> noted;
  const uint64_t num_new = Call(
      Op::kInsertIfAbsent, ids,
      [&](Key key) {
        return bitmap_[0] = board_.subject.InsertOneIfAbsent(key, times_.data()) ? 1 : 0;
      },
      [&](Keys keys) {
        if (!is_noting) return board_.subject.InsertIfAbsent(keys, bitmap_, times_);
        refused_.assign(bitmap_.size(), ~uint64_t{0});
        noted = board_.subject.InsertIfAbsentNoting(keys, bitmap_, refused_);
        return noted->num_inserted;
      });
  CheckSum(num_new, "InsertIfAbsent");
  if (noted) {
    CheckRefused(ids, *noted);
  } else {
    refused_.clear();
    if (board_.subject.may_refuse()) totals.num_unclear += ids.size() - num_new;
    for (const uint64_t time : times_) CheckTime(before, time, ids);
    CheckNoneRefused();
  }
  return bitmap_;
}

void Caller::CheckRefused(Ids ids, const InsertOutcome& outcome) {
  uint64_t num_refused = 0;
  for (size_t w = 0; w < refused_.size(); ++w) {
    num_refused += static_cast<uint64_t>(std::popcount(refused_[w]));
    if ((refused_[w] & bitmap_[w]) != 0) {
      Report(Invariant::kRefusalsAgree, ids[w * 64], "one of 64 keys is inserted and refused");
    }
  }
  if (num_refused != outcome.num_refused) {
    Report(Invariant::kRefusalsAgree, std::nullopt,
           fmt::format("InsertIfAbsent returned {} refusals, its bitmap has {}",
                       outcome.num_refused, num_refused));
  }
  totals.num_refused += num_refused;
}

void Caller::EraseAbsent(Ids ids) {
  if (ids.empty()) return;
  const uint64_t num_erased = Call(
      Op::kErase, ids,
      [&](Key key) { return bitmap_[0] = board_.subject.EraseOne(key, 0) ? 1 : 0; },
      [&](Keys keys) { return board_.subject.Erase(keys, 0, bitmap_).num_erased; });
  CheckSum(num_erased, "Erase");
  totals.num_checked += ids.size();
  totals.num_refused_erases += ids.size();
  if (num_erased == 0) return;
  Report(Invariant::kRefusalsAgree, ids.front(),
         fmt::format("{} of {} absent keys were erased", num_erased, ids.size()));
}

Caller::Bits Caller::Erase(Ids ids, uint64_t bucket) {
  if (ids.empty()) return {};
  const uint64_t before = board_.subject.now();
  const bool was_live = board_.span.IsLive(bucket, before);
  // Any tick of the bucket names it, except those to come.
  const uint64_t time = random_.OneIn(2) ? board_.span.FirstTick(bucket)
                                         : std::min(board_.span.FirstTick(bucket + 1) - 1, before);
  const EraseOutcome outcome = Call(
      Op::kErase, ids,
      [&](Key key) {
        bitmap_[0] = board_.subject.EraseOne(key, time) ? 1 : 0;
        // Or refused: the function does not say which.
        return EraseOutcome{.num_erased = bitmap_[0], .num_expired = 1 - bitmap_[0]};
      },
      [&](Keys keys) { return board_.subject.Erase(keys, time, bitmap_); });
  const bool is_live = board_.span.IsLive(bucket, board_.Begun());
  CheckSum(outcome.num_erased, "Erase");
  if (outcome.num_erased + outcome.num_refused + outcome.num_expired != ids.size()) {
    Report(Invariant::kSumsAgree, std::nullopt,
           fmt::format("Erase of {} keys: {} erased, {} refused, {} expired", ids.size(),
                       outcome.num_erased, outcome.num_refused, outcome.num_expired));
  }
  totals.num_checked += is_live || !was_live ? ids.size() : 0;
  for (size_t i = 0; i < ids.size() && !violation(); ++i) {
    const bool is_erased = Bit(bitmap_, i);
    if (is_erased && !was_live) {
      Report(Invariant::kExpiredIsGone, ids[i],
             fmt::format("erased from bucket {}, which was gone at {}", bucket, before));
    } else if (!is_erased && (is_live || outcome.num_refused > 0)) {
      Report(Invariant::kEraseNotRefused, ids[i],
             fmt::format("key {} of {} refused, though all of them are in bucket {}", i + 1,
                         ids.size(), bucket));
    }
  }
  return bitmap_;
}

Caller::Bits Caller::Query(Ids ids) {
  if (ids.empty()) return {};
  const bool is_selected = random_.OneIn(8);
  const uint64_t num_present = Call(
      Op::kQuery, ids, [&](Key key) { return bitmap_[0] = board_.subject.MayContain(key) ? 1 : 0; },
      [&](Keys keys) {
        if (!is_selected) return board_.subject.Query(keys, bitmap_);
        selection_.resize(ids.size());
        const size_t num = board_.subject.Select(keys, Answer::kMaybePresent, selection_);
        std::fill(bitmap_.begin(), bitmap_.end(), 0);
        for (size_t i = 0; i < std::min(num, ids.size()); ++i) {
          const uint32_t idx = selection_[i];
          if (idx < ids.size()) bitmap_[idx / 64] |= uint64_t{1} << (idx % 64);
        }
        return num;
      });
  CheckSum(num_present, "Query or Select");
  return bitmap_;
}

std::span<const uint64_t> Caller::Counts(Ids ids) {
  counts_.assign(ids.size(), 0);
  if (ids.empty()) return counts_;
  const auto to_bitmap = [&] {
    std::fill(bitmap_.begin(), bitmap_.end(), 0);
    for (size_t i = 0; i < ids.size(); ++i) {
      bitmap_[i / 64] |= uint64_t{counts_[i] != 0} << (i % 64);
    }
    return true;
  };
  Call(
      Op::kCount, ids,
      [&](Key key) {
        counts_[0] = board_.subject.CountEstimate(key);
        return to_bitmap();
      },
      [&](Keys keys) {
        board_.subject.CountEstimates(keys, counts_);
        return to_bitmap();
      });
  return counts_;
}

}  // namespace trommel::stress
