// Properties and statistics by the name of a member function.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_PROPERTIES_H_
#define TROMMEL_ENGINE_PYTHON_SRC_PROPERTIES_H_

#include <nanobind/nanobind.h>

#include "engine/python/src/guarded.h"

namespace trommel::python {

// A property that returns what the const member returns.
template <auto kMember, class T, class Class>
void DefineProperty(Class& bound, const char* name, const char* doc) {
  bound.def_prop_ro(
      name,
      [](const Guarded<T>& self) {
        return self.QueryOne([](const T& filter) { return (filter.*kMember)(); });
      },
      doc);
}

// A function without arguments that returns what the const member returns, for what takes longer.
template <auto kMember, class T, class Class>
void DefineMeasure(Class& bound, const char* name, const char* doc) {
  bound.def(
      name,
      [](const Guarded<T>& self) {
        return self.Query([](const T& filter) { return (filter.*kMember)(); });
      },
      doc);
}

// len(filter).
template <auto kMember, class T, class Class>
void DefineSize(Class& bound) {
  bound.def(
      "__len__",
      [](const Guarded<T>& self) {
        return self.QueryOne([](const T& filter) { return (filter.*kMember)(); });
      },
      nanobind::sig("def __len__(self) -> int"), "Insertions less erasures; duplicates count.");
}

// What every filter of keys has.
template <class T, class Class>
void DefineConfigured(Class& bound) {
  DefineSize<&T::num_keys, T>(bound);
  DefineProperty<&T::target_fpr, T>(bound, "target_fpr", "The false-positive rate, as configured.");
  DefineMeasure<&T::GetStats, T>(
      bound, "stats", "Returns statistics that are kept as running figures: no pass over memory.");
}

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_PROPERTIES_H_
