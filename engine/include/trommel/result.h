/// @file
/// Result and Status: a value, or the reason why there is none.
#ifndef TROMMEL_RESULT_H_
#define TROMMEL_RESULT_H_

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "trommel/export.h"

namespace trommel {

/// What kind of failure an Error reports.
enum class ErrorCode {
  kInvalidArgument,  ///< A number or name is outside its legal range.
  kOutOfMemory,      ///< More memory is needed than the limit allows or the system grants.
  kMismatch,  ///< Two filters differ in a field that must agree, or a file is of another type.
  kCorrupt,   ///< The bytes are not a complete, valid file.
  kVersion,   ///< The file has a format version that this library does not read.
  kIo,        ///< The operating system refused a file operation.
  kExists,    ///< A file that was to be new exists already.
  /// The file is complete and in place, but its folder could not be flushed: it may be lost or
  /// revert to the previous file if the machine fails now.
  kNotFlushed,
  kBusy,         ///< Something else is being done to it, which must end first.
  kUnsupported,  ///< Filters of this type do not have this operation.
};

/// Returns the code's name as in the enumeration, without the k: "Mismatch". Never empty.
TROMMEL_API std::string_view ErrorCodeName(ErrorCode code) noexcept;

/// Why a call failed.
struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;  ///< The kind of failure.
  std::string message;                           ///< One line; names the value and the legal range.
};

/// Not part of the interface.
namespace internal {

/// Prints the error and ends the program: a Result was read for a value that it does not have.
[[noreturn]] TROMMEL_API void DieOfMissingValue(const Error& error) noexcept;
/// Ends the program with a message: a Result was read for an error that it does not have.
[[noreturn]] TROMMEL_API void DieOfMissingError() noexcept;

}  // namespace internal

/// Either a T or an Error: the library reports bad data as a value, never as an exception.
///
/// Thread safety: as any value; concurrent const access is safe.
template <class T>
class [[nodiscard]] Result {
 public:
  /// A success. Implicit, so that functions can return a T.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  /// A failure. Implicit, so that functions can return an Error.
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  /// Returns whether there is a value.
  bool ok() const noexcept { return state_.index() == 0; }
  /// Returns whether there is a value.
  explicit operator bool() const noexcept { return ok(); }

  /// @name Access to the value
  /// Each requires ok(); otherwise the program ends with the error's message.
  /// @{
  T& value() & { return *checked(); }                                           ///< The value.
  const T& value() const& { return *const_cast<Result*>(this)->checked(); }     ///< The value.
  T&& value() && { return std::move(*checked()); }                              ///< The value.
  T& operator*() & { return value(); }                                          ///< The value.
  const T& operator*() const& { return value(); }                               ///< The value.
  T&& operator*() && { return std::move(*this).value(); }                       ///< The value.
  T* operator->() { return checked(); }                                         ///< The value.
  const T* operator->() const { return const_cast<Result*>(this)->checked(); }  ///< The value.
  /// @}

  /// Returns the error. Requires !ok().
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

/// Success, or the reason for failure.
using Status = Result<std::monostate>;
/// Returns success.
inline Status Ok() { return std::monostate{}; }

}  // namespace trommel

#endif  // TROMMEL_RESULT_H_
