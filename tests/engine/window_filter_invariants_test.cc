// The algorithm of a window filter: random programs beside a map of copies for each block,
// fingerprint and bucket, with late events, leaps, a clock that runs backwards, and keys that share
// block and fingerprint. What every type promises, calls of one key and threads: tests/promises.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/bit_at.h"
#include "support/catch.h"
#include "support/shrink.h"
#include "support/window_slots.h"
#include "trommel/window_filter.h"

namespace trommel::tests {
namespace {

enum class WindowOp {
  kInsert,
  kInsertIfAbsent,
  kErase,
  kInsertAt,
  kAdvance,
  kMerge,
  kReload,
  kClear
};

struct WindowStep {
  WindowOp op = WindowOp::kInsert;
  size_t which = 0;               // filter 0 or 1; kMerge takes the other one's
  std::vector<uint64_t> digests;  // of the first four
  // kAdvance: by so many. kErase and kInsertAt: of keys inserted so many ago; negative: that are to
  // come.
  int64_t ticks = 0;
};

struct WindowProgram {
  WindowConfig config;
  uint64_t start = 0;  // the first time of both
  // All digests that occur, and some non-members: queried after each step.
  std::vector<uint64_t> pool;
  std::vector<WindowStep> steps;
};

// On few blocks, with slots of either size, erasable or not. Windows have one bucket or many, with
// a whole number of ticks per bucket or not, and begin at time 0, later, or near the end of time.
// Some insertions are late, and some digests share block and fingerprint.
WindowProgram RandomWindowProgram(uint64_t seed, size_t num_steps) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](const auto& choices) { return choices[random() % choices.size()]; };
  const auto up_to = [&random](uint64_t most) { return random() % (most + 1); };
  WindowProgram program;
  program.config = {.window = pick(std::array<uint64_t, 6>{1, 2, 7, 64, 100, 1'000'003}),
                    .capacity = pick(std::array<uint64_t, 3>{20, 400, 20'000}),
                    .target_fpr = seed % 2 == 0 ? kRateOfSlots16 : kRateOfSlots24,
                    .is_erasable = seed / 2 % 4 != 0};
  const uint64_t window = program.config.window;
  program.config.num_buckets =
      static_cast<uint32_t>(std::min(window, pick(std::array<uint64_t, 7>{1, 2, 3, 5, 8, 12, 64})));
  program.start = pick(std::array<uint64_t, 3>{0, uint64_t{1} << 40, 0 - 6 * window});
  program.pool.resize(20 + up_to(80));
  for (uint64_t& digest : program.pool) digest = random();
  // The low bits choose neither the block nor the fingerprint.
  for (size_t i = 0; i + 1 < program.pool.size(); i += 5) {
    program.pool[i + 1] = program.pool[i] ^ 1;
  }
  const size_t num_members = program.pool.size() * 3 / 4;
  constexpr std::array<WindowOp, 16> kOps = {
      WindowOp::kInsert,         WindowOp::kInsert,         WindowOp::kInsert,  WindowOp::kInsert,
      WindowOp::kInsertIfAbsent, WindowOp::kInsertIfAbsent, WindowOp::kErase,   WindowOp::kErase,
      WindowOp::kErase,          WindowOp::kAdvance,        WindowOp::kAdvance, WindowOp::kAdvance,
      WindowOp::kAdvance,        WindowOp::kMerge,          WindowOp::kReload,  WindowOp::kClear};
  for (size_t i = 0; i < num_steps; ++i) {
    WindowStep step;
    step.op = pick(kOps);
    step.which = random() % 4 == 0 ? 1 : 0;
    if (step.op == WindowOp::kClear && random() % 4 != 0) step.op = WindowOp::kInsert;
    if (step.op == WindowOp::kInsert && random() % 3 == 0) step.op = WindowOp::kInsertAt;
    if (step.op <= WindowOp::kInsertAt) {
      step.digests.resize(1 + up_to(pick(std::array<uint64_t, 5>{0, 3, 70, 200, 3000})));
      for (uint64_t& digest : step.digests) {
        const bool is_hot = random() % 4 == 0;
        digest = program.pool[random() % (is_hot ? 3 : num_members)];
      }
    }
    if (step.op == WindowOp::kErase || step.op == WindowOp::kInsertAt) {
      step.ticks = static_cast<int64_t>(up_to(window * 5 / 4)) - (random() % 8 == 0 ? 2 : 0);
    } else if (step.op == WindowOp::kAdvance) {
      const uint64_t bucket = window / program.config.num_buckets;
      step.ticks = static_cast<int64_t>(
          up_to(pick(std::array<uint64_t, 6>{0, 1, bucket, bucket, 3 * bucket, 2 * window})));
    }
    program.steps.push_back(std::move(step));
  }
  return program;
}

// For the message of a failing test: one line per step.
std::string ToText(const WindowProgram& program) {
  constexpr std::array<const char*, 8> kNames = {"Insert",  "InsertIfAbsent", "Erase",  "InsertAt",
                                                 "Advance", "Merge",          "Reload", "Clear"};
  std::ostringstream text;
  text << "window " << program.config.window << " in " << program.config.num_buckets
       << " buckets from " << program.start << ", capacity " << program.config.capacity << ", rate "
       << program.config.target_fpr
       << (program.config.is_erasable ? ", erasable" : ", not erasable") << '\n';
  for (const WindowStep& step : program.steps) {
    text << kNames[static_cast<size_t>(step.op)] << " on filter " << step.which << ", "
         << step.ticks << " ticks:" << TextOf(step.digests) << '\n';
  }
  return text.str();
}

// For each block and fingerprint the copies of each bucket, in maps that forget nothing. It knows
// no slots, no stamps and no sweeps.
class WindowModel {
 public:
  WindowModel(const WindowConfig& config, const Geometry& geometry)
      : window_(config.window),
        num_buckets_(config.num_buckets),
        is_erasable_(config.is_erasable),
        geometry_(geometry) {}

  uint64_t now() const { return now_; }
  void Advance(uint64_t now) { now_ = now; }
  bool IsLive(uint64_t time) const { return time <= now_ && BucketAt(time) >= FirstLive(); }

  void Insert(uint64_t digest, uint64_t time) {
    Add(PlaceOf(digest), BucketAt(time), 1);
    num_keys_[BucketAt(time)] += 1;
  }
  bool InsertIfAbsent(uint64_t digest) {
    if (CountOf(digest) > 0) return false;
    Insert(digest, now_);
    return true;
  }
  bool Erase(uint64_t digest, uint64_t time) {
    Copies& copies = copies_[PlaceOf(digest)];
    const auto at = copies.find(BucketAt(time));
    if (!is_erasable_ || at == copies.end()) return false;
    if (--at->second == 0) copies.erase(at);
    num_keys_[BucketAt(time)] -= 1;
    return true;
  }
  void Merge(const WindowModel& other) {
    for (const auto& [place, copies] : other.copies_) {
      for (const auto& [bucket, count] : copies) Add(place, bucket, count);
    }
    for (const auto& [bucket, count] : other.num_keys_) num_keys_[bucket] += count;
  }
  void Clear() {
    copies_.clear();
    num_keys_.clear();
  }

  uint64_t CountOf(uint64_t digest) const {
    const auto at = copies_.find(PlaceOf(digest));
    return at == copies_.end() ? 0 : SumOfLive(at->second);
  }
  uint64_t NumKeys() const { return SumOfLive(num_keys_); }

 private:
  using Place = std::pair<uint64_t, uint64_t>;  // block, fingerprint
  using Copies = std::map<uint64_t, uint64_t>;  // by bucket

  uint64_t BucketAt(uint64_t tick) const {
    // Whole windows first, then the remainder: no product needs more than 64 bits here.
    return tick / window_ * num_buckets_ + tick % window_ * num_buckets_ / window_;
  }
  uint64_t FirstLive() const {
    const uint64_t current = BucketAt(now_);
    return current > num_buckets_ ? current - num_buckets_ : 0;
  }
  uint64_t SumOfLive(const Copies& copies) const {
    uint64_t sum = 0;
    for (const auto& [bucket, count] : copies) sum += bucket >= FirstLive() ? count : 0;
    return sum;
  }
  // The definition: the 128-bit product of digest and blocks, whose low half begins with the
  // fingerprint.
  Place PlaceOf(uint64_t digest) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{digest} * geometry_.num_blocks;
    const auto low = static_cast<uint64_t>(product);
    const uint64_t fingerprint = low >> (64 - geometry_.fingerprint_bits);
    return {static_cast<uint64_t>(product >> 64), fingerprint == 0 ? 1 : fingerprint};
  }
  void Add(const Place& place, uint64_t bucket, uint64_t count) {
    Copies& copies = copies_[place];
    if (is_erasable_) {
      copies[bucket] += count;
      return;
    }
    const uint64_t youngest = copies.empty() ? bucket : std::max(bucket, copies.begin()->first);
    copies = {{youngest, 1}};
  }

  uint64_t window_;
  uint64_t num_buckets_;
  bool is_erasable_;
  Geometry geometry_;
  uint64_t now_ = 0;
  std::map<Place, Copies> copies_;
  Copies num_keys_;  // insertions less erasures
};

// A filter, and what it must be.
struct ModelledWindow {
  explicit ModelledWindow(const WindowConfig& config)
      : filter(WindowFilter::Create(config).value()), model(config, filter.geometry()) {}

