// One pass over the tool's inputs, batch by batch, with progress.
#ifndef TROMMEL_TOOLS_KEY_PASS_H_
#define TROMMEL_TOOLS_KEY_PASS_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "tools/trommel/input/key_pipeline.h"
#include "tools/trommel/options/filter_options.h"
#include "tools/trommel/options/key_options.h"
#include "tools/trommel/output/report.h"
#include "trommel/any_filter.h"
#include "trommel/executor.h"

namespace trommel::tool {

struct PassTotals {
  uint64_t num_records = 0;  // keys or rows
  uint64_t num_empty = 0;    // lines skipped: empty or comments
  uint64_t num_bytes = 0;    // read
  double seconds = 0;
};

// Runs the inputs through the stages (key_pipeline.h) until they end, one fails, or an interrupt
// was noted. `what` is the progress line's word; without an executor all is done by this thread.
Result<PassTotals> RunPass(std::string_view what, const KeyInput& input, const Settings& settings,
                           Executor* executor, const KeyStages& stages);

// Limits how far the keys' times may leap: to what --max-leap says, or 1,000 windows. Fails with
// kInvalidArgument if it is given and the filter has no window.
Status LimitLeaps(const AnyFilter& filter, KeyInput& input);

// Queries the filter for the batch's keys: sets its bitmap and num_present.
void QueryBatch(KeyBatch& batch, const AnyFilter& filter);

// Sets options.filter.capacity, if it was not given, to the number of distinct keys in the inputs
// (distinct_digests.h), at least 1. Returns kDone, or the exit code after saying why: pipes cannot
// be read twice to count the keys (called what `counted` says), or one is malformed. Notes on the
// inputs are left for the pass that follows.
int CountCapacity(const KeyInput& input, const Settings& settings, Executor* executor,
                  FamilyOptions& options, std::string_view counted = "keys");

// Makes an empty filter for the inputs, of their number of distinct keys if no capacity was given,
// and limits leaps of their times. Returns kDone, or the exit code after saying why not.
int MakeFilter(KeyInput& input, const Settings& settings, const std::shared_ptr<Executor>& executor,
               FamilyOptions& options, AnyFilterPtr& filter);

// Adds what was read, and how fast. `noun`: "keys" or "rows".
void DescribePass(const PassTotals& totals, Report& report, std::string_view noun = "keys");

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_PASS_H_
