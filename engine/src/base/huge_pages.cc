#include "engine/src/base/huge_pages.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace trommel {
namespace {

// "7f0000000000-7f0000200000 rw-p ..." begins the lines of one mapping.
bool ReadRange(const std::string& line, uintptr_t& begin, uintptr_t& end) {
  std::istringstream text(line);
  char dash = 0;
  return static_cast<bool>(text >> std::hex >> begin >> dash >> end) && dash == '-';
}

}  // namespace

uint64_t HugePageBytesIn(std::istream& smaps, uintptr_t begin, uintptr_t end) {
  uint64_t num_bytes = 0;
  uintptr_t mapping_begin = 0;
  uintptr_t mapping_end = 0;
  for (std::string line; std::getline(smaps, line);) {
    const bool is_field = line.find(':') < line.find(' ');  // "AnonHugePages:      2048 kB"
    if (!is_field) {
      if (!ReadRange(line, mapping_begin, mapping_end)) mapping_end = mapping_begin = 0;
      continue;
    }
    constexpr char kField[] = "AnonHugePages:";
    if (line.rfind(kField, 0) != 0) continue;
    const uintptr_t first = std::max(begin, mapping_begin);
    const uintptr_t last = std::min(end, mapping_end);
    if (first >= last) continue;
    uint64_t huge_kib = 0;
    std::istringstream(line.substr(sizeof(kField) - 1)) >> huge_kib;
    const uint64_t ours = last - first;
    const uint64_t others = mapping_end - mapping_begin - ours;
    const uint64_t huge = huge_kib * 1024;
    num_bytes += std::min(ours, huge - std::min(huge, others));
  }
  return num_bytes;
}

uint64_t HugePageBytesOf(uintptr_t begin, uintptr_t end) {
  std::ifstream smaps("/proc/self/smaps");
  return smaps ? HugePageBytesIn(smaps, begin, end) : 0;
}

}  // namespace trommel
