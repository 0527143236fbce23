// AttributeFilter: tuples as one column of values per attribute, in a dict or a DataFrame.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/python/src/answers.h"
#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/file_members.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/key_batch.h"
#include "engine/python/src/key_members.h"
#include "engine/python/src/keys.h"
#include "engine/python/src/module.h"
#include "engine/python/src/properties.h"
#include "engine/python/src/without_gil.h"
#include "trommel/attribute_filter.h"
#include "trommel/attribute_sets.h"
#include "trommel/tuples.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

using Attributes = Guarded<AttributeFilter>;

std::vector<std::string> NamesOf(nb::handle object, const char* argument) {
  if (PyUnicode_Check(object.ptr())) {
    ThrowTypeError(std::string(argument) + " must be a list of names; got one str");
  }
  std::vector<std::string> names;
  for (nb::handle name : nb::iter(object)) {
    if (!PyUnicode_Check(name.ptr())) {
      ThrowTypeError(std::string(argument) + " must be a list of names; got " + TypeName(name) +
                     " in it");
    }
    names.emplace_back(TextOf(name));
  }
  return names;
}

// The columns' names: a dict's or a pandas frame's keys, a polars frame's columns, an Arrow
// table's.
std::vector<std::string> ColumnNames(nb::handle tuples) {
  for (const char* member : {"column_names", "columns"}) {
    if (!nb::hasattr(tuples.type(), member)) continue;  // of the type, as in ColumnsOfTable
    return NamesOf(nb::object(tuples.attr(member)), "columns");
  }
  if (!nb::hasattr(tuples, "keys")) {
    ThrowTypeError(std::string("tuples must be a dict or a frame of columns; got ") +
                   TypeName(tuples));
  }
  return NamesOf(nb::object(tuples.attr("keys")()), "columns");
}

uint32_t Attribute(const std::vector<std::string>& names, const std::string& name) {
  std::string listed;
  for (uint32_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
    listed += (i == 0 ? "" : ", ") + names[i];
  }
  ThrowValueError("no attribute is named \"" + name + "\"; there are " + listed);
}

std::vector<std::string> FilterNames(const Attributes& self) {
  return self.QueryOne([](const AttributeFilter& filter) {
    return std::vector<std::string>(filter.names().begin(), filter.names().end());
  });
}

// The values of some attributes, as the library takes them.
struct Batch {
  AttributeMask mask = 0;
  size_t size = 0;
  std::vector<std::pair<uint32_t, std::unique_ptr<KeyBatch>>> columns;
};

Batch BatchOf(nb::handle tuples, const std::vector<std::string>& names,
              const std::vector<std::string>& taken) {
  Batch batch;
  for (const std::string& name : taken) {
    const uint32_t attribute = Attribute(names, name);
    auto keys = std::make_unique<KeyBatch>(nb::object(tuples[nb::str(name.data(), name.size())]));
    if (!batch.columns.empty() && keys->size() != batch.size) {
      ThrowValueError("columns must have one length; \"" + name + "\" has " +
                      std::to_string(keys->size()) + ", others have " + std::to_string(batch.size));
    }
    batch.size = keys->size();
    batch.mask |= AttributeMask{1} << attribute;
    batch.columns.emplace_back(attribute, std::move(keys));
  }
  return batch;
}

// Calls work(filter, tuples) without the GIL.
template <class Self, class Work>
auto WithTuples(Self& self, const Batch& batch, size_t num_attributes, Work work) {
  const auto hash_and_work = [&](auto& filter) {
    TupleDigests digests(static_cast<uint32_t>(num_attributes));
    for (const auto& [attribute, keys] : batch.columns) {
      CheckHashable(filter.digest_policy(), keys->view().kind());
      digests.Set(attribute, keys->view(), filter.digest_policy());
    }
    Tuples tuples = digests.view();
    tuples.size = batch.size;
    return work(filter, tuples);
  };
  if constexpr (std::is_const_v<Self>) {
    return self.Query(hash_and_work);
  } else {
    return self.Update(hash_and_work);
  }
}

InsertOutcome InsertTuples(Attributes& self, Argument tuples) {
  const auto names = FilterNames(self);
  const Batch batch = BatchOf(tuples, names, names);
  return WithTuples(self, batch, names.size(),
                    [](AttributeFilter& f, const Tuples& t) { return f.Insert(t); });
}

