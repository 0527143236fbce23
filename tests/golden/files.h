// Files that must never change: those of tests/support/sample_filters.h.
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
    {"empty", 8528, 0x991af111e3869f16},
    {"few keys", 8656, 0x49791564344e579a},
    {"crowded", 8832, 0xecf9c82b2dad48eb},
    {"full to the brim", 8832, 0xe7a3a0a16c5cb066},
    {"hot keys", 13056, 0xf45345a3a6ab5a06},
    {"a run", 4256, 0x6f8874e8ad5c0f06},
    {"runs of 4", 9104, 0x727b5a57fe283409},
    {"runs of 5", 10128, 0xba5d9f0be015a551},
    {"runs of 8", 9104, 0xbdc17c6795503074},
    {"runs of 10", 15888, 0x6270bcc74e9d9b05},
}};

// Of AttributeSample.
inline constexpr FileRecord kAttributeFile = {"attributes", 1040, 0xd0d885766ac3ec9a};

// Of KeyedSample.
inline constexpr FileRecord kKeyedFile = {"keyed", 8656, 0x4bf40f0a4021ee71};

}  // namespace trommel::golden

#endif  // TROMMEL_TESTS_GOLDEN_FILES_H_
