// The machine card: of a made-up machine, of one without files, and of this one.
#include "bench/sweep/machine_card.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/version.h"

namespace trommel::bench {
namespace {

void Write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST_CASE("the card of a made-up machine has the figures of its files", "[bench][machine_card]") {
  const tests::TempFolder root;
  const std::string cpus = root.Path("sys/devices/system/cpu/");
  Write(root.Path("proc/cpuinfo"),
        "processor\t: 0\nmodel name\t: Abacus 9000\ncpu MHz\t\t: 12.5\n");
  Write(root.Path("proc/meminfo"), "MemTotal:       2048 kB\nMemFree:  1 kB\n");
  Write(root.Path("proc/loadavg"), "0.50 1.25 2.00 1/2 3\n");
  Write(root.Path("proc/sys/kernel/osrelease"), "6.1.0\n");
  Write(root.Path("sys/kernel/mm/transparent_hugepage/enabled"), "always [madvise] never\n");
  Write(cpus + "online", "0-2,4\n");
  Write(cpus + "cpu0/cpufreq/scaling_governor", "powersave\n");
  for (const char* cpu : {"0", "1", "2", "4"}) {  // two threads a core
    const std::string core = std::to_string(std::stoi(cpu) / 2);
    Write(cpus + "cpu" + cpu + "/topology/core_id", core + "\n");
    Write(cpus + "cpu" + cpu + "/topology/physical_package_id", "0\n");
  }
  const auto cache = [&](const char* index, const char* level, const char* type, const char* size) {
    const std::string folder = cpus + "cpu0/cache/" + index + "/";
    Write(folder + "level", level);
    Write(folder + "type", type);
    Write(folder + "size", size);
    Write(folder + "shared_cpu_list", "0-1\n");
  };
  cache("index0", "1", "Data", "48K\n");
  cache("index1", "1", "Instruction", "32K\n");
  cache("index2", "3", "Unified", "8M\n");
  cache("index3", "2", "Unified", "512K\n");

  const MachineCard card = ReadMachineCard(root.Path(""));
  CHECK(card.cpu_model == "Abacus 9000");
  CHECK(card.mhz == 12.5);
  CHECK(card.num_logical_cpus == 4);
  CHECK(card.num_physical_cpus == 3);
  CHECK(card.memory_bytes == 2048 * 1024);
  CHECK(card.load_average == std::array<double, 3>{0.5, 1.25, 2});
  CHECK(card.kernel == "6.1.0");
  CHECK(card.huge_pages == "madvise");
  CHECK(card.governor == "powersave");
  REQUIRE(card.caches.size() == 3);
  CHECK(card.caches[1].level == 2);
  CHECK(card.caches[1].num_sharing == 2);
  CHECK(card.CacheBytes(1) == 48 << 10);
  CHECK(card.CacheBytes(2) == 512 << 10);
  CHECK(card.CacheBytes(3) == 8 << 20);
}

TEST_CASE("a CPU is named as far as the system tells", "[bench][machine_card]") {
  const auto model_of = [](const std::string& cpuinfo, const std::string& board = "") {
    const tests::TempFolder root;
    Write(root.Path("proc/cpuinfo"), cpuinfo);
    if (!board.empty()) Write(root.Path("sys/firmware/devicetree/base/model"), board);
    return ReadMachineCard(root.Path("")).cpu_model;
  };
  CHECK(model_of("vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Xeon\n"
                 "stepping\t: 7\n") == "Xeon (family 6, model 85, stepping 7)");
  CHECK(model_of("vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n") ==
        "AuthenticAMD (family 25, model 1)");
  const std::string arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
  CHECK(model_of(arm) == "unnamed CPU (implementer 0x41, part 0xd0c)");
  CHECK(model_of(arm, std::string("Board 4\0", 8)) == "Board 4 (implementer 0x41, part 0xd0c)");
}

}  // namespace
}  // namespace trommel::bench
