// files that must never change: those of tests/support/sample_filters.h.
#ifndef TROMMEL_TESTS_GOLDEN_FILES_H_
#define TROMMEL_TESTS_GOLDEN_FILES_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace trommel::golden {

struct FileRecord {
  std::string_view name;
  uint64_t num_bytes;
  uint64_t hash;  // XXH3, 64 bits, of the whole file
};

inline constexpr std::array<FileRecord, 10> kFiles = {{
    {"empty", 8384, 0x8ec3f51cdcfac28e},
    {"few keys", 8512, 0xe66427a5a4c965ad},
    {"crowded", 8592, 0x3bec9c01baf844ab},
    {"full to the brim", 8592, 0x6f035c22f6b35970},
    {"hot keys", 12864, 0x79dc91e145911245},
    {"a run", 4160, 0xa978e4c0439f8108},
    {"runs of 4", 8912, 0x099476facaa9269f},
    {"runs of 5", 9936, 0x423b476d19d9895c},
    {"runs of 8", 8912, 0x0cf39038d7c51417},
    {"runs of 10", 15696, 0x847f917fab141d74},
}};

// Of AttributeSample.
inline constexpr FileRecord kAttributeFile = {"attributes", 49808, 0x86b68cdfbc374bac};

// Of KeyedSample.
inline constexpr FileRecord kKeyedFile = {"keyed", 8512, 0x2e9c0c7096e98f58};

}  // namespace trommel::golden

#endif  // TROMMEL_TESTS_GOLDEN_FILES_H_
