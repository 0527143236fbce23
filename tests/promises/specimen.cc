// The adapters: what differs between types is in their traits. A type without traits, or traits
// without a member, do not compile.
#include "promises/specimen.h"

#include <bit>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "engine/src/counting/forced_route.h"
#include "support/catch.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel::tests {
namespace {

Done DoneOf(const InsertOutcome& outcome) { return {outcome.num_inserted, outcome.num_refused}; }
// What has expired is refused, too.
Done DoneOf(const EraseOutcome& outcome) {
  return {outcome.num_erased, outcome.num_refused + outcome.num_expired};
}
template <class Outcome>
Result<Done> DoneOf(const Result<Outcome>& outcome) {
  if (!outcome.ok()) return outcome.error();
  return DoneOf(*outcome);
}

SpecimenFigures FiguresOf(const Stats& stats) {
  return {.num_keys = stats.num_keys,
          .num_bytes = stats.num_bytes,
          .side_bytes = stats.side_table_bytes,
          .num_promoted = stats.num_promoted,
          .num_refused_inserts = stats.num_refused_inserts,
          .num_refused_erases = stats.num_refused_erases};
}

// Only what a type has to say of itself; Of<Filter> does the rest.
template <class Filter>
struct Traits;

// The calls of filters of keys that know no time.
template <class Filter>
struct KeyedTraits {
  static Done Insert(Filter& filter, KeySpan keys, BitSpan bits, uint64_t) {
    return DoneOf(filter.Insert(Keys::Digests(keys), bits));
  }
  static Done Erase(Filter& filter, KeySpan keys, BitSpan bits, uint64_t) {
    return DoneOf(filter.Erase(Keys::Digests(keys), bits));
  }
  static Result<Done> EraseAll(Filter& filter, KeySpan keys, BitSpan missing, KeySpan) {
    return DoneOf(filter.EraseAll(Keys::Digests(keys), missing));
  }
  static bool InsertOne(Filter& filter, uint64_t key) { return filter.Insert(Key::Digest(key)); }
  static bool EraseOne(Filter& filter, uint64_t key, uint64_t) {
    return filter.Erase(Key::Digest(key));
  }
  static uint64_t NumKeys(const Filter& filter) { return filter.num_keys(); }
  static Result<Filter> Clone(const Filter& filter) { return filter.Clone(); }
};

// CountingFilter and ConcurrentFilter.
template <class Filter>
struct CountingTraits : KeyedTraits<Filter> {
  static Done InsertIfAbsent(Filter& filter, KeySpan keys, BitSpan bits) {
    std::array<uint64_t, 512> noted;  // an update must not need memory
    const BitSpan refused = std::span(noted).first(bits.size());
    Done done = DoneOf(filter.InsertIfAbsent(Keys::Digests(keys), bits, refused));
    uint64_t num_noted = 0;
    for (size_t i = 0; i < bits.size(); ++i) {
      num_noted += static_cast<uint64_t>(std::popcount(refused[i]));
      if ((bits[i] & refused[i]) != 0) done.num_refused = kNow;  // inserted and refused
    }
    if (num_noted != done.num_refused) done.num_refused = kNow;
    return done;
  }
  static SpecimenFigures Figures(const Filter& filter) { return FiguresOf(filter.GetStats()); }
};

template <>
struct Traits<CountingFilter> : CountingTraits<CountingFilter> {};
template <>
struct Traits<ConcurrentFilter> : CountingTraits<ConcurrentFilter> {};

template <>
struct Traits<ScalableFilter> : KeyedTraits<ScalableFilter> {
  static Done InsertIfAbsent(ScalableFilter& filter, KeySpan keys, BitSpan bits) {
    return DoneOf(filter.InsertIfAbsent(Keys::Digests(keys), bits));
  }
  static SpecimenFigures Figures(const ScalableFilter& filter) {
    const ScalableStats stats = filter.GetStats();
    return {.num_keys = stats.num_keys,
            .num_bytes = stats.num_bytes,
            .side_bytes = stats.side_table_bytes,
            .num_refused_inserts = stats.num_refused_inserts,
            .num_refused_erases = stats.num_refused_erases};
  }
};

template <>
struct Traits<WindowFilter> : KeyedTraits<WindowFilter> {
  static uint64_t TimeOf(const WindowFilter& filter, uint64_t time) {
    return time == kNow ? filter.now() : time;
  }
  static Done Insert(WindowFilter& filter, KeySpan keys, BitSpan bits, uint64_t time) {
    const bool is_now = time == kNow;
    const WindowInsertOutcome outcome = is_now ? filter.Insert(Keys::Digests(keys), bits, &time)
                                               : filter.Insert(Keys::Digests(keys), time, bits);
    return {outcome.num_inserted, outcome.num_refused, time};
  }
  // Only the statistics tell how many are refused.
  static Done InsertIfAbsent(WindowFilter& filter, KeySpan keys, BitSpan bits) {
    std::array<uint64_t, 16> times = {};
    const size_t num_inserted = filter.InsertIfAbsent(
        Keys::Digests(keys), bits, std::span(times).first(WindowFilter::NumChunks(keys.size())));
    return {.num_done = num_inserted, .time = times[0]};
  }
  static Done Erase(WindowFilter& filter, KeySpan keys, BitSpan bits, uint64_t time) {
    return DoneOf(filter.Erase(Keys::Digests(keys), TimeOf(filter, time), bits));
  }
  static Result<Done> EraseAll(WindowFilter& filter, KeySpan keys, BitSpan missing, KeySpan times) {
    const uint64_t now = filter.now();
    return DoneOf(
        filter.EraseAll(Keys::Digests(keys), times.empty() ? KeySpan(&now, 1) : times, missing));
  }
  static bool InsertOne(WindowFilter& filter, uint64_t key) {
    return filter.Insert(Key::Digest(key), filter.now());
  }
  static bool EraseOne(WindowFilter& filter, uint64_t key, uint64_t time) {
    return filter.Erase(Key::Digest(key), TimeOf(filter, time));
  }
  static SpecimenFigures Figures(const WindowFilter& filter) {
    const WindowStats stats = filter.GetStats();
    SpecimenFigures figures = FiguresOf(stats.slots);
    figures.num_keys = stats.num_keys;
    figures.num_bytes = stats.num_bytes;
    figures.num_refused_inserts = stats.num_refused_inserts;
    figures.num_refused_erases = stats.num_refused_erases;
    return figures;
  }
};

// A key is a tuple of three attributes: itself, and two of which there are few.
template <>
struct Traits<AttributeFilter> {
  static TupleRow RowOf(uint64_t key) {
    const auto spread = [](uint64_t value) { return (value + 1) * 0x9e3779b97f4a7c15; };
    return {key, spread(key % 251), spread(key >> 3 & 7)};
  }
  static TupleColumns ColumnsOf(KeySpan keys) {
    std::vector<TupleRow> rows;
    for (const uint64_t key : keys) rows.push_back(RowOf(key));
    return TupleColumns(rows);
  }
  static Done Insert(AttributeFilter& filter, KeySpan keys, BitSpan bits, uint64_t) {
    return DoneOf(filter.Insert(ColumnsOf(keys).view(), bits));
  }
  static Done Erase(AttributeFilter& filter, KeySpan keys, BitSpan bits, uint64_t) {
    return DoneOf(filter.Erase(ColumnsOf(keys).view(), bits));
  }
  static Result<Done> EraseAll(AttributeFilter& filter, KeySpan keys, BitSpan missing, KeySpan) {
    return DoneOf(filter.EraseAll(ColumnsOf(keys).view(), missing));
  }
  // Of all questions: whatever is in is in for each of them.
  static uint64_t Query(const AttributeFilter& filter, KeySpan keys, BitSpan bits) {
    const TupleColumns columns = ColumnsOf(keys);
    KeyList of_set(bits.size());
    uint64_t num_present = filter.Query(filter.sets().full(), columns.view(), bits);
    for (AttributeMask set = 0; set < filter.sets().full(); ++set) {
      filter.Query(set, columns.view(), of_set);
      num_present = 0;
      for (size_t i = 0; i < bits.size(); ++i) {
        bits[i] &= of_set[i];
        num_present += static_cast<uint64_t>(std::popcount(bits[i]));
      }
    }
    return num_present;
  }
  static KeyList Counts(const AttributeFilter& filter, KeySpan keys) {
    KeyList counts(keys.size());
    filter.CountEstimates(filter.sets().full(), ColumnsOf(keys).view(), counts);
    return counts;
  }
  static bool InsertOne(AttributeFilter& filter, uint64_t key) {
    return filter.Insert(ColumnsOf({&key, 1}).view()).num_inserted == 1;
  }
  static bool EraseOne(AttributeFilter& filter, uint64_t key, uint64_t) {
    return filter.Erase(ColumnsOf({&key, 1}).view()).num_erased == 1;
  }
  static bool MayContain(const AttributeFilter& filter, uint64_t key) {
    const TupleRow row = RowOf(key);
    for (AttributeMask set = 0; set <= filter.sets().full(); ++set) {
      if (!filter.MayContain(set, row)) return false;
    }
    return true;
  }
  static uint64_t NumKeys(const AttributeFilter& filter) { return filter.num_tuples(); }
  static SpecimenFigures Figures(const AttributeFilter& filter) {
    const AttributeStats stats = filter.GetStats();
    SpecimenFigures figures{.num_keys = stats.num_tuples,
                            .num_bytes = stats.num_bytes,
                            .num_refused_inserts = stats.num_refused_inserts,
                            .num_refused_erases = stats.num_refused_erases};
    for (const SetStats& set : stats.sets) {
      figures.side_bytes += set.stats.side_table_bytes;
    }
    return figures;
  }
};

template <class Filter>
class Of final : public Specimen {
 public:
  explicit Of(Filter filter) : filter_(std::move(filter)) {}

