// Argument: an argument of a bound function as Python passed it, None included. What it must be is
// checked by the function (arguments.h, keys.h), whose messages name the argument and what is
// legal; nanobind's own conversions would only say that the arguments are incompatible.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_ARGUMENT_H_
#define TROMMEL_ENGINE_PYTHON_SRC_ARGUMENT_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <type_traits>

namespace trommel::python {

class Argument : public nanobind::handle {
 public:
  Argument() = default;
  Argument(nanobind::handle object)
      : nanobind::handle(object) {}  // NOLINT(google-explicit-constructor)
};

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

#endif  // TROMMEL_ENGINE_PYTHON_SRC_ARGUMENT_H_
