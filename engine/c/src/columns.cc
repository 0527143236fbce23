// trommel_columns: FilterColumns.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>

#include "engine/c/src/batch.h"
#include "engine/c/src/failures.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/snapshots.h"
#include "engine/c/src/statistics.h"
#include "engine/c/src/structs.h"
#include "trommel/byte_stream.h"
#include "trommel/c.h"
#include "trommel/filter_columns.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"

// The library's calls on one column require that it is open, so closing it waits until no call that
// has seen it open is left. One lock per column modulo their number: calls on other columns seldom
// wait for a closing.
struct trommel_columns {
  // A lock that prefers readers would let a stream of calls keep the column open: a closing holds
  // `entry` while it waits, through which all calls go.
  struct ColumnLock {
    std::mutex entry;
    std::shared_mutex calls;
  };
  trommel::FilterColumns columns;
  mutable std::array<ColumnLock, 16> locks = {};

  explicit trommel_columns(trommel::FilterColumns made) : columns(std::move(made)) {}
  template <class Lock>
  Lock Hold(uint32_t column) const {
    ColumnLock& lock = locks[column % locks.size()];
    const std::lock_guard entering(lock.entry);
    return Lock(lock.calls);
  }
};

namespace trommel::c_abi {
namespace {

template <class Handle>
Handle& WithColumn(Handle* columns, uint32_t column) {
  Handle& given = Required(columns, "columns");
  if (column >= given.columns.num_columns()) {
    ThrowInvalid("column is " + std::to_string(column) + "; it must be less than " +
                 std::to_string(given.columns.num_columns()));
  }
  return given;
}

// Calls use(FilterColumns) while the column cannot be closed. It must be open.
template <class Handle, class Use>
void UseOpen(Handle* columns, uint32_t column, const Use& use) {
  Handle& given = WithColumn(columns, column);
  const auto lock = given.template Hold<std::shared_lock<std::shared_mutex>>(column);
  if (!given.columns.IsOpen(column)) {
    ThrowInvalid("column " + std::to_string(column) + " is closed; open it first");
  }
  use(given.columns);
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_columns_create(const trommel_columns_config* config, trommel_columns** columns,
                                    trommel_error* error) {
  return Guarded(error, [&] {
    trommel_columns*& out = Required(columns, "columns");
    const trommel_columns_config given = Read(config, "config");
    ColumnsConfig made;
    made.column_capacity = given.column_capacity;
    if (given.target_fpr != 0) made.target_fpr = given.target_fpr;
    made.num_columns = given.num_columns;
    made.digest = PolicyOf(given.digest);
    made.num_slices = given.num_slices;
    made.encoding = EncodingOf(given.encoding, Encoding::kRuns);
    made.memory_limit_bytes = given.memory_limit_bytes;
    made.side_memory_limit_bytes = given.side_memory_limit_bytes;
    out = std::make_unique<trommel_columns>(ValueOf(FilterColumns::Create(made))).release();
  });
}

void trommel_columns_free(trommel_columns* columns) { delete columns; }

int64_t trommel_columns_row_words(const trommel_columns* columns) {
  return columns == nullptr ? 0 : static_cast<int64_t>(columns->columns.row_words());
}

trommel_code trommel_columns_open(trommel_columns* columns, uint32_t column, trommel_error* error) {
  return Guarded(error, [&] { ValueOf(WithColumn(columns, column).columns.OpenColumn(column)); });
}

trommel_code trommel_columns_close(trommel_columns* columns, uint32_t column,
                                   trommel_error* error) {
  return Guarded(error, [&] {
    trommel_columns& given = WithColumn(columns, column);
    const auto lock = given.Hold<std::unique_lock<std::shared_mutex>>(column);
    given.columns.CloseColumn(column);
  });
}

int32_t trommel_columns_is_open(const trommel_columns* columns, uint32_t column,
                                trommel_error* error) {
  return GuardedAnswer(error, [&] { return WithColumn(columns, column).columns.IsOpen(column); });
}

trommel_code trommel_columns_insert(trommel_columns* columns, uint32_t column,
                                    const trommel_keys* keys, trommel_error* error) {
  return trommel_columns_insert_noting(columns, column, keys, nullptr, 0, nullptr, error);
}

trommel_code trommel_columns_insert_noting(trommel_columns* columns, uint32_t column,
                                           const trommel_keys* keys, uint64_t* inserted,
                                           int64_t num_words, trommel_outcome* outcome,
                                           trommel_error* error) {
  return Guarded(error, [&] {
    if (outcome != nullptr) SizeOf(outcome, "outcome");
    trommel_outcome total = {};
    UseOpen(columns, column, [&](FilterColumns& open) {
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

trommel_code trommel_columns_erase(trommel_columns* columns, uint32_t column,
                                   const trommel_keys* keys, trommel_outcome* outcome,
                                   trommel_error* error) {
  return Guarded(error, [&] {
    if (outcome != nullptr) SizeOf(outcome, "outcome");
    trommel_outcome total = {};
    UseOpen(columns, column, [&](FilterColumns& open) {
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

trommel_code trommel_columns_query(const trommel_columns* columns, const trommel_keys* keys,
                                   uint64_t* answers, int64_t num_words, trommel_error* error) {
  return Guarded(error, [&] {
    const FilterColumns& all = Required(columns, "columns").columns;
    const Batch batch(keys, all.digest_policy(), nullptr);
    const size_t row_words = all.row_words();
    const std::span rows = batch.Output(answers, num_words, batch.size() * row_words, "answers");
    batch.ForEachRound([&](Keys round, size_t first) {
      all.Query(round, rows.subspan(first * row_words, round.size() * row_words));
    });
  });
}

int32_t trommel_columns_may_contain(const trommel_columns* columns, uint32_t column,
                                    trommel_key key, trommel_error* error) {
  return GuardedAnswer(error, [&] {
    const FilterColumns& all = WithColumn(columns, column).columns;
    return all.MayContain(column, KeyOf(key, all.digest_policy()));
  });
}

trommel_code trommel_columns_get_stats(const trommel_columns* columns, uint32_t column,
                                       trommel_stats* stats, trommel_error* error) {
  return Guarded(error, [&] {
    UseOpen(columns, column, [&](const FilterColumns& open) {
      trommel_stats of = StatsOf(open.GetStats(column), open.geometry());
      of.capacity = open.column_capacity();
      of.target_fpr = open.target_fpr();
      Write(stats, of, "stats");
    });
  });
}

trommel_code trommel_columns_serialize(const trommel_columns* columns, uint32_t column,
                                       void* buffer, int64_t buffer_size, int64_t* num_bytes,
                                       trommel_error* error) {
  return Guarded(error, [&] {
    UseOpen(columns, column, [&](const FilterColumns& open) {
      WriteOut(buffer, buffer_size, num_bytes,
               [&](ByteSink& sink) { return sink.Append(open.SerializeColumn(column)); });
    });
  });
}

trommel_code trommel_columns_load(trommel_columns* columns, uint32_t column, const void* bytes,
                                  int64_t num_bytes, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_columns& given = WithColumn(columns, column);
    ValueOf(given.columns.LoadColumn(column, BytesOf(bytes, num_bytes).bytes));
  });
}
