// ColumnMap.
#include "trommel/column_map.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/python/src/answers.h"
#include "engine/python/src/arguments.h"
#include "engine/python/src/description.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/file_members.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/key_members.h"
#include "engine/python/src/module.h"
#include "engine/python/src/properties.h"
#include "engine/python/src/record.h"
#include "engine/python/src/without_gil.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

using Map = Guarded<ColumnMap>;

void Create(Map* self, Argument num_columns, Argument capacity, Argument target_fpr,
            Argument num_blocks, Argument fingerprint_bits, Argument digest, Argument seed,
            Argument digest_key, Argument memory_limit_bytes) {
  ColumnMapConfig config;
  config.num_columns = Count32Of(num_columns, "num_columns");
  config.capacity = CountOf(capacity, "capacity");
  config.target_fpr = RateOf(target_fpr, "target_fpr");
  config.num_blocks = CountOf(num_blocks, "num_blocks");
  config.fingerprint_bits = Count32Of(fingerprint_bits, "fingerprint_bits");
  config.digest = DigestPolicyOf(digest, seed, digest_key);
  config.memory_limit_bytes = CountOf(memory_limit_bytes, "memory_limit_bytes");
  const WithoutGil without_gil;
  new (self) Map(Unwrap(ColumnMap::Create(config)));
}

// The library requires what these check. A column stays open while the lock is shared: what opens,
// closes, saves or loads one has it alone.
void CheckColumn(const ColumnMap& map, uint32_t column) {
  if (column < map.num_columns()) return;
  ThrowValueError("column must be below " + std::to_string(map.num_columns()) +
                  " (num_columns); got " + std::to_string(column));
}
void CheckOpen(const ColumnMap& map, uint32_t column) {
  CheckColumn(map, column);
  if (!map.IsOpen(column)) {
    ThrowValueError("column " + std::to_string(column) + " is closed: open_column it first");
  }
}

// Returns the columns of an iterable, each of them once.
std::vector<uint32_t> ColumnsOf(nb::handle object) {
  std::vector<uint32_t> columns;
  for (nb::handle column : nb::iter(object)) columns.push_back(Count32Of(column, "a column"));
  std::vector<uint32_t> sorted = columns;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    ThrowValueError("column " + std::to_string(*twice) + " is given twice");
  }
  return columns;
}

bool AddTo(Map& self, Argument column, Argument object) {
  const uint32_t index = Count32Of(column, "column");
  const Key key = RequireOneKey(object, kUpdateTakesBatches);
  return self.UpdateOne([&](ColumnMap& map) {
    CheckOpen(map, index);
    CheckHashable(map.digest_policy(), key.kind());
    return map.Insert(index, key);
  });
}

InsertOutcome UpdateColumn(Map& self, Argument column, Argument keys) {
  const uint32_t index = Count32Of(column, "column");
  const KeyBatch batch(keys);
  return self.Update([&](ColumnMap& map) {
    CheckOpen(map, index);
    CheckHashable(map.digest_policy(), batch.view().kind());
    return map.Insert(index, batch.view());
  });
}

nb::object InsertMaskOf(Map& self, Argument column, Argument keys) {
  const uint32_t index = Count32Of(column, "column");
  return MaskOfUpdate(self, KeyBatch(keys), [&](ColumnMap& map, const Keys& batch, auto words) {
    CheckOpen(map, index);
    map.Insert(index, batch, words);
  });
}

nb::object EraseFrom(Map& self, Argument column, Argument keys) {
  const uint32_t index = Count32Of(column, "column");
  if (const std::optional<Key> key = OneKey(keys)) {
    return nb::bool_(self.UpdateOne([&](ColumnMap& map) {
      CheckOpen(map, index);
      CheckHashable(map.digest_policy(), key->kind());
      return map.Erase(index, *key);
    }));
  }
  const KeyBatch batch(keys);
  return nb::cast(self.Update([&](ColumnMap& map) {
    CheckOpen(map, index);
    CheckHashable(map.digest_policy(), batch.view().kind());
    return map.Erase(index, batch.view());
  }));
}

bool ColumnMayContain(const Map& self, Argument column, Argument object) {
  const uint32_t index = Count32Of(column, "column");
  const Key key = RequireOneKey(object);
  return self.QueryOne([&](const ColumnMap& map) {
    CheckColumn(map, index);
    CheckHashable(map.digest_policy(), key.kind());
    return map.MayContain(index, key);
  });
}

nb::object QueryBits(const Map& self, Argument keys) {
  const KeyBatch batch(keys);
  const size_t row_words = self.QueryOne([](const ColumnMap& map) { return map.row_words(); });
  const NewArray<uint64_t> rows = NewUint64(batch.size(), row_words);
  self.Query([&](const ColumnMap& map) {
    CheckHashable(map.digest_policy(), batch.view().kind());
    map.Query(batch.view(), rows.values);
  });
  return rows.array;
}

