/// @file
/// ImplPtr, the pointer behind which filters keep their implementation.
#ifndef TROMMEL_IMPL_PTR_H_
#define TROMMEL_IMPL_PTR_H_

#include <memory>
#include <utility>

#include "trommel/export.h"

namespace trommel {

/// Ends the program with the message that a moved-from filter was used.
[[noreturn]] TROMMEL_API void AbortMovedFrom() noexcept;

/// Owning pointer to a filter's implementation. It is null in a moved-from filter, and any access
/// then ends the program with a message.
template <class Impl>
class TROMMEL_API ImplPtr {
 public:
  /// A null pointer.
  ImplPtr() noexcept = default;
  /// Takes ownership of `impl`.
  ImplPtr(std::unique_ptr<Impl> impl) noexcept  // NOLINT(google-explicit-constructor)
      : impl_(std::move(impl)) {}

  /// Returns the implementation. Requires that it is not null. Cost: one test beside the load,
  /// which single-key queries pay too.
  Impl* operator->() const noexcept { return &**this; }
  /// Returns the implementation. Requires that it is not null.
  Impl& operator*() const noexcept {
    if (impl_ == nullptr) [[unlikely]]
      AbortMovedFrom();
    return *impl_;
  }

  /// Returns the implementation, or null in a moved-from filter.
  Impl* get() const noexcept { return impl_.get(); }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_IMPL_PTR_H_
