// Gate: shared holders beside each other, an exclusive one alone.
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "engine/index/src/protocol/gate.h"
#include "index/support/interleaver.h"
#include "support/catch.h"
#include "support/in_threads.h"

namespace trommel::index {
namespace {

TEST_CASE("shared holders enter beside each other", "[index][threads]") {
  Gate gate;
  const Gate::Shared first(gate);
  trommel::tests::InThreads(3, [&](uint64_t) { const Gate::Shared other(gate); });
  SUCCEED("none of them waited for another");
}

TEST_CASE("an exclusive holder is alone", "[index][threads]") {
  Gate gate;
  std::array<uint64_t, 8> of_thread{};  // of shared holders, each its own
  uint64_t num_exclusive = 0;
  std::atomic<uint64_t> num_seen_changing{0};
  trommel::tests::InThreads(8, [&](uint64_t t) {
    for (int i = 0; i < 2'000; ++i) {
      if (t < 6) {
        const Gate::Shared shared(gate);
        ++of_thread[t];
        continue;
      }
      const Gate::Exclusive exclusive(gate);
      ++num_exclusive;
      uint64_t sums[2] = {0, 0};
      for (uint64_t& sum : sums) {
        for (const uint64_t count : of_thread) sum += count;
      }
      if (sums[0] != sums[1]) ++num_seen_changing;
    }
  });
  CHECK(num_exclusive == 2 * 2'000);
  CHECK(num_seen_changing == 0);
}

TEST_CASE("an exclusive holder that waits stops new shared ones", "[index][threads]") {
  // In every interleaving: a shared holder that comes while the exclusive one waits enters after
  // it, however many there are.
  tests::Interleaver interleaver(3);
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    Gate gate;
    bool is_waiting = false;
    bool was_exclusive = false;
    bool has_overtaken = false;
    interleaver.Begin(seed, false);
    for (const char* name : {"shared 0", "shared 1"}) {
      interleaver.Add(name, [&] {
        std::optional<Gate::Shared> held;
        for (int i = 0; i < 5; ++i) {
          const bool was_waiting_before = is_waiting;
          held.emplace(gate);
          has_overtaken |= was_waiting_before && !was_exclusive;
          Step("inside");
          held.reset();
        }
      });
    }
    interleaver.Add("exclusive", [&] {
      Step("begin");
      // From its first wait on, the flag is up.
      struct Watch : StepScheduler {
        void Step(const char* name) override { inner->Step(name); }
        void Pause(const char* name) override {
          *is_waiting = true;
          inner->Pause(name);
        }
        StepScheduler* inner;
        bool* is_waiting;
      } watch;
      watch.inner = step_scheduler;
      watch.is_waiting = &is_waiting;
      step_scheduler = &watch;
      {
        const Gate::Exclusive exclusive(gate);
        was_exclusive = true;
      }
      step_scheduler = watch.inner;
    });
    REQUIRE(interleaver.Run(10'000) == tests::Interleaver::Outcome::kDone);
    REQUIRE_FALSE(has_overtaken);
    REQUIRE(was_exclusive);
  }
}

}  // namespace
}  // namespace trommel::index
