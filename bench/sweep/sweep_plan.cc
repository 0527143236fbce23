#include "bench/sweep/sweep_plan.h"

#include <regex.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "bench/sides/workload.h"
#include "bench/sweep/sweep_row.h"
#include "bench/text/arguments.h"
#include "trommel/executor.h"
#include "trommel/sizing.h"

namespace trommel::bench {
namespace {

using enum Operation;

constexpr std::array<uint64_t, 3> kOtherBatches = {64, 2048, 65536};
constexpr uint64_t kMinMemoryFootprint = uint64_t{128} << 20;

// Collects rows, each once.
class Rows {
 public:
  Rows(const MachineCard& card, uint32_t base_threads) : card_(card), base_threads_(base_threads) {}

  void AddPlace(Operation op, const std::string& place, uint64_t footprint, uint32_t num_threads) {
    SweepRow row;
    row.operation = op;
    row.place = place;
    row.footprint_bytes = footprint;
    row.target = card_.target;
    row.num_threads = num_threads;
    Add(std::move(row), "/at:" + place);
  }

  void UseEncoding(Encoding encoding) { encoding_ = encoding; }  // from here on

  SweepRow Base(Operation op, uint64_t num_keys) const {
    SweepRow row;
    row.operation = op;
    row.encoding = encoding_;
    row.num_keys = num_keys;
    row.target = card_.target;
    row.num_threads = base_threads_;
    row.batch = kSweepBatch;
    return row;
  }

  // The target in use is named "best", so that rows of two machines have equal names; `is_named`
  // gives it its own name.
  void AddRow(SweepRow row, bool is_named = false) {
    std::string rest =
        IsHashing(row.operation) || IsOfTextbook(row.operation) ? "" : EncodingPart(row.encoding);
    rest += "/keys:" + CountName(row.num_keys);
    if (!IsCeiling(row.operation)) {
      const bool is_best = !is_named && row.target == card_.runnable_targets.front();
      rest += "/target:" + (is_best ? "best" : row.target) + "/batch:" + BatchName(row.batch);
    }
    Add(std::move(row), rest);
  }

  std::vector<SweepRow> Take() { return std::exchange(rows_, {}); }

 private:
  void Add(SweepRow row, const std::string& rest) {
    row.name = std::string(OperationName(row.operation)) + rest +
               "/threads:" + std::to_string(row.num_threads);
    if (names_.insert(row.name).second) rows_.push_back(std::move(row));
  }

