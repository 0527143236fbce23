// The memory that there is, under the control groups of a made-up file system.
#include "engine/src/base/machine_memory.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

// A root with the given mounts, groups of this process, and files of limits.
class FakeRoot {
 public:
  FakeRoot(const std::string& mounts, const std::string& groups) {
    Write("proc/self/mountinfo", "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n" + mounts);
    Write("proc/self/cgroup", groups);
  }
  void Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  uint64_t Limit() const { return ControlGroupLimit(folder_.path()); }

 private:
  tests::ScratchFolder folder_;
};

constexpr char kVersion2[] = "31 22 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";

TEST_CASE("the least limit of a control group and of those around it holds",
          "[engine][machine_memory]") {
  const FakeRoot root(kVersion2, "0::/system.slice/database.service\n");
  CHECK(root.Limit() == kNoLimit);
  root.Write("sys/fs/cgroup/system.slice/database.service/memory.max", "max\n");
  CHECK(root.Limit() == kNoLimit);
  root.Write("sys/fs/cgroup/system.slice/memory.max", "8000000000\n");
  CHECK(root.Limit() == 8'000'000'000);
  root.Write("sys/fs/cgroup/system.slice/database.service/memory.max", "5000000000\n");
  CHECK(root.Limit() == 5'000'000'000);
  root.Write("sys/fs/cgroup/system.slice/memory.max", "3000000000\n");
  CHECK(root.Limit() == 3'000'000'000);
  root.Write("sys/fs/cgroup/other.slice/memory.max", "1\n");
  CHECK(root.Limit() == 3'000'000'000);
}

TEST_CASE("a container that sees its own group only has the limit at its mount point",
          "[engine][machine_memory]") {
  for (const char* group : {"0::/\n", "0::/../../other\n"}) {
    const FakeRoot root(kVersion2, group);
    root.Write("sys/fs/cgroup/memory.max", "1073741824\n");
    CHECK(root.Limit() == 1'073'741'824);
  }
}

TEST_CASE("limits of control groups of version 1 hold, seen from where they are mounted",
          "[engine][machine_memory]") {
  const FakeRoot root(
      "33 31 0:31 /docker/a1 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
      "35 31 0:32 /docker/a1 /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
      "4:cpuset,memory:/docker/a1/job\n1:cpu:/docker/a1\n0::/\n");
  root.Write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  root.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000000\n");
  root.Write("sys/fs/cgroup/cpu/memory.limit_in_bytes", "1\n");
  CHECK(root.Limit() == 2'000'000'000);
  root.Write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000000000\n");
  CHECK(root.Limit() == 1'000'000'000);
}

TEST_CASE("without files about control groups nothing is limited", "[engine][machine_memory]") {
  const tests::ScratchFolder empty;
  CHECK(ControlGroupLimit(empty.path()) == kNoLimit);
  CHECK(FakeRoot("", "").Limit() == kNoLimit);
  CHECK(FakeRoot("nonsense\n- - -\n", "nonsense\n::\n").Limit() == kNoLimit);
}

TEST_CASE("the machine's memory is between a megabyte and a petabyte, and within the limit",
          "[engine][machine_memory]") {
  CHECK(MachineMemoryBytes() > uint64_t{1} << 20);
  CHECK(MachineMemoryBytes() < uint64_t{1} << 50);
  CHECK(MachineMemoryBytes() <= ControlGroupLimit("/"));
}

}  // namespace
}  // namespace trommel
