// The invariants of a counting filter, tried with random programs against the reference and the
// exact model.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "golden/filters.h"
#include "support/catch.h"
#include "support/program.h"
#include "support/shapes.h"
#include "support/shrink.h"
#include "support/subject.h"
#include "support/targets.h"
#include "trommel/counting_filter.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel {
namespace {

using tests::Digests;
using tests::FilterSubject;
using tests::Op;
using tests::Program;
using tests::Split;

void ForEachProgram(uint64_t num_programs,
                    const std::function<std::string(const Program&)>& invariant) {
  for (uint64_t seed = 0; seed < tests::Scaled(num_programs); ++seed) {
    tests::CheckInvariant(tests::RandomProgram(Catch::rngSeed() * 1000 + seed), invariant);
  }
}

TEST_CASE("whole batches, split batches and single keys all answer as the reference does",
          "[engine][invariants][long]") {
  const auto split = GENERATE(Split::kWhole, Split::kRandom, Split::kPoints, Split::kShards,
                              Split::kThreads, Split::kLocked, Split::kLockedPoints);
  tests::ForEachRunnableTarget([&] {
    ForEachProgram(50, [split](const Program& program) {
      FilterSubject got(program, split);
      tests::ReferenceSubject want(program);
      return FirstDisagreement(program, got, want);
    });
  });
}

// The snapshots of both filters after a program.
std::vector<std::byte> BytesAfter(const Program& program, Split split, uint64_t seed) {
  FilterSubject subject(program, split, seed);
  RunProgram(program, subject);
  std::vector<std::byte> bytes = subject.filter(0).Serialize();
  const std::vector<std::byte> more = subject.filter(1).Serialize();
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}

TEST_CASE("any split of a batch, route, thread and lock gives the same bytes on any target",
          "[engine][invariants]") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const Program program = tests::RandomProgram(Catch::rngSeed() * 1000 + seed);
    const std::vector<std::byte> want = BytesAfter(program, Split::kWhole, 0);
    tests::ForEachRunnableTarget([&] {
      const auto differs = [](const Program& candidate) {
        const std::vector<std::byte> whole = BytesAfter(candidate, Split::kWhole, 0);
        for (const Split split : {Split::kRandom, Split::kPoints, Split::kShards, Split::kThreads,
                                  Split::kLocked, Split::kLockedPoints}) {
          if (BytesAfter(candidate, split, 1) != whole)
            return std::string("the way of the batch shows");
        }
        return std::string();
      };
      tests::CheckInvariant(program, differs);
      CHECK((BytesAfter(program, Split::kWhole, 0) == want));
    });
  }
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
