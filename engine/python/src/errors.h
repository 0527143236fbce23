// Failures on their way to Python: a C++ exception that carries an Error, and the classes of
// trommel_filters.errors that it becomes. Not here: what checks arguments (arguments.h, keys.h).
#ifndef TROMMEL_ENGINE_PYTHON_SRC_ERRORS_H_
#define TROMMEL_ENGINE_PYTHON_SRC_ERRORS_H_

#include <exception>
#include <string>
#include <utility>

#include "trommel/result.h"

namespace trommel::python {

// Which class of trommel_filters.errors a failure becomes.
enum class FailureKind {
  kLibrary,  // by its ErrorCode
  kType,     // KeyTypeError: an argument of a type that is not taken
  kClosed,   // ClosedError: the filter was closed or given away
};

// Thrown in any thread, with the GIL or without; becomes a Python exception when it leaves C++.
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)) {}
  Failure(FailureKind kind, std::string message)
      : kind_(kind), error_{ErrorCode::kInvalidArgument, std::move(message)} {}

  const char* what() const noexcept override { return error_.message.c_str(); }
  FailureKind kind() const noexcept { return kind_; }
  const Error& error() const noexcept { return error_; }

 private:
  FailureKind kind_ = FailureKind::kLibrary;
  Error error_;
};

[[noreturn]] inline void ThrowValueError(std::string message) {
  throw Failure(Error{ErrorCode::kInvalidArgument, std::move(message)});
}
[[noreturn]] inline void ThrowTypeError(std::string message) {
  throw Failure(FailureKind::kType, std::move(message));
}

// Returns the value, or throws the error.
template <class T>
T Unwrap(Result<T>&& result) {
  if (!result.ok()) throw Failure(result.error());
  return std::move(result).value();
}
inline void Check(const Status& status) {
  if (!status.ok()) throw Failure(status.error());
}

// Makes Failure a Python exception wherever nanobind calls C++.
void RegisterErrors();
// Sets the Python exception of a Failure, for functions that CPython calls directly.
void SetPythonError(const Failure& failure);

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_ERRORS_H_
