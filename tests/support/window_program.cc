#include "support/window_program.h"

#include <array>
#include <random>
#include <sstream>
#include <utility>

#include "support/shrink.h"
#include "support/window_slots.h"

namespace trommel::tests {

WindowProgram RandomWindowProgram(uint64_t seed, size_t num_steps) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](const auto& choices) { return choices[random() % choices.size()]; };
  const auto up_to = [&random](uint64_t most) { return random() % (most + 1); };
  WindowProgram program;
  program.config = {.window = pick(std::array<uint64_t, 6>{1, 2, 7, 64, 100, 1'000'003}),
                    .capacity = pick(std::array<uint64_t, 3>{20, 400, 20'000}),
                    .target_fpr = seed % 2 == 0 ? kRateOfSlots16 : kRateOfSlots24,
                    .is_erasable = seed / 2 % 4 != 0};
  const uint64_t window = program.config.window;
  program.config.num_buckets =
      static_cast<uint32_t>(std::min(window, pick(std::array<uint64_t, 7>{1, 2, 3, 5, 8, 12, 64})));
  program.start = pick(std::array<uint64_t, 3>{0, uint64_t{1} << 40, 0 - 6 * window});
  program.pool.resize(20 + up_to(80));
  for (uint64_t& digest : program.pool) digest = random();
  // The low bits choose neither the block nor the fingerprint.
  for (size_t i = 0; i + 1 < program.pool.size(); i += 5) {
    program.pool[i + 1] = program.pool[i] ^ 1;
  }
  const size_t num_members = program.pool.size() * 3 / 4;
  constexpr std::array<WindowOp, 16> kOps = {
      WindowOp::kInsert,         WindowOp::kInsert,         WindowOp::kInsert,  WindowOp::kInsert,
      WindowOp::kInsertIfAbsent, WindowOp::kInsertIfAbsent, WindowOp::kErase,   WindowOp::kErase,
      WindowOp::kErase,          WindowOp::kAdvance,        WindowOp::kAdvance, WindowOp::kAdvance,
      WindowOp::kAdvance,        WindowOp::kMerge,          WindowOp::kReload,  WindowOp::kClear};
  for (size_t i = 0; i < num_steps; ++i) {
    WindowStep step;
    step.op = pick(kOps);
    step.which = random() % 4 == 0 ? 1 : 0;
    if (step.op == WindowOp::kClear && random() % 4 != 0) step.op = WindowOp::kInsert;
    if (step.op == WindowOp::kInsert && random() % 3 == 0) step.op = WindowOp::kInsertAt;
    if (step.op <= WindowOp::kInsertAt) {
      step.digests.resize(1 + up_to(pick(std::array<uint64_t, 5>{0, 3, 70, 200, 3000})));
      for (uint64_t& digest : step.digests) {
        const bool is_hot = random() % 4 == 0;
        digest = program.pool[random() % (is_hot ? 3 : num_members)];
      }
    }
    if (step.op == WindowOp::kErase || step.op == WindowOp::kInsertAt) {
      step.ticks = static_cast<int64_t>(up_to(window * 5 / 4)) - (random() % 8 == 0 ? 2 : 0);
    } else if (step.op == WindowOp::kAdvance) {
      const uint64_t bucket = window / program.config.num_buckets;
      step.ticks = static_cast<int64_t>(
          up_to(pick(std::array<uint64_t, 6>{0, 1, bucket, bucket, 3 * bucket, 2 * window})));
    }
    program.steps.push_back(std::move(step));
  }
  return program;
}

std::string ToText(const WindowProgram& program) {
  constexpr std::array<const char*, 8> kNames = {"Insert",  "InsertIfAbsent", "Erase",  "InsertAt",
                                                 "Advance", "Merge",          "Reload", "Clear"};
  std::ostringstream text;
  text << "window " << program.config.window << " in " << program.config.num_buckets
       << " buckets from " << program.start << ", capacity " << program.config.capacity << ", rate "
       << program.config.target_fpr
       << (program.config.is_erasable ? ", erasable" : ", not erasable") << '\n';
  for (const WindowStep& step : program.steps) {
    text << kNames[static_cast<size_t>(step.op)] << " on filter " << step.which;
    if (step.op == WindowOp::kErase || step.op == WindowOp::kInsertAt)
      text << " of " << step.ticks << " ticks ago";
    if (step.op == WindowOp::kAdvance) text << " by " << step.ticks;
    text << TextOf(step.digests) << '\n';
  }
  return text.str();
}

}  // namespace trommel::tests
