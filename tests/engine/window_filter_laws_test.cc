// The laws of a window filter, tried with random programs against a table of counters for every
// bucket of time.
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/shrink.h"
#include "support/window_program.h"
#include "support/window_subject.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::WindowFilterSubject;
using tests::WindowOp;
using tests::WindowProgram;
using tests::WindowWay;

void ForEachWindowProgram(uint64_t num_programs, size_t num_steps,
                          const std::function<std::string(const WindowProgram&)>& invariant) {
  for (uint64_t i = 0; i < num_programs; ++i) {
    const uint64_t seed = Catch::rngSeed() * 1000 + i;
    tests::CheckInvariant(tests::RandomWindowProgram(seed, num_steps), invariant);
  }
}

TEST_CASE("a window filter answers as a table of counters for each bucket of time does",
          "[engine][window][laws][long]") {
  const auto way = GENERATE(WindowWay::kBatches, WindowWay::kPoints, WindowWay::kThreads);
  ForEachWindowProgram(120, 40, [way](const WindowProgram& program) {
    WindowFilterSubject got(program, way);
    tests::WindowModel want(program, got.filter(0).geometry());
    return FirstDisagreement(program, got, want);
  });
}

TEST_CASE("points, batches and threads leave the same bytes of a window",
          "[engine][window][laws][long]") {
  ForEachWindowProgram(60, 40, [](const WindowProgram& program) {
    const auto bytes_after = [&](WindowWay way) {
      WindowFilterSubject subject(program, way);
      for (const tests::WindowStep& step : program.steps) DoWindowStep(step, subject);
      std::vector<std::byte> bytes = subject.filter(0).Serialize();
      const std::vector<std::byte> more = subject.filter(1).Serialize();
      bytes.insert(bytes.end(), more.begin(), more.end());
      return bytes;
    };
    const std::vector<std::byte> want = bytes_after(WindowWay::kBatches);
    if (bytes_after(WindowWay::kPoints) != want) return "points leave other bytes";
    return bytes_after(WindowWay::kThreads) != want ? "threads leave other bytes" : "";
  });
}

TEST_CASE("erasing what was inserted leaves the bytes of a window that never had it",
          "[engine][window][laws][long]") {
  ForEachWindowProgram(60, 30, [](const WindowProgram& program) -> std::string {
    WindowFilterSubject with(program, WindowWay::kBatches);
    WindowFilterSubject without(program, WindowWay::kPoints);
    std::mt19937_64 random(program.pool[0]);
    struct Guest {
      size_t which;
      uint64_t time;
      uint64_t digest;
    };
    std::vector<Guest> guests;
    for (const tests::WindowStep& step : program.steps) {
      // Steps that look at what is in would see the guests, merges and clears would move them.
      if (step.op != WindowOp::kInsert && step.op != WindowOp::kAdvance) continue;
      DoWindowStep(step, with);
      DoWindowStep(step, without);
      const uint64_t digest = random() % 2 == 0 ? random() : program.pool[0];
      guests.push_back({step.which, with.Insert(step.which, std::span(&digest, 1)), digest});
      if (random() % 3 != 0) continue;
      const Guest& one = guests[random() % guests.size()];
      with.filter(one.which).Erase(Key::Digest(one.digest), one.time);
      std::swap(const_cast<Guest&>(one), guests.back());
      guests.pop_back();
    }
    for (const Guest& one : guests) {
      with.filter(one.which).Erase(Key::Digest(one.digest), one.time);
    }
    for (size_t which = 0; which < 2; ++which) {
      if (with.filter(which).Serialize() != without.filter(which).Serialize()) {
        return "the guests show";
      }
    }
    return "";
  });
}

}  // namespace
}  // namespace trommel
