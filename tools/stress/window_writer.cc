// What a window's writers do.
#include "tools/stress/window_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace trommel::stress {
namespace {

constexpr size_t kManyBatches = 512;  // of them, those that have gone are looked for

}  // namespace

WindowWriter::WindowWriter(WindowBoard& board, uint32_t thread)
    : WindowCaller(board, thread),
      random_(board.plan.RandomOf(thread)),
      first_(thread * board.plan.mix.keys_per_writer),
      copies_(board.plan.mix.keys_per_writer) {}

void WindowWriter::Run() {
  while (totals.num_all_keys() < board_.plan.keys_per_thread && !is_over()) Step();
}

void WindowWriter::Step() {
  const auto& weights = board_.plan.mix.weights;
  int left = static_cast<int>(
      random_.Below(static_cast<uint32_t>(std::accumulate(weights.begin(), weights.end(), 0))));
  size_t move = 0;
  while (left >= weights[move]) left -= weights[move++];
  const Mix& mix = board_.plan.mix;
  DrawIds(mix.min_batch + random_.SkewedBelow(mix.max_batch - mix.min_batch + 1));
  switch (static_cast<Move>(move)) {
    case Move::kInsert:
      return RunInsert();
    case Move::kInsertIfAbsent:
      return RunInsertIfAbsent();
    case Move::kErase:
    case Move::kCool:
      return RunErase();
    case Move::kAsk:
      return Ask();
    case Move::kHeat:
      return Heat();
    case Move::kRace:
      return RunRace();
  }
}

void WindowWriter::DrawIds(uint32_t size) {
  const uint32_t num_own = board_.plan.mix.keys_per_writer;
  ids_.clear();
  for (; size > 0; --size) {
    ids_.push_back(first_ +
                   (board_.plan.is_skewed ? random_.SkewedBelow(num_own) : random_.Below(num_own)));
  }
}

void WindowWriter::Note(uint64_t tick, std::vector<uint32_t> ids) {
  for (const uint32_t id : ids) {
    std::vector<Copies>& copies = copies_[id - first_];
    // A writer's own calls come one after the other, and so do their times.
    if (copies.empty() || copies.back().tick != tick) {
      copies.push_back({tick, 0});
      board_.claims[id].Publish(tick);
    }
    ++copies.back().count;
  }
  batches_.push_back({tick, std::move(ids)});
  if (batches_.size() % kManyBatches == 0) ForgetExpired();
}

void WindowWriter::Strike(uint64_t tick, Ids ids) {
  for (const uint32_t id : ids) {
    std::vector<Copies>& copies = copies_[id - first_];
    const auto found = std::find_if(copies.begin(), copies.end(),
                                    [&](const Copies& some) { return some.tick == tick; });
    if (--found->count == 0) copies.erase(found);
  }
  for (const uint32_t id : ids) {
    if (!copies_[id - first_].empty()) board_.claims[id].Publish(copies_[id - first_].back().tick);
  }
}

void WindowWriter::ForgetExpired() {
  const uint64_t now = board_.filter.now();
  const auto is_gone = [&](uint64_t tick) {
    return !board_.span.IsLive(board_.span.Bucket(tick), now);
  };
  std::erase_if(batches_, [&](const WindowBatch& batch) { return is_gone(batch.tick); });
  for (std::vector<Copies>& copies : copies_) {
    std::erase_if(copies, [&](const Copies& some) { return is_gone(some.tick); });
  }
}

uint64_t WindowWriter::NumDue(uint32_t id, uint64_t begun) const {
  uint64_t num_due = 0;
  for (const Copies& some : copies_[id - first_]) {
    num_due += board_.IsDue(some.tick, begun) ? some.count : 0;
  }
  return num_due;
}

void WindowWriter::RunInsert() {
  const uint64_t tick = Insert(ids_, ids_.size() == 1);
  Note(tick, ids_);
}

void WindowWriter::RunInsertIfAbsent() {
  uint64_t tick = 0;
  const Bits told_new = InsertIfAbsent(ids_, &tick, ids_.size() == 1);
  const uint64_t begun = board_.Begun();
  std::vector<uint32_t> inserted;
  for (size_t i = 0; i < ids_.size(); ++i) {
    const bool is_due = NumDue(ids_[i], begun) > 0;
    totals.num_checked += is_due;
    if (!Bit(told_new, i)) continue;
    if (is_due) Blame(Law::kNewOnlyIfAbsent, ids_[i], fmt::format("\"new\" before {}", begun));
    inserted.push_back(ids_[i]);
  }
  if (!inserted.empty()) Note(tick, std::move(inserted));
}

