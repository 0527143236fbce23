#include "engine/src/base/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace trommel {
namespace {

constexpr uint64_t kUnlimitedMemory = std::numeric_limits<uint64_t>::max();

// Whether `text`, a list separated by commas, has the word.
bool HasWord(const std::string& text, const std::string& word) {
  std::istringstream words(text);
  for (std::string one; std::getline(words, one, ',');) {
    if (one == word) return true;
  }
  return false;
}

// A mounted hierarchy of control groups that limits memory.
struct Hierarchy {
  bool is_version_2 = false;
  std::string group;  // the one at the mount point: a container sees a part of the hierarchy
  std::string mount_point;
};

// From /proc/self/mountinfo (proc(5)), with this line among others:
//   35 31 0:32 /group /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
std::vector<Hierarchy> MemoryHierarchies(std::istream& mount_info) {
  std::vector<Hierarchy> hierarchies;
  for (std::string line; std::getline(mount_info, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::string skipped, group, mount_point, type, source, options;
    std::istringstream(line) >> skipped >> skipped >> skipped >> group >> mount_point;
    std::istringstream(line.substr(dash + 3)) >> type >> source >> options;
    if (type == "cgroup2" || (type == "cgroup" && HasWord(options, "memory"))) {
      hierarchies.push_back(
          {.is_version_2 = type == "cgroup2", .group = group, .mount_point = mount_point});
    }
  }
  return hierarchies;
}

// This process's group in a hierarchy, from /proc/self/cgroup (cgroups(7)): "0::/group" in version
// 2, "4:cpu,memory:/group" in version 1. Empty if there is none.
std::string GroupOf(std::istream& groups, bool is_version_2) {
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (is_version_2 ? controllers.empty() : HasWord(controllers, "memory")) {
      return line.substr(second + 1);
    }
  }
  return "";
}

// "max" and what else is no number limits nothing.
uint64_t LimitIn(const std::filesystem::path& file) {
  uint64_t limit = 0;
  std::ifstream text(file);
  return text >> limit ? limit : kUnlimitedMemory;
}

}  // namespace

uint64_t ControlGroupLimit(const std::filesystem::path& root) {
  uint64_t least = kUnlimitedMemory;
  std::ifstream mount_info(root / "proc/self/mountinfo");
  for (const Hierarchy& hierarchy : MemoryHierarchies(mount_info)) {
    std::ifstream groups(root / "proc/self/cgroup");
    std::filesystem::path group = GroupOf(groups, hierarchy.is_version_2);
    if (group.empty()) continue;
    // As seen from the mount point. A group outside of it ("/..") has its limits there at most.
    group = group.lexically_relative(hierarchy.group);
    if (group.empty() || *group.begin() == "..") group = ".";
    const std::filesystem::path top =
        root / std::filesystem::path(hierarchy.mount_point).relative_path();
    const char* file = hierarchy.is_version_2 ? "memory.max" : "memory.limit_in_bytes";
    // The group, the groups around it, and that of the mount point.
    for (; !group.empty() && group != "."; group = group.parent_path()) {
      least = std::min(least, LimitIn(top / group / file));
    }
    least = std::min(least, LimitIn(top / file));
  }
  return least;
}

uint64_t MachineMemoryBytes() noexcept {
  static const uint64_t num_bytes = [] {
    const auto physical = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    return std::min(physical, ControlGroupLimit("/"));
  }();
  return num_bytes;
}

}  // namespace trommel
