// Real keys for the demo.
#include <dirent.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tools/trommel/commands/demo/demo.h"
#include "tools/trommel/input/key_pipeline.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {
namespace {

using Clock = std::chrono::steady_clock;

// Keys one after the other; views are made when all bytes have their final place.
struct Collector {
  std::vector<char> bytes;
  std::vector<size_t> ends;

  void Add(std::string_view key) {
    bytes.insert(bytes.end(), key.begin(), key.end());
    ends.push_back(bytes.size());
  }

  void MoveTo(DemoKeys& keys) {
    keys.bytes = std::move(bytes);
    size_t begin = 0;
    for (const size_t end : ends) {
      keys.keys.emplace_back(keys.bytes.data() + begin, end - begin);
      begin = end;
    }
  }
};

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// Kernel tables that look like files.
bool IsPseudoFolder(std::string_view path) {
  constexpr std::array<std::string_view, 3> kPseudo = {"/proc", "/sys", "/dev"};
  return std::find(kPseudo.begin(), kPseudo.end(), path) != kPseudo.end();
}

bool IsFolder(const std::string& path, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void Walk(const std::string& root, const DemoLimits& limits, Clock::time_point deadline,
          Collector& collector, DemoKeys& keys) {
  std::vector<std::string> folders = {root};
  Progress progress("walking", !limits.show_progress, std::nullopt);
  while (!folders.empty()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    const std::unique_ptr<DIR, CloseFolder> open(opendir(folder.c_str()));
    if (!open) continue;
    const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
    while (const dirent* entry = readdir(open.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      std::string path = prefix + entry->d_name;
      collector.Add(path);
      if (collector.ends.size() == limits.num_keys) {
        keys.stopped = fmt::format("stopped at {}", FormatCount(limits.num_keys));
        return;
      }
      if (IsFolder(path, *entry) && !IsPseudoFolder(path)) folders.push_back(std::move(path));
    }
    progress.Update(collector.ends.size(), collector.bytes.size());
    if (Clock::now() > deadline) {
      keys.stopped = fmt::format("stopped after {:.0f} s", limits.seconds);
      return;
    }
  }
}

Status ReadLines(const std::string& path, const DemoLimits& limits, Collector& collector,
                 DemoKeys& keys) {
  std::unordered_set<std::string> seen;
  const auto collect = [&](const KeyBatch& batch) -> Status {
    for (const std::string_view line : batch.records()) {
      if (!seen.emplace(line).second) {
        ++keys.num_repeated;
        continue;
      }
      collector.Add(line);
      if (collector.ends.size() == limits.num_keys) {
        keys.stopped = fmt::format("stopped at {}", FormatCount(limits.num_keys));
        return Error{ErrorCode::kInvalidArgument, keys.stopped};
      }
    }
    return Ok();
  };
  const Status read = RunKeyPipeline({path}, {}, {}, nullptr, {{}, collect});
  return keys.stopped.empty() ? read : Ok();  // enough keys are no failure
}

}  // namespace

Result<DemoKeys> CollectDemoKeys(const std::string& path, const DemoLimits& limits) {
  const auto start = Clock::now();
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    return Error{ErrorCode::kIo, fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  DemoKeys keys;
  Collector collector;
  keys.are_paths = S_ISDIR(status.st_mode);
  if (keys.are_paths) {
    keys.source = fmt::format("the paths below {}", path);
    const auto patience = std::chrono::duration<double>(limits.seconds);
    Walk(path, limits, start + std::chrono::duration_cast<Clock::duration>(patience), collector,
         keys);
  } else {
    keys.source = fmt::format("the lines of {}", path);
    if (Status read = ReadLines(path, limits, collector, keys); !read.ok()) return read.error();
  }
  if (collector.ends.empty()) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{} holds no keys", path)};
  }
  collector.MoveTo(keys);
  keys.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return keys;
}

DemoKeys MakeDemoKeys(size_t num_keys) {
  DemoKeys keys;
  keys.source = "made up, for there are no files to read";
  Collector collector;
  for (size_t i = 0; i < num_keys; ++i) collector.Add(fmt::format("user:{}", i));
  collector.MoveTo(keys);
  return keys;
}

DemoPart ChoosePart(const DemoKeys& keys) {
  constexpr double kWanted = 0.2;
  constexpr double kLeast = 0.05;
  constexpr double kMost = 0.4;
  constexpr int kMaxDepth = 6;  // of the folders considered: deep ones hold little
  DemoPart part;
  const auto num_keys = static_cast<double>(keys.keys.size());
  if (keys.are_paths) {
    std::unordered_map<std::string_view, size_t> num_below;
    for (const std::string_view path : keys.keys) {
      size_t slash = path.find('/', 1);
      for (int depth = 0; depth < kMaxDepth && slash != std::string_view::npos; ++depth) {
        ++num_below[path.substr(0, slash)];
        slash = path.find('/', slash + 1);
      }
    }
    std::string_view best;
    double best_distance = 1;
    for (const auto& [folder, count] : num_below) {
      const double share = static_cast<double>(count) / num_keys;
      const double distance = std::fabs(share - kWanted);
      if (share < kLeast || share > kMost || distance > best_distance) continue;
      // Ties go to the first by name, whatever order the table has.
      if (distance == best_distance && folder > best) continue;
      best = folder;
      best_distance = distance;
    }
    part.name = best;
  }
  const std::string prefix = part.name + "/";
  for (size_t i = 0; i < keys.keys.size(); ++i) {
    part.chosen.push_back(part.name.empty() ? i % 4 == 3 : keys.keys[i].starts_with(prefix));
    part.num_chosen += part.chosen.back() ? 1 : 0;
  }
  if (part.name.empty()) part.name = keys.are_paths ? "every 4th path" : "every 4th line";
  return part;
}

}  // namespace trommel::tool
