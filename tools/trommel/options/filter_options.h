// Options that say what filter to make: what all types share, the type, and what each type needs.
#ifndef TROMMEL_TOOLS_FILTER_OPTIONS_H_
#define TROMMEL_TOOLS_FILTER_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "tools/trommel/options/command_line.h"
#include "tools/trommel/options/file_options.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"
#include "trommel/result.h"

namespace trommel::tool {

// A filter that grows may begin small.
inline constexpr uint64_t kDefaultFirstCapacity = uint64_t{1} << 16;

struct FilterOptions {
  uint64_t capacity = 0;  // 0: not given
  double target_fpr = 0;
  uint32_t num_slices = 0;  // 0: not given
  Encoding encoding = CountingConfig{}.encoding;
  Preference preference = CountingConfig{}.preference;  // of Encoding::kAutomatic
  DigestPolicy digest;
  std::string key_file;  // of --digest siphash; its key is not read yet
  bool power_of_two_blocks = false;

  SizingRequest ToRequest() const;
};

// A filter of keys, of any type.
struct FamilyOptions {
  FilterType type = FilterType::kCounting;
  bool grows_unsized = false;  // kScalable, because there is neither a type nor a capacity
  FilterOptions filter;
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory

  // kScalable: the capacity is what it holds at first.
  uint64_t max_capacity = 0;
  // kWindow: the capacity is that of a window and one bucket.
  uint64_t window = 0;  // ticks (number_text.h)
  uint64_t num_buckets = 8;
  bool cannot_erase = false;

  // An empty filter. Fails as the type's Create does.
  Result<AnyFilterPtr> Create(std::shared_ptr<Executor> executor) const;
  // The same errors but those of the capacity; takes next to no memory.
  Status CheckShape() const;

  // Completes the options. Throws UsageError for an option, or an encoding, of another type than
  // the one chosen. For the subcommand's action.
  void Finish(const Command& command);
  // The same for a filter that is filled at once: without a type and a capacity it is one that
  // grows, so that the keys of a pipe need not be counted.
  void FinishToFill(const Command& command);
};

// --type, -n/--capacity, -p/--fpr, --encoding, --prefer, --slices, --power-of-two and the types'
// own options.
void AddFamily(Command& command, FamilyOptions& options, double default_fpr);

// --memory-limit.
void AddMemoryLimit(Command& command, uint64_t& memory_limit_bytes);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FILTER_OPTIONS_H_
