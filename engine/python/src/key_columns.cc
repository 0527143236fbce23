#include "engine/python/src/key_columns.h"

#include <nanobind/nanobind.h>

#include "engine/python/src/arrow.h"
#include "engine/python/src/keys.h"

namespace nb = nanobind;

namespace trommel::python {

nb::object Dtype(nb::handle object) {
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  return nb::hasattr(dtype, "kind") ? dtype : nb::none();
}

bool IsColumn(nb::handle object) {
  if (IsIndexScalar(object) || PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
    return false;
  }
  if (!nb::hasattr(object, "__len__")) return false;
  return !Dtype(object).is_none() || ArrowColumn::IsArrow(object);
}

nb::object ColumnsOfTable(nb::handle object) {
  for (const char* member : {"column_names", "columns"}) {
    if (!nb::hasattr(object, member) || !nb::hasattr(object, "__getitem__")) continue;
    nb::list columns;
    for (nb::handle name : nb::iter(nb::object(object.attr(member)))) columns.append(object[name]);
    return columns;
  }
  return nb::none();
}

}  // namespace trommel::python
