#include "engine/python/src/arguments.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/python/src/errors.h"
#include "engine/python/src/keys.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/sizing.h"
#include "trommel/window_filter.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

// Returns the value that has this name, of an argument whose names are listed.
template <class T, size_t kSize>
T NamedValue(nb::handle object, std::string_view argument,
             const std::array<std::pair<std::string_view, T>, kSize>& names) {
  std::string legal;
  for (const auto& [name, value] : names) {
    if (PyUnicode_Check(object.ptr()) && TextOf(object) == name) return value;
    legal += (legal.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  ThrowValueError(std::string(argument) + " must be one of " + legal + "; got " + Shown(object));
}

constexpr std::array<std::pair<std::string_view, Preference>, 4> kPreferences = {{
    {"memory", Preference::kMemory},
    {"speed", Preference::kSpeed},
    {"headroom", Preference::kHeadroom},
    {"parquet", Preference::kParquet},
}};

// The names of values whose own function names them.
template <class T, size_t kSize, class Name>
T SelfNamed(nb::handle object, std::string_view argument, const std::array<T, kSize>& values,
            Name name) {
  std::array<std::pair<std::string_view, T>, kSize> names;
  for (size_t i = 0; i < kSize; ++i) names[i] = {name(values[i]), values[i]};
  return NamedValue(object, argument, names);
}

}  // namespace

uint64_t CountOf(nb::handle object, std::string_view name, uint64_t largest) {
  if (PyBool_Check(object.ptr()) || PyIndex_Check(object.ptr()) == 0) {
    ThrowTypeError(std::string(name) + " must be an integer; got " + TypeName(object));
  }
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const unsigned long long value = PyLong_AsUnsignedLongLong(index.ptr());
  const bool is_out = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (is_out || value > largest) {
    ThrowValueError(std::string(name) + " must be between 0 and " + std::to_string(largest) +
                    "; got " + Shown(index));
  }
  return value;
}

uint32_t Count32Of(nb::handle object, std::string_view name) {
  return static_cast<uint32_t>(CountOf(object, name, UINT32_MAX));
}

double RateOf(nb::handle object, std::string_view name) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    ThrowTypeError(std::string(name) + " must be a number; got " + TypeName(object));
  }
  return value;
}

bool FlagOf(nb::handle object, std::string_view name) {
  if (PyBool_Check(object.ptr())) return object.ptr() == Py_True;
  ThrowTypeError(std::string(name) + " must be True or False; got " + TypeName(object));
}

Encoding EncodingOf(nb::handle name) {
  return SelfNamed(name, "encoding",
                   std::array{Encoding::kRuns, Encoding::kPlanes, Encoding::kFingerprints16,
                              Encoding::kDense, Encoding::kAutomatic},
                   EncodingName);
}
Preference PreferenceOf(nb::handle name, Encoding encoding) {
  if (name.is_none()) return Preference::kMemory;
  const Preference preference = NamedValue(name, "preference", kPreferences);
  if (encoding != Encoding::kAutomatic) {
    ThrowValueError("preference chooses the encoding, which is given as \"" +
                    std::string(EncodingName(encoding)) + "\": pass encoding=\"automatic\"");
  }
  return preference;
}

DigestKey DigestKeyOf(nb::handle object) {
  if (object.is_none()) return {};
  if (!PyBytes_Check(object.ptr())) {
    ThrowTypeError("digest_key must be bytes or None; got " + TypeName(object));
  }
  const size_t size = static_cast<size_t>(PyBytes_Size(object.ptr()));
  if (size != DigestKey::kNumBytes) {
    ThrowValueError("digest_key must have 16 bytes, as os.urandom(16) returns; got " +
                    std::to_string(size));
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(PyBytes_AsString(object.ptr()));
  return DigestKey(std::span<const std::byte, DigestKey::kNumBytes>(bytes, DigestKey::kNumBytes));
}

DigestPolicy DigestPolicyOf(nb::handle digest, nb::handle seed, nb::handle digest_key) {
  const DigestKind kind = SelfNamed(
      digest, "digest",
      std::array{DigestKind::kXxh3, DigestKind::kXxh64, DigestKind::kSipHash, DigestKind::kCaller},
      DigestKindName);
  const uint64_t seed_value = CountOf(seed, "seed");
  const DigestKey key = DigestKeyOf(digest_key);
  if (kind == DigestKind::kSipHash) {
    if (!key.is_given()) ThrowValueError("digest=\"siphash\" needs digest_key, os.urandom(16)");
    if (seed_value != 0) ThrowValueError("digest=\"siphash\" takes a digest_key and no seed");
    return DigestPolicy::Keyed(key);
  }
  if (key.is_given()) ThrowValueError("digest_key is for digest=\"siphash\" only");
  DigestPolicy policy;
  policy.kind = kind;
  policy.seed = seed_value;
  return policy;
}

std::shared_ptr<Executor> ExecutorOf(nb::handle object) {
  if (object.is_none()) return nullptr;
  if (!nb::isinstance<PythonExecutor>(object)) {
    ThrowTypeError("executor must be a trommel_filters.Executor or None; got " + TypeName(object));
  }
  return nb::cast<PythonExecutor&>(object).executor;
}

std::filesystem::path PathOf(nb::handle object) {
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(object.ptr(), &encoded) == 0) throw nb::python_error();
  const nb::object owner = nb::steal(encoded);
  return {std::string(PyBytes_AsString(encoded), static_cast<size_t>(PyBytes_Size(encoded)))};
}

BytesView::BytesView(nb::handle object, std::string_view name) {
  if (PyUnicode_Check(object.ptr()) ||
      PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    ThrowTypeError(std::string(name) + " must be bytes, or an object with contiguous bytes; got " +
                   TypeName(object));
  }
}

nb::bytes BytesFrom(const std::vector<std::byte>& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace trommel::python
