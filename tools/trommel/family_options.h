// Options that say what filter to make: its type, what all types share, and what each asks for.
#ifndef TROMMEL_TOOLS_FAMILY_OPTIONS_H_
#define TROMMEL_TOOLS_FAMILY_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/trommel/options.h"
#include "trommel/any_filter.h"
#include "trommel/executor.h"
#include "trommel/result.h"

namespace trommel::tool {

struct FamilyOptions {
  FilterType type = FilterType::kCounting;
  FilterOptions filter;
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory

  // kScalable: the capacity is the first generation's.
  uint64_t max_capacity = 0;
  bool is_identical = false;
  // kWindow: the capacity is what comes in within a window and a bucket.
  uint64_t window = 0;  // ticks (time_text.h)
  uint64_t num_buckets = 8;
  uint64_t bucket_capacity = 0;  // 0: the capacity, which any arrival of so many keys keeps to
  // kLayered.
  double first_fpr = LayeredConfig{}.first_fpr;
  // kClassic: of the kind split counting.
  uint64_t num_hashes = 0;  // 0: as many as published
  uint64_t counter_bits = 4;

  // An empty filter. Fails as the type's Create does.
  Result<AnyFilter> Create(std::shared_ptr<Executor> executor) const;
  // The same errors but those of the capacity, without taking memory worth mention.
  Status CheckShape() const;
};

// The library's message with our options for the fields that it names.
std::string NamingOptions(std::string message);

// --type, the sizing and the types' own options. FinishFamily must be called in the subcommand's
// callback: it throws CLI::ValidationError for an option of another type than the one chosen.
void AddFamily(CLI::App& command, FamilyOptions& options, double default_fpr);
void FinishFamily(const CLI::App& command, FamilyOptions& options);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FAMILY_OPTIONS_H_