// A batch that was inserted, or a part of it; of late ones more often than of those that may have
// gone.
void WindowWriter::RunErase() {
  if (batches_.empty()) return RunInsert();
  const auto age = random_.SkewedBelow(static_cast<uint32_t>(batches_.size()));
  const size_t chosen = batches_.size() - 1 - age;
  WindowBatch& batch = batches_[chosen];
  const uint64_t tick = batch.tick;
  const size_t num_left = random_.OneIn(3) ? batch.ids.size() / 2 : 0;
  ids_.assign(batch.ids.begin() + static_cast<ptrdiff_t>(num_left), batch.ids.end());
  batch.ids.resize(num_left);
  if (num_left == 0) batches_.erase(batches_.begin() + static_cast<ptrdiff_t>(chosen));
  for (const uint32_t id : ids_) board_.claims[id].Withdraw();
  // Any tick of the bucket names it.
  const uint64_t name = random_.OneIn(2) ? tick : board_.span.FirstTick(board_.span.Bucket(tick));
  Erase(ids_, name, ids_.size() == 1);
  Strike(tick, ids_);
}

void WindowWriter::Ask() {
  const bool is_count = random_.OneIn(3);
  const std::span<const uint64_t> answers =
      is_count ? Counts(ids_) : std::span<const uint64_t>(Query(ids_, random_.OneIn(3)));
  const uint64_t begun = board_.Begun();
  for (size_t i = 0; i < ids_.size(); ++i) {
    const uint64_t num_due = NumDue(ids_[i], begun);
    totals.num_checked += num_due > 0;
    if (is_count && answers[i] < num_due) {
      Blame(Law::kCountNotBelow, ids_[i],
            fmt::format("counted {} before {}, {} copies were in", answers[i], begun, num_due));
    } else if (!is_count && num_due > 0 && !Bit(answers, i)) {
      Blame(Law::kWithinWindow, ids_[i],
            fmt::format("absent before {}, the window is {}", begun, board_.span.window));
    }
  }
}

// Many copies of one of its first keys.
void WindowWriter::Heat() {
  const uint32_t num_hot = std::clamp(board_.plan.mix.num_hot, 1u, board_.plan.mix.keys_per_writer);
  ids_.assign(1 + random_.Below(std::max(1u, board_.plan.mix.max_heat)),
              first_ + random_.Below(num_hot));
  RunInsert();
}

// Nobody erases these keys: whoever is told "new" owes it to the time alone.
void WindowWriter::RunRace() {
  const uint32_t num_races = board_.plan.mix.num_races;
  if (num_races == 0) return RunInsert();
  const uint32_t first = random_.OneIn(2) ? 0 : random_.Below(num_races);
  for (size_t i = 0; i < ids_.size(); ++i) {
    ids_[i] = board_.plan.first_race() + (first + static_cast<uint32_t>(i)) % num_races;
  }
  uint64_t tick = 0;
  const Bits told_new = InsertIfAbsent(ids_, &tick, ids_.size() == 1);
  const uint64_t begun = board_.Begun();
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (!Bit(told_new, i)) continue;
    WindowRace& race = board_.races[ids_[i] - board_.plan.first_race()];
    const std::lock_guard<std::mutex> lock(race.mutex);
    // The last ones: who is late with its entry is not as late as that.
    const size_t oldest = race.news.size() - std::min<size_t>(race.news.size(), 8);
    for (size_t other = oldest; other < race.news.size(); ++other) {
      const WindowNew& rival = race.news[other];
      if (!board_.IsDue(rival.tick, begun) || !board_.IsDue(tick, rival.begun)) continue;
      Blame(Law::kNewToldOnce, ids_[i],
            fmt::format("told \"new\" at {} and at {}, the window is {}", rival.tick, tick,
                        board_.span.window));
    }
    race.news.push_back({tick, begun});
    ++totals.num_races;
    ++totals.num_checked;
  }
}

}  // namespace trommel::stress
