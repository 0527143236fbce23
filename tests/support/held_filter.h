// HeldFilter: a filter of any type as a value, which tests make of one without ceremony; and calls
// with the type that it has.
#ifndef TROMMEL_TESTS_SUPPORT_HELD_FILTER_H_
#define TROMMEL_TESTS_SUPPORT_HELD_FILTER_H_

#include <concepts>
#include <type_traits>
#include <utility>

#include "trommel/any_filter.h"
#include "trommel/attribute_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel::tests {

class HeldFilter {
 public:
  HeldFilter(AnyFilterPtr any) : any_(std::move(any)) {}
  template <class Filter>
  requires(!std::same_as<Filter, HeldFilter> && !std::same_as<Filter, AnyFilterPtr>)
      HeldFilter(Filter filter)
      : any_(AnyFilter::Of(std::move(filter))) {}

  AnyFilter& operator*() { return *any_; }
  const AnyFilter& operator*() const { return *any_; }
  AnyFilter* operator->() { return any_.get(); }
  const AnyFilter* operator->() const { return any_.get(); }

 private:
  AnyFilterPtr any_;
};

// Returns use(filter), with the filter as its own type: one of those that files have.
template <class Any, class Use>
auto OnType(Any& any, const Use& use) {
  if (auto* counting = any.template As<CountingFilter>()) return use(*counting);
  if (auto* scalable = any.template As<ScalableFilter>()) return use(*scalable);
  if (auto* window = any.template As<WindowFilter>()) return use(*window);
  return use(*any.template As<AttributeFilter>());
}

// How many types that is.
inline constexpr size_t kNumTypes = 4;

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_HELD_FILTER_H_
