// trommel_column_map: ColumnMap.
#include "trommel/column_map.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "engine/c/src/batch.h"
#include "engine/c/src/failures.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/snapshots.h"
#include "engine/c/src/structs.h"
#include "trommel/byte_stream.h"
#include "trommel/c.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"

// A column's mutex is held while its keys change, and while it is opened, closed, saved or loaded:
// the library excludes none of these from each other, and requires for some that it is open.
struct trommel_column_map {
  trommel::ColumnMap map;
  std::unique_ptr<std::mutex[]> mutexes;  // one per column

  explicit trommel_column_map(trommel::ColumnMap made)
      : map(std::move(made)), mutexes(std::make_unique<std::mutex[]>(map.num_columns())) {}
};

namespace trommel::c_abi {
namespace {

template <class Handle>
Handle& WithColumn(Handle* map, uint32_t column) {
  Handle& given = Required(map, "map");
  if (column >= given.map.num_columns()) {
    ThrowInvalid("column is " + std::to_string(column) + "; it must be less than " +
                 std::to_string(given.map.num_columns()));
  }
  return given;
}

// Calls work(ColumnMap) while no other call has the column.
template <class Handle, class Work>
void Use(Handle* map, uint32_t column, const Work& work) {
  Handle& given = WithColumn(map, column);
  const std::lock_guard lock(given.mutexes[column]);
  work(given.map);
}

// The same; the column must be open.
template <class Handle, class Work>
void UseOpen(Handle* map, uint32_t column, const Work& work) {
  Use(map, column, [&](auto& all) {
    if (!all.IsOpen(column)) {
      ThrowInvalid("column " + std::to_string(column) + " is closed; open it first");
    }
    work(all);
  });
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_column_map_create(const trommel_column_map_config* config,
                                       trommel_column_map** map, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_column_map*& out = Required(map, "map");
    const trommel_column_map_config given = Read(config, "config");
    ColumnMapConfig made;
    made.capacity = given.capacity;
    made.num_columns = given.num_columns;
    if (given.target_fpr != 0) made.target_fpr = given.target_fpr;
    made.digest = PolicyOf(given.digest);
    made.num_blocks = given.num_blocks;
    made.fingerprint_bits = given.fingerprint_bits;
    made.memory_limit_bytes = given.memory_limit_bytes;
    out = std::make_unique<trommel_column_map>(ValueOf(ColumnMap::Create(made))).release();
  });
}

void trommel_column_map_free(trommel_column_map* map) { delete map; }

int64_t trommel_column_map_row_words(const trommel_column_map* map) {
  return map == nullptr ? 0 : static_cast<int64_t>(map->map.row_words());
}

trommel_code trommel_column_map_open(trommel_column_map* map, uint32_t column,
                                     trommel_error* error) {
  return Guarded(
      error, [&] { Use(map, column, [&](ColumnMap& all) { ValueOf(all.OpenColumn(column)); }); });
}

trommel_code trommel_column_map_close(trommel_column_map* map, uint32_t column,
                                      trommel_error* error) {
  return Guarded(error,
                 [&] { Use(map, column, [&](ColumnMap& all) { all.CloseColumn(column); }); });
}

int32_t trommel_column_map_is_open(const trommel_column_map* map, uint32_t column,
                                   trommel_error* error) {
  return GuardedAnswer(error, [&] { return WithColumn(map, column).map.IsOpen(column); });
}

trommel_code trommel_column_map_insert(trommel_column_map* map, uint32_t column,
                                       const trommel_keys* keys, uint64_t* inserted,
                                       int64_t num_words, trommel_outcome* outcome,
                                       trommel_error* error) {
  return Guarded(error, [&] {
    if (outcome != nullptr) SizeOf(outcome, "outcome");
    trommel_outcome total = {};
    UseOpen(map, column, [&](ColumnMap& open) {
      const Batch batch(keys, open.digest_policy(), nullptr);
      const std::span bitmap = batch.OptionalBitmap(inserted, num_words, "inserted");
      batch.ForEachRound([&](Keys round, size_t first) {
        const InsertOutcome of =
            bitmap.empty() ? open.Insert(column, round)
                           : open.Insert(column, round, WordsOf(bitmap, first, round.size()));
        total.num_done += of.num_inserted;
        total.num_refused += of.num_refused;
        if (of.refusal != GrowthRefusal::kNone) total.refusal = static_cast<int32_t>(of.refusal);
      });
    });
    if (outcome != nullptr) Write(outcome, total, "outcome");
  });
}

trommel_code trommel_column_map_erase(trommel_column_map* map, uint32_t column,
                                      const trommel_keys* keys, trommel_outcome* outcome,
                                      trommel_error* error) {
  return Guarded(error, [&] {
    if (outcome != nullptr) SizeOf(outcome, "outcome");
    trommel_outcome total = {};
    UseOpen(map, column, [&](ColumnMap& open) {
      const Batch batch(keys, open.digest_policy(), nullptr);
      batch.ForEachRound([&](Keys round, size_t) {
        const EraseOutcome of = open.Erase(column, round);
        total.num_done += of.num_erased;
        total.num_refused += of.num_refused;
      });
    });
    if (outcome != nullptr) Write(outcome, total, "outcome");
  });
}

trommel_code trommel_column_map_query(const trommel_column_map* map, const trommel_keys* keys,
                                      uint64_t* answers, int64_t num_words, trommel_error* error) {
  return Guarded(error, [&] {
    const ColumnMap& all = Required(map, "map").map;
    const Batch batch(keys, all.digest_policy(), nullptr);
    const size_t row_words = all.row_words();
    const std::span rows = batch.Output(answers, num_words, batch.size() * row_words, "answers");
    batch.ForEachRound([&](Keys round, size_t first) {
      all.Query(round, rows.subspan(first * row_words, round.size() * row_words));
    });
  });
}

int32_t trommel_column_map_may_contain(const trommel_column_map* map, uint32_t column,
                                       trommel_key key, trommel_error* error) {
  return GuardedAnswer(error, [&] {
    const ColumnMap& all = WithColumn(map, column).map;
    return all.MayContain(column, KeyOf(key, all.digest_policy()));
  });
}

trommel_code trommel_column_map_num_keys(const trommel_column_map* map, uint32_t column,
                                         uint64_t* num_keys, trommel_error* error) {
  return Guarded(error, [&] {
    uint64_t& out = Required(num_keys, "num_keys");
    UseOpen(map, column, [&](const ColumnMap& open) { out = open.num_keys(column); });
  });
}

trommel_code trommel_column_map_get_stats(const trommel_column_map* map,
                                          trommel_column_map_stats* stats, trommel_error* error) {
  return Guarded(error, [&] {
    const ColumnMap& all = Required(map, "map").map;
    const MapStats of = all.GetStats();
    trommel_column_map_stats out = {};
    out.fingerprint_bits = all.geometry().fingerprint_bits;
    out.num_blocks = all.geometry().num_blocks;
    out.num_pairs = of.num_pairs;
    out.num_slots = of.num_slots;
    out.num_slots_in_use = of.num_slots_in_use;
    out.num_pairs_elsewhere = of.num_pairs_elsewhere;
    out.num_places_elsewhere = of.num_places_elsewhere;
    out.num_hidden_places = of.num_hidden_places;
    out.predicted_false_columns = of.predicted_false_columns;
    out.num_bytes = of.num_bytes;
    out.num_refused_inserts = of.num_refused_inserts;
    out.num_interrupted_queries = of.num_interrupted_queries;
    Write(stats, out, "stats");
  });
}

trommel_code trommel_column_map_serialize(const trommel_column_map* map, uint32_t column,
                                          void* buffer, int64_t buffer_size, int64_t* num_bytes,
                                          trommel_error* error) {
  return Guarded(error, [&] {
    UseOpen(map, column, [&](const ColumnMap& open) {
      WriteOut(buffer, buffer_size, num_bytes,
               [&](ByteSink& sink) { return sink.Append(open.SerializeColumn(column)); });
    });
  });
}

trommel_code trommel_column_map_load(trommel_column_map* map, uint32_t column, const void* bytes,
                                     int64_t num_bytes, trommel_error* error) {
  return Guarded(error, [&] {
    Use(map, column,
        [&](ColumnMap& all) { ValueOf(all.LoadColumn(column, BytesOf(bytes, num_bytes))); });
  });
}
