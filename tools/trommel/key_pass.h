// One pass over the tool's inputs, batch by batch, with progress.
#ifndef TROMMEL_TOOLS_KEY_PASS_H_
#define TROMMEL_TOOLS_KEY_PASS_H_

#include <cstdint>
#include <string_view>

#include "tools/trommel/family_filter.h"
#include "tools/trommel/family_options.h"
#include "tools/trommel/key_pipeline.h"
#include "tools/trommel/options.h"
#include "tools/trommel/report.h"
#include "trommel/executor.h"

namespace trommel::tool {

struct PassTotals {
  uint64_t num_keys = 0;
  uint64_t num_empty = 0;  // skipped
  uint64_t num_bytes = 0;  // read
  double seconds = 0;
};

// Runs the inputs through the stages (key_pipeline.h) until they end, one fails, or an interrupt
// was noted. `what` is the progress line's word; without an executor all is done by this thread.
Result<PassTotals> RunPass(std::string_view what, const KeyInput& input, const Settings& settings,
                           Executor* executor, const KeyStages& stages);

// Asks the filter for the batch's keys: sets its bitmap and num_present.
void AskFor(KeyBatch& batch, const FamilyFilter& filter);

// Sets options.filter.capacity, if it was not given, to the number of keys in the inputs,
// duplicates included. Returns kDone, or the exit code after saying why: pipes cannot be read
// twice, there are no keys (called what `counted` says), or one is malformed.
int CountCapacity(const KeyInput& input, const Settings& settings, Executor* executor,
                  FamilyOptions& options, std::string_view counted = "keys");

// Adds what was read, and how fast.
void DescribePass(const PassTotals& totals, Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_PASS_H_
