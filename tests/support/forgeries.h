// Numbers in sections of a good file that are replaced, with all places and checksums right.
#ifndef TROMMEL_TESTS_SUPPORT_FORGERIES_H_
#define TROMMEL_TESTS_SUPPORT_FORGERIES_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/every_file.h"
#include "support/file_forge.h"

namespace trommel::tests {

inline constexpr uint64_t kMany = ~uint64_t{0};

// A number of so many bytes at a place of a section.
struct Forgery {
  const char* section;
  uint32_t store;
  uint64_t at;  // in the section
  uint64_t num_bytes;
  uint64_t value;
  const char* message;
};

inline std::string ErrorOf(const Bytes& bytes) {
  const Result<Bytes> loaded = LoadFilter(bytes, 0);
  return loaded.ok() ? "loaded" : loaded.error().message;
}

inline Bytes Forged(const Bytes& good, const Forgery& forgery) {
  FileForge forge(good);
  Bytes& bytes = forge.At(forgery.section, forgery.store).bytes;
  REQUIRE(forgery.at + forgery.num_bytes <= bytes.size());
  std::memcpy(bytes.data() + forgery.at, &forgery.value, forgery.num_bytes);
  return forge.Seal();
}

// Each forgery is refused, and the error says what is to be said.
inline void CheckAll(const Bytes& good, const std::vector<Forgery>& forgeries) {
  REQUIRE(ErrorOf(good) == "loaded");
  for (const Forgery& forgery : forgeries) {
    CAPTURE(forgery.section, forgery.store, forgery.at, forgery.value);
    CHECK_THAT(ErrorOf(Forged(good, forgery)), Catch::Matchers::ContainsSubstring(forgery.message));
  }
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_FORGERIES_H_
