// HeldFilter: a filter of any type as a value, which tests make of one without ceremony.
#ifndef TROMMEL_TESTS_SUPPORT_HELD_FILTER_H_
#define TROMMEL_TESTS_SUPPORT_HELD_FILTER_H_

#include <concepts>
#include <utility>

#include "trommel/any_filter.h"

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

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_HELD_FILTER_H_
