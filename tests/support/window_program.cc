#include "support/window_program.h"

#include <array>
#include <random>
#include <sstream>
#include <utility>

#include "support/shapes.h"
#include "support/shrink.h"

namespace trommel::tests {

namespace {

WindowProgram RandomProgram(uint64_t seed, size_t num_steps, bool has_slots) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](const auto& choices) { return choices[random() % choices.size()]; };
  const auto up_to = [&random](uint64_t most) { return random() % (most + 1); };
  WindowProgram program;
  constexpr std::array<WindowForm, 2> kSlotForms = {WindowForm::kSlots16, WindowForm::kSlots24};
  const kernels::Shape shape = AllShapes()[seed % AllShapes().size()];
  program.config = {.window = pick(std::array<uint64_t, 6>{1, 2, 7, 64, 100, 1'000'003}),
                    .capacity = pick(std::array<uint64_t, 3>{20, 400, 20'000}),
                    .target_fpr = shape.has_runs && shape.num_slices == 4 ? 0.2 : 0.02,
                    .form = has_slots ? kSlotForms[seed % 2] : WindowForm::kBucketRing,
                    .is_erasable = !has_slots || seed / 2 % 4 != 0,
                    .num_slices = static_cast<uint32_t>(shape.num_slices),
                    .encoding = shape.has_runs ? Encoding::kRuns : Encoding::kPlanes};
  const uint64_t window = program.config.window;
  program.config.num_buckets =
      static_cast<uint32_t>(std::min(window, pick(std::array<uint64_t, 6>{1, 2, 3, 5, 8, 64})));
  if (program.config.form == WindowForm::kSlots16) {
    program.config.num_buckets =
        std::min(program.config.num_buckets, WindowFilter::kMaxSlots16Buckets);
  }
  program.start = pick(std::array<uint64_t, 3>{0, uint64_t{1} << 40, 0 - 6 * window});
  program.pool.resize(20 + up_to(80));
  for (uint64_t& digest : program.pool) digest = random();
  if (has_slots) {
    // The low bits choose neither the block nor the fingerprint.
    for (size_t i = 0; i + 1 < program.pool.size(); i += 5) {
      program.pool[i + 1] = program.pool[i] ^ 1;
    }
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
    if (has_slots && step.op == WindowOp::kInsert && random() % 3 == 0) {
      step.op = WindowOp::kInsertAt;
    }
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

}  // namespace

WindowProgram RandomWindowProgram(uint64_t seed, size_t num_steps) {
  return RandomProgram(seed, num_steps, false);
}

WindowProgram RandomSlotProgram(uint64_t seed, size_t num_steps) {
  return RandomProgram(seed, num_steps, true);
}

std::string ToText(const WindowProgram& program) {
  constexpr std::array<const char*, 8> kNames = {"Insert",  "InsertIfAbsent", "Erase",  "InsertAt",
                                                 "Advance", "Merge",          "Reload", "Clear"};
  std::ostringstream text;
  text << "window " << program.config.window << " in " << program.config.num_buckets
       << " buckets from " << program.start << ", capacity " << program.config.capacity << ", "
       << program.config.num_slices << " slices of " << EncodingName(program.config.encoding)
       << ", form " << static_cast<int>(program.config.form)
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
