// The filter under test.
#include "tools/stress/subjects/subject.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "trommel/concurrent_filter.h"
#include "trommel/window_filter.h"

namespace trommel::stress {

class Subject::Placed {
 public:
  Placed(Keys keys, const Subject& subject) : keys_(keys) {
    const uint32_t num_zeros = subject.options_.num_zeros;
    if (num_zeros == 0) return;
    digests_.resize(keys.size());
    subject.filter_->digest_policy().Digests(keys, digests_);
    for (uint64_t& digest : digests_) digest >>= num_zeros;
    keys_ = Keys::Digests(digests_);
  }
  operator Keys() const { return keys_; }

 private:
  std::vector<uint64_t> digests_;
  Keys keys_;
};

Key Subject::Place(Key key) const {
  if (options_.num_zeros == 0) return key;
  return Key::Digest(filter_->digest_policy()(key) >> options_.num_zeros);
}

std::unique_lock<std::mutex> Subject::Lock() const {
  if (!options_.is_locked) return {};
  return std::unique_lock(mutex_);
}

Subject::Subject(AnyFilterPtr filter, SubjectOptions options)
    : filter_(std::move(filter)), options_(std::move(options)) {}

uint64_t Subject::Count(const InsertOutcome& outcome) {
  if (grows() && outcome.num_refused > 0) {
    num_refused_.fetch_add(outcome.num_refused, std::memory_order_relaxed);
  }
  return outcome.num_inserted;
}

uint64_t Subject::Insert(Keys keys) {
  const auto lock = Lock();
  uint64_t time = 0;
  Count(*filter_->Insert(Placed(keys, *this), {}, &time));
  return time;
}

size_t Subject::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted, std::span<uint64_t> times) {
  const auto lock = Lock();
  return Count(*filter_->InsertIfAbsent(Placed(keys, *this), inserted, {}, times));
}

EraseOutcome Subject::Erase(Keys keys, uint64_t time, std::span<uint64_t> erased) {
  const auto lock = Lock();
  const Placed placed(keys, *this);
  return expires() ? *filter_->EraseAt(placed, time, erased) : *filter_->Erase(placed, erased);
}

size_t Subject::Query(Keys keys, std::span<uint64_t> maybe_present) const {
  const auto lock = Lock();
  return filter_->Query(Placed(keys, *this), maybe_present);
}

size_t Subject::Select(Keys keys, Answer answer, std::span<uint32_t> selection) const {
  const auto lock = Lock();
  return filter_->Select(Placed(keys, *this), answer, selection);
}

void Subject::CountEstimates(Keys keys, std::span<uint64_t> counts) const {
  const auto lock = Lock();
  filter_->CountEstimates(Placed(keys, *this), counts);
}

uint64_t Subject::InsertOne(Key key) {
  const auto lock = Lock();
  uint64_t time = 0;
  const bool is_in = filter_->InsertOne(Place(key), &time);
  Count({.num_refused = is_in ? 0U : 1U});
  return time;
}

bool Subject::InsertOneIfAbsent(Key key, uint64_t* time) {
  const auto lock = Lock();
  return filter_->InsertOneIfAbsent(Place(key), time);
}

bool Subject::EraseOne(Key key, uint64_t time) {
  const auto lock = Lock();
  return filter_->EraseOneAt(Place(key), time);
}

bool Subject::MayContain(Key key) const {
  const auto lock = Lock();
  return filter_->MayContain(Place(key));
}

uint64_t Subject::CountEstimate(Key key) const {
  const auto lock = Lock();
  return filter_->CountEstimate(Place(key));
}

uint64_t Subject::num_blocks() const {
  return FigureOr<uint64_t>(filter_->GetFigures(false), "num_blocks", 0);
}

uint64_t Subject::num_keys() const {
  const auto lock = Lock();
  return filter_->num_keys();
}

namespace {

// How a window's statistics of one moment contradict themselves.
std::string FaultOf(const WindowStats& stats, uint64_t num_buckets) {
  if (stats.buckets.empty()) return "no live bucket";
  if (stats.buckets.size() > num_buckets + 1) return "more live buckets than there may be";
  uint64_t next = 0;  // the first tick that the next bucket may begin with
  uint64_t num_keys = 0;
  for (const WindowBucket& bucket : stats.buckets) {
    if (bucket.first_tick < next || bucket.last_tick < bucket.first_tick) {
      return "buckets are not in order of time";
    }
    next = bucket.last_tick + 1;
    num_keys += bucket.num_keys;
  }
  return num_keys == stats.num_keys ? "" : "num_keys is not the sum of the buckets";
}

// A rate or share that is none.
std::string FaultOf(const Figures& figures) {
  for (const auto& [name, value] : figures) {
    const double* rate = std::get_if<double>(&value);
    const bool is_rate = name.ends_with("_fpr") || name.ends_with("_share");
    if (rate != nullptr && is_rate && !(*rate >= 0 && *rate <= 1)) {
      return std::string(name) + " is not between 0 and 1";
    }
  }
  return "";
}

// How full it is: of all blocks, of a filter that grows the entries per slot,
// and of a window, whose keys may have expired, its rate. 0 if and only if it
// is empty.
double FillOf(const AnyFilter& filter, const Figures& figures) {
  constexpr double kSlots = 32;
  if (const double load = FigureOr<double>(figures, "load", -1); load >= 0) {
    const uint64_t num_entries = FigureOr<uint64_t>(figures, "num_entries", 0);  // or digests
    return std::min(1.0, std::max(load / kSlots, num_entries > 0 ? 1e-9 : 0.0));
  }
  return FigureOr<double>(figures, filter.expires() ? "current_fpr" : "fill_ratio", 0);
}

}  // namespace