  const MachineCard& card_;
  const uint32_t base_threads_;
  Encoding encoding_ = Encoding::kPlanes;
  std::set<std::string> names_;
  std::vector<SweepRow> rows_;
};

void AddMachineCeilings(Rows& rows, const MachineCard& card, const std::vector<uint32_t>& threads) {
  // Half of a cache, so that the footprint and other data of the process fit.
  const uint64_t memory = std::max(kMinMemoryFootprint, 4 * card.CacheBytes(3));
  const uint64_t most = card.memory_bytes == 0 ? memory : card.memory_bytes / 4;
  const std::vector<std::pair<std::string, uint64_t>> places = {{"L1", card.CacheBytes(1) / 2},
                                                                {"L2", card.CacheBytes(2) / 2},
                                                                {"L3", card.CacheBytes(3) / 2},
                                                                {"memory", std::min(memory, most)}};
  for (const auto& [place, footprint] : places) {
    for (const Operation op : {kReadCeiling, kUpdateCeiling, kStreamCeiling}) {
      rows.AddPlace(op, place, footprint, 1);
      if (place != "memory") continue;
      for (const uint32_t num_threads : threads) rows.AddPlace(op, place, footprint, num_threads);
    }
  }
}

void AddSize(Rows& rows, uint64_t num_keys) {
  for (const Operation op :
       {kInsert, kInsertSkewed, kInsertIfAbsent, kErase, kQueryMiss, kQueryHalf, kQueryHit}) {
    rows.AddRow(rows.Base(op, num_keys));
  }
}

void AddTextbook(Rows& rows, uint64_t num_keys) {
  for (const Operation op :
       {kTextbookInsert, kTextbookErase, kTextbookQueryMiss, kTextbookQueryHit}) {
    SweepRow row = rows.Base(op, num_keys);
    row.num_threads = 1;  // it has no others
    rows.AddRow(std::move(row));
  }
}

// The rows that show how the other encodings differ.
void AddOthersBesidePlanes(Rows& rows, uint64_t num_keys) {
  for (const Encoding encoding : {Encoding::kRuns, Encoding::kFingerprints16, Encoding::kDense}) {
    rows.UseEncoding(encoding);
    for (const Operation op : {kInsert, kErase, kQueryMiss, kQueryHit}) {
      rows.AddRow(rows.Base(op, num_keys));
    }
  }
}

void AddBase(Rows& rows, uint64_t num_keys, const std::vector<uint32_t>& threads,
             const std::vector<std::string>& targets) {
  for (const uint32_t num_threads : threads) {
    for (const Operation op : {kHashInts, kInsert, kErase, kQueryHit}) {
      SweepRow row = rows.Base(op, num_keys);
      row.num_threads = num_threads;
      rows.AddRow(std::move(row));
    }
  }
  for (const std::string& target : targets) {
    for (const Operation op : {kHashInts, kInsert, kErase, kQueryHit}) {
      SweepRow row = rows.Base(op, num_keys);
      row.target = target;
      rows.AddRow(std::move(row), true);
    }
  }
  for (const uint64_t batch : kOtherBatches) {
    for (const Operation op : {kInsert, kErase, kQueryHit}) {
      SweepRow row = rows.Base(op, num_keys);
      row.batch = batch;
      rows.AddRow(std::move(row));
    }
  }
}

struct FreePattern {
  void operator()(regex_t* pattern) const {
    regfree(pattern);
    delete pattern;
  }
};
using Pattern = std::unique_ptr<regex_t, FreePattern>;

// POSIX's functions: std::regex takes four seconds to compile.
Result<Pattern> Compiled(const std::string& expression) {
  auto pattern = std::make_unique<regex_t>();
  const int error = regcomp(pattern.get(), expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error == 0) return Pattern(pattern.release());
  std::array<char, 200> why;
  regerror(error, pattern.get(), why.data(), why.size());
  return Error{ErrorCode::kInvalidArgument,
               "'" + expression + "' is not a regular expression: " + why.data()};
}

// Puts the ceilings that bound `chosen` before the rows of their size, where nothing else is in
// memory yet.
std::vector<SweepRow> WithCeilings(std::vector<SweepRow> chosen, const MachineCard& card) {
  Rows ceilings(card, 1);
  std::vector<SweepRow> rows;
  for (size_t first = 0; first < chosen.size();) {
    ceilings.UseEncoding(chosen[first].encoding);
    size_t end = first;
    for (; end < chosen.size() && HaveSameFilter(chosen[end], chosen[first]); ++end) {
      for (const Operation op : CeilingsOf(chosen[end])) {
        SweepRow row = ceilings.Base(op, chosen[end].num_keys);
        row.num_threads = chosen[end].num_threads;
        ceilings.AddRow(std::move(row));
      }
    }
    std::ranges::move(ceilings.Take(), std::back_inserter(rows));
    for (; first < end; ++first) rows.push_back(std::move(chosen[first]));
  }
  return rows;
}

}  // namespace

Result<SweepPlan> MakePlan(const SweepOptions& queried, const MachineCard& card) {
  const Result<SweepOptions> options = CompleteOptions(queried, card);
  if (!options.ok()) return options.error();
  const Result<Pattern> filter = Compiled(options->filter);
  if (!filter.ok()) return filter.error();
  const uint64_t base_keys = BaseSize(options->sizes);
  Rows all(card, options->threads.front());
  AddMachineCeilings(all, card, options->threads);
  const bool is_unsaid = options->encodings.empty();
  const std::vector<Encoding> encodings =
      is_unsaid ? std::vector<Encoding>{Encoding::kPlanes} : options->encodings;
  for (const uint64_t num_keys : options->sizes) {
    for (const Encoding encoding : encodings) {
      all.UseEncoding(encoding);
      if (num_keys == base_keys) {
        for (const Operation op : {kHashInts, kHashStrings}) all.AddRow(all.Base(op, num_keys));
      }
      AddSize(all, num_keys);
      if (encoding == encodings.front()) AddTextbook(all, num_keys);
      if (num_keys == base_keys) AddBase(all, num_keys, options->threads, options->targets);
    }
    if (is_unsaid) AddOthersBesidePlanes(all, num_keys);
  }
  std::vector<SweepRow> chosen = all.Take();
  std::erase_if(chosen, [&](const SweepRow& row) {
    return regexec(filter->get(), row.name.c_str(), 0, nullptr, 0) != 0;
  });
  if (chosen.empty()) {
    return Error{ErrorCode::kInvalidArgument, "no row's name matches '" + options->filter + "'"};
  }
  SweepPlan plan;
  plan.rows = WithCeilings(std::move(chosen), card);
  plan.seconds_per_figure = options->seconds_per_figure;
  plan.repetitions = options->quick ? 3 : 5;
  return plan;
}

namespace {

constexpr std::array<uint64_t, 7> kLadder = {5'000,       100'000,     3'000'000,    30'000'000,
                                             100'000'000, 300'000'000, 1'000'000'000};
constexpr uint64_t kBaseKeys = 30'000'000;

// The memory of a sweep beside the filter: pools of keys and bitmaps.
constexpr uint64_t kPoolBytes = uint64_t{256} << 20;

Error Invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// Of the filter with its counters.
Result<uint64_t> FilterBytes(uint64_t num_keys) {
  SizingRequest request;
  request.capacity = num_keys;
  request.target_fpr = kSweepTargetFpr;
  request.encoding = Encoding::kPlanes;  // the others take less
  const Result<Sizing> sizing = SizeFor(request);
  if (!sizing.ok()) return sizing.error();
  return sizing->geometry.num_bytes();
}

// The ladder up to the first filter that is four times the last cache, or takes a quarter of
// memory.
std::vector<uint64_t> DefaultSizes(const MachineCard& card, bool quick) {
  std::vector<uint64_t> sizes;
  for (const uint64_t num_keys : kLadder) {
    const Result<uint64_t> num_bytes = FilterBytes(num_keys);
    const bool fits =
        num_bytes.ok() && (card.memory_bytes == 0 || *num_bytes <= card.memory_bytes / 4);
    if (!sizes.empty() && (!fits || (quick && num_keys > kBaseKeys))) break;
    sizes.push_back(num_keys);
    if (num_keys >= kBaseKeys && *num_bytes >= 4 * card.CacheBytes(3)) break;
  }
  return sizes;
}

std::vector<uint32_t> DefaultThreads(const MachineCard& card) {
  std::vector<uint32_t> threads;
  const uint32_t most = std::min(card.num_logical_cpus, Executor::kMaxThreads);
  for (uint32_t num_threads = 1; num_threads < most; num_threads *= 2) {
    threads.push_back(num_threads);
  }
  threads.push_back(most);
  return threads;
}

template <class T>
void SortUnique(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

Status CheckSizes(const std::vector<uint64_t>& sizes, const MachineCard& card) {
  for (const uint64_t num_keys : sizes) {
    if (num_keys < kMinSweepKeys) {
      return Invalid("a size of " + std::to_string(num_keys) +
                     " keys is too small: the minimum is " + std::to_string(kMinSweepKeys));
    }
    const Result<uint64_t> num_bytes = FilterBytes(num_keys);
    if (!num_bytes.ok()) {
      return Invalid("a size of " + CountName(num_keys) + " keys: " + num_bytes.error().message);
    }
    if (card.memory_bytes != 0 && *num_bytes + kPoolBytes > card.memory_bytes) {
      return Error{ErrorCode::kOutOfMemory, "a size of " + CountName(num_keys) + " keys needs " +
                                                std::to_string((*num_bytes + kPoolBytes) >> 20) +
                                                " MiB, and this machine has " +
                                                std::to_string(card.memory_bytes >> 20)};
    }
  }
  return Ok();
}

Status CheckThreads(const std::vector<uint32_t>& threads) {
  for (const uint32_t num_threads : threads) {
    if (num_threads == 0 || num_threads > Executor::kMaxThreads) {
      return Invalid(std::to_string(num_threads) + " threads: the range is 1 to " +
                     std::to_string(Executor::kMaxThreads));
    }
  }
  return Ok();
}

Status CheckTargets(const std::vector<std::string>& targets, const MachineCard& card) {
  for (const std::string& target : targets) {
    if (std::ranges::count(card.runnable_targets, target) != 0) continue;
    std::string known;
    for (const std::string& each : card.runnable_targets) known += " " + each;
    return Invalid("'" + target + "' is not a target that this CPU can run; it can run" + known);
  }
  return Ok();
}

}  // namespace

Result<SweepOptions> CompleteOptions(SweepOptions options, const MachineCard& card) {
  if (options.seconds_per_figure == 0) options.seconds_per_figure = options.quick ? 0.12 : 1;
  if (!(options.seconds_per_figure > 0 && options.seconds_per_figure <= 3600)) {
    return Invalid("seconds per figure must be above 0 and at most 3,600");
  }
  if (const Status good = CheckTargets(options.targets, card); !good.ok()) return good.error();
  if (const Status good = CheckThreads(options.threads); !good.ok()) return good.error();
  if (const Status good = CheckSizes(options.sizes, card); !good.ok()) return good.error();
  if (options.sizes.empty()) options.sizes = DefaultSizes(card, options.quick);
  if (options.threads.empty()) options.threads = DefaultThreads(card);
  if (options.targets.empty()) options.targets = card.runnable_targets;
  SortUnique(options.sizes);
  SortUnique(options.threads);
  return options;
}

uint64_t BaseSize(const std::vector<uint64_t>& sizes) {
  const auto above = std::ranges::upper_bound(sizes, kBaseKeys);
  return above == sizes.begin() ? sizes.front() : *std::prev(above);
}

}  // namespace trommel::bench
