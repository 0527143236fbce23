// What a filter is as a whole: its type, merges, statistics.
#include "engine/c/src/filter.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "engine/c/src/failures.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/structs.h"
#include "trommel/c.h"
#include "trommel/outcomes.h"

namespace trommel::c_abi {

int32_t TypeOf(const trommel_filter& filter) noexcept {
  if (std::holds_alternative<ConcurrentFilter>(filter.typed)) return TROMMEL_TYPE_CONCURRENT;
  return static_cast<int32_t>(filter.typed.index()) + TROMMEL_TYPE_COUNTING;
}

std::string_view TypeText(int32_t type) noexcept {
  switch (type) {
    case TROMMEL_TYPE_COUNTING:
      return "counting";
    case TROMMEL_TYPE_SCALABLE:
      return "scalable";
    case TROMMEL_TYPE_WINDOW:
      return "window";
    case TROMMEL_TYPE_ATTRIBUTES:
      return "attribute";
    case TROMMEL_TYPE_CONCURRENT:
      return "concurrent";
    default:
      return "unknown";
  }
}

void ThrowUnsupported(int32_t type, std::string_view what) {
  Throw(TROMMEL_UNSUPPORTED, std::string(TypeText(type)) + " filters " + std::string(what));
}

namespace {

// The filter as one of this type, or a Failure.
template <class Filter>
const Filter& OtherAs(const trommel_filter& other, int32_t type) {
  const auto* typed = std::get_if<Filter>(&other.typed);
  if (typed == nullptr) {
    Throw(TROMMEL_MISMATCH, "the other filter is a " + std::string(TypeText(TypeOf(other))) +
                                " filter; it must be a " + std::string(TypeText(type)) + " one");
  }
  return *typed;
}

// Merge or Subtract: combine(filter, other).
template <class Combine>
trommel_code CombineGuarded(trommel_filter* filter, const trommel_filter* other,
                            trommel_error* error, const Combine& combine) {
  return Guarded(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    const trommel_filter& source = Required(other, "other");
    if (&target == &source) ThrowInvalid("filter and other are the same");
    std::visit([&](auto& typed) { combine(typed, source, TypeOf(target)); }, target.typed);
  });
}

trommel_stats StatsOf(const Stats& of, const Geometry& geometry) {
  trommel_stats stats = {};
  stats.num_keys = of.num_keys;
  stats.num_bytes = of.num_bytes;
  stats.side_table_bytes = of.side_table_bytes;
  stats.predicted_fpr = of.predicted_fpr;
  stats.undecided_share = of.undecided_share;
  stats.num_refused_inserts = of.num_refused_inserts;
  stats.num_refused_erases = of.num_refused_erases;
  stats.num_interrupted_queries = of.num_interrupted_queries;
  stats.num_promoted = of.num_promoted;
  stats.num_blocks = geometry.num_blocks;
  stats.num_parts = 1;
  return stats;
}

// All but type, capacity and target_fpr.
template <class Filter>
trommel_stats Describe(const Filter& filter) {
  return StatsOf(filter.GetStats(), filter.geometry());
}

trommel_stats Describe(const ScalableFilter& filter) {
  const ScalableStats of = filter.GetStats();
  trommel_stats stats = {};
  stats.num_keys = of.num_keys;
  stats.num_bytes = of.num_bytes;
  stats.predicted_fpr = of.predicted_fpr;
  stats.num_refused_erases = of.num_refused_erases;
  stats.num_refused_inserts = of.num_refused_inserts;
  stats.undecided_share = of.doubling.undecided_share;
  stats.num_interrupted_queries = of.doubling.num_interrupted_queries;
  stats.side_table_bytes = of.doubling.side_table_bytes;
  stats.num_blocks = of.doubling.num_blocks;
  for (const GenerationStats& generation : of.generations) {
    stats.side_table_bytes += generation.stats.side_table_bytes;
    stats.num_promoted += generation.stats.num_promoted;
    stats.num_blocks += generation.geometry.num_blocks;
  }
  stats.num_parts = filter.num_generations();
  return stats;
}

trommel_stats Describe(const WindowFilter& filter) {
  const WindowStats of = filter.GetStats();
  trommel_stats stats = StatsOf(of.slots, filter.geometry());
  stats.num_keys = of.num_keys;
  stats.num_bytes = of.num_bytes;
  stats.predicted_fpr = of.predicted_fpr;
  stats.num_refused_erases = of.num_refused_erases;
  stats.num_refused_inserts = of.num_refused_inserts;
  stats.now = of.now;
  stats.num_expired_erases = of.num_expired_erases;
  stats.num_excess_keys = of.num_excess_keys;
  stats.num_parts = of.buckets.size();
  return stats;
}

template <class Filter>
uint64_t CapacityOf(const Filter& filter) {
  if constexpr (std::same_as<Filter, ScalableFilter>) {
    return filter.first_capacity();
  } else {
    return filter.capacity();
  }
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
  return CombineGuarded(filter, other, error, [](auto& typed, const auto& source, int32_t type) {
    using Filter = std::remove_cvref_t<decltype(typed)>;
    if constexpr (std::same_as<Filter, ConcurrentFilter>) {
      ValueOf(typed.Merge(OtherAs<CountingFilter>(source, TROMMEL_TYPE_COUNTING)));
    } else {
      ValueOf(typed.Merge(OtherAs<Filter>(source, type)));
    }
  });
}

trommel_code trommel_subtract(trommel_filter* filter, const trommel_filter* other,
                              trommel_error* error) {
  return CombineGuarded(filter, other, error, [](auto& typed, const auto& source, int32_t type) {
    using Filter = std::remove_cvref_t<decltype(typed)>;
    if constexpr (requires { typed.Subtract(typed); }) {
      ValueOf(typed.Subtract(OtherAs<Filter>(source, type)));
    } else {
      ThrowUnsupported(type, "cannot be subtracted");
    }
  });
}

trommel_code trommel_fold(trommel_filter* filter, trommel_error* error) {
  return Guarded(error, [&] {
    auto* counting = std::get_if<CountingFilter>(&Required(filter, "filter").typed);
    if (counting == nullptr) ThrowUnsupported(TypeOf(*filter), "cannot be folded");
    ValueOf(counting->Fold());
  });
}

trommel_code trommel_grow(trommel_filter* filter, trommel_error* error) {
  return Guarded(error, [&] {
    auto* counting = std::get_if<CountingFilter>(&Required(filter, "filter").typed);
    if (counting == nullptr) ThrowUnsupported(TypeOf(*filter), "cannot be grown by the caller");
    ValueOf(counting->Grow());
  });
}

trommel_code trommel_clear(trommel_filter* filter, trommel_error* error) {
  return Guarded(error, [&] {
    std::visit([](auto& typed) { typed.Clear(); }, Required(filter, "filter").typed);
  });
}

trommel_code trommel_use_executor(trommel_filter* filter, const trommel_executor* executor,
                                  trommel_error* error) {
  return Guarded(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    std::visit(
        [&](auto& typed) {
          if constexpr (requires { typed.UseExecutor(nullptr); }) {
            typed.UseExecutor(ExecutorOf(executor));
          } else {
            ThrowUnsupported(TypeOf(target), "take their executor when they are made");
          }
        },
        target.typed);
    target.executor = ExecutorOf(executor);
  });
}

