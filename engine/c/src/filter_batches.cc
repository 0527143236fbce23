// Updates and queries of filters that hold keys: batches, and one key.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
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

void Add(const InsertOutcome& of, trommel_outcome& total) {
  total.num_done += of.num_inserted;
  total.num_refused += of.num_refused;
  if (of.refusal != GrowthRefusal::kNone) total.refusal = static_cast<int32_t>(of.refusal);
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
    std::visit([&](auto& typed) { update(typed, batch, total); }, target.typed);
    if (outcome != nullptr) Write(outcome, total, "outcome");
  });
}

template <class Filter>
void InsertBatch(Filter& filter, const Batch& batch, Words inserted, bool, trommel_outcome& total) {
  batch.ForEachRound([&](Keys keys, size_t first) {
    const Words words = WordsOf(inserted, first, keys.size());
    Add(inserted.empty() ? filter.Insert(keys) : filter.Insert(keys, words), total);
  });
}

// All keys of a call enter one bucket. One that expires meanwhile takes no more of them: as in C++,
// they would be expired.
void InsertBatch(WindowFilter& filter, const Batch& batch, Words inserted, bool is_limited,
                 trommel_outcome& total) {
  if (!is_limited) {  // which takes less time
    batch.ForEachRound([&](Keys keys, size_t first) {
      if (first == 0) {
        total.time = filter.Insert(keys);
      } else {
        filter.Insert(keys, total.time);
      }
    });
    total.num_done = batch.size();
    FillBitmap(inserted, batch.size());
    return;
  }
  std::vector<uint64_t> scratch;
  if (inserted.empty()) {
    scratch.resize(BitmapWords(batch.size()));
    inserted = scratch;
  }
  batch.ForEachRound([&](Keys keys, size_t first) {
    const Words words = WordsOf(inserted, first, keys.size());
    AddInserted(first == 0 ? filter.Insert(keys, words, &total.time)
                           : filter.Insert(keys, total.time, words),
                total);
  });
}

template <class Filter>
void InsertBatchIfAbsent(Filter& filter, const Batch& batch, Words inserted, Words refused,
                         trommel_outcome& total) {
  batch.ForEachRound([&](Keys keys, size_t first) {
    const Words words = WordsOf(inserted, first, keys.size());
    if constexpr (std::same_as<Filter, ScalableFilter>) {
      Add(filter.InsertIfAbsent(keys, words), total);
    } else if (!refused.empty()) {
      Add(filter.InsertIfAbsent(keys, words, WordsOf(refused, first, keys.size())), total);
    } else {
      total.num_done += filter.InsertIfAbsent(keys, words);
    }
  });
}

// The time is that of the last chunk. (What now() returns afterwards is another one if a thread
// advances meanwhile, and an erasure of that time would be of another bucket.)
void InsertBatchIfAbsent(WindowFilter& filter, const Batch& batch, Words inserted, Words,
                         trommel_outcome& total) {
  total.time = filter.now();
  batch.ForEachRound([&](Keys keys, size_t first) {
    std::vector<uint64_t> times(WindowFilter::NumChunks(keys.size()));
    total.num_done += filter.InsertIfAbsent(keys, WordsOf(inserted, first, keys.size()), times);
    if (!times.empty()) total.time = times.back();
  });
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_insert(trommel_filter* filter, const trommel_keys* keys, uint64_t* inserted,
                            int64_t num_words, trommel_outcome* outcome, trommel_error* error) {
  return UpdateGuarded(
      filter, keys, outcome, error, [&](auto& typed, const Batch& batch, trommel_outcome& total) {
        InsertBatch(typed, batch, batch.OptionalBitmap(inserted, num_words, "inserted"),
                    filter->limits_side_memory, total);
      });
}

trommel_code trommel_insert_if_absent(trommel_filter* filter, const trommel_keys* keys,
                                      uint64_t* inserted, int64_t num_words, uint64_t* refused,
                                      trommel_outcome* outcome, trommel_error* error) {
  return UpdateGuarded(
      filter, keys, outcome, error, [&](auto& typed, const Batch& batch, trommel_outcome& total) {
        const Words words = batch.Bitmap(inserted, num_words, "inserted");
        Words refused_words;
        std::vector<uint64_t> scratch;
        if (refused != nullptr) {
          refused_words = batch.Bitmap(refused, num_words, "refused");
          if (ShareBytes(std::as_bytes(words), std::as_bytes(refused_words))) {
            ThrowInvalid("inserted and refused overlap");
          }
          if (std::same_as<std::remove_cvref_t<decltype(typed)>, ScalableFilter>) {
            ThrowUnsupported(TypeOf(*filter), "do not say which absent keys were refused");
          }
          if (kIsWindow<std::remove_cvref_t<decltype(typed)>> && filter->limits_side_memory) {
            ThrowUnsupported(TypeOf(*filter),
                             "with a limit of side memory do not say which absent keys were "
                             "refused");
          }
          FillBitmap(refused_words, 0);
        } else if (filter->limits_side_memory) {
          scratch.resize(words.size());
          refused_words = scratch;
        }
        InsertBatchIfAbsent(typed, batch, words, refused_words, total);
      });
}

trommel_code trommel_erase(trommel_filter* filter, const trommel_keys* keys, uint64_t* erased,
                           int64_t num_words, trommel_outcome* outcome, trommel_error* error) {
  return UpdateGuarded(
      filter, keys, outcome, error, [&](auto& typed, const Batch& batch, trommel_outcome& total) {
        if constexpr (kIsWindow<std::remove_cvref_t<decltype(typed)>>) {
          ThrowUnsupported(TypeOf(*filter), "erase by time: call trommel_window_erase");
        } else {
          const Words bitmap = batch.OptionalBitmap(erased, num_words, "erased");
          batch.ForEachRound([&](Keys round, size_t first) {
            const EraseOutcome of = bitmap.empty()
                                        ? typed.Erase(round)
                                        : typed.Erase(round, WordsOf(bitmap, first, round.size()));
            total.num_done += of.num_erased;
            total.num_refused += of.num_refused;
          });
        }
      });
}

trommel_code trommel_erase_all(trommel_filter* filter, const trommel_keys* keys, uint64_t* missing,
                               int64_t num_words, trommel_outcome* outcome, trommel_error* error) {
  return UpdateGuarded(
      filter, keys, outcome, error, [&](auto& typed, const Batch& batch, trommel_outcome& total) {
        if constexpr (kIsWindow<std::remove_cvref_t<decltype(typed)>>) {
          ThrowUnsupported(TypeOf(*filter), "erase by time: call trommel_window_erase_all");
        } else if constexpr (!requires { typed.EraseAll(Keys::Digests({})); }) {
          ThrowUnsupported(TypeOf(*filter), "do not erase a batch as a whole");
        } else {
          const Words bitmap = batch.OptionalBitmap(missing, num_words, "missing");
          batch.AsWhole([&](Keys all) {
            const EraseOutcome of = ValueOf(typed.EraseAll(all, bitmap));
            total.num_done = of.num_erased;
            total.num_refused = of.num_refused;
          });
        }
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
    std::visit(
        [&](const auto& typed) {
          batch.ForEachRound([&](Keys round, size_t first) {
            total += typed.Query(round, WordsOf(bitmap, first, round.size()));
          });
        },
        source.typed);
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
    std::visit(
        [&](const auto& typed) {
          batch.ForEachRound([&](Keys round, size_t first) {
            // Written where the round's keys are, then moved to the front: a selection has an entry
            // per key.
            const std::span part = entries.subspan(first, round.size());
            const size_t num = typed.Select(round, wanted, part);
            for (size_t i = 0; i < num; ++i) {
              entries[total + i] = part[i] + static_cast<uint32_t>(first);
            }
            total += num;
          });
        },
        source.typed);
    selected = static_cast<int64_t>(total);
  });
}

trommel_code trommel_count_estimates(const trommel_filter* filter, const trommel_keys* keys,
                                     uint64_t* counts, int64_t num_counts, trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    const Batch batch = BatchOf(source, keys);
    const std::span entries = batch.Output(counts, num_counts, batch.size(), "counts");
    std::visit(
        [&](const auto& typed) {
          batch.ForEachRound([&](Keys round, size_t first) {
            typed.CountEstimates(round, entries.subspan(first, round.size()));
          });
        },
        source.typed);
  });
}

