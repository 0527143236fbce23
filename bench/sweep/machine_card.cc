#include "bench/sweep/machine_card.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "trommel/targets.h"
#include "trommel/version.h"

namespace trommel::bench {
namespace {

namespace fs = std::filesystem;

// The file's first line, or nothing.
std::string Line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// The value of the first "key : value" line. Sizes there are in kB.
std::string ValueOf(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const size_t first = line.find_first_not_of(" \t", colon + 1);
    return first == std::string::npos ? "" : line.substr(first);
  }
  return "";
}

uint64_t Number(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "48K" or "32M", as sysfs writes cache sizes.
uint64_t CacheSize(const std::string& text) {
  if (text.empty()) return 0;
  const uint64_t unit = text.back() == 'M' ? 1U << 20 : text.back() == 'K' ? 1U << 10 : 1;
  return Number(text) * unit;
}

// The number of CPUs in a list like "0-3,8,10-11".
uint32_t CountOfList(std::string_view list) {
  uint64_t count = 0;
  while (!list.empty()) {
    const std::string_view range = list.substr(0, list.find(','));
    const size_t dash = range.find('-');
    const uint64_t first = Number(range);
    const uint64_t last = dash == std::string_view::npos ? first : Number(range.substr(dash + 1));
    if (last >= first) count += last - first + 1;
    list.remove_prefix(std::min(list.size(), range.size() + 1));
  }
  return static_cast<uint32_t>(std::clamp<uint64_t>(count, 1, 1U << 20));
}

std::vector<CacheInfo> ReadCaches(const fs::path& cpu) {
  std::vector<CacheInfo> caches;
  for (int i = 0; i < 10; ++i) {
    const fs::path folder = cpu / "cache" / ("index" + std::to_string(i));
    CacheInfo cache;
    cache.type = Line(folder / "type");
    cache.level = static_cast<uint32_t>(Number(Line(folder / "level")));
    cache.num_bytes = CacheSize(Line(folder / "size"));
    cache.num_sharing = CountOfList(Line(folder / "shared_cpu_list"));
    if (cache.type != "Instruction" && cache.num_bytes > 0) caches.push_back(cache);
  }
  std::ranges::stable_sort(caches, {}, &CacheInfo::level);
  return caches;
}

// Different (package, core) pairs; 0 if the system does not say.
uint32_t CountCores(const fs::path& cpus) {
  std::set<std::pair<std::string, std::string>> cores;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(cpus, failed)) {
    const fs::path topology = entry.path() / "topology";
    std::string core = Line(topology / "core_id");
    if (!core.empty()) cores.emplace(Line(topology / "physical_package_id"), std::move(core));
  }
  return static_cast<uint32_t>(cores.size());
}

// "Intel(R) Xeon(R) Processor @ 2.50GHz (family 6, model 85, stepping 7)": in virtual machines the
// name alone fits ten generations. Where there is none, what the system has instead, of Arm's
// numbers and the board's name.
std::string CpuModel(const fs::path& root) {
  const fs::path cpus = root / "proc/cpuinfo";
  std::string model = ValueOf(cpus, "model name");
  std::string numbers;
  const auto add = [&](const char* name, const char* key) {
    const std::string value = ValueOf(cpus, key);
    if (!value.empty()) numbers += (numbers.empty() ? "" : ", ") + (name + (" " + value));
  };
  if (model.empty()) model = ValueOf(cpus, "cpu model");
  if (model.empty()) model = ValueOf(cpus, "vendor_id");
  add("family", "cpu family");
  add("model", "model\t");
  add("stepping", "stepping");
  add("implementer", "CPU implementer");
  add("part", "CPU part");
  if (model.empty()) {
    model = ValueOf(cpus, "Hardware");
    if (model.empty()) model = Line(root / "sys/firmware/devicetree/base/model");
    std::erase(model, '\0');
    if (model.empty() && !numbers.empty()) model = "unnamed CPU";
  }
  return numbers.empty() ? model : model + " (" + numbers + ")";
}

// The word in brackets: "always [madvise] never".
std::string Chosen(const std::string& words) {
  const size_t open = words.find('[');
  const size_t close = words.find(']', open);
  return close == std::string::npos ? words : words.substr(open + 1, close - open - 1);
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text;
  const size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
  return {text.data(), length};
}

std::string Compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "gcc " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace

uint64_t MachineCard::CacheBytes(uint32_t level) const {
  for (const CacheInfo& cache : caches) {
    if (cache.level == level) return cache.num_bytes;
  }
  constexpr std::array<uint64_t, 4> kPlausible = {0, 32U << 10, 1U << 20, 32U << 20};
  // A machine that lists caches but not this one (no L3, for example) gets its largest.
  const uint64_t plausible = level < kPlausible.size() ? kPlausible[level] : 0;
  return caches.empty() ? plausible : caches.back().num_bytes;
}

MachineCard ReadMachineCard(const fs::path& root) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  MachineCard card;
  card.date = Now();
  card.cpu_model = CpuModel(root);
  const std::string online = Line(cpus / "online");
  card.num_logical_cpus =
      online.empty() ? std::max(1U, std::thread::hardware_concurrency()) : CountOfList(online);
  card.num_physical_cpus = CountCores(cpus);
  if (card.num_physical_cpus == 0) card.num_physical_cpus = card.num_logical_cpus;
  card.mhz = std::strtod(ValueOf(root / "proc/cpuinfo", "cpu MHz").c_str(), nullptr);
  card.caches = ReadCaches(cpus / "cpu0");
  card.memory_bytes = Number(ValueOf(root / "proc/meminfo", "MemTotal")) << 10;
  card.governor = Line(cpus / "cpu0/cpufreq/scaling_governor");
  card.kernel = Line(root / "proc/sys/kernel/osrelease");
  card.page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  card.huge_pages = Chosen(Line(root / "sys/kernel/mm/transparent_hugepage/enabled"));
  std::istringstream load(Line(root / "proc/loadavg"));
  for (double& each : card.load_average) load >> each;
  card.compiler = Compiler();
  card.compiler_flags = TROMMEL_COMPILER_FLAGS;
  card.build_type = TROMMEL_BUILD_TYPE;
  card.version = LinkedVersion();
  card.target = ActiveTarget();
  for (const std::string_view target : RunnableTargets()) {
    card.runnable_targets.emplace_back(target);
  }
  return card;
}

}  // namespace trommel::bench
