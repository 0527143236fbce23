// Options that the subcommands of `trommel attr` share.
#ifndef TROMMEL_TOOLS_ATTR_OPTIONS_H_
#define TROMMEL_TOOLS_ATTR_OPTIONS_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/trommel/input/row_reader.h"
#include "tools/trommel/options/filter_options.h"
#include "tools/trommel/options/key_options.h"
#include "trommel/attribute_filter.h"
#include "trommel/attribute_plan.h"
#include "trommel/executor.h"
#include "trommel/result.h"

namespace trommel::tool {

// Where rows come from: the files, their columns, and the threads to work with.
struct RowInput {
  KeyInput files;  // of its options, the comment is used
  std::string columns;
  bool no_header = false;
  bool strip_cr = false;
  bool as_lines = false;

  RowFormat Format() const;
};

// FILES, -r, --columns, --no-header, --crlf, --comment, --as-lines, --threads.
void AddRowInput(Command& command, RowInput& input, const std::string& columns_help);

// What sets there are and what their filters are made for, names not yet looked up.
struct AttributeOptions {
  uint64_t max_capacity = 0;
  FilterOptions filter;  // capacity, target_fpr and digest are used
  std::vector<std::string> cuts;
  std::vector<std::string> kept;
  uint64_t max_together = 0;  // 0: no limit
  std::vector<std::string> values;
  std::vector<std::string> mix;
  uint64_t memory_bytes = 0;        // to share; 0: target_fpr for all
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory

  // Whether neither sets nor memory to share among them were given. The single columns are kept
  // then, and pairs in the order of the columns while all sets together take at most
  // kDefaultSetBytes, or the memory limit if that is less.
  bool takes_default_sets() const;
  uint64_t SetBytesLimit() const;  // that memory

  // Fail with kInvalidArgument for names that are not there, and as ParseCuts and ParseKept do; and
  // as PlanAttributes does, with options and sets by name.
  Result<AttributePlanRequest> PlanRequestOf(std::span<const std::string> names) const;
  Result<AttributeConfig> ConfigOf(std::span<const std::string> names,
                                   std::shared_ptr<Executor> executor) const;
};

inline constexpr uint64_t kDefaultSetBytes = 16'000'000;

// -n, -p, --cut, --together, --keep, --values, --memory, --mix, --max-capacity.
void AddAttributeSizing(Command& command, AttributeOptions& options);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_ATTR_OPTIONS_H_