EraseOutcome EraseTuples(Attributes& self, Argument tuples) {
  const auto names = FilterNames(self);
  const Batch batch = BatchOf(tuples, names, names);
  return WithTuples(self, batch, names.size(),
                    [](AttributeFilter& f, const Tuples& t) { return f.Erase(t); });
}

EraseOutcome EraseAllTuples(Attributes& self, Argument tuples) {
  const auto names = FilterNames(self);
  const Batch batch = BatchOf(tuples, names, names);
  return WithTuples(self, batch, names.size(),
                    [](AttributeFilter& f, const Tuples& t) { return Unwrap(f.EraseAll(t)); });
}

nb::object QueryTuples(const Attributes& self, Argument tuples, Argument on) {
  const auto names = FilterNames(self);
  const Batch batch =
      BatchOf(tuples, names, on.is_none() ? ColumnNames(tuples) : NamesOf(on, "on"));
  Bitmap answers(batch.size);
  WithTuples(self, batch, names.size(), [&](const AttributeFilter& f, const Tuples& t) {
    f.Query(batch.mask, t, answers.words());
    answers.Expand();
  });
  return answers.array();
}

nb::object CountTuples(const Attributes& self, Argument tuples, Argument on) {
  const auto names = FilterNames(self);
  const Batch batch =
      BatchOf(tuples, names, on.is_none() ? ColumnNames(tuples) : NamesOf(on, "on"));
  const NewArray<uint64_t> counts = NewUint64(batch.size);
  WithTuples(self, batch, names.size(), [&](const AttributeFilter& f, const Tuples& t) {
    f.CountEstimates(batch.mask, t, counts.values);
  });
  return counts.array;
}

std::vector<AttributeMask> MasksOf(const std::vector<std::string>& names, nb::handle sets,
                                   const char* argument) {
  std::vector<AttributeMask> masks;
  for (nb::handle set : nb::iter(sets)) {
    AttributeMask mask = 0;
    for (const std::string& name : NamesOf(set, argument)) {
      mask |= AttributeMask{1} << (Attribute(names, name) % kMaxAttributes);
    }
    masks.push_back(mask);
  }
  return masks;
}

AttributeSets SetsOf(const std::vector<std::string>& names, const std::vector<AttributeMask>& cuts,
                     uint32_t max_together, const std::vector<AttributeMask>& kept) {
  const auto num_attributes = static_cast<uint32_t>(names.size());
  if (!kept.empty()) {
    if (!cuts.empty() || max_together != 0) {
      ThrowValueError("kept is given with cuts or max_together; a list says it all");
    }
    return Unwrap(AttributeSets::Keep(num_attributes, kept));
  }
  if (max_together == 0) return Unwrap(AttributeSets::Create(num_attributes, cuts));
  return Unwrap(AttributeSets::AtMost(num_attributes, max_together, cuts));
}

void Create(Attributes* self, Argument attributes, Argument capacity, Argument target_fpr,
            Argument cuts, Argument max_together, Argument kept, Argument num_values,
            Argument max_capacity, Argument digest, Argument seed, Argument digest_key,
            Argument memory_limit_bytes, Argument executor) {
  AttributeConfig config;
  config.names = NamesOf(attributes, "attributes");
  config.capacity = CountOf(capacity, "capacity");
  config.target_fpr = RateOf(target_fpr, "target_fpr");
  config.sets =
      SetsOf(config.names, MasksOf(config.names, cuts, "a cut"),
             Count32Of(max_together, "max_together"), MasksOf(config.names, kept, "a kept set"));
  for (nb::handle count : nb::iter(num_values)) {
    config.num_values.push_back(CountOf(count, "num_values"));
  }
  config.max_capacity = CountOf(max_capacity, "max_capacity");
  config.digest = DigestPolicyOf(digest, seed, digest_key);
  config.memory_limit_bytes = CountOf(memory_limit_bytes, "memory_limit_bytes");
  config.executor = ExecutorOf(executor);
  const WithoutGil without_gil;
  new (self) Attributes(Unwrap(AttributeFilter::Create(config)));
}

}  // namespace

