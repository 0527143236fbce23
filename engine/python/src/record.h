// Records: read-only objects with named fields, made of the library's plain structs. They compare
// by their fields, print themselves and become dicts.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_RECORD_H_
#define TROMMEL_ENGINE_PYTHON_SRC_RECORD_H_

#include <nanobind/nanobind.h>

namespace trommel::python {

// "Name(a=1, b=2)", and {"a": 1, "b": 2}, of an object whose class has _fields.
nanobind::str RecordText(nanobind::handle record);
nanobind::dict RecordDict(nanobind::handle record);
bool RecordsEqual(nanobind::handle a, nanobind::handle b);

template <class T>
class Record : public nanobind::class_<T> {
 public:
  Record(nanobind::module_& module, const char* name, const char* doc)
      : nanobind::class_<T>(module, name, doc) {
    this->def("__repr__", [](nanobind::handle self) { return RecordText(self); });
    this->def(
        "as_dict", [](nanobind::handle self) { return RecordDict(self); },
        nanobind::sig("def as_dict(self) -> dict[str, typing.Any]"),
        "The fields by name; records within it are dicts, too.");
    this->def(
        "__eq__",
        [](nanobind::handle self, nanobind::handle other) { return RecordsEqual(self, other); },
        nanobind::sig("def __eq__(self, other: object, /) -> bool"));
    this->attr("__hash__") = nanobind::none();
    this->attr("_fields") = nanobind::make_tuple();
  }

  // A member, or a function of the struct, as a field.
  template <class Get>
  Record& Field(const char* name, Get get, const char* doc) {
    if constexpr (std::is_member_object_pointer_v<Get>) {
      this->def_ro(name, get, doc);
    } else {
      this->def_prop_ro(name, get, doc);
    }
    this->attr("_fields") = this->attr("_fields") + nanobind::make_tuple(name);
    return *this;
  }
};

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_RECORD_H_
