// The module trommel_filters._core: what is bound where, and what belongs to no class.
#include "engine/python/src/module.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <utility>
#include <variant>

#include "engine/python/src/answers.h"
#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/file_members.h"
#include "engine/python/src/fork_count.h"
#include "engine/python/src/key_batch.h"
#include "engine/python/src/keys.h"
#include "engine/python/src/without_gil.h"
#include "trommel/any_filter.h"
#include "trommel/byte_stream.h"
#include "trommel/executor.h"
#include "trommel/metadata.h"
#include "trommel/targets.h"
#include "trommel/version.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

nb::object ObjectOf(AnyFilterPtr any) {
  const auto object = [](auto& filter) {
    return nb::cast(NewObject(std::move(filter)), nb::rv_policy::take_ownership);
  };
  if (auto* counting = any->As<CountingFilter>()) return object(*counting);
  if (auto* scalable = any->As<ScalableFilter>()) return object(*scalable);
  if (auto* window = any->As<WindowFilter>()) return object(*window);
  if (auto* attributes = any->As<AttributeFilter>()) return object(*attributes);
  ThrowTypeError("a filter of a type that this package does not have");
}

nb::object Load(Argument path, Argument limit, Argument key) {
  const auto file = PathOf(path);
  const uint64_t limit_bytes = CountOf(limit, "memory_limit_bytes");
  const DigestKey digest_key = DigestKeyOf(key);
  return ObjectOf([&] {
    const WithoutGil without_gil;
    return Unwrap(AnyFilter::Load(file, limit_bytes, digest_key));
  }());
}

nb::object FromBytesOfAnyType(Argument data, Argument limit, Argument key) {
  const BytesView view(data);
  const uint64_t limit_bytes = CountOf(limit, "memory_limit_bytes");
  const DigestKey digest_key = DigestKeyOf(key);
  return ObjectOf([&] {
    const WithoutGil without_gil;
    return Unwrap(AnyFilter::Deserialize(view.bytes(), limit_bytes, digest_key));
  }());
}

nb::bytes MetadataOfFile(Argument path) {
  const auto file = PathOf(path);
  return BytesFrom([&] {
    const WithoutGil without_gil;
    return Unwrap(LoadMetadata(file));
  }());
}

nb::bytes MetadataOfData(Argument data) {
  const BytesView view(data);
  return BytesFrom(Unwrap(LoadMetadata(SpanSource(view.bytes()))));
}

nb::str TypeOfData(Argument data) {
  const BytesView view(data);
  const std::string_view name = FilterTypeName(Unwrap(TypeOfBytes(view.bytes())));
  return nb::str(name.data(), name.size());
}

nb::object DigestsOf(Argument keys, Argument digest, Argument seed, Argument digest_key) {
  const KeyBatch batch(keys);
  const DigestPolicy policy = DigestPolicyOf(digest, seed, digest_key);
  CheckHashable(policy, batch.view().kind());
  const NewArray<uint64_t> digests = NewUint64(batch.size());
  {
    const WithoutGil without_gil;
    policy.Digests(batch.view(), digests.values);
  }
  return digests.array;
}

}  // namespace

void BindAnyFilter(nb::module_& module) {
  module.def(
      "load", Load, nb::arg("path"), nb::kw_only(), nb::arg("memory_limit_bytes") = 0,
      nb::arg("digest_key") = nb::none(),
      nb::sig("def load(path: str | bytes | os.PathLike[str], *, memory_limit_bytes: int = 0, "
              "digest_key: bytes | None = None) -> CountingFilter | ScalableFilter | "
              "WindowFilter | AttributeFilter"),
      "Reads a file as the type that it is. Files of a ConcurrentFilter are those of a\n"
      "CountingFilter: ConcurrentFilter.load reads them, too.");
  module.def(
      "from_bytes", FromBytesOfAnyType, nb::arg("data"), nb::kw_only(),
      nb::arg("memory_limit_bytes") = 0, nb::arg("digest_key") = nb::none(),
      nb::sig("def from_bytes(data: bytes | bytearray | memoryview, *, memory_limit_bytes: int "
              "= 0, digest_key: bytes | None = None) -> CountingFilter | ScalableFilter | "
              "WindowFilter | AttributeFilter"),
      "Reads what to_bytes of any filter returned, as the type that it is.");
  module.def("load_metadata", MetadataOfFile, nb::arg("path"),
             nb::sig("def load_metadata(path: str | bytes | os.PathLike[str]) -> bytes"),
             "Returns the metadata that a file was saved with; b'' if it has none.");
  module.def("metadata_of", MetadataOfData, nb::arg("data"),
             nb::sig("def metadata_of(data: bytes | bytearray | memoryview) -> bytes"),
             "The same of the bytes of such a file.");
  module.def("type_of", TypeOfData, nb::arg("data"),
             nb::sig("def type_of(data: bytes | bytearray | memoryview) -> str"),
             "Returns the type of a snapshot by its header: 'counting', 'scalable', 'window'\n"
             "or 'attribute'.");
}

