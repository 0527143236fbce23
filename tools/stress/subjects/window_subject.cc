// A WindowFilter as a Subject.
#include <algorithm>
#include <array>
#include <utility>

#include "tools/stress/subjects/subjects.h"

namespace trommel::stress {
namespace {

class WindowSubject : public FilterSubject<WindowFilter> {
 public:
  // `config` is what was asked for, whatever `create` made of it.
  WindowSubject(WindowFilter&& filter, const WindowConfig& config, CreateWindow create)
      : FilterSubject(std::move(filter)), config_(config), create_(std::move(create)) {}

  uint64_t Insert(Keys keys) override { return filter_.Insert(keys); }
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                        std::span<uint64_t> times) override {
    return filter_.InsertIfAbsent(keys, inserted, times);
  }
  WindowEraseOutcome Erase(Keys keys, uint64_t time, std::span<uint64_t> erased) override {
    return filter_.Erase(keys, time, erased);
  }
  uint64_t InsertOne(Key key) override { return filter_.Insert(key); }
  bool InsertOneIfAbsent(Key key, uint64_t* time) override {
    return filter_.InsertIfAbsent(key, time);
  }
  bool EraseOne(Key key, uint64_t time) override { return filter_.Erase(key, time); }

  Geometry geometry() const override { return filter_.geometry(); }
  SubjectStats GetStats() const override;
  Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const override {
    return SubjectOf<WindowSubject>(WindowFilter::Deserialize(bytes), config_, create_);
  }
  Result<std::unique_ptr<Subject>> MakeSequential() const override {
    WindowConfig config = config_;
    config.executor = nullptr;
    return SubjectOf<WindowSubject>(create_(config), config, create_);
  }

  bool expires() const override { return true; }
  WindowSpan span() const override { return {config_.window, config_.num_buckets}; }
  uint64_t now() const override { return filter_.now(); }
  bool Advance(uint64_t now) override { return filter_.Advance(now); }

 private:
  const WindowConfig config_;
  const CreateWindow create_;
};

SubjectStats WindowSubject::GetStats() const {
  const WindowStats whole = filter_.GetStats();
  const BlockFill fill = filter_.MeasureFill();
  SubjectStats sum;
  uint64_t next = 0;  // the first tick that the next bucket may begin with
  const auto expect = [&](bool is_so, const char* otherwise) {
    if (!is_so) sum.fault = otherwise;
  };
  expect(!whole.buckets.empty(), "no live bucket");
  expect(whole.buckets.size() <= config_.num_buckets + 1, "more live buckets than there may be");
  expect(fill.current_fpr >= 0 && fill.current_fpr <= 1, "current_fpr is not between 0 and 1");
  for (const WindowBucket& bucket : whole.buckets) {
    expect(bucket.first_tick >= next && bucket.last_tick >= bucket.first_tick,
           "buckets are not in order of time");
    next = bucket.last_tick + 1;
    sum.num_keys += bucket.num_keys;
  }
  // num_promoted and side_table_bytes are left out: they may be of keys that have expired and wait
  // for a sweep. The fill ratio is keys per slot, any number where keys crowd.
  expect(fill.fill_ratio >= 0, "the fill ratio is below 0");
  sum.fill_ratio = std::min(fill.fill_ratio, 1.0);
  expect(sum.num_keys == whole.num_keys, "num_keys is not the sum of the buckets");
  sum.oldest_bucket =
      span().Bucket(whole.buckets.empty() ? whole.now : whole.buckets.front().first_tick);
  return sum;
}

}  // namespace

WindowConfig DrawWindow(const RoundPlan& plan) {
  constexpr std::array<uint32_t, 6> kNumBuckets = {1, 2, 3, 5, 8, 30};
  constexpr std::array<uint32_t, 4> kTicksPerBucket = {1, 4, 50, 1000};
  Random random = plan.RandomOf(kWindowStream);
  WindowConfig config;
  config.num_buckets = kNumBuckets[random.Below(kNumBuckets.size())];
  config.window =
      uint64_t{config.num_buckets} * kTicksPerBucket[random.Below(kTicksPerBucket.size())];
  // In windows that num_buckets does not divide, lengths of buckets differ by one tick.
  if (random.OneIn(2)) config.window += random.Below(config.num_buckets);
  config.capacity = plan.config.capacity;
  // One in three with slots of 24 bits, also where there are few buckets.
  config.target_fpr = random.OneIn(3) ? 5e-4 : plan.config.target_fpr;
  return config;
}

Result<std::unique_ptr<Subject>> MakeWindowSubject(const RoundPlan& plan,
                                                   const CreateWindow& create) {
  Result<std::shared_ptr<Executor>> executor = PlannedExecutor(plan);
  if (!executor.ok()) return executor.error();
  WindowConfig config = DrawWindow(plan);
  config.executor = *std::move(executor);
  return SubjectOf<WindowSubject>(create(config), config, create);
}

}  // namespace trommel::stress
