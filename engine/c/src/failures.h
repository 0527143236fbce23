// How calls fail: checks throw a Failure, and Guarded, around the body of every function of the
// ABI, makes a code and a message of it. No exception leaves the library.
#ifndef TROMMEL_ENGINE_C_SRC_FAILURES_H_
#define TROMMEL_ENGINE_C_SRC_FAILURES_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "trommel/c.h"
#include "trommel/result.h"

namespace trommel::c_abi {

struct Failure {
  trommel_code code = TROMMEL_INTERNAL;
  std::string message;
};

[[noreturn]] void Throw(trommel_code code, std::string message);
[[noreturn]] inline void ThrowInvalid(std::string message) {
  Throw(TROMMEL_INVALID_ARGUMENT, std::move(message));
}
[[noreturn]] void Throw(const Error& error);

template <class T>
T ValueOf(Result<T> result) {
  if (!result.ok()) Throw(result.error());
  return std::move(result).value();
}

// "config is NULL".
template <class T>
T& Required(T* pointer, std::string_view name) {
  if (pointer == nullptr) ThrowInvalid(std::string(name) + " is NULL");
  return *pointer;
}

// Writes to `error`, if there is one, and returns the code.
trommel_code Report(trommel_error* error, trommel_code code, std::string_view message) noexcept;

// Calls body() and returns what became of it.
template <class Body>
trommel_code Guarded(trommel_error* error, const Body& body) noexcept try {
  body();
  return TROMMEL_OK;
} catch (const Failure& failure) {
  return Report(error, failure.code, failure.message);
} catch (const std::bad_alloc&) {
  return Report(error, TROMMEL_OUT_OF_MEMORY, "the system refused memory");
} catch (const std::exception& unexpected) {
  return Report(error, TROMMEL_INTERNAL, unexpected.what());
} catch (...) {
  return Report(error, TROMMEL_INTERNAL, "an unknown error");
}

// Calls answer(), a bool, and returns 1 or 0, or the code of what it threw, times -1.
template <class Body>
int32_t GuardedAnswer(trommel_error* error, const Body& answer) noexcept {
  int32_t is_yes = 0;
  const trommel_code code = Guarded(error, [&] { is_yes = answer() ? 1 : 0; });
  return code == TROMMEL_OK ? is_yes : -code;
}

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_FAILURES_H_