nb::object QueryMatrix(const Map& self, Argument keys) {
  const nb::object bits = QueryBits(self, keys);
  const auto num_columns = self.QueryOne([](const ColumnMap& map) { return map.num_columns(); });
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object bytes = bits.attr("view")("uint8");
  return numpy
      .attr("unpackbits")(bytes, nb::arg("axis") = 1, nb::arg("count") = num_columns,
                          nb::arg("bitorder") = "little")
      .attr("view")("bool");
}

void DefineColumns(nb::class_<Map>& bound) {
  bound.def(
      "open_column",
      [](Map& self, Argument column) {
        const uint32_t index = Count32Of(column, "column");
        self.Exclusively([&](ColumnMap& map) { Check(map.OpenColumn(index)); });
      },
      nb::arg("column"), nb::sig("def open_column(self, column: int) -> None"),
      "Opens a closed column, with no keys. Waits for calls of other threads.");
  bound.def(
      "close_columns",
      [](Map& self, Argument columns) {
        const std::vector<uint32_t> indices = ColumnsOf(columns);
        self.Exclusively([&](ColumnMap& map) {
          for (const uint32_t index : indices) CheckColumn(map, index);
          map.CloseColumns(indices);
        });
      },
      nb::arg("columns"),
      nb::sig("def close_columns(self, columns: collections.abc.Iterable[int]) -> None"),
      "Removes the keys of all these columns, in one pass over the map, and closes them. Waits "
      "for\n"
      "calls of other threads.");
  bound.def(
      "is_open",
      [](const Map& self, Argument column) {
        const uint32_t index = Count32Of(column, "column");
        return self.QueryOne([&](const ColumnMap& map) {
          CheckColumn(map, index);
          return map.IsOpen(index);
        });
      },
      nb::arg("column"), nb::sig("def is_open(self, column: int) -> bool"),
      "Returns whether the column is open.");
  bound.def(
      "num_keys",
      [](const Map& self, Argument column) {
        const uint32_t index = Count32Of(column, "column");
        return self.Query([&](const ColumnMap& map) {
          CheckOpen(map, index);
          return map.num_keys(index);
        });
      },
      nb::arg("column"), nb::sig("def num_keys(self, column: int) -> int"),
      "Returns the number of keys of an open column; duplicates count.");
  bound.def(
      "columns_to_bytes",
      [](Map& self, Argument columns) {
        const std::vector<uint32_t> indices = ColumnsOf(columns);
        const auto written = self.Exclusively([&](const ColumnMap& map) {
          for (const uint32_t index : indices) CheckOpen(map, index);
          return map.SerializeColumns(indices);
        });
        nb::list all;
        for (const std::vector<std::byte>& bytes : written) all.append(BytesFrom(bytes));
        return all;
      },
      nb::arg("columns"),
      nb::sig("def columns_to_bytes(self, columns: collections.abc.Iterable[int]) -> list[bytes]"),
      "Returns the bytes of each of these open columns, in one pass over the map: one form for "
      "each\n"
      "contents. Waits for calls of other threads.");
  bound.def(
      "load_column",
      [](Map& self, Argument column, Argument data) {
        const uint32_t index = Count32Of(column, "column");
        const BytesView view(data);
        self.Exclusively([&](ColumnMap& map) { Check(map.LoadColumn(index, view.bytes())); });
      },
      nb::arg("column"), nb::arg("data"),
      nb::sig("def load_column(self, column: int, data: bytes | bytearray | memoryview) -> None"),
      "Opens a closed column with the keys that columns_to_bytes wrote, of a map of the same "
      "geometry\n"
      "and digest. Waits for calls of other threads.");
}

}  // namespace

