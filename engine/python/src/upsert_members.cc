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

namespace nb = nanobind;

namespace trommel::python {

std::vector<uint32_t> CallExist(nb::handle exist, std::span<const uint32_t> asked) {
  const NewArray<uint32_t> indices = NewUint32(asked.size());
  std::ranges::copy(asked, indices.values.begin());
  nb::object told = exist(indices.array);
  if (nb::hasattr(told, "dtype") && nb::hasattr(told, "tolist")) {
    const nb::object kind = nb::getattr(told.attr("dtype"), "kind", nb::none());
    if (PyUnicode_Check(kind.ptr()) && nb::cast<std::string_view>(kind) == "b") {
      ThrowTypeError(
          "exist must return indices; got an array of bool: return asked[array], the indices of "
          "the keys that exist");
    }
    told = told.attr("tolist")();
  }
  const nb::object items = nb::steal(PyObject_GetIter(told.ptr()));
  if (!items.is_valid()) {
    PyErr_Clear();
    ThrowTypeError("exist must return a list or an array of indices; got " + TypeName(told));
  }
  std::vector<uint32_t> existing;
  for (nb::handle item : nb::iter(items)) {
    const uint32_t index = Count32Of(item, "an index that exist returns");
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