SubjectStats Subject::GetStats() const {
  const auto lock = Lock();
  const Figures figures = filter_->GetFigures(/*measured=*/true);
  const auto count = [&](std::string_view name) { return FigureOr<uint64_t>(figures, name, 0); };
  SubjectStats stats;
  stats.num_keys = count("num_keys");
  stats.num_refused_inserts = count("num_refused_inserts");
  stats.num_refused_erases = count("num_refused_erases");
  stats.fill_ratio = FillOf(*filter_, figures);
  stats.fault = FaultOf(figures);
  if (const auto* window = filter_->As<WindowFilter>()) {
    // num_promoted and side_table_bytes are left out: they may be of keys that
    // have expired and wait for a sweep.
    const WindowStats whole = window->GetStats();
    if (stats.fault.empty()) stats.fault = FaultOf(whole, span().num_buckets);
    stats.num_keys = whole.num_keys;
    stats.oldest_bucket =
        span().Bucket(whole.buckets.empty() ? whole.now : whole.buckets.front().first_tick);
    return stats;
  }
  stats.side_table_bytes = count("side_table_bytes");
  stats.num_promoted = count("num_promoted");
  return stats;
}

std::vector<std::byte> Subject::Serialize() const {
  const auto lock = Lock();
  return filter_->Serialize();
}

Result<std::unique_ptr<Subject>> Subject::Load(std::span<const std::byte> bytes) const {
  return SubjectOf(AnyFilter::Deserialize(bytes), options_);
}

Result<std::unique_ptr<Subject>> Subject::MakeSequential() const {
  return SubjectOf(options_.create(options_.description, nullptr), options_);
}

WindowSpan Subject::span() const {
  if (!expires()) return {};
  return {FigureOr<uint64_t>(options_.description, "window", 1),
          FigureOr<uint64_t>(options_.description, "num_buckets", 1)};
}

bool Subject::Advance(uint64_t now) {
  const Result<bool> advanced = filter_->Advance(now);
  return advanced.ok() && *advanced;
}

uint64_t Subject::num_sizes() const {
  if (!grows()) return 1;
  const Figures figures = filter_->GetFigures(/*measured=*/false);
  if (FigureOr<uint64_t>(figures, "num_blocks", 0) == 0) return 1;
  return 2 + FigureOr<uint64_t>(figures, "most_doublings", 0);
}

InsertOutcome Subject::InsertNoting(Keys keys, std::span<uint64_t> inserted) {
  const auto lock = Lock();
  return *filter_->Insert(Placed(keys, *this), inserted, nullptr);
}

InsertOutcome Subject::InsertIfAbsentNoting(Keys keys, std::span<uint64_t> inserted,
                                            std::span<uint64_t> refused) {
  const auto lock = Lock();
  return *filter_->InsertIfAbsent(Placed(keys, *this), inserted, refused, {});
}

bool Subject::InsertOneNoting(Key key) {
  const auto lock = Lock();
  return filter_->InsertOne(Place(key), nullptr);
}

