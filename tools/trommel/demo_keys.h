// Real keys for the demo: the paths of this machine's file system, or the lines of a file.
#ifndef TROMMEL_TOOLS_DEMO_KEYS_H_
#define TROMMEL_TOOLS_DEMO_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/result.h"

namespace trommel::tool {

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

// A part of the keys to erase.
struct DemoPart {
  std::string name;          // "/usr/share", or "every 4th line"
  std::vector<bool> chosen;  // one a key
  size_t num_chosen = 0;
};

// The folder that holds nearest to a fifth of the paths, if one holds 5 to 40 %; otherwise, and for
// lines, every 4th key.
DemoPart ChoosePart(const DemoKeys& keys);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DEMO_KEYS_H_
