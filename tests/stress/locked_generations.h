// A plain filter that grows, with one lock: what a ScalableFilter must look like from outside. And
// the same with planted faults.
#ifndef TROMMEL_TESTS_STRESS_LOCKED_GENERATIONS_H_
#define TROMMEL_TESTS_STRESS_LOCKED_GENERATIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tools/stress/subjects/subject.h"
#include "trommel/counting_filter.h"

namespace trommel::stress {

enum class GrowthFault {
  kNone,
  kDropsLastKey,  // drops a generation with one key left
  kErasesNewest,  // takes a key from the newest generation that shows it
  kAddsToNewest,  // inserts a key that an old generation shows into the newest
  kRefuses,       // never makes a third generation
  kNeverDrops,
};

class LockedGenerations : public Subject {
 public:
  // Each generation is of this configuration.
  LockedGenerations(const CountingConfig& config, GrowthFault fault)
      : config_(config), fault_(fault) {
    Grow();
  }

  uint64_t Insert(Keys keys) override {
    ForEach(keys, [&](size_t, Key key) { InsertLocked(key); });
    return 0;
  }
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted, std::span<uint64_t>) override {
    return Mark(keys, inserted, [&](Key key) { return !IsShown(key) && InsertLocked(key); });
  }
  EraseOutcome Erase(Keys keys, uint64_t, std::span<uint64_t> erased) override {
    const size_t num_erased = Mark(keys, erased, [&](Key key) { return EraseLocked(key); });
    return {num_erased, keys.size() - num_erased};
  }
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    return Mark(keys, maybe_present, [&](Key key) { return IsShown(key); });
  }
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const override {
    size_t num = 0;
    ForEach(keys, [&](size_t i, Key key) {
      if (IsShown(key) == (answer == Answer::kMaybePresent)) {
        selection[num++] = static_cast<uint32_t>(i);
      }
    });
    return num;
  }
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override {
    ForEach(keys, [&](size_t i, Key key) { counts[i] = Count(key); });
  }
  uint64_t InsertOne(Key key) override {
    Locked([&] { return InsertLocked(key); });
    return 0;
  }
  bool InsertOneIfAbsent(Key key, uint64_t*) override {
    return Locked([&] { return !IsShown(key) && InsertLocked(key); });
  }
  bool EraseOne(Key key, uint64_t) override {
    return Locked([&] { return EraseLocked(key); });
  }
  bool MayContain(Key key) const override {
    return Locked([&] { return IsShown(key); });
  }
  uint64_t CountEstimate(Key key) const override {
    return Locked([&] { return Count(key); });
  }

  uint64_t num_blocks() const override {
    return Locked([&] { return generations_.front().geometry().num_blocks; });
  }
  uint64_t num_keys() const override {
    return Locked([&] {
      uint64_t sum = 0;
      for (const CountingFilter& one : generations_) sum += one.num_keys();
      return sum;
    });
  }
  SubjectStats GetStats() const override {
    return Locked([&] {
      SubjectStats sum;
      for (const CountingFilter& one : generations_) {
        const Stats stats = one.GetStats();
        sum.num_keys += stats.num_keys;
        sum.num_promoted += stats.num_promoted;
        sum.side_table_bytes += stats.side_table_bytes;
        sum.fill_ratio += one.MeasureFill().fill_ratio / static_cast<double>(generations_.size());
      }
      return sum;
    });
  }
  // For each generation the number of its bytes, and the bytes.
  std::vector<std::byte> Serialize() const override {
    return Locked([&] {
      std::vector<std::byte> all;
      for (const CountingFilter& one : generations_) {
        const std::vector<std::byte> bytes = one.Serialize();
        const uint64_t size = bytes.size();
        all.resize(all.size() + sizeof size);
        std::memcpy(all.data() + all.size() - sizeof size, &size, sizeof size);
        all.insert(all.end(), bytes.begin(), bytes.end());
      }
      return all;
    });
  }
  Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const override {
    auto loaded = std::make_unique<LockedGenerations>(config_, GrowthFault::kNone);
    loaded->generations_.clear();
    while (!bytes.empty()) {
      uint64_t size = 0;
      std::memcpy(&size, bytes.data(), sizeof size);
      Result<CountingFilter> one = CountingFilter::Deserialize(bytes.subspan(sizeof size, size));
      if (!one.ok()) return one.error();
      loaded->generations_.push_back(std::move(*one));
      bytes = bytes.subspan(sizeof size + size);
    }
    std::unique_ptr<Subject> subject = std::move(loaded);
    return subject;
  }

  Result<std::unique_ptr<Subject>> MakeSequential() const override {
    std::unique_ptr<Subject> subject = std::make_unique<LockedGenerations>(config_, fault_);
    return subject;
  }

  bool grows() const override { return true; }
  size_t num_generations() const override {
    return Locked([&] { return generations_.size(); });
  }
  uint64_t num_refused_inserts() const override {
    return Locked([&] { return num_refused_; });
  }

 private:
  template <class F>
  auto Locked(F&& action) const -> decltype(action()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return action();
  }
  // The keys of the tests are digests.
  template <class F>
  void ForEach(Keys keys, F&& action) const {
    const auto* digests = static_cast<const uint64_t*>(keys.data());
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < keys.size(); ++i) action(i, Key::Digest(digests[i]));
  }
  template <class F>
  size_t Mark(Keys keys, std::span<uint64_t> bitmap, F&& is_marked) const {
    size_t num = 0;
    std::ranges::fill(bitmap, 0);
    ForEach(keys, [&](size_t i, Key key) {
      if (!is_marked(key)) return;
      bitmap[i / 64] |= uint64_t{1} << (i % 64);
      ++num;
    });
    return num;
  }

  void Grow() { generations_.push_back(std::move(*CountingFilter::Create(config_))); }
  bool IsShown(Key key) const {
    return std::ranges::any_of(generations_, [&](const auto& one) { return one.MayContain(key); });
  }
  uint64_t Count(Key key) const {
    for (const CountingFilter& one : generations_) {
      if (one.MayContain(key)) return one.CountEstimate(key);
    }
    return 0;
  }
  bool InsertLocked(Key key) {
    for (CountingFilter& one : generations_) {
      if (fault_ == GrowthFault::kAddsToNewest || !one.MayContain(key)) continue;
      one.Insert(key);
      return true;
    }
    if (generations_.back().num_keys() >= config_.capacity) {
      if (fault_ == GrowthFault::kRefuses && generations_.size() == 2) {
        ++num_refused_;
        return false;
      }
      Grow();
    }
    generations_.back().Insert(key);
    return true;
  }
  bool EraseLocked(Key key) {
    const size_t size = generations_.size();
    for (size_t i = 0; i < size; ++i) {
      const size_t which = fault_ == GrowthFault::kErasesNewest ? size - 1 - i : i;
      if (!generations_[which].Erase(key)) continue;
      const uint64_t enough = fault_ == GrowthFault::kDropsLastKey ? 1 : 0;
      if (size > 1 && fault_ != GrowthFault::kNeverDrops &&
          generations_[which].num_keys() <= enough) {
        generations_.erase(generations_.begin() + static_cast<ptrdiff_t>(which));
      }
      return true;
    }
    return false;
  }

  CountingConfig config_;
  const GrowthFault fault_;
  mutable std::mutex mutex_;
  std::vector<CountingFilter> generations_;  // oldest first
  uint64_t num_refused_ = 0;
};

template <GrowthFault kFault>
Result<std::unique_ptr<Subject>> MakeLockedGenerations(const RoundPlan& plan) {
  CountingConfig config = plan.config;
  config.capacity = std::max<uint64_t>(config.capacity / 16, 50);
  std::unique_ptr<Subject> subject = std::make_unique<LockedGenerations>(config, kFault);
  return subject;
}

}  // namespace trommel::stress

#endif  // TROMMEL_TESTS_STRESS_LOCKED_GENERATIONS_H_
