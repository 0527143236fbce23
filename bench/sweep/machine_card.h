// The machine card: the machine and build that figures belong to. Read from /proc and /sys where
// the system has them; what they do not say is left empty or 0.
#ifndef TROMMEL_BENCH_SWEEP_MACHINE_CARD_H_
#define TROMMEL_BENCH_SWEEP_MACHINE_CARD_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trommel::bench {

struct CacheInfo {
  std::string type;  // "Data", "Unified"; instruction caches are not listed
  uint32_t level = 0;
  uint64_t num_bytes = 0;
  uint32_t num_sharing = 1;  // logical CPUs that share one such cache
};

struct MachineCard {
  std::string date;  // ISO 8601, with the zone
  std::string cpu_model;
  uint32_t num_logical_cpus = 1;   // on-line
  uint32_t num_physical_cpus = 1;  // cores
  double mhz = 0;                  // as the system reports it at this moment
  std::vector<CacheInfo> caches;   // of the first CPU, by level
  uint64_t memory_bytes = 0;
  std::string governor;  // of the first CPU's clock
  std::string kernel;
  uint64_t page_bytes = 0;
  std::string huge_pages;  // the transparent huge page mode: "always", "madvise", "never"
  std::array<double, 3> load_average = {};
  std::string compiler;
  std::string compiler_flags;
  std::string build_type;
  std::string version;  // Trommel's
  std::string target;   // in use
  std::vector<std::string> runnable_targets;

  // Set when a filter has been measured: the bytes of the largest one, and how many of them were on
  // huge pages.
  uint64_t filter_bytes = 0;
  uint64_t filter_huge_page_bytes = 0;

  // Of the first CPU; a plausible size where the system does not say.
  uint64_t CacheBytes(uint32_t level) const;
};

// Reads the files below `root`: the system's own, or a test's.
MachineCard ReadMachineCard(const std::filesystem::path& root = "/");

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_MACHINE_CARD_H_
