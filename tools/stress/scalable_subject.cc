// A ScalableFilter behind the door of a Subject.
#include "tools/stress/scalable_subject.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "trommel/executor.h"
#include "trommel/scalable_filter.h"

namespace trommel::stress {
namespace {

constexpr uint64_t kFirstPart = 64;  // of the capacity
constexpr uint64_t kLeastCapacity = 50;

class ScalableSubject : public Subject {
 public:
  explicit ScalableSubject(ScalableFilter&& filter) : filter_(std::move(filter)) {}

  void Insert(Keys keys) override { Count(filter_.Insert(keys)); }
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) override {
    return Count(filter_.InsertIfAbsent(keys, inserted));
  }
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) override {
    return filter_.Erase(keys, erased);
  }
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    return filter_.Query(keys, maybe_present);
  }
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const override {
    return filter_.Select(keys, answer, selection);
  }
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override {
    filter_.CountEstimates(keys, counts);
  }

  void InsertOne(Key key) override {
    if (!filter_.Insert(key)) num_refused_.fetch_add(1, std::memory_order_relaxed);
  }
  bool InsertOneIfAbsent(Key key) override { return filter_.InsertIfAbsent(key); }
  bool EraseOne(Key key) override { return filter_.Erase(key); }
  bool MayContain(Key key) const override { return filter_.MayContain(key); }
  uint64_t CountEstimate(Key key) const override { return filter_.CountEstimate(key); }

  Geometry geometry() const override {  // the oldest generation's
    return filter_.GetStats().generations.front().geometry;
  }
  uint64_t num_keys() const override { return filter_.num_keys(); }
  Stats GetStats() const override;
  std::vector<std::byte> Serialize() const override { return filter_.Serialize(); }
  Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const override {
    Result<ScalableFilter> filter = ScalableFilter::Deserialize(bytes);
    if (!filter.ok()) return filter.error();
    std::unique_ptr<Subject> subject = std::make_unique<ScalableSubject>(std::move(*filter));
    return subject;
  }

  bool grows() const override { return true; }
  size_t num_generations() const override { return filter_.num_generations(); }
  uint64_t num_refused_inserts() const override {
    return num_refused_.load(std::memory_order_relaxed);
  }

 private:
  uint64_t Count(const InsertOutcome& outcome) {
    if (outcome.num_refused > 0) {
      num_refused_.fetch_add(outcome.num_refused, std::memory_order_relaxed);
    }
    return outcome.num_inserted;
  }

  ScalableFilter filter_;
  // The filter counts them, too, but tells only in a pass over all blocks.
  mutable std::atomic<uint64_t> num_refused_ = 0;
};

// Sums over the generations; the fill ratio is that of all their positions together.
Stats ScalableSubject::GetStats() const {
  const ScalableStats whole = filter_.GetStats();
  Stats sum;
  double num_present = 0;
  double num_positions = 0;
  for (const GenerationStats& generation : whole.generations) {
    const Stats& stats = generation.stats;
    sum.side_table_bytes += stats.side_table_bytes;
    sum.num_promoted += stats.num_promoted;
    sum.huge_page_bytes += stats.huge_page_bytes;
    const auto positions = static_cast<double>(generation.geometry.num_positions());
    num_present += stats.fill_ratio * positions;
    num_positions += positions;
  }
  sum.num_keys = whole.num_keys;
  sum.num_bytes = whole.num_bytes;
  sum.num_refused_erases = whole.num_refused_erases;
  sum.fill_ratio = num_present / num_positions;
  sum.current_fpr = whole.current_fpr;
  sum.predicted_fpr = whole.predicted_fpr;
  if (whole.num_refused_inserts > 0) num_refused_.store(whole.num_refused_inserts);
  return sum;
}

// Half full blocks of other shapes have no rate that anybody asks for.
bool MayBeIdentical(const CountingConfig& config) {
  return config.num_slices == 8 ||
         (config.num_slices == 16 && config.encoding == Encoding::kPlanes);
}

}  // namespace

Result<std::unique_ptr<Subject>> MakeScalableSubject(const CountingConfig& config,
                                                     uint32_t executor_threads) {
  ScalableConfig whole;
  whole.first_capacity =
      config.capacity == 0 ? 0 : std::max(config.capacity / kFirstPart, kLeastCapacity);
  whole.target_fpr = config.target_fpr;
  whole.digest = config.digest;
  whole.num_slices = config.num_slices;
  whole.encoding = config.encoding;
  whole.memory_limit_bytes = config.memory_limit_bytes;
  if (config.route == Route::kDirect && MayBeIdentical(config)) {
    whole.mode = GrowthMode::kIdentical;
  }
  if (executor_threads > 0) {
    Result<std::shared_ptr<Executor>> executor = Executor::Create(executor_threads);
    if (!executor.ok()) return executor.error();
    whole.executor = std::move(*executor);
  }
  Result<ScalableFilter> filter = ScalableFilter::Create(whole);
  if (!filter.ok()) return filter.error();
  std::unique_ptr<Subject> subject = std::make_unique<ScalableSubject>(std::move(*filter));
  return subject;
}

}  // namespace trommel::stress
