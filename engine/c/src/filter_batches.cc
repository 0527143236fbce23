// Updates and queries of filters that hold keys: batches, and one key.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/c/src/batch.h"
#include "engine/c/src/failures.h"
#include "engine/c/src/filter.h"
#include "engine/c/src/structs.h"
#include "trommel/c.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"

namespace trommel::c_abi {
namespace {

using Words = std::span<uint64_t>;

Batch BatchOf(const trommel_filter& filter, const trommel_keys* keys) {
  return {keys, PolicyOf(filter), filter.executor.get()};
}

// What a call of updates does with its filter. The outcome's struct is checked before any key.
template <class Update>
trommel_code UpdateGuarded(trommel_filter* filter, const trommel_keys* keys,
                           trommel_outcome* outcome, trommel_error* error, const Update& update) {
  return Guarded(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    if (outcome != nullptr) SizeOf(outcome, "outcome");
    const Batch batch = BatchOf(target, keys);
    trommel_outcome total = {};
    update(*target.any, batch, total);
    if (outcome != nullptr) Write(outcome, total, "outcome");
  });
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_insert(trommel_filter* filter, const trommel_keys* keys, uint64_t* inserted,
                            int64_t num_words, trommel_outcome* outcome, trommel_error* error) {
  return UpdateGuarded(
      filter, keys, outcome, error,
      [&](AnyFilter& any, const Batch& batch, trommel_outcome& total) {
        const Words bitmap = batch.OptionalBitmap(inserted, num_words, "inserted");
        // All keys of a call enter one bucket. One that expires meanwhile takes no more of them: as
        // in C++, they would be expired.
        batch.ForEachRound([&](Keys round, size_t first) {
          const Words words = WordsOf(bitmap, first, round.size());
          Add(ValueOf(first == 0 || !any.expires() ? any.Insert(round, words, &total.time)
                                                   : any.InsertAt(round, total.time, words)),
              total);
        });
      });
}

trommel_code trommel_insert_if_absent(trommel_filter* filter, const trommel_keys* keys,
                                      uint64_t* inserted, int64_t num_words, uint64_t* refused,
                                      trommel_outcome* outcome, trommel_error* error) {
  return UpdateGuarded(
      filter, keys, outcome, error,
      [&](AnyFilter& any, const Batch& batch, trommel_outcome& total) {
        const Words words = batch.Bitmap(inserted, num_words, "inserted");
        Words refused_words;
        if (refused != nullptr) {
          refused_words = batch.Bitmap(refused, num_words, "refused");
          if (ShareBytes(std::as_bytes(words), std::as_bytes(refused_words))) {
            ThrowInvalid("inserted and refused overlap");
          }
        }
        // The time is that of the last chunk. (What now() returns afterwards is another one if a
        // thread advances meanwhile, and an erasure of that time would be of another bucket.)
        total.time = any.now();
        std::vector<uint64_t> times;
        batch.ForEachRound([&](Keys round, size_t first) {
          if (any.expires()) times.resize(NumChunks(round.size()));
          Add(ValueOf(any.InsertIfAbsent(round, WordsOf(words, first, round.size()),
                                         WordsOf(refused_words, first, round.size()), times)),
              total);
          if (!times.empty()) total.time = times.back();
        });
      });
}

trommel_code trommel_erase(trommel_filter* filter, const trommel_keys* keys, uint64_t* erased,
                           int64_t num_words, trommel_outcome* outcome, trommel_error* error) {
  return UpdateGuarded(filter, keys, outcome, error,
                       [&](AnyFilter& any, const Batch& batch, trommel_outcome& total) {
                         if (any.expires())
                           ThrowUnsupported(*filter, "erase by time: call trommel_window_erase");
                         const Words bitmap = batch.OptionalBitmap(erased, num_words, "erased");
                         batch.ForEachRound([&](Keys round, size_t first) {
                           Add(ValueOf(any.Erase(round, WordsOf(bitmap, first, round.size()))),
                               total);
                         });
                       });
}

trommel_code trommel_erase_all(trommel_filter* filter, const trommel_keys* keys, uint64_t* missing,
                               int64_t num_words, trommel_outcome* outcome, trommel_error* error) {
  return UpdateGuarded(
      filter, keys, outcome, error,
      [&](AnyFilter& any, const Batch& batch, trommel_outcome& total) {
        if (any.expires()) {
          ThrowUnsupported(*filter, "erase by time: call trommel_window_erase_all");
        }
        const Words bitmap = batch.OptionalBitmap(missing, num_words, "missing");
        batch.AsWhole([&](Keys all) { Add(ValueOf(any.EraseAll(all, {}, bitmap)), total); });
      });
}

trommel_code trommel_query(const trommel_filter* filter, const trommel_keys* keys,
                           uint64_t* maybe_present, int64_t num_words, int64_t* num_maybe_present,
                           trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    const Batch batch = BatchOf(source, keys);
    const Words bitmap = batch.Bitmap(maybe_present, num_words, "maybe_present");
    size_t total = 0;
    batch.ForEachRound([&](Keys round, size_t first) {
      total += source.any->Query(round, WordsOf(bitmap, first, round.size()));
    });
    if (num_maybe_present != nullptr) *num_maybe_present = static_cast<int64_t>(total);
  });
}