// --- One key.

int32_t trommel_insert_key(trommel_filter* filter, trommel_key key, trommel_error* error) {
  const auto at_once =
      AnswerAtOnce(filter, key, [](auto& typed, Key one) { return typed.Insert(one); });
  if (at_once) return *at_once ? 1 : 0;
  return GuardedAnswer(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    const Key one = KeyOf(key, PolicyOf(target));
    return std::visit(
        [&](auto& typed) {
          using Filter = std::remove_cvref_t<decltype(typed)>;
          if constexpr (kIsWindow<Filter>) {
            if (!target.limits_side_memory) {
              typed.Insert(one);
              return true;
            }
            const uint64_t digest = typed.digest_policy()(one);
            uint64_t inserted = 0;
            typed.Insert(Keys::Digests({&digest, 1}), Words(&inserted, 1));
            return inserted == 1;
          } else {
            return typed.Insert(one);
          }
        },
        target.typed);
  });
}

int32_t trommel_insert_key_if_absent(trommel_filter* filter, trommel_key key,
                                     trommel_error* error) {
  const auto at_once =
      AnswerAtOnce(filter, key, [](auto& typed, Key one) { return typed.InsertIfAbsent(one); });
  if (at_once) return *at_once ? 1 : 0;
  return GuardedAnswer(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    const Key one = KeyOf(key, PolicyOf(target));
    return std::visit([&](auto& typed) { return typed.InsertIfAbsent(one); }, target.typed);
  });
}

int32_t trommel_erase_key(trommel_filter* filter, trommel_key key, trommel_error* error) {
  const auto at_once =
      AnswerAtOnce(filter, key, [](auto& typed, Key one) { return typed.Erase(one); });
  if (at_once) return *at_once ? 1 : 0;
  return GuardedAnswer(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    const Key one = KeyOf(key, PolicyOf(target));
    return std::visit(
        [&](auto& typed) -> bool {
          if constexpr (kIsWindow<std::remove_cvref_t<decltype(typed)>>) {
            ThrowUnsupported(TypeOf(target), "erase by time: call trommel_window_erase");
          } else {
            return typed.Erase(one);
          }
        },
        target.typed);
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
  const auto at_once =
      AnswerAtOnce(filter, key, [](const auto& typed, Key one) { return typed.MayContain(one); });
  if (at_once) return *at_once ? 1 : 0;
  return GuardedAnswer(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    const Key one = KeyOf(key, PolicyOf(source));
    return std::visit([&](const auto& typed) { return typed.MayContain(one); }, source.typed);
  });
}

trommel_code trommel_count_estimate(const trommel_filter* filter, trommel_key key, uint64_t* count,
                                    trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    uint64_t& out = Required(count, "count");
    const Key one = KeyOf(key, PolicyOf(source));
    out = std::visit([&](const auto& typed) { return typed.CountEstimate(one); }, source.typed);
  });
}