trommel_code trommel_limit_side_memory(trommel_filter* filter, uint64_t limit_bytes,
                                       trommel_error* error) {
  return Guarded(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    std::visit([&](auto& typed) { ValueOf(typed.LimitSideMemory(limit_bytes)); }, target.typed);
    target.limits_side_memory = limit_bytes != 0;
  });
}

trommel_code trommel_clone(const trommel_filter* filter, trommel_filter** clone,
                           trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    trommel_filter*& out = Required(clone, "clone");
    std::visit(
        [&](const auto& typed) {
          Return(out, typed.Clone(), source.executor, source.limits_side_memory);
        },
        source.typed);
  });
}

int32_t trommel_equals(const trommel_filter* a, const trommel_filter* b, trommel_error* error) {
  return GuardedAnswer(error, [&] {
    const trommel_filter& first = Required(a, "a");
    const trommel_filter& second = Required(b, "b");
    return std::visit(
        [&](const auto& typed) {
          using Filter = std::remove_cvref_t<decltype(typed)>;
          const auto* other = std::get_if<Filter>(&second.typed);
          return other != nullptr && typed == *other;
        },
        first.typed);
  });
}

trommel_code trommel_convert(trommel_filter* filter, int32_t type, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    if (type != TROMMEL_TYPE_COUNTING && type != TROMMEL_TYPE_CONCURRENT) {
      ThrowInvalid("type is " + std::to_string(type) + "; it must be 1 (counting) or 100 " +
                   "(concurrent)");
    }
    if (type == TypeOf(target)) return;
    if (auto* counting = std::get_if<CountingFilter>(&target.typed)) {
      target.typed = ValueOf(ConcurrentFilter::Adopt(std::move(*counting)));
    } else if (auto* concurrent = std::get_if<ConcurrentFilter>(&target.typed)) {
      target.typed = std::move(*concurrent).TakeExclusive();
    } else {
      ThrowUnsupported(TypeOf(target), "cannot be converted");
    }
  });
}

trommel_code trommel_get_stats(const trommel_filter* filter, trommel_stats* stats,
                               trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    SizeOf(stats, "stats");
    trommel_stats of = std::visit(
        [](const auto& typed) {
          trommel_stats described = Describe(typed);
          described.capacity = CapacityOf(typed);
          described.target_fpr = typed.target_fpr();
          return described;
        },
        source.typed);
    of.type = TypeOf(source);
    Write(stats, of, "stats");
  });
}
