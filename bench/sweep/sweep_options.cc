#include "bench/sweep/sweep_options.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "bench/sides/workload.h"
#include "bench/sweep/sweep_row.h"
#include "bench/text/arguments.h"
#include "trommel/executor.h"
#include "trommel/sizing.h"

namespace trommel::bench {
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