void BindKeys(nb::module_& module) {
  nb::class_<Digests>(module, "Digests",
                      "Marks a batch of 64-bit integers as hashes that the caller computed.\n\n"
                      "All 64 bits must be well mixed; the filter uses them as they are.")
      .def(nb::init<nb::object>(), nb::arg("array"),
           nb::sig("def __init__(self, array: trommel_filters.typing.Keys) -> None"));
  nb::class_<Int32>(
      module, "Int32",
      "Marks a batch of 32-bit integers to be hashed as 4 bytes (Parquet's INT32).\n\n"
      "Without it an integer is the same key whatever its dtype: 64 bits.")
      .def(nb::init<nb::object>(), nb::arg("array"),
           nb::sig("def __init__(self, array: trommel_filters.typing.Keys) -> None"));

  nb::class_<PythonExecutor>(
      module, "Executor", nb::is_weak_referenceable(),
      "Threads over which large batches of any number of filters are spread.\n\n"
      "In a child process made by fork, one made before has no threads but the calling one.")
      .def(
          "__init__",
          [](PythonExecutor* self, Argument num_threads) {
            const uint32_t threads = Count32Of(num_threads, "num_threads");
            new (self) PythonExecutor{Unwrap(Executor::Create(threads))};
          },
          nb::arg("num_threads") = 0, nb::sig("def __init__(self, num_threads: int = 0) -> None"),
          "num_threads threads, the calling one included; 0: as many as the machine has.")
      .def_prop_ro(
          "num_threads", [](const PythonExecutor& self) { return self.executor->num_threads(); },
          "The number of threads, the calling one included.")
      .def("__repr__", [](const PythonExecutor& self) {
        return "<trommel_filters.Executor: threads " +
               std::to_string(self.executor->num_threads()) + ">";
      });

  module.def(
      "digests", DigestsOf, nb::arg("keys"), nb::kw_only(), nb::arg("digest") = "xxh3",
      nb::arg("seed") = 0, nb::arg("digest_key") = nb::none(),
      nb::sig("def digests(keys: trommel_filters.typing.Keys, *, digest: "
              "trommel_filters.typing.Digest = "
              "'xxh3', seed: int = 0, digest_key: bytes | None = None) -> "
              "numpy.typing.NDArray[numpy.uint64]"),
      "Returns the hashes of the keys, as filters compute them: dtype uint64. Hash once and\n"
      "pass Digests(...) where several filters get the same keys.");
  module.def("runnable_targets", RunnableTargets,
             "Returns the instruction sets that this machine can run, best first.");
  module.def("active_target", ActiveTarget, "Returns the instruction set in use.");
  module.def("version", LinkedVersion,
             "Returns the version of the library: \"MAJOR.MINOR.PATCH\".");
}

}  // namespace trommel::python

NB_MODULE(_core, module) {
  using namespace trommel::python;
  // What daemon threads, and threads that a forked child does not have, were using is never freed.
  // Where no thread is inside a call nothing may be left: the test that says so sets the variable.
  nb::set_leak_warnings(std::getenv("TROMMEL_REPORT_LEAKS") != nullptr);
  CountForks();
  RegisterErrors();
  BindKeys(module);
  BindRecords(module);
  BindSizing(module);
  BindCounting(module);
  BindScalable(module);
  BindWindow(module);
  BindColumnMap(module);
  BindAttributes(module);
  BindAnyFilter(module);
}
