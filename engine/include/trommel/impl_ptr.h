/// @file
/// ImplPtr, the pointer behind which filters keep their implementation.
#ifndef TROMMEL_IMPL_PTR_H_
#define TROMMEL_IMPL_PTR_H_

#include <memory>
#include <utility>

#include "trommel/export.h"
#include "trommel/one_key.h"

namespace trommel {

/// Ends the program with the message that a moved-from filter was used.
[[noreturn]] TROMMEL_API void AbortMovedFrom() noexcept;

/// Owning pointer to a filter's implementation, and pointer to the short way of one key in it. It
/// is null in a moved-from filter, and any access then ends the program with a message.
template <class Impl>
class TROMMEL_API ImplPtr {
 public:
  /// A null pointer.
  ImplPtr() noexcept = default;
  /// Takes ownership of `impl`; its member `one`, if there is one, is the short way.
  ImplPtr(std::unique_ptr<Impl> impl) noexcept  // NOLINT(google-explicit-constructor)
      : impl_(std::move(impl)) {
    if constexpr (requires { impl_->one; }) one_ = &impl_->one;
  }

  /// Moves both.
  /// @{
  ImplPtr(ImplPtr&& other) noexcept
      : impl_(std::move(other.impl_)), one_(std::exchange(other.one_, OneKey::OfMovedFrom())) {}
  ImplPtr& operator=(ImplPtr&& other) noexcept {
    impl_ = std::move(other.impl_);
    one_ = std::exchange(other.one_, OneKey::OfMovedFrom());
    return *this;
  }
  ~ImplPtr() = default;
  /// @}

  /// Returns the implementation. Requires that it is not null. Cost: one test beside the load.
  Impl* operator->() const noexcept { return &**this; }
  /// Returns the implementation. Requires that it is not null.
  Impl& operator*() const noexcept {
    if (impl_ == nullptr) [[unlikely]]
      AbortMovedFrom();
    return *impl_;
  }

  /// Returns the implementation, or null in a moved-from filter.
  Impl* get() const noexcept { return impl_.get(); }
  /// Returns the short way of one key. Cost: a load; it needs no test (OneKey::OfMovedFrom).
  OneKey& one() const noexcept { return *one_; }

 private:
  std::unique_ptr<Impl> impl_;
  OneKey* one_ = OneKey::OfMovedFrom();
};

}  // namespace trommel

#endif  // TROMMEL_IMPL_PTR_H_
