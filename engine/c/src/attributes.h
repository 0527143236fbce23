// trommel_attributes: a filter of tuples, with what the library does not keep.
#ifndef TROMMEL_ENGINE_C_SRC_ATTRIBUTES_H_
#define TROMMEL_ENGINE_C_SRC_ATTRIBUTES_H_

#include <memory>
#include <utility>

#include "engine/c/src/failures.h"
#include "trommel/attribute_filter.h"
#include "trommel/c.h"
#include "trommel/executor.h"

struct trommel_attributes {
  trommel::AttributeFilter filter;
  std::shared_ptr<trommel::Executor> executor = nullptr;  // also hashes what is not read in place
};

namespace trommel::c_abi {

inline trommel_attributes* MakeAttributes(Result<AttributeFilter> made,
                                          std::shared_ptr<Executor> executor = nullptr) {
  auto handle = std::make_unique<trommel_attributes>(
      trommel_attributes{ValueOf(std::move(made)), std::move(executor)});
  return handle.release();
}

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_ATTRIBUTES_H_
