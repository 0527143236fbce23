#include "engine/python/src/upsert_members.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/python/src/answers.h"
#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/keys.h"
#include "engine/python/src/without_gil.h"

namespace nb = nanobind;

namespace trommel::python {

std::vector<uint32_t> CallExist(nb::handle exist, std::span<const uint32_t> asked) {
  const NewArray<uint32_t> indices = NewUint32(asked.size());
  std::ranges::copy(asked, indices.values.begin());
  nb::object told = OrSleep([&] { return exist(indices.array); });
  if (nb::hasattr(told, "dtype") && nb::hasattr(told, "tolist")) {
    const nb::object kind = nb::getattr(told.attr("dtype"), "kind", nb::none());
    if (PyUnicode_Check(kind.ptr()) && nb::cast<std::string_view>(kind) == "b") {
      ThrowTypeError(
          "exist must return indices; got an array of bool: return asked[array], the indices of "
          "the keys that exist");
    }
    told = OrSleep([&] { return told.attr("tolist")(); });
  }
  const nb::object iterator = nb::steal(OrSleep([&] { return PyObject_GetIter(told.ptr()); }));
  if (!iterator.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
    ThrowTypeError("exist must return a list or an array of indices; got " + TypeName(told));
  }
  const nb::object items = nb::steal(OrSleep([&] { return PySequence_Tuple(iterator.ptr()); }));
  if (!items.is_valid()) throw nb::python_error();
  std::vector<uint32_t> existing;
  for (Py_ssize_t i = 0; i < PyTuple_Size(items.ptr()); ++i) {
    const nb::handle item = PyTuple_GetItem(items.ptr(), i);
    const uint32_t index = OrSleep([&] { return Count32Of(item, "an index that exist returns"); });
    if (!std::ranges::binary_search(asked, index)) {
      ThrowValueError("exist returned " + std::to_string(index) +
                      ", which is not in asked; it must return indices of the batch, not "
                      "positions in asked");
    }
    existing.push_back(index);
  }
  return existing;
}

}  // namespace trommel::python
