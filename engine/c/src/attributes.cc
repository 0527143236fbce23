// trommel_attributes: AttributeFilter. Its files are in attributes_files.cc.
#include "engine/c/src/attributes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/c/src/batch.h"
#include "engine/c/src/failures.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/structs.h"
#include "trommel/attribute_filter.h"
#include "trommel/attribute_sets.h"
#include "trommel/c.h"
#include "trommel/outcomes.h"
#include "trommel/tuples.h"

namespace trommel::c_abi {
namespace {

// An array of the caller's, which may be NULL if it is empty.
template <class T>
std::span<const T> ArrayOf(const T* array, int64_t size, std::string_view name) {
  if (size < 0 || size > (int64_t{1} << 32)) {
    ThrowInvalid("num_" + std::string(name) + " is " + std::to_string(size) +
                 "; it must be between 0 and 2^32");
  }
  if (size > 0) Required(array, name);
  return {array, static_cast<size_t>(size)};
}

AttributeMask MaskOf(uint64_t set, uint32_t num_attributes) {
  if (num_attributes < 64 && set >> num_attributes != 0) {
    ThrowInvalid("a set is " + std::to_string(set) + "; it must be less than 2^" +
                 std::to_string(num_attributes) + ", for there are " +
                 std::to_string(num_attributes) + " attributes");
  }
  return static_cast<AttributeMask>(set);
}

std::vector<AttributeMask> MasksOf(std::span<const uint64_t> sets, uint32_t num_attributes) {
  std::vector<AttributeMask> masks;
  for (const uint64_t set : sets) masks.push_back(MaskOf(set, num_attributes));
  return masks;
}

AttributeSets SetsOf(const trommel_attributes_config& given, uint32_t num_attributes) {
  const std::vector cuts = MasksOf(ArrayOf(given.cuts, given.num_cuts, "cuts"), num_attributes);
  const std::vector kept = MasksOf(ArrayOf(given.kept, given.num_kept, "kept"), num_attributes);
  if (!kept.empty()) {
    if (!cuts.empty() || given.max_together != 0) {
      ThrowInvalid("kept is given with cuts or max_together; a list says it all");
    }
    return ValueOf(AttributeSets::Keep(num_attributes, kept));
  }
  if (given.max_together == 0) return ValueOf(AttributeSets::Create(num_attributes, cuts));
  return ValueOf(AttributeSets::AtMost(num_attributes, given.max_together, cuts));
}

AttributeConfig ConfigOf(const trommel_attributes_config& given) {
  if (given.num_attributes < 1 || given.num_attributes > static_cast<int64_t>(kMaxAttributes)) {
    ThrowInvalid("num_attributes is " + std::to_string(given.num_attributes) +
                 "; it must be between 1 and " + std::to_string(kMaxAttributes));
  }
  const auto num_attributes = static_cast<uint32_t>(given.num_attributes);
  AttributeConfig config;
  config.sets = SetsOf(given, num_attributes);
  for (uint32_t i = 0; given.names != nullptr && i < num_attributes; ++i) {
    config.names.emplace_back(&Required(given.names[i], "a name"));
  }
  config.capacity = given.capacity;
  if (given.num_values != nullptr) {
    config.num_values.assign(given.num_values, given.num_values + num_attributes);
  }
  config.target_fpr = RateOf(given.target_fpr);
  for (const trommel_set_budget& budget : ArrayOf(given.budgets, given.num_budgets, "budgets")) {
    config.budgets.push_back(
        {MaskOf(budget.set, num_attributes), budget.capacity, budget.target_fpr});
  }
  config.digest = PolicyOf(given.digest);
  config.max_capacity = given.max_capacity;
  config.memory_limit_bytes = given.memory_limit_bytes;
  config.executor = ExecutorOf(given.executor);
  return config;
}

constexpr size_t kRoundTuples = size_t{1} << 16;

// A batch of tuples, passed on in rounds: a column of digests for each attribute of a set. Digests
// of the caller's are copied, too: sets read them one after the other, and must read the same.
class TupleBatch {
 public:
  TupleBatch(const trommel_attributes& filter, AttributeMask set,
             const trommel_keys* const* columns, int32_t num_columns, int64_t num_tuples) {
    const uint32_t num_attributes = filter.filter.sets().num_attributes();
    if (num_columns < 0 || static_cast<uint32_t>(num_columns) != num_attributes) {
      ThrowInvalid("num_columns is " + std::to_string(num_columns) + "; it must be " +
                   std::to_string(num_attributes));
    }
    if (num_tuples < 0) {
      ThrowInvalid("num_tuples is " + std::to_string(num_tuples) + "; it must not be negative");
    }
    Required(columns, "columns");
    size_ = static_cast<size_t>(num_tuples);
    columns_.reserve(num_attributes);
    for (uint32_t i = 0; i < num_attributes; ++i) {
      if ((set >> i & 1) == 0) continue;
      const std::string name = "columns[" + std::to_string(i) + "]";
      const Column& column = columns_.emplace_back(
          Column{i, Batch(columns[i], filter.filter.digest_policy(), filter.executor.get(), name)});
      if (column.keys.size() != size_) {
        ThrowInvalid(name + " has " + std::to_string(column.keys.size()) + " keys; it must have " +
                     std::to_string(size_) + " (num_tuples)");
      }
    }
  }

