#include "engine/python/src/record.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

namespace trommel::python {
namespace {

nb::object FieldsOf(nb::handle record) { return nb::getattr(record, "_fields", nb::none()); }

nb::object PlainValue(nb::handle value) {
  if (!FieldsOf(value).is_none()) return RecordDict(value);
  if (!nb::isinstance<nb::list>(value)) return nb::borrow(value);
  nb::list plain;
  for (nb::handle item : value) plain.append(PlainValue(item));
  return plain;
}

}  // namespace

nb::str RecordText(nb::handle record) {
  std::string text = nb::cast<std::string>(record.type().attr("__name__")) + "(";
  const char* separator = "";
  for (nb::handle name : FieldsOf(record)) {
    text += separator + nb::cast<std::string>(name) + "=" + nb::repr(record.attr(name)).c_str();
    separator = ", ";
  }
  return nb::str((text + ")").c_str());
}

nb::dict RecordDict(nb::handle record) {
  nb::dict dict;
  for (nb::handle name : FieldsOf(record)) dict[name] = PlainValue(record.attr(name));
  return dict;
}

bool RecordsEqual(nb::handle a, nb::handle b) {
  return a.type().is(b.type()) && RecordDict(a).equal(RecordDict(b));
}

}  // namespace trommel::python
