// The demo's replay: a list with a history of insertions and deletions, version by version, beside
// an exact set.
#ifndef TROMMEL_TOOLS_DEMO_REPLAY_H_
#define TROMMEL_TOOLS_DEMO_REPLAY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/trommel/demo_trial.h"
#include "trommel/result.h"

namespace trommel::tool {

struct ReplayOptions {
  std::string events;     // TSV with a header line: version, unix_time, op (+ or -), key
  std::string base;       // the keys before the first event, one a line
  std::string negatives;  // strangers, one a line; members among them are left out. May be empty
  Encoding encoding = CountingConfig{}.encoding;
};

// What had happened up to a version.
struct ReplayRow {
  uint64_t version = 0;    // 0: the base
  int64_t unix_time = 0;   // 0: not known
  uint64_t num_added = 0;  // since the row before
  uint64_t num_removed = 0;
  uint64_t num_refused = 0;
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;  // members that were answered absent: every new one was asked for, and
                             // at the row itself all members
  Answers negatives;
};

struct Replay {
  uint64_t capacity = 0;  // the most keys there are at once
  uint64_t num_bytes = 0;
  uint64_t num_versions = 0;
  uint64_t num_added = 0;
  uint64_t num_removed = 0;
  double seconds = 0;             // for inserts and erases alone
  std::vector<ReplayRow> rows;    // evenly chosen versions, the last among them
  bool is_same_as_built = false;  // at the end: the bytes of a filter built from the final set

  bool ok() const;
};

// Fails with kIo or kInvalidArgument, naming file and line, when the files cannot be read, are
// malformed or contradict each other (a key added twice), and as CountingFilter::Create does.
Result<Replay> RunReplay(const ReplayOptions& options);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DEMO_REPLAY_H_
