// LayeredFilter.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "engine/python/src/argument.h"
#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/file_members.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/key_members.h"
#include "engine/python/src/module.h"
#include "engine/python/src/properties.h"
#include "engine/python/src/without_gil.h"
#include "trommel/layered_filter.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

using Layered = Guarded<LayeredFilter>;

void Create(Layered* self, Argument capacity, Argument target_fpr, Argument first_fpr,
            Argument first_query_bytes, Argument encoding, Argument num_slices, Argument digest,
            Argument seed, Argument digest_key, Argument memory_limit_bytes,
            Argument side_memory_limit_bytes, Argument executor) {
  LayeredConfig config;
  config.capacity = CountOf(capacity, "capacity");
  config.target_fpr = RateOf(target_fpr, "target_fpr");
  config.first_fpr = RateOf(first_fpr, "first_fpr");
  config.first_query_bytes = CountOf(first_query_bytes, "first_query_bytes");
  config.encoding = EncodingOf(encoding);
  config.num_slices = Count32Of(num_slices, "num_slices");
  config.digest = DigestPolicyOf(digest, seed, digest_key);
  config.memory_limit_bytes = CountOf(memory_limit_bytes, "memory_limit_bytes");
  config.side_memory_limit_bytes = CountOf(side_memory_limit_bytes, "side_memory_limit_bytes");
  config.executor = ExecutorOf(executor);
  const WithoutGil without_gil;
  new (self) Layered(Unwrap(LayeredFilter::Create(config)));
}

}  // namespace

void BindLayered(nb::module_& module) {
  nb::class_<Layered> bound(module, "LayeredFilter", nb::type_slots(key_slots<LayeredFilter>),
                            nb::is_weak_referenceable(),
                            "A large counting filter behind a small one that fits a cache.\n\n"
                            "For filters beyond the caches that mostly answer False. Answers are "
                            "those of the large one.");
  bound.def(
      "__init__", Create, nb::arg("capacity"), nb::arg("target_fpr") = 0.01, nb::kw_only(),
      nb::arg("first_fpr") = 0.2, nb::arg("first_query_bytes") = 0, nb::arg("encoding") = "runs",
      nb::arg("num_slices") = 0, nb::arg("digest") = "xxh3", nb::arg("seed") = 0,
      nb::arg("digest_key") = nb::none(), nb::arg("memory_limit_bytes") = 0,
      nb::arg("side_memory_limit_bytes") = 0, nb::arg("executor") = nb::none(),
      nb::sig("def __init__(self, capacity: int, target_fpr: float = 0.01, *, first_fpr: float "
              "= 0.2, first_query_bytes: int = 0, encoding: trommel.typing.Encoding = 'runs', "
              "num_slices: int = 0, digest: trommel.typing.Digest = 'xxh3', seed: int = 0, "
              "digest_key: bytes | None = None, memory_limit_bytes: int = 0, "
              "side_memory_limit_bytes: int = 0, executor: Executor | None = None) -> None"),
      "An empty filter for so many distinct keys.\n\n"
      "first_fpr: the largest share of non-members that the first layer passes.\n"
      "first_query_bytes: instead, the bytes of a cache that its queries may spread over.\n"
      "The others are as in CountingFilter.");
  DefineQueries<LayeredFilter>(bound);
  DefineUpdates<LayeredFilter>(bound);
  DefineFiles<LayeredFilter>(bound);
  DefineObject<LayeredFilter>(bound);
  DefineClear<LayeredFilter>(bound);
  DefineUseExecutor<LayeredFilter>(bound);
  DefineMerge<LayeredFilter>(bound, "Adds the other filter's counts. Both must have one geometry.");
  DefineSubtract<LayeredFilter>(bound);
  DefineConfigured<LayeredFilter>(bound);
  DefineProperty<&LayeredFilter::capacity, LayeredFilter>(bound, "capacity",
                                                          "Distinct keys, as configured.");
}

}  // namespace trommel::python