  size_t size() const noexcept { return size_; }

  std::span<uint64_t> Output(uint64_t* entries, int64_t num_entries, size_t num_wanted,
                             std::string_view name) const {
    CheckEntries(entries, num_entries, num_wanted, size_, alignof(uint64_t), name);
    for (const Column& column : columns_)
      column.keys.Output(entries, num_entries, num_wanted, name);
    return {entries, num_wanted};
  }
  std::span<uint64_t> Bitmap(uint64_t* words, int64_t num_words, std::string_view name) const {
    return Output(words, num_words, BitmapWords(size_), name);
  }

  // Calls use(Tuples, first) for one round after another, as Batch::ForEachRound.
  template <class Use>
  void ForEachRound(const Use& use, size_t round_tuples = kRoundTuples) const {
    const size_t most = std::min(size_, round_tuples);
    std::vector<std::vector<uint64_t>> digests(columns_.size(), std::vector<uint64_t>(most));
    size_t first = 0;
    do {
      Tuples round;
      round.size = std::min(size_ - first, most);
      for (size_t c = 0; c < columns_.size(); ++c) {
        columns_[c].keys.Digests(first, std::span(digests[c]).first(round.size));
        round.columns[columns_[c].attribute] = digests[c].data();
      }
      use(round, first);
      first += round.size;
    } while (first < size_);
  }

 private:
  struct Column {
    uint32_t attribute;
    Batch keys;
  };

  size_t size_ = 0;
  std::vector<Column> columns_;
};

// Insert and Erase: update(filter, tuples, bitmap, outcome), which adds to the outcome; of at most
// `round_tuples` at a time, multiples of 64.
template <class Update>
trommel_code UpdateTuples(trommel_attributes* filter, const trommel_keys* const* columns,
                          int32_t num_columns, int64_t num_tuples, uint64_t* bitmap,
                          int64_t num_words, trommel_outcome* outcome, std::string_view name,
                          trommel_error* error, const Update& update,
                          size_t round_tuples = kRoundTuples) {
  return Guarded(error, [&] {
    trommel_attributes& target = Required(filter, "filter");
    if (outcome != nullptr) SizeOf(outcome, "outcome");
    const TupleBatch batch(target, target.filter.sets().full(), columns, num_columns, num_tuples);
    std::span<uint64_t> words;
    std::vector<uint64_t> scratch;
    if (bitmap != nullptr || num_words != 0) {
      words = batch.Bitmap(bitmap, num_words, name);
    } else {
      scratch.resize(BitmapWords(batch.size()));
      words = scratch;
    }
    trommel_outcome total = {};
    batch.ForEachRound(
        [&](const Tuples& round, size_t first) {
          update(target.filter, round, WordsOf(words, first, round.size), total);
        },
        round_tuples);
    if (outcome != nullptr) Write(outcome, total, "outcome");
  });
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_attributes_create(const trommel_attributes_config* config,
                                       trommel_attributes** filter, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_attributes*& out = Required(filter, "filter");
    const AttributeConfig made = ConfigOf(Read(config, "config"));
    out = MakeAttributes(AttributeFilter::Create(made), made.executor);
  });
}

void trommel_attributes_free(trommel_attributes* filter) { delete filter; }

int32_t trommel_attributes_num_attributes(const trommel_attributes* filter) {
  return filter == nullptr ? 0 : static_cast<int32_t>(filter->filter.sets().num_attributes());
}

const char* trommel_attributes_name(const trommel_attributes* filter, int32_t attribute) {
  if (attribute < 0 || attribute >= trommel_attributes_num_attributes(filter)) return nullptr;
  return filter->filter.names()[static_cast<size_t>(attribute)].c_str();
}

trommel_code trommel_attributes_insert(trommel_attributes* filter,
                                       const trommel_keys* const* columns, int32_t num_columns,
                                       int64_t num_tuples, uint64_t* inserted, int64_t num_words,
                                       trommel_outcome* outcome, trommel_error* error) {
  return UpdateTuples(filter, columns, num_columns, num_tuples, inserted, num_words, outcome,
                      "inserted", error,
                      [](AttributeFilter& target, const Tuples& tuples, std::span<uint64_t> words,
                         trommel_outcome& total) {
                        const InsertOutcome of = target.Insert(tuples, words);
                        total.num_done += of.num_inserted;
                        total.num_refused += of.num_refused;
                        if (of.refusal != GrowthRefusal::kNone) {
                          total.refusal = static_cast<int32_t>(of.refusal);
                        }
                      });
}

trommel_code trommel_attributes_erase(trommel_attributes* filter,
                                      const trommel_keys* const* columns, int32_t num_columns,
                                      int64_t num_tuples, uint64_t* erased, int64_t num_words,
                                      trommel_outcome* outcome, trommel_error* error) {
  return UpdateTuples(filter, columns, num_columns, num_tuples, erased, num_words, outcome,
                      "erased", error,
                      [](AttributeFilter& target, const Tuples& tuples, std::span<uint64_t> words,
                         trommel_outcome& total) {
                        const EraseOutcome of = target.Erase(tuples, words);
                        total.num_done += of.num_erased;
                        total.num_refused += of.num_refused;
                      });
}

trommel_code trommel_attributes_erase_all(trommel_attributes* filter,
                                          const trommel_keys* const* columns, int32_t num_columns,
                                          int64_t num_tuples, uint64_t* missing, int64_t num_words,
                                          trommel_outcome* outcome, trommel_error* error) {
  return UpdateTuples(
      filter, columns, num_columns, num_tuples, missing, num_words, outcome, "missing", error,
      [](AttributeFilter& target, const Tuples& tuples, std::span<uint64_t> words,
         trommel_outcome& total) {
        const EraseOutcome of = ValueOf(target.EraseAll(tuples, words));
        total.num_done = of.num_erased;
        total.num_refused = of.num_refused;
      },
      std::numeric_limits<size_t>::max());  // all or nothing
}

trommel_code trommel_attributes_query(const trommel_attributes* filter, uint64_t set,
                                      const trommel_keys* const* columns, int32_t num_columns,
                                      int64_t num_tuples, uint64_t* maybe_present,
                                      int64_t num_words, int64_t* num_maybe_present,
                                      trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_attributes& source = Required(filter, "filter");
    const AttributeMask queried = MaskOf(set, source.filter.sets().num_attributes());
    const TupleBatch batch(source, queried, columns, num_columns, num_tuples);
    const std::span bitmap = batch.Bitmap(maybe_present, num_words, "maybe_present");
    size_t total = 0;
    batch.ForEachRound([&](const Tuples& round, size_t first) {
      total += source.filter.Query(queried, round, WordsOf(bitmap, first, round.size));
    });
    if (num_maybe_present != nullptr) *num_maybe_present = static_cast<int64_t>(total);
  });
}

