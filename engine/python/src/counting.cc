// CountingFilter and ConcurrentFilter.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/file_members.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/key_members.h"
#include "engine/python/src/module.h"
#include "engine/python/src/properties.h"
#include "engine/python/src/upsert_members.h"
#include "engine/python/src/without_gil.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/estimates.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

using Counting = Guarded<CountingFilter>;
using Concurrent = Guarded<ConcurrentFilter>;

template <class T>
void Create(Guarded<T>* self, Argument capacity, Argument target_fpr, Argument encoding,
            Argument preference, Argument num_slices, Argument power_of_two_blocks, Argument digest,
            Argument seed, Argument digest_key, Argument memory_limit_bytes,
            Argument side_memory_limit_bytes, Argument executor) {
  CountingConfig config;
  config.capacity = CountOf(capacity, "capacity");
  config.target_fpr = RateOf(target_fpr, "target_fpr");
  config.encoding = EncodingOf(encoding);
  config.preference = PreferenceOf(preference, config.encoding);
  config.num_slices = Count32Of(num_slices, "num_slices");
  config.power_of_two_blocks = FlagOf(power_of_two_blocks, "power_of_two_blocks");
  config.digest = DigestPolicyOf(digest, seed, digest_key);
  config.memory_limit_bytes = CountOf(memory_limit_bytes, "memory_limit_bytes");
  config.side_memory_limit_bytes = CountOf(side_memory_limit_bytes, "side_memory_limit_bytes");
  config.executor = ExecutorOf(executor);
  const WithoutGil without_gil;
  new (self) Guarded<T>(Unwrap(T::Create(config)));
}

constexpr const char* kCreateSignature =
    "def __init__(self, capacity: int, target_fpr: float = 0.01, *, encoding: "
    "trommel_filters.typing.Encoding = 'runs', preference: trommel_filters.typing.Preference = "
    "'memory', "
    "num_slices: int = 0, power_of_two_blocks: bool = False, digest: trommel_filters.typing.Digest "
    "= "
    "'xxh3', seed: int = 0, digest_key: bytes | None = None, memory_limit_bytes: int = 0, "
    "side_memory_limit_bytes: int = 0, executor: Executor | None = None) -> None";
constexpr const char* kCreateDoc =
    "An empty filter for so many distinct keys.\n\n"
    "capacity: distinct keys to size for; more may be inserted, and the rate then grows.\n"
    "target_fpr: false-positive rate at capacity, 1e-6 to 0.5.\n"
    "encoding: how blocks hold keys; 'automatic' chooses by the preference.\n"
    "preference: 'memory' (the default), 'speed', 'headroom' for more keys than the capacity, or\n"
    "    'parquet' for blocks that Parquet reads.\n"
    "num_slices: bits per key in a block, of 'planes' and 'runs'; 0: sizing chooses.\n"
    "power_of_two_blocks: rounds the blocks up to a power of two, so that fold can halve them\n"
    "    again and again.\n"
    "digest: how keys are hashed; 'siphash', under a digest_key of 16 secret random bytes, is\n"
    "    for keys that an attacker may choose.\n"
    "memory_limit_bytes: the most bytes; 0: the machine's memory.\n"
    "side_memory_limit_bytes: reserves this for full blocks and refuses keys beyond it.\n"
    "executor: threads for large batches; None: the calling thread only.";

// What both classes have.
template <class T>
nb::class_<Guarded<T>> BindCommon(nb::module_& module, const char* name, const char* doc) {
  nb::class_<Guarded<T>> bound(module, name, nb::type_slots(key_slots<T>),
                               nb::is_weak_referenceable(), doc);
  bound.def("__init__", Create<T>, nb::arg("capacity"), nb::arg("target_fpr") = 0.01, nb::kw_only(),
            nb::arg("encoding") = "runs", nb::arg("preference") = nb::none(),
            nb::arg("num_slices") = 0, nb::arg("power_of_two_blocks") = false,
            nb::arg("digest") = "xxh3", nb::arg("seed") = 0, nb::arg("digest_key") = nb::none(),
            nb::arg("memory_limit_bytes") = 0, nb::arg("side_memory_limit_bytes") = 0,
            nb::arg("executor") = nb::none(), nb::sig(kCreateSignature), kCreateDoc);
  DefineQueries<T>(bound);
  DefineUpdates<T>(bound);
  DefineUpsert<T>(bound);
  DefineFiles<T>(bound);
  DefineObject<T>(bound);
  DefineClear<T>(bound);
  DefineConfigured<T>(bound);
  DefineProperty<&T::capacity, T>(bound, "capacity", "Distinct keys, as configured.");
  DefineProperty<&T::geometry, T>(bound, "geometry", "The geometry of the blocks.");
  DefineMeasure<&T::MeasureFill, T>(bound, "measure_fill",
                                    "Measures how full the blocks are, in one pass over them.");
  DefineLimitSideMemory<T>(bound);
  return bound;
}

Concurrent* Adopt(Counting& counting) {
  return NewObject(counting.Consume(
      [](CountingFilter& filter) { return Unwrap(ConcurrentFilter::Adopt(std::move(filter))); }));
}

Counting* TakeExclusive(Concurrent& concurrent) {
  return NewObject(concurrent.Consume(
      [](ConcurrentFilter& filter) { return std::move(filter).TakeExclusive(); }));
}

template <class Work>
auto WholeFilter(Work work) {
  return [work](Counting& self) {
    self.Exclusively([&](CountingFilter& filter) { Check(work(filter)); });
  };
}

}  // namespace

void BindCounting(nb::module_& module) {
  auto counting = BindCommon<CountingFilter>(
      module, "CountingFilter",
      "An approximate multiset of keys: batches of insertions, erasures and queries.\n\n"
      "False is certain; True, maybe present, is wrong for a non-member at the false-positive\n"
      "rate. Threads may share it: updates wait for each other and for queries.");
  auto concurrent = BindCommon<ConcurrentFilter>(
      module, "ConcurrentFilter",
      "A CountingFilter that threads use at the same time: queries never wait, updates wait for\n"
      "those of the same blocks only. Calls of batches release the GIL.");

  DefineUseExecutor<CountingFilter>(counting);
  DefineMerge<CountingFilter>(
      counting, "Adds the other filter's counts. Both must have one geometry and digest.");
  DefineSubtract<CountingFilter>(counting);
  counting.def("fold", WholeFilter([](CountingFilter& filter) { return filter.Fold(); }),
               "Halves the number of blocks, which must be even.");
  counting.def("grow", WholeFilter([](CountingFilter& filter) { return filter.Grow(); }),
               "Doubles the number of blocks, with an encoding of fingerprints.");
  counting.def(
      "estimate_distinct_keys",
      [](const Counting& self) {
        return self.Query(
            [](const CountingFilter& filter) { return EstimateDistinctKeys(filter); });
      },
      "Estimates how many distinct keys are in, in one pass over the blocks.");
  counting.def(
      "to_concurrent", Adopt,
      "Returns a ConcurrentFilter that takes over the blocks. This filter is closed then.");

  DefineMerge<ConcurrentFilter, CountingFilter>(
      concurrent, "Adds a CountingFilter's counts. Waits for calls of other threads.");
  concurrent.def(
      "to_counting", TakeExclusive,
      "Returns a CountingFilter that takes over the blocks. This filter is closed then.");
}

}  // namespace trommel::python
