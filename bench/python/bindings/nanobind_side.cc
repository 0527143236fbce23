// The module of compare.py, bound by nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>

#include "bench/python/bindings/subject.h"

namespace nb = nanobind;
using Array = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

NB_MODULE(nanobind_side, module) {
  nb::class_<Subject>(module, "Subject")
      .def(nb::init<uint64_t>(), nb::arg("seed") = 0)
      .def("has", &Subject::Has)
      .def("count",
           [](const Subject& self, const Array& keys) {
             const std::span<const uint64_t> view(keys.data(), keys.shape(0));
             const nb::gil_scoped_release release;
             return self.Count(view);
           })
      .def_prop_ro("seed", &Subject::seed);
}
