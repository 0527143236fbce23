// Result<T>: a value, or the reason why there is none. Bad data is a value, never an exception.
#ifndef TROMMEL_RESULT_H_
#define TROMMEL_RESULT_H_

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace trommel {

enum class ErrorCode {
  kInvalidArgument,  // a number or name outside its legal range
  kOutOfMemory,      // more memory than the limit, or than the system gives
  kMismatch,    // two filters that differ in a field that must agree, or a file of another type
  kCorrupt,     // bytes that are not a whole, valid snapshot
  kVersion,     // a snapshot of a version this library does not read
  kIo,          // the operating system refused a file operation
  kExists,      // a file that was to be new is there already
  kNotFlushed,  // a file is whole and in place, but may be lost or undone if the machine fails now
};

// The code's name as in the enumeration, without the k: "Mismatch". Never empty.
std::string_view ErrorCodeName(ErrorCode code) noexcept;

struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;  // one line; names the value and the legal range
};

namespace internal {

// The end of a program that read a value that is not there: prints the error, and aborts.
[[noreturn]] void DieOfMissingValue(const Error& error) noexcept;
[[noreturn]] void DieOfMissingError() noexcept;

}  // namespace internal

// Either a T or an Error. Reading the one that is not there is a programmer's mistake: message,
// abort. Not thread-safe by itself, like any value.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & { return *checked(); }
  const T& value() const& { return *const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(*checked()); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return checked(); }
  const T* operator->() const { return const_cast<Result*>(this)->checked(); }

  const Error& error() const {
    if (ok()) internal::DieOfMissingError();
    return *std::get_if<1>(&state_);
  }

 private:
  T* checked() {
    if (!ok()) internal::DieOfMissingValue(*std::get_if<1>(&state_));
    return std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

// Success, or the reason for failure.
using Status = Result<std::monostate>;
inline Status Ok() { return std::monostate{}; }

}  // namespace trommel

#endif  // TROMMEL_RESULT_H_
