// ScalableFilter.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>

#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/file_members.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/key_members.h"
#include "engine/python/src/module.h"
#include "engine/python/src/properties.h"
#include "engine/python/src/upsert_members.h"
#include "engine/python/src/without_gil.h"
#include "trommel/scalable_filter.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

using Scalable = Guarded<ScalableFilter>;

void Create(Scalable* self, Argument first_capacity, Argument target_fpr, Argument max_capacity,
            Argument digest, Argument seed, Argument digest_key, Argument memory_limit_bytes,
            Argument side_memory_limit_bytes, Argument executor) {
  ScalableConfig config;
  config.first_capacity = CountOf(first_capacity, "first_capacity");
  config.target_fpr = RateOf(target_fpr, "target_fpr");
  config.max_capacity = CountOf(max_capacity, "max_capacity");
  config.digest = DigestPolicyOf(digest, seed, digest_key);
  config.memory_limit_bytes = CountOf(memory_limit_bytes, "memory_limit_bytes");
  config.side_memory_limit_bytes = CountOf(side_memory_limit_bytes, "side_memory_limit_bytes");
  config.executor = ExecutorOf(executor);
  const WithoutGil without_gil;
  new (self) Scalable(Unwrap(ScalableFilter::Create(config)));
}

}  // namespace

void BindScalable(nb::module_& module) {
  nb::class_<Scalable> bound(
      module, "ScalableFilter", nb::type_slots(key_slots<ScalableFilter>),
      nb::is_weak_referenceable(),
      "A counting filter that grows with its keys, and shrinks when they are erased.\n\n"
      "Threads may use it at the same time, also while it grows: queries never wait.");
  bound.def(
      "__init__", Create, nb::arg("first_capacity") = 0, nb::arg("target_fpr") = 0.01,
      nb::kw_only(), nb::arg("max_capacity") = 0, nb::arg("digest") = "xxh3", nb::arg("seed") = 0,
      nb::arg("digest_key") = nb::none(), nb::arg("memory_limit_bytes") = 0,
      nb::arg("side_memory_limit_bytes") = 0, nb::arg("executor") = nb::none(),
      nb::sig(
          "def __init__(self, first_capacity: int = 0, target_fpr: float = 0.01, *, "
          "max_capacity: int = 0, digest: "
          "trommel_filters.typing.Digest = 'xxh3', seed: int = 0, digest_key: bytes | None = None, "
          "memory_limit_bytes: int = 0, side_memory_limit_bytes: int = 0, executor: Executor | "
          "None = None) -> None"),
      "An empty filter.\n\n"
      "first_capacity: distinct keys that it holds before it grows for the first time; 0: the\n"
      "    least.\n"
      "target_fpr: false-positive rate of the whole filter, at every size.\n"
      "max_capacity: distinct keys that it must be able to hold; 0: 10^9, or first_capacity.\n"
      "side_memory_limit_bytes: reserves this for further copies of keys and for keys that full\n"
      "    blocks have no place for, and refuses keys beyond it.\n"
      "The others are as in CountingFilter, and in the C++ header scalable_filter.h.");
  DefineQueries<ScalableFilter>(bound);
  DefineUpdates<ScalableFilter>(bound);
  DefineUpsert<ScalableFilter>(bound);
  DefineFiles<ScalableFilter>(bound);
  DefineObject<ScalableFilter>(bound);
  DefineClear<ScalableFilter>(bound);
  DefineUseExecutor<ScalableFilter>(bound);
  DefineMerge<ScalableFilter>(
      bound,
      "Adds the other filter's keys. Both must have one target_fpr, one max_capacity and one "
      "digest.");
  DefineConfigured<ScalableFilter>(bound);
  DefineLimitSideMemory<ScalableFilter>(bound);
  DefineProperty<&ScalableFilter::first_capacity, ScalableFilter>(
      bound, "first_capacity", "Distinct keys before it grows for the first time.");
  DefineMeasure<&ScalableFilter::largest_capacity, ScalableFilter>(
      bound, "largest_capacity",
      "Returns how many distinct keys it takes while it keeps its rate.");
}

}  // namespace trommel::python
