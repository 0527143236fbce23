// FilterColumns.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/python/src/answers.h"
#include "engine/python/src/argument.h"
#include "engine/python/src/arguments.h"
#include "engine/python/src/description.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/file_members.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/key_members.h"
#include "engine/python/src/module.h"
#include "engine/python/src/properties.h"
#include "engine/python/src/without_gil.h"
#include "trommel/filter_columns.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

using Columns = Guarded<FilterColumns>;

void Create(Columns* self, Argument num_columns, Argument column_capacity, Argument target_fpr,
            Argument encoding, Argument num_slices, Argument digest, Argument seed,
            Argument digest_key, Argument memory_limit_bytes, Argument side_memory_limit_bytes) {
  ColumnsConfig config;
  config.num_columns = Count32Of(num_columns, "num_columns");
  config.column_capacity = CountOf(column_capacity, "column_capacity");
  config.target_fpr = RateOf(target_fpr, "target_fpr");
  config.encoding = EncodingOf(encoding);
  config.num_slices = Count32Of(num_slices, "num_slices");
  config.digest = DigestPolicyOf(digest, seed, digest_key);
  config.memory_limit_bytes = CountOf(memory_limit_bytes, "memory_limit_bytes");
  config.side_memory_limit_bytes = CountOf(side_memory_limit_bytes, "side_memory_limit_bytes");
  const WithoutGil without_gil;
  new (self) Columns(Unwrap(FilterColumns::Create(config)));
}

// The library requires what these check. A column stays open while the lock is shared: closing has
// it alone.
void CheckColumn(const FilterColumns& columns, uint32_t column) {
  if (column < columns.num_columns()) return;
  ThrowValueError("column must be below " + std::to_string(columns.num_columns()) +
                  " (num_columns); got " + std::to_string(column));
}
void CheckOpen(const FilterColumns& columns, uint32_t column) {
  CheckColumn(columns, column);
  if (!columns.IsOpen(column)) {
    ThrowValueError("column " + std::to_string(column) + " is closed: open_column it first");
  }
}

nb::object InsertInto(Columns& self, Argument column, Argument keys) {
  const uint32_t index = Count32Of(column, "column");
  if (const std::optional<Key> key = OneKey(keys)) {
    return nb::bool_(self.UpdateOne([&](FilterColumns& columns) {
      CheckOpen(columns, index);
      CheckHashable(columns.digest_policy(), key->kind());
      return columns.Insert(index, *key);
    }));
  }
  const KeyBatch batch(keys);
  return nb::cast(self.Update([&](FilterColumns& columns) {
    CheckOpen(columns, index);
    CheckHashable(columns.digest_policy(), batch.view().kind());
    return columns.Insert(index, batch.view());
  }));
}

nb::object EraseFrom(Columns& self, Argument column, Argument keys) {
  const uint32_t index = Count32Of(column, "column");
  if (const std::optional<Key> key = OneKey(keys)) {
    return nb::bool_(self.UpdateOne([&](FilterColumns& columns) {
      CheckOpen(columns, index);
      CheckHashable(columns.digest_policy(), key->kind());
      return columns.Erase(index, *key);
    }));
  }
  const KeyBatch batch(keys);
  return nb::cast(self.Update([&](FilterColumns& columns) {
    CheckOpen(columns, index);
    CheckHashable(columns.digest_policy(), batch.view().kind());
    return columns.Erase(index, batch.view());
  }));
}

bool ColumnMayContain(const Columns& self, Argument column, Argument object) {
  const uint32_t index = Count32Of(column, "column");
  const Key key = RequireOneKey(object);
  return self.QueryOne([&](const FilterColumns& columns) {
    CheckColumn(columns, index);
    CheckHashable(columns.digest_policy(), key.kind());
    return columns.MayContain(index, key);
  });
}

nb::object QueryBits(const Columns& self, Argument keys) {
  const KeyBatch batch(keys);
  const size_t row_words = self.QueryOne([](const FilterColumns& c) { return c.row_words(); });
  const NewArray<uint64_t> rows = NewUint64(batch.size(), row_words);
  self.Query([&](const FilterColumns& columns) {
    CheckHashable(columns.digest_policy(), batch.view().kind());
    columns.Query(batch.view(), rows.values);
  });
  return rows.array;
}

nb::object QueryMatrix(const Columns& self, Argument keys) {
  const nb::object bits = QueryBits(self, keys);
  const auto num_columns = self.QueryOne([](const FilterColumns& c) { return c.num_columns(); });
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object bytes = bits.attr("view")("uint8");
  return numpy
      .attr("unpackbits")(bytes, nb::arg("axis") = 1, nb::arg("count") = num_columns,
                          nb::arg("bitorder") = "little")
      .attr("view")("bool");
}

