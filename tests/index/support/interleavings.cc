#include "index/support/interleavings.h"

#include "index/support/interleaving_world.h"

namespace trommel::index::tests {

std::string Interleavings::Run(uint64_t seed, bool is_traced) {
  const uint64_t steps_before = interleaver_->num_steps();
  interleaver_->Begin(seed, is_traced);
  const auto world = InterleavingWorld::Draw(*interleaver_);
  world->AddActors();
  const Interleaver::Outcome outcome = interleaver_->Run(kMaxSteps);
  trace_ = interleaver_->trace();
  num_steps_ += interleaver_->num_steps() - steps_before;
  if (outcome == Interleaver::Outcome::kDone) {
    if (world->failure().empty()) world->CheckAtRest();
    return world->failure();
  }
  // Its actors hang: it is left to them.
  (void)interleaver_.release();
  interleaver_ = std::make_unique<Interleaver>(kMaxActors);
  return outcome == Interleaver::Outcome::kDeadlock ? "deadlock: no actor can go on"
                                                    : "live: too many steps";
}

std::string Interleavings::Explain(uint64_t seed) {
  std::string text = "seed " + std::to_string(seed) + ": " + Run(seed, true) + "\n";
  for (const std::string& line : trace_) text += "  " + line + "\n";
  return text;
}

std::string RunInterleavings(uint64_t first_seed, uint64_t count) {
  Interleavings interleavings;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string failure = interleavings.Run(first_seed + i);
    if (failure.empty()) continue;
    return "run " + std::to_string(i + 1) + ": " + failure + "\n" +
           interleavings.Explain(first_seed + i);
  }
  return {};
}

}  // namespace trommel::index::tests
