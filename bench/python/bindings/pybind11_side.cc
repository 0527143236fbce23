// The module of compare.py, bound by pybind11.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>

#include "bench/python/bindings/subject.h"

namespace py = pybind11;
using Array = py::array_t<uint64_t, py::array::c_style>;

PYBIND11_MODULE(pybind11_side, module) {
  py::class_<Subject>(module, "Subject")
      .def(py::init<uint64_t>(), py::arg("seed") = 0)
      .def("has", &Subject::Has)
      .def("count",
           [](const Subject& self, const Array& keys) {
             const std::span<const uint64_t> view(keys.data(), static_cast<size_t>(keys.size()));
             const py::gil_scoped_release release;
             return self.Count(view);
           })
      .def_property_readonly("seed", &Subject::seed);
}