void DefineColumns(nb::class_<Columns>& bound) {
  bound.def(
      "open_column",
      [](Columns& self, Argument column) {
        const uint32_t index = Count32Of(column, "column");
        self.Update([&](FilterColumns& columns) { Check(columns.OpenColumn(index)); });
      },
      nb::arg("column"), nb::sig("def open_column(self, column: int) -> None"),
      "Opens a closed column, with no keys.");
  bound.def(
      "close_column",
      [](Columns& self, Argument column) {
        const uint32_t index = Count32Of(column, "column");
        self.Exclusively([&](FilterColumns& columns) {
          CheckColumn(columns, index);
          columns.CloseColumn(index);
        });
      },
      nb::arg("column"), nb::sig("def close_column(self, column: int) -> None"),
      "Removes the column's keys and frees its counters. Waits for calls of other threads.");
  bound.def(
      "is_open",
      [](const Columns& self, Argument column) {
        const uint32_t index = Count32Of(column, "column");
        return self.QueryOne([&](const FilterColumns& columns) {
          CheckColumn(columns, index);
          return columns.IsOpen(index);
        });
      },
      nb::arg("column"), nb::sig("def is_open(self, column: int) -> bool"),
      "Returns whether the column is open.");
  bound.def(
      "column_to_bytes",
      [](const Columns& self, Argument column) {
        const uint32_t index = Count32Of(column, "column");
        return BytesFrom(self.Query([&](const FilterColumns& columns) {
          CheckOpen(columns, index);
          return columns.SerializeColumn(index);
        }));
      },
      nb::arg("column"), nb::sig("def column_to_bytes(self, column: int) -> bytes"),
      "Returns the snapshot of an open column: that of a CountingFilter.");
  bound.def(
      "load_column",
      [](Columns& self, Argument column, Argument data) {
        const uint32_t index = Count32Of(column, "column");
        const BytesView view(data);
        self.Update(
            [&](FilterColumns& columns) { Check(columns.LoadColumn(index, view.bytes())); });
      },
      nb::arg("column"), nb::arg("data"),
      nb::sig("def load_column(self, column: int, data: bytes | bytearray | memoryview) -> None"),
      "Opens a closed column with the keys of a snapshot.");
  bound.def(
      "column_stats",
      [](const Columns& self, Argument column) {
        const uint32_t index = Count32Of(column, "column");
        return self.Query([&](const FilterColumns& columns) {
          CheckOpen(columns, index);
          return columns.GetStats(index);
        });
      },
      nb::arg("column"), nb::sig("def column_stats(self, column: int) -> Stats"),
      "Returns statistics of an open column.");
}

}  // namespace

void BindColumns(nb::module_& module) {
  nb::class_<Columns> bound(module, "FilterColumns", nb::is_weak_referenceable(),
                            "Many counting filters of one geometry, the columns, that one query "
                            "answers for all at once.\n\n"
                            "Threads may use it at the same time: queries never wait, updates of "
                            "one column wait for each\n"
                            "other.");
  bound.def(
      "__init__", Create, nb::arg("num_columns"), nb::arg("column_capacity"),
      nb::arg("target_fpr") = 0.004, nb::kw_only(), nb::arg("encoding") = "runs",
      nb::arg("num_slices") = 0, nb::arg("digest") = "xxh3", nb::arg("seed") = 0,
      nb::arg("digest_key") = nb::none(), nb::arg("memory_limit_bytes") = 0,
      nb::arg("side_memory_limit_bytes") = 0,
      nb::sig("def __init__(self, num_columns: int, column_capacity: int, target_fpr: float = "
              "0.004, *, encoding: trommel.typing.Encoding = 'runs', num_slices: int = 0, "
              "digest: trommel.typing.Digest = 'xxh3', seed: int = 0, digest_key: bytes | None "
              "= None, memory_limit_bytes: int = 0, side_memory_limit_bytes: int = 0) -> None"),
      "Columns that are all closed.\n\n"
      "num_columns: 1 to 65,536.\n"
      "column_capacity: distinct keys per column at which its rate is target_fpr.\n"
      "side_memory_limit_bytes: reserves this for each open column, and refuses keys beyond it.");
  DefineColumns(bound);
  bound.def("insert", InsertInto, nb::arg("column"), nb::arg("keys"),
            nb::sig("def insert(self, column: int, keys: trommel.typing.Keys) -> InsertOutcome"),
            "Inserts every key into an open column. For one key: returns whether it was inserted;\n"
            "with a limit of side memory a column may refuse keys.");
  bound.def("erase", EraseFrom, nb::arg("column"), nb::arg("keys"),
            nb::sig("def erase(self, column: int, keys: trommel.typing.Keys) -> EraseOutcome"),
            "Takes every key out of an open column once, as CountingFilter.erase. For one key:\n"
            "returns whether it was erased.");
  bound.def("may_contain", ColumnMayContain, nb::arg("column"), nb::arg("key"),
            nb::sig("def may_contain(self, column: int, key: trommel.typing.Key) -> bool"),
            "Returns False if the column is closed or the key certainly absent from it.");
  bound.def("query", QueryMatrix, nb::arg("keys"),
            nb::sig("def query(self, keys: trommel.typing.Keys) -> "
                    "numpy.typing.NDArray[numpy.bool_]"),
            "Returns which columns may hold each key: dtype bool, shape (len(keys), num_columns).");
  bound.def(
      "query_bits", QueryBits, nb::arg("keys"),
      nb::sig("def query_bits(self, keys: trommel.typing.Keys) -> "
              "numpy.typing.NDArray[numpy.uint64]"),
      "The same as bits: dtype uint64, shape (len(keys), row_words). Column c is bit c % 64 of\n"
      "word c // 64. A few hundred keys at a time are fastest.");
  DefineObject<FilterColumns>(bound);
  DefineProperty<&FilterColumns::num_columns, FilterColumns>(bound, "num_columns",
                                                             "The most columns, as configured.");
  DefineProperty<&FilterColumns::column_capacity, FilterColumns>(bound, "column_capacity",
                                                                 "Distinct keys per column.");
  DefineProperty<&FilterColumns::target_fpr, FilterColumns>(bound, "target_fpr", "As configured.");
  DefineProperty<&FilterColumns::row_words, FilterColumns>(bound, "row_words",
                                                           "64-bit words of one answer.");
  DefineProperty<&FilterColumns::geometry, FilterColumns>(bound, "geometry", "Of every column.");
  DefineMeasure<&FilterColumns::num_bytes, FilterColumns>(
      bound, "num_bytes", "Returns the bytes of rows, counters and side tables.");
}

}  // namespace trommel::python