trommel_code trommel_attributes_count_estimates(const trommel_attributes* filter, uint64_t set,
                                                const trommel_keys* const* columns,
                                                int32_t num_columns, int64_t num_tuples,
                                                uint64_t* counts, int64_t num_counts,
                                                trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_attributes& source = Required(filter, "filter");
    const AttributeMask queried = MaskOf(set, source.filter.sets().num_attributes());
    const TupleBatch batch(source, queried, columns, num_columns, num_tuples);
    const std::span entries = batch.Output(counts, num_counts, batch.size(), "counts");
    batch.ForEachRound([&](const Tuples& round, size_t first) {
      source.filter.CountEstimates(queried, round, entries.subspan(first, round.size));
    });
  });
}

int32_t trommel_attributes_may_contain(const trommel_attributes* filter, uint64_t set,
                                       const trommel_key* tuple, int32_t num_attributes,
                                       trommel_error* error) {
  return GuardedAnswer(error, [&] {
    const AttributeFilter& source = Required(filter, "filter").filter;
    const uint32_t num = source.sets().num_attributes();
    if (num_attributes < 0 || static_cast<uint32_t>(num_attributes) != num) {
      ThrowInvalid("num_attributes is " + std::to_string(num_attributes) + "; it must be " +
                   std::to_string(num));
    }
    const AttributeMask queried = MaskOf(set, num);
    const trommel_key* keys = &Required(tuple, "tuple");
    std::array<uint64_t, kMaxAttributes> digests = {};
    for (uint32_t i = 0; i < num; ++i) {
      if ((queried >> i & 1) == 0) continue;
      digests[i] = source.digest_policy()(KeyOf(keys[i], source.digest_policy()));
    }
    return source.MayContain(queried, std::span(digests.data(), num));
  });
}

trommel_code trommel_attributes_clear(trommel_attributes* filter, trommel_error* error) {
  return trommel_clear(filter, error);
}

trommel_code trommel_attributes_use_executor(trommel_attributes* filter,
                                             const trommel_executor* executor,
                                             trommel_error* error) {
  return trommel_use_executor(filter, executor, error);
}

trommel_code trommel_attributes_get_stats(const trommel_attributes* filter, trommel_stats* stats,
                                          trommel_error* error) {
  return trommel_get_stats(filter, stats, error);
}
