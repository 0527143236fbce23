// ImplPtr: what a filter is made of, behind one pointer, which is null once the filter was moved
// from. Any access after that is a programmer's mistake.
#ifndef TROMMEL_IMPL_PTR_H_
#define TROMMEL_IMPL_PTR_H_

#include <memory>
#include <utility>

namespace trommel {

// Says that a moved-from filter was used, and ends the program.
[[noreturn]] void AbortMovedFrom() noexcept;

template <class Impl>
class ImplPtr {
 public:
  ImplPtr() noexcept = default;
  ImplPtr(std::unique_ptr<Impl> impl) noexcept  // NOLINT(google-explicit-constructor)
      : impl_(std::move(impl)) {}

  // Abort with a message where there is nothing: a test beside the load, on the path of point
  // queries, too.
  Impl* operator->() const noexcept { return &**this; }
  Impl& operator*() const noexcept {
    if (impl_ == nullptr) [[unlikely]]
      AbortMovedFrom();
    return *impl_;
  }

  Impl* get() const noexcept { return impl_.get(); }  // null: moved from

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_IMPL_PTR_H_