trommel_code trommel_select(const trommel_filter* filter, const trommel_keys* keys, int32_t answer,
                            uint32_t* selection, int64_t num_entries, int64_t* num_selected,
                            trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    int64_t& selected = Required(num_selected, "num_selected");
    const auto wanted = static_cast<Answer>(EnumOf(answer, 2, "answer"));
    const Batch batch = BatchOf(source, keys);
    if (batch.size() > UINT32_MAX) ThrowInvalid("more keys than 32-bit indices can name");
    const std::span entries = batch.Output(selection, num_entries, batch.size(), "selection");
    size_t total = 0;
    batch.ForEachRound([&](Keys round, size_t first) {
      // Written where the round's keys are, then moved to the front: a selection has an entry per
      // key.
      const std::span part = entries.subspan(first, round.size());
      const size_t num = source.any->Select(round, wanted, part);
      for (size_t i = 0; i < num; ++i) entries[total + i] = part[i] + static_cast<uint32_t>(first);
      total += num;
    });
    selected = static_cast<int64_t>(total);
  });
}

trommel_code trommel_count_estimates(const trommel_filter* filter, const trommel_keys* keys,
                                     uint64_t* counts, int64_t num_counts, trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    const Batch batch = BatchOf(source, keys);
    const std::span entries = batch.Output(counts, num_counts, batch.size(), "counts");
    batch.ForEachRound([&](Keys round, size_t first) {
      source.any->CountEstimates(round, entries.subspan(first, round.size()));
    });
  });
}

// --- One key.

int32_t trommel_insert_key(trommel_filter* filter, trommel_key key, trommel_error* error) {
  const auto insert = [](AnyFilter& any, Key one) { return any.InsertOne(one, nullptr); };
  if (const auto at_once = AnswerAtOnce(filter, key, insert)) return *at_once ? 1 : 0;
  return GuardedAnswer(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    return insert(*target.any, KeyOf(key, PolicyOf(target)));
  });
}

int32_t trommel_insert_key_if_absent(trommel_filter* filter, trommel_key key,
                                     trommel_error* error) {
  const auto insert = [](AnyFilter& any, Key one) { return any.InsertOneIfAbsent(one, nullptr); };
  if (const auto at_once = AnswerAtOnce(filter, key, insert)) return *at_once ? 1 : 0;
  return GuardedAnswer(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    return insert(*target.any, KeyOf(key, PolicyOf(target)));
  });
}

int32_t trommel_erase_key(trommel_filter* filter, trommel_key key, trommel_error* error) {
  const auto erase = [](AnyFilter& any, Key one) { return any.EraseOneAt(one, 0); };
  if (filter != nullptr && !filter->expires) {
    if (const auto at_once = AnswerAtOnce(filter, key, erase)) return *at_once ? 1 : 0;
  }
  return GuardedAnswer(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    const Key one = KeyOf(key, PolicyOf(target));
    if (target.expires) ThrowUnsupported(target, "erase by time: call trommel_window_erase");
    return erase(*target.any, one);
  });
}

int32_t trommel_insert_bytes(trommel_filter* filter, const void* data, int64_t size,
                             trommel_error* error) {
  return trommel_insert_key(filter, trommel_key_bytes(data, size), error);
}

int32_t trommel_insert_bytes_if_absent(trommel_filter* filter, const void* data, int64_t size,
                                       trommel_error* error) {
  return trommel_insert_key_if_absent(filter, trommel_key_bytes(data, size), error);
}

int32_t trommel_erase_bytes(trommel_filter* filter, const void* data, int64_t size,
                            trommel_error* error) {
  return trommel_erase_key(filter, trommel_key_bytes(data, size), error);
}

int32_t trommel_may_contain_bytes(const trommel_filter* filter, const void* data, int64_t size,
                                  trommel_error* error) {
  return trommel_may_contain(filter, trommel_key_bytes(data, size), error);
}

int32_t trommel_may_contain(const trommel_filter* filter, trommel_key key, trommel_error* error) {
  const auto ask = [](const AnyFilter& any, Key one) { return any.MayContain(one); };
  if (const auto at_once = AnswerAtOnce(filter, key, ask)) return *at_once ? 1 : 0;
  return GuardedAnswer(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    return ask(*source.any, KeyOf(key, PolicyOf(source)));
  });
}

trommel_code trommel_count_estimate(const trommel_filter* filter, trommel_key key, uint64_t* count,
                                    trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    uint64_t& out = Required(count, "count");
    out = source.any->CountEstimate(KeyOf(key, PolicyOf(source)));
  });
}
