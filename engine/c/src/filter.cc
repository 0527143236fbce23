// What a filter is as a whole: its type, merges, statistics.
#include "engine/c/src/filter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/c/src/failures.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/structs.h"
#include "trommel/c.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"

namespace trommel::c_abi {

void ThrowUnsupported(const trommel_filter& filter, std::string_view what) {
  Throw(TROMMEL_UNSUPPORTED,
        std::string(TypeText(TypeOf(filter))) + " filters " + std::string(what));
}

Result<AnyFilterPtr> Converted(AnyFilter& filter) {
  if (auto* concurrent = filter.As<ConcurrentFilter>()) {
    return AnyFilter::Of(std::move(*concurrent).TakeExclusive());
  }
  Result<ConcurrentFilter> made = ConcurrentFilter::Adopt(std::move(*filter.As<CountingFilter>()));
  if (!made.ok()) return made.error();
  return AnyFilter::Of(*std::move(made));
}

namespace {

// combine(filter, other): what two filters do.
template <class Combine>
trommel_code CombineGuarded(trommel_filter* filter, const trommel_filter* other,
                            trommel_error* error, const Combine& combine) {
  return Guarded(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    const trommel_filter& source = Required(other, "other");
    if (&target == &source) ThrowInvalid("filter and other are the same");
    ValueOf(combine(*target.any, *source.any));
  });
}

// Which figure goes into which field.
template <class T>
struct FieldOfFigure {
  std::string_view figure;
  T trommel_stats::*field;
};
constexpr FieldOfFigure<uint64_t> kCounts[] = {
    {"num_keys", &trommel_stats::num_keys},
    {"capacity", &trommel_stats::capacity},
    {"first_capacity", &trommel_stats::capacity},
    {"num_bytes", &trommel_stats::num_bytes},
    {"side_table_bytes", &trommel_stats::side_table_bytes},
    {"num_refused_inserts", &trommel_stats::num_refused_inserts},
    {"num_refused_erases", &trommel_stats::num_refused_erases},
    {"num_interrupted_queries", &trommel_stats::num_interrupted_queries},
    {"num_promoted", &trommel_stats::num_promoted},
    {"num_blocks", &trommel_stats::num_blocks},
    {"now", &trommel_stats::now},
    {"num_expired_erases", &trommel_stats::num_expired_erases},
    {"num_excess_keys", &trommel_stats::num_excess_keys},
};
constexpr FieldOfFigure<double> kRates[] = {
    {"target_fpr", &trommel_stats::target_fpr},
    {"predicted_fpr", &trommel_stats::predicted_fpr},
    {"undecided_share", &trommel_stats::undecided_share},
};

trommel_stats StatsOf(const AnyFilter& filter) {
  trommel_stats stats = {};
  const Figures figures = filter.GetFigures(/*measured=*/false);
  for (const auto& [figure, field] : kCounts) {
    stats.*field = FigureOr(figures, figure, stats.*field);
  }
  for (const auto& [figure, field] : kRates) {
    stats.*field = FigureOr(figures, figure, stats.*field);
  }
  stats.type = static_cast<int32_t>(filter.type());
  stats.num_parts = std::max<size_t>(1, filter.GetParts(/*measured=*/false).second.size());
  return stats;
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

int32_t trommel_filter_type(const trommel_filter* filter) {
  return filter == nullptr ? 0 : TypeOf(*filter);
}

void trommel_filter_free(trommel_filter* filter) { delete filter; }

trommel_code trommel_merge(trommel_filter* filter, const trommel_filter* other,
                           trommel_error* error) {
  return CombineGuarded(filter, other, error, [](AnyFilter& target, const AnyFilter& source) {
    return target.Merge(source);
  });
}

trommel_code trommel_subtract(trommel_filter* filter, const trommel_filter* other,
                              trommel_error* error) {
  return CombineGuarded(filter, other, error, [](AnyFilter& target, const AnyFilter& source) {
    return target.Subtract(source);
  });
}

trommel_code trommel_fold(trommel_filter* filter, trommel_error* error) {
  return Guarded(error, [&] { ValueOf(Required(filter, "filter").any->Fold()); });
}

trommel_code trommel_grow(trommel_filter* filter, trommel_error* error) {
  return Guarded(error, [&] { ValueOf(Required(filter, "filter").any->Grow()); });
}

trommel_code trommel_clear(trommel_filter* filter, trommel_error* error) {
  return Guarded(error, [&] { Required(filter, "filter").any->Clear(); });
}

trommel_code trommel_use_executor(trommel_filter* filter, const trommel_executor* executor,
                                  trommel_error* error) {
  return Guarded(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    ValueOf(target.any->UseExecutor(ExecutorOf(executor)));
    target.executor = ExecutorOf(executor);
  });
}

trommel_code trommel_limit_side_memory(trommel_filter* filter, uint64_t limit_bytes,
                                       trommel_error* error) {
  return Guarded(error,
                 [&] { ValueOf(Required(filter, "filter").any->LimitSideMemory(limit_bytes)); });
}

trommel_code trommel_clone(const trommel_filter* filter, trommel_filter** clone,
                           trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    trommel_filter*& out = Required(clone, "clone");
    Return(out, source.any->Clone(), source.executor);
  });
}

int32_t trommel_equals(const trommel_filter* a, const trommel_filter* b, trommel_error* error) {
  return GuardedAnswer(error, [&] { return Required(a, "a").any->Equals(*Required(b, "b").any); });
}

trommel_code trommel_convert(trommel_filter* filter, int32_t type, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    if (type != TROMMEL_TYPE_COUNTING && type != TROMMEL_TYPE_CONCURRENT) {
      ThrowInvalid("type is " + std::to_string(type) + "; it must be 1 (counting) or 100 " +
                   "(concurrent)");
    }
    const int32_t its_type = TypeOf(target);
    if (type == its_type) return;
    if (its_type != TROMMEL_TYPE_COUNTING && its_type != TROMMEL_TYPE_CONCURRENT) {
      ThrowUnsupported(target, "cannot be converted");
    }
    target.any = ValueOf(Converted(*target.any));
  });
}

trommel_code trommel_get_stats(const trommel_filter* filter, trommel_stats* stats,
                               trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    SizeOf(stats, "stats");
    Write(stats, StatsOf(*source.any), "stats");
  });
}
