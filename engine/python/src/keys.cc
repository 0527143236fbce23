#include "engine/python/src/keys.h"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/python/src/errors.h"
#include "trommel/digest.h"
#include "trommel/keys.h"

namespace nb = nanobind;

namespace trommel::python {

std::string TypeName(nb::handle object) { return nb::inst_name(object).c_str(); }

std::string Shown(nb::handle object) { return nb::repr(object).c_str(); }

// Returns the integer of an int, modulo 2^64. Throws beyond int64 and uint64.
uint64_t IntegerOf(nb::handle object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return static_cast<uint64_t>(value);
  }
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
    if (PyErr_Occurred() == nullptr) return large;
    PyErr_Clear();
  }
  ThrowValueError("an integer key must be between -2^63 and 2^64 - 1; got " + Shown(object));
}

std::string_view TextOf(nb::handle object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) throw nb::python_error();  // a lone surrogate
  return {text, static_cast<size_t>(size)};
}
std::string_view BytesOf(nb::handle object) {
  return {PyBytes_AsString(object.ptr()), static_cast<size_t>(PyBytes_Size(object.ptr()))};
}

// A scalar of NumPy, or of another type that says it is an integer. Arrays say so, too, but have a
// length.
bool IsIndexScalar(nb::handle object) {
  PyTypeObject* type = Py_TYPE(object.ptr());
  return PyIndex_Check(object.ptr()) != 0 && PyType_GetSlot(type, Py_mp_length) == nullptr &&
         PyType_GetSlot(type, Py_sq_length) == nullptr;
}

void ThrowNotAKey(nb::handle object, const std::string& place) {
  ThrowTypeError("a key must be an int, a str or bytes; got " + TypeName(object) + place);
}

std::optional<Key> OneKey(nb::handle object) {
  if (PyUnicode_Check(object.ptr())) return Key(TextOf(object));
  if (PyLong_Check(object.ptr())) {
    if (PyBool_Check(object.ptr())) ThrowNotAKey(object, "");
    return Key(IntegerOf(object));
  }
  if (PyBytes_Check(object.ptr())) return Key(BytesOf(object));
  if (PyByteArray_Check(object.ptr()) || PyMemoryView_Check(object.ptr())) {
    ThrowTypeError(TypeName(object) +
                   " is ambiguous: pass bytes(x) for one key, numpy.asarray(x) for integers");
  }
  if (!IsIndexScalar(object)) return std::nullopt;
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  return Key(IntegerOf(index));
}

Key RequireOneKey(nb::handle object, const char* advice) {
  const std::optional<Key> key = OneKey(object);
  if (!key) ThrowNotAKey(object, advice);
  return *key;
}

void CheckHashable(const DigestPolicy& policy, KeyKind kind) {
  if (kind == KeyKind::kDigests || policy.can_hash()) return;
  if (policy.kind == DigestKind::kCaller) {
    ThrowTypeError("a filter with digest=\"caller\" takes Digests(array) only");
  }
  ThrowValueError(
      "the filter's keys are hashed under a secret key, which files do not hold: load it with "
      "digest_key=..., or pass Digests(array)");
}

}  // namespace trommel::python