  bool Advance(uint64_t now) {
    model.Advance(now);
    return filter.Advance(now);
  }

  WindowFilter filter;
  WindowModel model;
};

// Does the step on one of them. Returns whether the filter said what the model says.
bool DoStep(const WindowStep& step, ModelledWindow& one, ModelledWindow& other) {
  WindowFilter& filter = one.filter;
  WindowModel& model = one.model;
  const Keys keys = Keys::Digests(step.digests);
  const uint64_t now = model.now();
  const auto ticks = static_cast<uint64_t>(step.ticks);
  // Before the beginning of time there is nothing; near its end, nothing to come.
  const uint64_t ago = step.ticks > 0 && ticks > now ? 0 : now - ticks;
  std::vector<uint64_t> bits(BitmapWords(keys.size()), ~uint64_t{0});
  uint64_t num_done = 0;
  bool are_same = true;
  const auto note = [&](size_t i, bool is_done) {
    num_done += uint64_t{is_done};
    are_same = are_same && BitAt(bits, i) == is_done;
  };
  switch (step.op) {
    case WindowOp::kInsert:
      for (const uint64_t digest : step.digests) model.Insert(digest, now);
      return filter.Insert(keys) == now;
    case WindowOp::kInsertIfAbsent: {
      std::vector<uint64_t> times(WindowFilter::NumChunks(keys.size()));
      const size_t count = filter.InsertIfAbsent(keys, bits, times);
      for (size_t i = 0; i < keys.size(); ++i) note(i, model.InsertIfAbsent(step.digests[i]));
      return are_same && count == num_done && times == std::vector<uint64_t>(times.size(), now);
    }
    case WindowOp::kInsertAt: {
      const bool is_live = model.IsLive(ago);
      for (const uint64_t digest : step.digests) {
        if (is_live) model.Insert(digest, ago);
      }
      const uint64_t num_refused = filter.GetStats().num_refused_inserts;
      are_same = filter.Insert(keys, ago) == (is_live ? WindowInsertOutcome{keys.size(), 0}
                                                      : WindowInsertOutcome{0, keys.size()});
      return are_same &&
             filter.GetStats().num_refused_inserts == num_refused + (is_live ? 0 : keys.size());
    }
    case WindowOp::kErase: {
      const bool is_expired = filter.is_erasable() && !model.IsLive(ago);
      const uint64_t num_refused = filter.GetStats().num_refused_erases;
      const EraseOutcome outcome = filter.Erase(keys, ago, bits);
      if (filter.GetStats().num_refused_erases - num_refused != outcome.num_refused) return false;
      for (size_t i = 0; i < keys.size(); ++i) {
        note(i, !is_expired && model.Erase(step.digests[i], ago));
      }
      const uint64_t num_left = keys.size() - num_done;
      return are_same && outcome == (is_expired ? EraseOutcome{0, 0, keys.size()}
                                                : EraseOutcome{num_done, num_left, 0});
    }
    case WindowOp::kAdvance:
      return one.Advance(now + std::min(ticks, ~uint64_t{0} - now));
    case WindowOp::kMerge: {  // in one bucket
      const uint64_t later = std::max(now, other.model.now());
      if (!one.Advance(later) || !other.Advance(later)) return false;
      model.Merge(other.model);
      return filter.Merge(other.filter).ok();
    }
    case WindowOp::kReload: {
      const std::vector<std::byte> bytes = filter.Serialize();
      filter = WindowFilter::Deserialize(bytes).value();
      return filter.Serialize() == bytes;
    }
    case WindowOp::kClear:
      filter.Clear();
      model.Clear();
      return true;
  }
  return false;
}

// Of the pool. A query shows all that is in, and more only where a block has keys in the side table
// alone.
std::string DifferenceOfAnswers(const ModelledWindow& one, const std::vector<uint64_t>& pool) {
  const WindowFilter& filter = one.filter;
  const Keys keys = Keys::Digests(pool);
  std::vector<uint64_t> bits(BitmapWords(pool.size()), ~uint64_t{0});
  std::vector<uint64_t> counts(pool.size());
  filter.Query(keys, bits);
  filter.CountEstimates(keys, counts);
  const bool is_decided = filter.GetStats().slots.undecided_share == 0;
  if (filter.now() != one.model.now()) return "the time";
  if (filter.num_keys() != one.model.NumKeys()) return "the number of keys";
  for (size_t i = 0; i < pool.size(); ++i) {
    const uint64_t count = one.model.CountOf(pool[i]);
    if (counts[i] != count) return "the counts";
    const bool may_be_shown = count > 0 || !is_decided;
    if (BitAt(bits, i) ? !may_be_shown : count > 0) return "the presence";
  }
  return "";
}

std::string FirstDifference(const WindowProgram& program) {
  std::vector<ModelledWindow> windows;
  for (int i = 0; i < 2; ++i) {
    if (!windows.emplace_back(program.config).Advance(program.start)) return "the first time";
  }
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const WindowStep& step = program.steps[i];
    const std::string where = " of step " + std::to_string(i);
    if (!DoStep(step, windows[step.which], windows[1 - step.which])) return "the answer" + where;
    for (const ModelledWindow& one : windows) {
      const std::string difference = DifferenceOfAnswers(one, program.pool);
      if (!difference.empty()) return difference + " after" + where;
    }
  }
  return "";
}

TEST_CASE("a window filter answers as a map of copies of each bucket does",
          "[engine][window][invariants][long]") {
  for (uint64_t i = 0; i < Scaled(400); ++i) {
    const uint64_t seed = Catch::rngSeed() * 1000 + i;
    CheckInvariant(RandomWindowProgram(seed, 60), FirstDifference);
  }
}

}  // namespace
}  // namespace trommel::tests
