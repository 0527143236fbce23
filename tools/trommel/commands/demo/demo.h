// The demo: its keys, its trial beside an exact set, and what it shows of them.
#ifndef TROMMEL_TOOLS_DEMO_H_
#define TROMMEL_TOOLS_DEMO_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/options/command_line.h"
#include "tools/trommel/output/report.h"
#include "trommel/counting_filter.h"
#include "trommel/result.h"

namespace trommel::tool {

// --- Keys: the paths of this machine's file system, or the lines of a file.

// Distinct keys, in the order they were found.
struct DemoKeys {
  std::string source;  // "the paths below /"
  bool are_paths = false;
  std::string stopped;        // why not all were taken; empty if all were
  double seconds = 0;         // to collect them
  uint64_t num_repeated = 0;  // lines that had come before
  std::vector<char> bytes;
  std::vector<std::string_view> keys;  // into bytes
};

// What the demo takes at most: it is over in half a minute, on any machine.
struct DemoLimits {
  size_t num_keys = 1'000'000;
  double seconds = 10;
  bool show_progress = false;  // on a terminal
};

// The lines of a file, or the paths below a folder (all folders but /proc, /sys and /dev; links are
// not followed; what cannot be read is skipped). Fails with kIo if the path cannot be read, and
// with kInvalidArgument if there is no key in it.
Result<DemoKeys> CollectDemoKeys(const std::string& path, const DemoLimits& limits = {});

// The same of no file: so many numbered names, for a machine that has no files to read.
DemoKeys MakeDemoKeys(size_t num_keys);

// A part of the keys to erase.
struct DemoPart {
  std::string name;          // "/usr/share", or "every 4th line"
  std::vector<bool> chosen;  // one per key
  size_t num_chosen = 0;
};

// The folder that holds nearest to a fifth of the paths, if one holds 5 to 40 %; otherwise, and for
// lines, every 4th key.
DemoPart ChoosePart(const DemoKeys& keys);

// --- The trial: a filter beside an exact set of the same keys, one invariant after the other.

inline constexpr double kDemoTargetFpr = 0.01;
inline constexpr size_t kDemoBatch = size_t{1} << 16;

// Queried keys and their answers.
struct Answers {
  uint64_t num_asked = 0;
  uint64_t num_maybe_present = 0;
  double expected_rate = 0;  // of "maybe present": 1 for members

  double rate() const;
  double sigma() const;       // of rate(), from the binomial
  double deviations() const;  // how many sigma rate() is from expected_rate
  bool all_present() const { return num_maybe_present == num_asked; }
  // Within 6 sigma and a few keys: the few are for tails of small samples, which are not normal.
  bool as_expected() const;
};

struct Trial {
  Geometry geometry;
  uint64_t num_keys = 0;
  uint64_t num_bytes = 0;  // side table included
  double predicted_fpr = 0;
  double current_fpr = 0;

  Answers members;
  Answers non_members;
  uint64_t num_non_members_skipped = 0;  // they turned out to be members
  DemoPart part;
  EraseOutcome erased;
  Answers left;
  Answers gone;
  bool is_restored = false;  // erased keys inserted back: the same bytes
  bool is_emptied = false;   // everything erased: the bytes of a new filter

  // Every invariant held.
  bool ok() const;
};

// Asks for keys in batches of kDemoBatch.
Answers Ask(const CountingFilter& filter, std::span<const std::string_view> keys,
            double expected_rate);

// Keys that are not among `members`: each member with a suffix. `bytes` keeps them.
std::vector<std::string_view> MakeNonMembers(std::span<const std::string_view> members,
                                             std::vector<char>& bytes, uint64_t& num_skipped);

// Fails as CountingFilter::Create does.
Result<Trial> RunTrial(const DemoKeys& keys, std::span<const std::string_view> non_members,
                       Encoding encoding = CountingConfig{}.encoding);

// --- What is shown: text of at most 80 columns, or fields of a JSON object.

void DescribeKeys(const DemoKeys& keys, Report& report);
void DescribeTrial(const Trial& trial, Report& report);

void AddDemoCommand(Command& parent, const Settings& settings);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DEMO_H_
