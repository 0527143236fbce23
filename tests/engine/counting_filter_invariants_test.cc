// The invariants of a counting filter, tried with random programs against the reference and the
// exact model.
#include <cstdint>

#include "golden/filters.h"
#include "support/catch.h"
#include "support/program.h"
#include "support/shapes.h"
#include "support/shrink.h"
#include "support/subject.h"
#include "support/targets.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel {
namespace {

using tests::Program;

TEST_CASE("filters answer as the reference does, with threads and without",
          "[engine][invariants][long]") {
  const bool has_threads = GENERATE(false, true);
  tests::ForEachRunnableTarget([&] {
    for (uint64_t i = 0; i < tests::Scaled(100); ++i) {
      const uint64_t seed = Catch::rngSeed() * 1000 + i;
      tests::CheckInvariant(tests::RandomProgram(seed), [has_threads](const Program& program) {
        tests::FilterSubject got(program, has_threads);
        tests::ReferenceSubject want(program);
        return FirstDisagreement(program, got, want);
      });
    }
  });
}

TEST_CASE("fixed programs leave the recorded bits on every target", "[engine][invariants]") {
  tests::ForEachRunnableTarget([] {
    for (const golden::FilterRecord& record : golden::kFilters) {
      Program program = tests::RandomProgram(record.seed, 40, record.shapes);
      tests::StoreSubject subject(program);
      RunProgram(program, subject);
      REQUIRE(subject.store(0).Tally().num_present > 0);  // an empty filter would record nothing
      XXH64_hash_t hash = record.seed;
      for (size_t which = 0; which < 2; ++which) {
        const auto presence = subject.store(which).presence().bytes();
        const auto counts = subject.store(which).counts().bytes();
        hash = XXH64(presence.data(), presence.size(), hash);
        hash = XXH64(counts.data(), counts.size(), hash);
      }
      INFO("seed " << record.seed << ", " << program.num_blocks << " blocks, " << program.shape
                   << ", got 0x" << std::hex << hash);
      CHECK(hash == record.hash);
    }
  });
}

}  // namespace
}  // namespace trommel
