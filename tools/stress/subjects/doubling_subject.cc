// A ScalableFilter that doubles, as a Subject. All keys go to few of its 64 parts, as many as make
// these double several times with the keys of the round:
//
//   digest        d d d d d d d d d ...        of which a round of 4,000 keys uses one part,
//   given to it   0 0 0 0 0 0 d d d ...        one of 200,000 keys sixteen
#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "tools/stress/subjects/subjects.h"
#include "trommel/scalable_filter.h"

namespace trommel::stress {
namespace {

constexpr uint64_t kKeysPerPart = 10'000;
constexpr uint32_t kPartBits = 6;

class DoublingSubject : public Subject {
 public:
  DoublingSubject(ScalableFilter&& filter, const ScalableConfig& config, uint32_t num_zeros)
      : filter_(std::move(filter)), config_(config), num_zeros_(num_zeros) {}

  uint64_t Insert(Keys keys) override {
    Count(filter_.Insert(Placed(keys, *this).keys()));
    return 0;
  }
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted, std::span<uint64_t>) override {
    return Count(filter_.InsertIfAbsent(Placed(keys, *this).keys(), inserted));
  }
  WindowEraseOutcome Erase(Keys keys, uint64_t, std::span<uint64_t> erased) override {
    const EraseOutcome outcome = filter_.Erase(Placed(keys, *this).keys(), erased);
    return {outcome.num_erased, outcome.num_refused};
  }
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    return filter_.Query(Placed(keys, *this).keys(), maybe_present);
  }
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const override {
    return filter_.Select(Placed(keys, *this).keys(), answer, selection);
  }
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override {
    filter_.CountEstimates(Placed(keys, *this).keys(), counts);
  }

  uint64_t InsertOne(Key key) override {
    if (!filter_.Insert(Place(key))) num_refused_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  bool InsertOneIfAbsent(Key key, uint64_t*) override { return filter_.InsertIfAbsent(Place(key)); }
  bool EraseOne(Key key, uint64_t) override { return filter_.Erase(Place(key)); }
  bool MayContain(Key key) const override { return filter_.MayContain(Place(key)); }
  uint64_t CountEstimate(Key key) const override { return filter_.CountEstimate(Place(key)); }

  Geometry geometry() const override {  // like its first size
    return {.num_slices = 0,
            .encoding = Encoding::kFingerprints16,
            .shard_bits = kPartBits,
            .num_blocks = 8192,
            .fingerprint_bits = 16};
  }
  uint64_t num_keys() const override { return filter_.num_keys(); }
  SubjectStats GetStats() const override;
  std::vector<std::byte> Serialize() const override { return filter_.Serialize(); }
  Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const override {
    return SubjectOf<DoublingSubject>(ScalableFilter::Deserialize(bytes), config_, num_zeros_);
  }
  Result<std::unique_ptr<Subject>> MakeSequential() const override {
    ScalableConfig config = config_;
    config.executor = nullptr;
    return SubjectOf<DoublingSubject>(ScalableFilter::Create(config), config, num_zeros_);
  }

  bool grows() const override { return true; }
  // Sizes that its largest part has grown to: 1 while there are no blocks.
  size_t num_generations() const override {
    constexpr uint64_t kFirstBlocks = 128;
    return 1 + static_cast<size_t>(
                   std::bit_width(filter_.GetStats().doubling.num_blocks / kFirstBlocks));
  }
  uint64_t num_refused_inserts() const override {
    return num_refused_.load(std::memory_order_relaxed);
  }

 private:
  uint64_t PlaceDigest(uint64_t digest) const { return digest >> num_zeros_; }
  Key Place(Key key) const { return Key::Digest(PlaceDigest(config_.digest(key))); }

  class Placed {
   public:
    Placed(Keys keys, const DoublingSubject& subject) : digests_(keys.size()) {
      subject.config_.digest.Digests(keys, digests_);
      for (uint64_t& digest : digests_) digest = subject.PlaceDigest(digest);
    }
    Keys keys() const { return Keys::Digests(digests_); }

   private:
    std::vector<uint64_t> digests_;
  };

  uint64_t Count(const InsertOutcome& outcome) {
    if (outcome.num_refused > 0) {
      num_refused_.fetch_add(outcome.num_refused, std::memory_order_relaxed);
    }
    return outcome.num_inserted;
  }

  ScalableFilter filter_;
  const ScalableConfig config_;
  const uint32_t num_zeros_;
  std::atomic<uint64_t> num_refused_ = 0;
};

SubjectStats DoublingSubject::GetStats() const {
  const ScalableStats whole = filter_.GetStats();
  const ScalableFill fill = filter_.MeasureFill();
  SubjectStats stats;
  stats.num_keys = whole.num_keys;
  stats.side_table_bytes = whole.doubling.side_table_bytes;
  // Parts that keep digests have keys and no blocks.
  constexpr double kSlots = 32;
  stats.fill_ratio =
      std::min(1.0, static_cast<double>(whole.doubling.num_entries) /
                        (kSlots * static_cast<double>(whole.doubling.num_blocks + 1)));
  if (!(fill.current_fpr >= 0 && fill.current_fpr <= 1)) {
    stats.fault = "current_fpr is not between 0 and 1";
  }
  if (!(whole.doubling.undecided_share >= 0 && whole.doubling.undecided_share <= 1)) {
    stats.fault = "undecided_share is not between 0 and 1";
  }
  return stats;
}

}  // namespace

Result<std::unique_ptr<Subject>> MakeDoublingSubject(const RoundPlan& plan) {
  ScalableConfig config;
  config.mode = GrowthMode::kDoubling;
  config.digest = plan.config.digest;
  config.memory_limit_bytes = plan.config.memory_limit_bytes;
  Result<std::shared_ptr<Executor>> executor = PlannedExecutor(plan);
  if (!executor.ok()) return executor.error();
  config.executor = *std::move(executor);
  const auto part_bits =
      static_cast<uint32_t>(std::bit_width(uint64_t{plan.num_ids()} / kKeysPerPart));
  return SubjectOf<DoublingSubject>(ScalableFilter::Create(config), config,
                                    kPartBits - std::min(part_bits, kPartBits));
}

}  // namespace trommel::stress