  Done Insert(KeySpan keys, BitSpan bits, uint64_t time) override {
    return My::Insert(filter_, keys, Needed(bits, keys), time);
  }
  Done InsertIfAbsent(KeySpan keys, BitSpan bits) override {
    if constexpr (requires { My::InsertIfAbsent(filter_, keys, bits); }) {
      return My::InsertIfAbsent(filter_, keys, Needed(bits, keys));
    } else {
      return Lacks<Done>();
    }
  }
  Done Erase(KeySpan keys, BitSpan bits, uint64_t time) override {
    return My::Erase(filter_, keys, Needed(bits, keys), time);
  }
  Result<Done> EraseAll(KeySpan keys, BitSpan missing, KeySpan times) override {
    return My::EraseAll(filter_, keys, Needed(missing, keys), times);
  }
  uint64_t Query(KeySpan keys, BitSpan bits) const override {
    if constexpr (kHasTuples) {
      return My::Query(filter_, keys, Needed(bits, keys));
    } else {
      return filter_.Query(Keys::Digests(keys), Needed(bits, keys));
    }
  }
  KeyList Counts(KeySpan keys) const override {
    if constexpr (kHasTuples) {
      return My::Counts(filter_, keys);
    } else {
      KeyList counts(keys.size());
      filter_.CountEstimates(Keys::Digests(keys), counts);
      return counts;
    }
  }

