// Block memory from mmap, with huge pages requested.
#include "engine/src/base/block_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

namespace trommel {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
// Smaller arrays come from the system's allocator: a growing filter has tens of thousands, and a
// process has 65,530 mappings.
constexpr size_t kLeastMapping = size_t{128} << 10;
constexpr std::align_val_t kAlignment{64};

// Without its message, if that needs memory that is refused as well.
Error Refused(uint64_t num_bytes) noexcept try {
  return {ErrorCode::kOutOfMemory,
          "the system refused " + std::to_string(num_bytes) + " bytes of memory"};
} catch (const std::bad_alloc&) {
  return {ErrorCode::kOutOfMemory, {}};
}

// "7f0000000000-7f0000200000 rw-p ..." begins the lines of one mapping.
bool ReadRange(const std::string& line, uintptr_t& begin, uintptr_t& end) {
  std::istringstream text(line);
  char dash = 0;
  return static_cast<bool>(text >> std::hex >> begin >> dash >> end) && dash == '-';
}

}  // namespace

Result<BlockMemory> BlockMemory::Allocate(uint64_t num_words) {
  const uint64_t num_bytes = num_words * sizeof(uint32_t);
  if (num_bytes < kLeastMapping) {
    BlockMemory memory;
    memory.words_ = static_cast<uint32_t*>(::operator new(num_bytes, kAlignment, std::nothrow));
    if (memory.words_ == nullptr) return Refused(num_bytes);
    memory.num_words_ = num_words;
    memory.Clear();
    return memory;
  }
  // Arrays of less than one stay on ordinary pages: a huge page for each would waste more than it
  // saves.
  const bool is_large = num_bytes >= kHugePage;
  const size_t mapping_bytes = num_bytes + (is_large ? kHugePage : 0);
  void* mapping =
      mmap(nullptr, mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return Refused(num_bytes);
  BlockMemory memory;
  memory.mapping_ = mapping;
  memory.mapping_bytes_ = mapping_bytes;
  memory.num_words_ = num_words;
  auto address = reinterpret_cast<uintptr_t>(mapping);
  if (is_large) {
    address = (address + kHugePage - 1) / kHugePage * kHugePage;
    // If this fails everything works, only slower.
    (void)madvise(reinterpret_cast<void*>(address), num_bytes, MADV_HUGEPAGE);
  }
  memory.words_ = reinterpret_cast<uint32_t*>(address);
  return memory;
}

BlockMemory::BlockMemory(BlockMemory&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_bytes_(std::exchange(other.mapping_bytes_, 0)),
      words_(std::exchange(other.words_, nullptr)),
      num_words_(std::exchange(other.num_words_, 0)) {}

BlockMemory& BlockMemory::operator=(BlockMemory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_bytes_, other.mapping_bytes_);
  std::swap(words_, other.words_);
  std::swap(num_words_, other.num_words_);
  return *this;
}

BlockMemory::~BlockMemory() {
  if (mapping_ != nullptr) {
    munmap(mapping_, mapping_bytes_);
  } else {
    ::operator delete(words_, kAlignment);
  }
}

std::span<const std::byte> BlockMemory::bytes() const noexcept {
  return std::as_bytes(std::span(words_, num_words_));
}

void BlockMemory::Clear() noexcept {
  if (words_ != nullptr) std::memset(words_, 0, num_bytes());
}

uint64_t BlockMemory::HugePageBytes() const {
  if (num_bytes() < kHugePage) return 0;  // the file lists every mapping of the process
  std::ifstream smaps("/proc/self/smaps");
  const auto first = reinterpret_cast<uintptr_t>(words_);
  return smaps ? HugePageBytesIn(smaps, first, first + num_bytes()) : 0;
}

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

}  // namespace trommel
