// A ScalableFilter of generations as a Subject.
#include <algorithm>
#include <atomic>
#include <utility>

#include "tools/stress/subjects/subjects.h"
#include "trommel/scalable_filter.h"

namespace trommel::stress {
namespace {

constexpr uint64_t kFirstPart = 64;  // the first generation has a 64th of the capacity
constexpr uint64_t kLeastCapacity = 50;

class ScalableSubject : public FilterSubject<ScalableFilter> {
 public:
  ScalableSubject(ScalableFilter&& filter, const ScalableConfig& config)
      : FilterSubject(std::move(filter)), config_(config) {}

  uint64_t Insert(Keys keys) override {
    Count(filter_.Insert(keys));
    return 0;
  }
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted, std::span<uint64_t>) override {
    return Count(filter_.InsertIfAbsent(keys, inserted));
  }
  WindowEraseOutcome Erase(Keys keys, uint64_t, std::span<uint64_t> erased) override {
    const EraseOutcome outcome = filter_.Erase(keys, erased);
    return {outcome.num_erased, outcome.num_refused};
  }
  uint64_t InsertOne(Key key) override {
    if (!filter_.Insert(key)) num_refused_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  bool InsertOneIfAbsent(Key key, uint64_t*) override { return filter_.InsertIfAbsent(key); }
  bool EraseOne(Key key, uint64_t) override { return filter_.Erase(key); }

  Geometry geometry() const override {  // of the oldest generation
    return filter_.GetStats().generations.front().geometry;
  }
  SubjectStats GetStats() const override;
  Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const override {
    return SubjectOf<ScalableSubject>(ScalableFilter::Deserialize(bytes), config_);
  }
  Result<std::unique_ptr<Subject>> MakeSequential() const override {
    ScalableConfig config = config_;
    config.executor = nullptr;
    return SubjectOf<ScalableSubject>(ScalableFilter::Create(config), config);
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

  const ScalableConfig config_;
  // The filter counts them too, but reading its count makes a list of all generations.
  mutable std::atomic<uint64_t> num_refused_ = 0;
};

// The fill ratio is the mean over generations.
SubjectStats ScalableSubject::GetStats() const {
  const ScalableStats whole = filter_.GetStats();
  SubjectStats sum;
  for (const GenerationStats& generation : whole.generations) {
    const Stats& stats = generation.stats;
    sum.side_table_bytes += stats.side_table_bytes;
    sum.num_promoted += stats.num_promoted;
  }
  const ScalableFill fill = filter_.MeasureFill();
  for (const BlockFill& generation : fill.generations) {
    sum.fill_ratio += generation.fill_ratio / static_cast<double>(fill.generations.size());
  }
  sum.num_keys = whole.num_keys;
  if (whole.num_refused_inserts > 0) num_refused_.store(whole.num_refused_inserts);
  return sum;
}

}  // namespace

Result<std::unique_ptr<Subject>> MakeScalableSubject(const RoundPlan& plan) {
  if (plan.round % 2 == 0) return MakeDoublingSubject(plan);
  const CountingConfig& from = plan.config;
  ScalableConfig config;
  config.mode = GrowthMode::kGenerations;
  config.first_capacity =
      from.capacity == 0 ? 0 : std::max(from.capacity / kFirstPart, kLeastCapacity);
  config.target_fpr = from.target_fpr;
  config.digest = from.digest;
  config.num_slices = from.num_slices;
  config.encoding = from.encoding;
  config.memory_limit_bytes = from.memory_limit_bytes;
  Result<std::shared_ptr<Executor>> executor = PlannedExecutor(plan);
  if (!executor.ok()) return executor.error();
  config.executor = *std::move(executor);
  return SubjectOf<ScalableSubject>(ScalableFilter::Create(config), config);
}

}  // namespace trommel::stress