void BindColumnMap(nb::module_& module) {
  Record<MapStats>(module, "MapStats", "Statistics of a ColumnMap.")
      .Field("num_pairs", &MapStats::num_pairs,
             "Different pairs of place (block and fingerprint) and column.")
      .Field("num_slots", &MapStats::num_slots, "Of all blocks.")
      .Field("num_slots_in_use", &MapStats::num_slots_in_use, "By pairs and marks.")
      .Field("num_pairs_elsewhere", &MapStats::num_pairs_elsewhere,
             "Part of num_pairs: in lists and bitmaps of columns.")
      .Field("num_places_elsewhere", &MapStats::num_places_elsewhere, "To which these belong.")
      .Field("num_hidden_places", &MapStats::num_hidden_places,
             "Part of these: without a slot, because the block is full.")
      .Field("predicted_false_columns", &MapStats::predicted_false_columns,
             "Columns that a key which is in none is shown in, on average, by the model.")
      .Field("num_bytes", &MapStats::num_bytes, "Blocks, and all that is kept elsewhere.")
      .Field("num_refused_inserts", &MapStats::num_refused_inserts,
             "Insertions that the system refused memory.")
      .Field("num_interrupted_queries", &MapStats::num_interrupted_queries,
             "Queries that writers interrupted so often that they were answered with all columns.");
  nb::class_<Map> bound(module, "ColumnMap", nb::is_weak_referenceable(),
                        "A map from keys to the columns that have them: one query answers for all "
                        "columns at once.\n\n"
                        "Threads may use it at the same time: updates wait for each other for keys "
                        "of the same range of\n"
                        "blocks; open_column, close_columns, columns_to_bytes and load_column have "
                        "it alone; otherwise\n"
                        "queries do not wait.");
  bound.def(
      "__init__", Create, nb::arg("num_columns"), nb::arg("capacity"),
      nb::arg("target_fpr") = 0.004, nb::kw_only(), nb::arg("num_blocks") = 0,
      nb::arg("fingerprint_bits") = 0, nb::arg("digest") = "xxh3", nb::arg("seed") = 0,
      nb::arg("digest_key") = nb::none(), nb::arg("memory_limit_bytes") = 0,
      nb::sig(
          "def __init__(self, num_columns: int, capacity: int, target_fpr: float = 0.004, *, "
          "num_blocks: int = 0, fingerprint_bits: int = 0, "
          "digest: trommel_filters.typing.Digest = 'xxh3', seed: int = 0, digest_key: bytes | None "
          "= None, memory_limit_bytes: int = 0) -> None"),
      "A map whose columns are all closed.\n\n"
      "num_columns: 1 to 65,535.\n"
      "capacity: pairs of a key and a column to size for, in all columns together; a key in more\n"
      "than a few columns counts once.\n"
      "num_blocks, fingerprint_bits: a geometry instead of the one that sizing chooses; both or\n"
      "neither.");
  DefineColumns(bound);
  bound.def("add", AddTo, nb::arg("column"), nb::arg("key"),
            nb::sig("def add(self, column: int, key: trommel_filters.typing.Key) -> bool"),
            "Inserts one key into an open column. Returns whether it was inserted: a key that the\n"
            "system refuses memory is not.");
  bound.def("update", UpdateColumn, nb::arg("column"), nb::arg("keys"),
            nb::sig("def update(self, column: int, keys: trommel_filters.typing.Keys) -> "
                    "InsertOutcome"),
            "Inserts every key of a batch into an open column.");
  bound.def("insert_mask", InsertMaskOf, nb::arg("column"), nb::arg("keys"),
            nb::sig("def insert_mask(self, column: int, keys: trommel_filters.typing.Keys) -> "
                    "numpy.typing.NDArray[numpy.bool_]"),
            "As update. Returns which keys were inserted: dtype bool, shape (len(keys),).");
  bound.def(
      "erase", EraseFrom, nb::arg("column"), nb::arg("keys"),
      nb::sig("def erase(self, column: int, keys: trommel_filters.typing.Keys) -> EraseOutcome"),
      "Takes every key out of an open column once, as CountingFilter.erase. For one key:\n"
      "returns whether it was erased.");
  bound.def("may_contain", ColumnMayContain, nb::arg("column"), nb::arg("key"),
            nb::sig("def may_contain(self, column: int, key: trommel_filters.typing.Key) -> bool"),
            "Returns False if the column is closed or the key certainly absent from it.");
  bound.def("query", QueryMatrix, nb::arg("keys"),
            nb::sig("def query(self, keys: trommel_filters.typing.Keys) -> "
                    "numpy.typing.NDArray[numpy.bool_]"),
            "Returns which columns may hold each key: dtype bool, shape (len(keys), num_columns).");
  bound.def(
      "query_bits", QueryBits, nb::arg("keys"),
      nb::sig("def query_bits(self, keys: trommel_filters.typing.Keys) -> "
              "numpy.typing.NDArray[numpy.uint64]"),
      "The same as bits: dtype uint64, shape (len(keys), row_words). Column c is bit c % 64 of\n"
      "word c // 64. A few hundred keys at a time are fastest.");
  DefineObject<ColumnMap>(bound);
  DefineProperty<&ColumnMap::num_columns, ColumnMap>(bound, "num_columns",
                                                     "The most columns, as configured.");
  DefineProperty<&ColumnMap::capacity, ColumnMap>(bound, "capacity", "As configured.");
  DefineProperty<&ColumnMap::target_fpr, ColumnMap>(bound, "target_fpr", "As configured.");
  DefineProperty<&ColumnMap::row_words, ColumnMap>(bound, "row_words",
                                                   "64-bit words of one answer.");
  bound.def_prop_ro(
      "num_blocks",
      [](const Map& self) {
        return self.QueryOne([](const ColumnMap& map) { return map.geometry().num_blocks; });
      },
      "Blocks of the geometry.");
  bound.def_prop_ro(
      "fingerprint_bits",
      [](const Map& self) {
        return self.QueryOne([](const ColumnMap& map) { return map.geometry().fingerprint_bits; });
      },
      "Bits of a fingerprint of the geometry.");
  DefineMeasure<&ColumnMap::GetStats, ColumnMap>(
      bound, "stats", "Returns statistics that are kept as running figures: no pass over memory.");
}

}  // namespace trommel::python
