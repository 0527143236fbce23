// What the module is bound from: one function per source, in the order in which classes need each
// other.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_MODULE_H_
#define TROMMEL_ENGINE_PYTHON_SRC_MODULE_H_

#include <nanobind/nanobind.h>

namespace trommel::python {

void BindKeys(nanobind::module_& module);      // Digests, Int32, Executor, versions and targets
void BindRecords(nanobind::module_& module);   // outcomes and statistics
void BindSizing(nanobind::module_& module);    // Geometry, Sizing, size_for
void BindCounting(nanobind::module_& module);  // CountingFilter, ConcurrentFilter
void BindScalable(nanobind::module_& module);
void BindWindow(nanobind::module_& module);
void BindColumnMap(nanobind::module_& module);
void BindAttributes(nanobind::module_& module);
void BindAnyFilter(nanobind::module_& module);  // load, from_bytes

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_MODULE_H_