namespace {

constexpr uint64_t kRecordBytes = 64;      // of side memory, for one promoted block
constexpr uint64_t kKeysPerPart = 10'000;  // of a filter that grows, in 2^kPartBits parts
constexpr uint32_t kPartBits = 6;

CreateFilter CreateOf(FilterType type, const DigestPolicy& digest) {
  return [=](const Figures& description, std::shared_ptr<Executor> executor) {
    return AnyFilter::Create(type, description, digest, std::move(executor));
  };
}

Result<std::unique_ptr<Subject>> MakeSubjectOf(const RoundPlan& plan, SubjectOptions options) {
  Result<std::shared_ptr<Executor>> executor = PlannedExecutor(plan);
  if (!executor.ok()) return executor.error();
  Result<AnyFilterPtr> filter = options.create(options.description, *std::move(executor));
  return SubjectOf(std::move(filter), std::move(options));
}

// A filter of the plan's geometry, for threads.
CreateFilter CreateOf(const Geometry& geometry, const CountingConfig& config) {
  return [=](const Figures&, std::shared_ptr<Executor> executor) -> Result<AnyFilterPtr> {
    Result<CountingFilter> exclusive =
        CountingFilter::CreateWithGeometry(geometry, config.digest, config.memory_limit_bytes);
    if (!exclusive.ok()) return exclusive.error();
    exclusive->UseExecutor(std::move(executor));
    Result<ConcurrentFilter> filter = ConcurrentFilter::Adopt(*std::move(exclusive));
    if (!filter.ok()) return filter.error();
    return AnyFilter::Of(*std::move(filter));
  };
}

// Limits side memory to so many promoted blocks of each part.
Result<AnyFilterPtr> Limited(Result<AnyFilterPtr> filter, uint64_t num_records) {
  if (!filter.ok()) return filter;
  const Figures figures = (*filter)->GetFigures(/*measured=*/false);
  const uint64_t num_parts =
      uint64_t{1} << std::min<uint64_t>(FigureOr<uint64_t>(figures, "shard_bits", 0), 10);
  const uint64_t of_part = FigureOr<uint64_t>(figures, "num_blocks", 0) / num_parts;
  const bool is_dense = FigureOr(figures, "encoding", std::string()) == "dense";
  const uint64_t least = is_dense ? 12 * (of_part / 64 + 1) : 0;  // a part has no less
  const Status limited =
      (*filter)->LimitSideMemory((least + kRecordBytes * num_records) * num_parts);
  if (!limited.ok()) return limited.error();
  return filter;
}

// All keys of a filter that grows go to few of its parts, as many as make
// these double several times with the keys of the round:
//
//   digest        d d d d d d d d d ...        of which a round of 4,000 keys
//   uses one part, given to it   0 0 0 0 0 0 d d d ...        one of 200,000
//   keys sixteen
uint32_t NumZerosOf(const RoundPlan& plan) {
  const auto part_bits =
      static_cast<uint32_t>(std::bit_width(uint64_t{plan.num_ids()} / kKeysPerPart));
  return kPartBits - std::min(part_bits, kPartBits);
}

}  // namespace

Result<std::unique_ptr<Subject>> MakeConcurrentSubject(const RoundPlan& plan) {
  const CountingConfig& config = plan.config;
  SubjectOptions options = {
      .description = {{"capacity", config.capacity},
                      {"target_fpr", config.target_fpr},
                      {"num_slices", config.num_slices},
                      {"encoding", std::string(EncodingName(config.encoding))},
                      {"memory_limit_bytes", config.memory_limit_bytes}},
      .create = plan.geometry ? CreateOf(*plan.geometry, config)
                              : CreateOf(FilterType::kConcurrent, config.digest),
      .may_refuse = plan.side_records > 0};
  if (plan.side_records == 0) return MakeSubjectOf(plan, std::move(options));
  Result<std::shared_ptr<Executor>> executor = PlannedExecutor(plan);
  if (!executor.ok()) return executor.error();
  Result<AnyFilterPtr> filter =
      Limited(options.create(options.description, *std::move(executor)), plan.side_records);
  return SubjectOf(std::move(filter), std::move(options));
}

Result<std::unique_ptr<Subject>> MakeScalableSubject(const RoundPlan& plan) {
  return MakeSubjectOf(plan,
                       {.description = {{"memory_limit_bytes", plan.config.memory_limit_bytes}},
                        .create = CreateOf(FilterType::kScalable, plan.config.digest),
                        .num_zeros = NumZerosOf(plan)});
}

Figures DrawWindow(const RoundPlan& plan) {
  constexpr std::array<uint32_t, 6> kNumBuckets = {1, 2, 3, 5, 8, 30};
  constexpr std::array<uint32_t, 4> kTicksPerBucket = {1, 4, 50, 1000};
  Random random = plan.RandomOf(kWindowStream);
  const uint32_t num_buckets = kNumBuckets[random.Below(kNumBuckets.size())];
  uint64_t window = uint64_t{num_buckets} * kTicksPerBucket[random.Below(kTicksPerBucket.size())];
  // In windows that num_buckets does not divide, lengths of buckets differ by
  // one tick.
  if (random.OneIn(2)) window += random.Below(num_buckets);
  // One in three with slots of 24 bits, also where there are few buckets.
  const double target_fpr = random.OneIn(3) ? 5e-4 : plan.config.target_fpr;
  return {{"window", window},
          {"num_buckets", num_buckets},
          {"capacity", plan.config.capacity},
          {"target_fpr", target_fpr}};
}

Result<AnyFilterPtr> CreateWindow(const Figures& description, std::shared_ptr<Executor> executor) {
  return AnyFilter::Create(FilterType::kWindow, description, {}, std::move(executor));
}

Result<std::unique_ptr<Subject>> MakeWindowSubject(const RoundPlan& plan,
                                                   const CreateFilter& create) {
  return MakeSubjectOf(plan, {.description = DrawWindow(plan), .create = create});
}

Result<std::unique_ptr<Subject>> MakeTypedSubject(const RoundPlan& plan) {
  if (plan.type == FilterType::kScalable) return MakeScalableSubject(plan);
  if (plan.type == FilterType::kWindow) return MakeWindowSubject(plan);
  return MakeConcurrentSubject(plan);
}

}  // namespace trommel::stress
