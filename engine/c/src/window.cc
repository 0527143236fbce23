// What only window filters have: time.
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/c/src/batch.h"
#include "engine/c/src/failures.h"
#include "engine/c/src/filter.h"
#include "engine/c/src/structs.h"
#include "trommel/any_filter.h"
#include "trommel/c.h"
#include "trommel/keys.h"

namespace trommel::c_abi {
namespace {

static_assert(AnyFilter::kChunkKeys == TROMMEL_WINDOW_CHUNK_KEYS);

// The filter, whose keys expire, or a Failure.
template <class Handle>
AnyFilter& WindowOf(Handle* filter) {
  Handle& given = Required(filter, "filter");
  if (!given.any->expires()) ThrowUnsupported(given, "have no time");
  return *given.any;
}

// update(window, batch, outcome); the outcome's struct is checked before any key.
template <class Update>
trommel_code WindowGuarded(trommel_filter* filter, const trommel_keys* keys,
                           trommel_outcome* outcome, trommel_error* error, const Update& update) {
  return Guarded(error, [&] {
    AnyFilter& window = WindowOf(filter);
    if (outcome != nullptr) SizeOf(outcome, "outcome");
    const Batch batch(keys, window.digest_policy(), filter->executor.get());
    trommel_outcome total = {};
    update(window, batch, total);
    if (outcome != nullptr) Write(outcome, total, "outcome");
  });
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

int32_t trommel_window_advance(trommel_filter* filter, uint64_t now, trommel_error* error) {
  return GuardedAnswer(error, [&] { return ValueOf(WindowOf(filter).Advance(now)); });
}

trommel_code trommel_window_now(const trommel_filter* filter, uint64_t* now, trommel_error* error) {
  return Guarded(error, [&] { Required(now, "now") = WindowOf(filter).now(); });
}

trommel_code trommel_window_insert(trommel_filter* filter, const trommel_keys* keys, uint64_t time,
                                   uint64_t* inserted, int64_t num_words, trommel_outcome* outcome,
                                   trommel_error* error) {
  return WindowGuarded(
      filter, keys, outcome, error,
      [&](AnyFilter& window, const Batch& batch, trommel_outcome& total) {
        const std::span bitmap = batch.OptionalBitmap(inserted, num_words, "inserted");
        total.time = time;
        batch.ForEachRound([&](Keys round, size_t first) {
          Add(ValueOf(window.InsertAt(round, time, WordsOf(bitmap, first, round.size()))), total);
        });
      });
}

trommel_code trommel_window_insert_if_absent(trommel_filter* filter, const trommel_keys* keys,
                                             uint64_t* inserted, int64_t num_words, uint64_t* times,
                                             int64_t num_times, trommel_outcome* outcome,
                                             trommel_error* error) {
  return WindowGuarded(
      filter, keys, outcome, error,
      [&](AnyFilter& window, const Batch& batch, trommel_outcome& total) {
        const std::span bitmap = batch.Bitmap(inserted, num_words, "inserted");
        const std::span all_times =
            batch.Output(times, num_times, NumChunks(batch.size()), "times");
        if (ShareBytes(std::as_bytes(bitmap), std::as_bytes(all_times))) {
          ThrowInvalid("inserted and times overlap");
        }
        batch.ForEachRound([&](Keys round, size_t first) {
          Add(ValueOf(window.InsertIfAbsent(
                  round, WordsOf(bitmap, first, round.size()), {},
                  all_times.subspan(first / AnyFilter::kChunkKeys, NumChunks(round.size())))),
              total);
        });
        total.time = all_times.empty() ? window.now() : all_times.back();
      });
}

trommel_code trommel_window_erase(trommel_filter* filter, const trommel_keys* keys,
                                  uint64_t inserted_at, uint64_t* erased, int64_t num_words,
                                  trommel_outcome* outcome, trommel_error* error) {
  return WindowGuarded(
      filter, keys, outcome, error,
      [&](AnyFilter& window, const Batch& batch, trommel_outcome& total) {
        const std::span bitmap = batch.OptionalBitmap(erased, num_words, "erased");
        batch.ForEachRound([&](Keys round, size_t first) {
          Add(ValueOf(window.EraseAt(round, inserted_at, WordsOf(bitmap, first, round.size()))),
              total);
        });
      });
}

trommel_code trommel_window_erase_all(trommel_filter* filter, const trommel_keys* keys,
                                      const uint64_t* inserted_at, int64_t num_times,
                                      uint64_t* missing, int64_t num_words,
                                      trommel_outcome* outcome, trommel_error* error) {
  return WindowGuarded(
      filter, keys, outcome, error,
      [&](AnyFilter& window, const Batch& batch, trommel_outcome& total) {
        const size_t num_wanted = num_times == 1 ? 1 : batch.size();
        CheckEntries(inserted_at, num_times, num_wanted, batch.size(), alignof(uint64_t),
                     "inserted_at");
        const std::span times(inserted_at, num_wanted);
        const std::span bitmap = batch.OptionalBitmap(missing, num_words, "missing");
        if (ShareBytes(std::as_bytes(times), std::as_bytes(bitmap))) {
          ThrowInvalid("missing and inserted_at overlap");
        }
        batch.AsWhole([&](Keys all) { Add(ValueOf(window.EraseAll(all, times, bitmap)), total); });
      });
}

int32_t trommel_window_insert_key(trommel_filter* filter, trommel_key key, uint64_t time,
                                  trommel_error* error) {
  return GuardedAnswer(error, [&] {
    AnyFilter& window = WindowOf(filter);
    return window.InsertOneAt(KeyOf(key, window.digest_policy()), time);
  });
}

int32_t trommel_window_erase_key(trommel_filter* filter, trommel_key key, uint64_t inserted_at,
                                 trommel_error* error) {
  return GuardedAnswer(error, [&] {
    AnyFilter& window = WindowOf(filter);
    return window.EraseOneAt(KeyOf(key, window.digest_policy()), inserted_at);
  });
}