  std::vector<uint32_t> Select(KeySpan keys, Answer answer) const override {
    std::vector<uint32_t> selection(keys.size(), 77);
    if constexpr (kHasTuples) {
      return Lacks<std::vector<uint32_t>>();
    } else {
      selection.resize(filter_.Select(Keys::Digests(keys), answer, selection));
    }
    return selection;
  }

  bool InsertOne(uint64_t key) override { return My::InsertOne(filter_, key); }
  bool InsertOneIfAbsent(uint64_t key) override {
    if constexpr (kHasTuples) {
      return Lacks<bool>();
    } else {
      return filter_.InsertIfAbsent(Key::Digest(key));
    }
  }
  bool EraseOne(uint64_t key, uint64_t time) override { return My::EraseOne(filter_, key, time); }
  bool MayContain(uint64_t key) const override {
    if constexpr (kHasTuples) {
      return My::MayContain(filter_, key);
    } else {
      return filter_.MayContain(Key::Digest(key));
    }
  }
  uint64_t Count(uint64_t key) const override {
    if constexpr (kHasTuples) {
      return Counts({&key, 1})[0];
    } else {
      return filter_.CountEstimate(Key::Digest(key));
    }
  }

  uint64_t num_keys() const override { return My::NumKeys(filter_); }
  SpecimenFigures Figures() const override { return My::Figures(filter_); }
  uint64_t now() const override {
    if constexpr (kHasTime) return filter_.now();
    return 0;
  }
  void Advance(uint64_t now) override {
    if constexpr (kHasTime) filter_.Advance(now);
  }
  uint64_t lifetime() const override {
    if constexpr (kHasTime) return filter_.window();
    return kNow;
  }