void BindAttributes(nb::module_& module) {
  nb::class_<Attributes> bound(
      module, "AttributeFilter", nb::is_weak_referenceable(),
      "Answers queries for any of a tuple's attributes, and erases exactly.\n\n"
      "A batch of tuples is a dict, or a frame of pandas, polars or pyarrow, with a column of "
      "keys\n"
      "per attribute. Threads may use the filter at the same time.");
  bound.def(
      "__init__", Create, nb::arg("attributes"), nb::arg("capacity"), nb::arg("target_fpr") = 0.01,
      nb::kw_only(), nb::arg("cuts") = nb::make_tuple(), nb::arg("max_together") = 0,
      nb::arg("kept") = nb::make_tuple(), nb::arg("num_values") = nb::make_tuple(),
      nb::arg("max_capacity") = 0, nb::arg("digest") = "xxh3", nb::arg("seed") = 0,
      nb::arg("digest_key") = nb::none(), nb::arg("memory_limit_bytes") = 0,
      nb::arg("executor") = nb::none(),
      nb::sig(
          "def __init__(self, attributes: collections.abc.Sequence[str], capacity: int, "
          "target_fpr: float = 0.01, *, cuts: "
          "collections.abc.Sequence[collections.abc.Sequence[str]] = (), max_together: int = "
          "0, kept: collections.abc.Sequence[collections.abc.Sequence[str]] = (), num_values: "
          "collections.abc.Sequence[int] = (), max_capacity: int = 0, "
          "digest: trommel_filters.typing.Digest = 'xxh3', seed: int = 0, digest_key: bytes | None "
          "= "
          "None, memory_limit_bytes: int = 0, executor: Executor | None = None) -> None"),
      "An empty filter.\n\n"
      "attributes: 1 to 64 names; with more than 16, cuts, max_together or kept must leave at\n"
      "    most 65,536 sets.\n"
      "capacity: tuples to size for; more may be inserted.\n"
      "target_fpr: false-positive rate of every set of attributes that is stored.\n"
      "cuts: sets of names that will not be queried together: they save the memory of all sets\n"
      "    that contain them.\n"
      "max_together: the most attributes that are stored together; 0: no limit. A query for more\n"
      "    is split.\n"
      "kept: exactly the sets to store, instead of cuts and max_together. Of a query's attributes\n"
      "    those that are in no stored set within it are not looked at.\n"
      "num_values: distinct values of each attribute, if they are known.\n"
      "max_capacity: tuples up to which sets keep their rate; 0: 16 times capacity, at\n"
      "    least 2^20. The rate rises in proportion from there on.");
  bound.def("update", InsertTuples, nb::arg("tuples"),
            nb::sig("def update(self, tuples: trommel_filters.typing.Tuples) -> InsertOutcome"),
            "Inserts every tuple. Columns that are no attributes are not read.");
  bound.def("erase", EraseTuples, nb::arg("tuples"),
            nb::sig("def erase(self, tuples: trommel_filters.typing.Tuples) -> EraseOutcome"),
            "Takes every tuple out once, or refuses it if some set certainly lacks it.");
  bound.def(
      "erase_all", EraseAllTuples, nb::arg("tuples"),
      nb::sig("def erase_all(self, tuples: trommel_filters.typing.Tuples) -> EraseOutcome"),
      "Erases every tuple, or changes nothing if some set lacks one, or counts it less often\n"
      "than the batch has it. num_refused is how many are missing.");
  bound.def(
      "query", QueryTuples, nb::arg("tuples"), nb::arg("on") = nb::none(),
      nb::sig("def query(self, tuples: trommel_filters.typing.Tuples, on: "
              "collections.abc.Sequence[str] | None = None) -> "
              "numpy.typing.NDArray[numpy.bool_]"),
      "Answers for each tuple of the attributes `on`, or of all columns that are given: False,\n"
      "no tuple that is in has these values; True, maybe. dtype bool, shape (len(tuples),).");
  bound.def("count_estimates", CountTuples, nb::arg("tuples"), nb::arg("on") = nb::none(),
            nb::sig("def count_estimates(self, tuples: trommel_filters.typing.Tuples, on: "
                    "collections.abc.Sequence[str] | None = None) -> "
                    "numpy.typing.NDArray[numpy.uint64]"),
            "Returns an upper bound of how many tuples match each: dtype uint64.");
  DefineFiles<AttributeFilter>(bound);
  DefineObject<AttributeFilter>(bound);
  DefineClear<AttributeFilter>(bound);
  DefineUseExecutor<AttributeFilter>(bound);
  DefineSize<&AttributeFilter::num_tuples, AttributeFilter>(bound);
  bound.def_prop_ro("attributes", FilterNames, "The attributes' names.");
  DefineMeasure<&AttributeFilter::GetStats, AttributeFilter>(
      bound, "stats", "Returns statistics that are kept as running figures.");
}

}  // namespace trommel::python
