// Arguments that are not keys: numbers, names, digest policies, paths, bytes. Each function throws
// a Failure that names the argument, its value and what is legal.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_ARGUMENTS_H_
#define TROMMEL_ENGINE_PYTHON_SRC_ARGUMENTS_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/sizing.h"
#include "trommel/window_filter.h"

namespace trommel::python {

// Argument: an argument of a bound function as Python passed it, None included. What it must be is
// checked by the function (arguments.h, keys.h), whose messages name the argument and what is
// legal; nanobind's own conversions would only say that the arguments are incompatible.

class Argument : public nanobind::handle {
 public:
  Argument() = default;
  Argument(nanobind::handle object)
      : nanobind::handle(object) {}  // NOLINT(google-explicit-constructor)
};

// Returns an integer of 0 to `largest`.
uint64_t CountOf(nanobind::handle object, std::string_view name, uint64_t largest = UINT64_MAX);
uint32_t Count32Of(nanobind::handle object, std::string_view name);
// Returns a number. NaN passes: the library refuses it by name where it has no meaning.
double RateOf(nanobind::handle object, std::string_view name);
bool FlagOf(nanobind::handle object, std::string_view name);

Encoding EncodingOf(nanobind::handle name);
// Returns kMemory for None. Throws where an encoding that is given would leave nothing to prefer.
Preference PreferenceOf(nanobind::handle name, Encoding encoding);

// Returns the key of 16 bytes, or none for None.
DigestKey DigestKeyOf(nanobind::handle object);
// digest: "xxh64", "xxh3", "caller" or "siphash", which takes a key and no seed.
DigestPolicy DigestPolicyOf(nanobind::handle digest, nanobind::handle seed,
                            nanobind::handle digest_key);

// What trommel_filters.Executor holds.
struct PythonExecutor {
  std::shared_ptr<Executor> executor;
};
// Returns the executor of a trommel_filters.Executor, or null for None.
std::shared_ptr<Executor> ExecutorOf(nanobind::handle object);

// Returns the path of a str, bytes or os.PathLike.
std::filesystem::path PathOf(nanobind::handle object);

// The bytes of an object with the buffer protocol, while this lives. Made and destroyed with the
// GIL.
class BytesView {
 public:
  explicit BytesView(nanobind::handle object, std::string_view name = "data");
  BytesView(const BytesView&) = delete;
  BytesView& operator=(const BytesView&) = delete;
  ~BytesView() { PyBuffer_Release(&buffer_); }

  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(buffer_.buf), static_cast<size_t>(buffer_.len)};
  }

 private:
  Py_buffer buffer_{};
};
nanobind::bytes BytesFrom(const std::vector<std::byte>& bytes);

}  // namespace trommel::python

namespace nanobind::detail {

template <>
struct has_arg_defaults<trommel::python::Argument> : std::true_type {};  // takes None

template <>
struct type_caster<trommel::python::Argument> {
  NB_TYPE_CASTER(trommel::python::Argument, const_name("object"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    value = source;
    return true;
  }
};

}  // namespace nanobind::detail

#endif  // TROMMEL_ENGINE_PYTHON_SRC_ARGUMENTS_H_
