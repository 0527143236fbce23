// Every row stays findable: the protocol's own code, under interleavings chosen by a generator.
//
// TROMMEL_INTERLEAVINGS="FIRST COUNT" sets the seeds of the long test; a failure names its seed.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "index/support/interleaver.h"
#include "index/support/interleaving_world.h"
#include "support/catch.h"

namespace trommel::index {
namespace {

using tests::Interleaver;
using tests::InterleavingWorld;

constexpr size_t kMaxActors = 9;
constexpr size_t kMaxSteps = 20'000;

// Runs the interleavings of one process. One that hangs keeps its threads: they are left to it.
class Interleavings {
 public:
  // Returns what went wrong in the run of this seed; empty if nothing did.
  std::string Run(uint64_t seed, bool is_traced = false) {
    interleaver_->Begin(seed, is_traced);
    const auto world = InterleavingWorld::Draw(*interleaver_);
    world->AddActors();
    const Interleaver::Outcome outcome = interleaver_->Run(kMaxSteps);
    if (outcome == Interleaver::Outcome::kDone) {
      if (world->failure().empty()) world->CheckAtRest();
      trace_ = interleaver_->trace();
      return world->failure();
    }
    trace_ = interleaver_->trace();
    interleaver_.release();
    interleaver_ = std::make_unique<Interleaver>(kMaxActors);
    return outcome == Interleaver::Outcome::kDeadlock ? "deadlock" : "live: too many steps";
  }
  // Returns the same, with the steps that led to it.
  std::string Explain(uint64_t seed) {
    std::string text = "seed " + std::to_string(seed) + ": " + Run(seed, true) + "\n";
    for (const std::string& line : trace_) text += line + "\n";
    return text;
  }
  uint64_t num_steps() const { return interleaver_->num_steps(); }

 private:
  std::unique_ptr<Interleaver> interleaver_ = std::make_unique<Interleaver>(kMaxActors);
  std::vector<std::string> trace_;
};

void RunAll(uint64_t first_seed, uint64_t count) {
  Interleavings interleavings;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string failure = interleavings.Run(first_seed + i);
    if (failure.empty()) continue;
    FAIL("run " << i + 1 << " failed: " << failure << "\n"
                << interleavings.Explain(first_seed + i));
  }
  SUCCEED(count << " interleavings of " << interleavings.num_steps() << " steps");
}

TEST_CASE("every row stays findable while rows, columns and regions change", "[index][threads]") {
  RunAll(1, 3'000);
}

TEST_CASE("every row stays findable in very many interleavings", "[.][long]") {
  uint64_t first_seed = 1;
  uint64_t count = 1'000'000;
  if (const char* const range = std::getenv("TROMMEL_INTERLEAVINGS")) {
    std::istringstream(range) >> first_seed >> count;
  }
  RunAll(first_seed, count);
}

TEST_CASE("the same seed gives the same interleaving") {
  Interleavings a;
  Interleavings b;
  for (const uint64_t seed : {1, 2, 3}) CHECK(a.Explain(seed) == b.Explain(seed));
}

}  // namespace
}  // namespace trommel::index
