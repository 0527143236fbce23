// trommel_attributes: a filter of tuples. As a whole, and as a file, it is a trommel_filter.
#ifndef TROMMEL_ENGINE_C_SRC_ATTRIBUTES_H_
#define TROMMEL_ENGINE_C_SRC_ATTRIBUTES_H_

#include <memory>
#include <utility>

#include "engine/c/src/failures.h"
#include "engine/c/src/filter.h"
#include "trommel/attribute_filter.h"
#include "trommel/c.h"
#include "trommel/executor.h"

struct trommel_attributes : trommel_filter {
  trommel_attributes(trommel::AttributeFilter made, std::shared_ptr<trommel::Executor> its_executor)
      : trommel_filter{trommel::AnyFilter::Of(std::move(made)), std::move(its_executor)},
        filter(*any->As<trommel::AttributeFilter>()) {}

  trommel::AttributeFilter& filter;
};

namespace trommel::c_abi {

inline trommel_attributes* MakeAttributes(Result<AttributeFilter> made,
                                          std::shared_ptr<Executor> executor = nullptr) {
  return new trommel_attributes(ValueOf(std::move(made)), std::move(executor));
}

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_ATTRIBUTES_H_
