// The filter under test.
#include "tools/stress/subjects/subject.h"

#include <algorithm>
#include <string>
#include <utility>

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

}  // namespace trommel::stress