  Status LimitSideMemory(uint64_t limit_bytes) override {
    if constexpr (requires { filter_.LimitSideMemory(limit_bytes); }) {
      return filter_.LimitSideMemory(limit_bytes);
    } else {
      return Lacks<Status>();
    }
  }
  void UseExecutor(std::shared_ptr<Executor> executor) override {
    if constexpr (requires { filter_.UseExecutor(executor); }) filter_.UseExecutor(executor);
    // Small batches would not take it.
    if constexpr (requires { ForcedRoute::Use(filter_, Route::kSplit); }) {
      ForcedRoute::Use(filter_, Route::kSplit);
    }
  }
  Status Merge(const Specimen& other) override {
    if constexpr (requires { filter_.Merge(filter_); }) {
      return filter_.Merge(FilterIn(other));
    } else {
      return Lacks<Status>();
    }
  }
  Status Subtract(const Specimen& other) override {
    if constexpr (requires { filter_.Subtract(filter_); }) {
      return filter_.Subtract(FilterIn(other));
    } else {
      return Lacks<Status>();
    }
  }
  Status Fold() override {
    if constexpr (requires { filter_.Fold(); }) {
      return filter_.Fold();
    } else {
      return Lacks<Status>();
    }
  }
  void Clear() override { filter_.Clear(); }
  Result<std::unique_ptr<Specimen>> Clone() const override { return OfResult(filter_.Clone()); }
  bool IsEqual(const Specimen& other) const override {
    const bool is_equal = filter_ == FilterIn(other);
    if ((filter_ != FilterIn(other)) == is_equal) FAIL("equal and unequal at once");
    return is_equal;
  }

  ByteList Serialize() const override { return filter_.Serialize(); }
  Status SaveTo(ByteSink& sink) const override { return filter_.SaveTo(sink); }
  Result<std::unique_ptr<Specimen>> LoadFrom(const ByteSource& source,
                                             uint64_t memory_limit_bytes) const override {
    return OfResult(Filter::LoadFrom(source, memory_limit_bytes));
  }

 private:
  using My = Traits<Filter>;
  static constexpr bool kHasTuples = std::is_same_v<Filter, AttributeFilter>;
  static constexpr bool kHasTime = requires(Filter & filter) { filter.now(); };

  static BitSpan Needed(BitSpan bits, KeySpan keys) { return bits.first(BitmapWords(keys.size())); }

  // Suites ask FilterKind::Keeps first.
  template <class T>
  static T Lacks() {
    FAIL("a type is asked for what it does not promise");
    std::abort();
  }
  static const Filter& FilterIn(const Specimen& other) {
    return dynamic_cast<const Of&>(other).filter_;
  }
  static Result<std::unique_ptr<Specimen>> OfResult(Result<Filter> made) {
    if (!made.ok()) return made.error();
    return std::unique_ptr<Specimen>(std::make_unique<Of>(*std::move(made)));
  }

  Filter filter_;
};

}  // namespace

template <class Filter>
std::unique_ptr<Specimen> SpecimenOf(Filter filter) {
  return std::make_unique<Of<Filter>>(std::move(filter));
}
template std::unique_ptr<Specimen> SpecimenOf(CountingFilter filter);
template std::unique_ptr<Specimen> SpecimenOf(ConcurrentFilter filter);
template std::unique_ptr<Specimen> SpecimenOf(ScalableFilter filter);
template std::unique_ptr<Specimen> SpecimenOf(WindowFilter filter);
template std::unique_ptr<Specimen> SpecimenOf(AttributeFilter filter);

}  // namespace trommel::tests
