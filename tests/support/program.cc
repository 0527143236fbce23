#include "support/program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <sstream>
#include <utility>

#include "support/shapes.h"
#include "support/shrink.h"

namespace trommel::tests {
Geometry Program::geometry() const {
  // As many shards as go.
  return GeometryOf(shape, num_blocks, static_cast<uint32_t>(std::countr_zero(num_blocks)));
}

Program RandomProgram(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](const auto& choices) { return choices[random() % choices.size()]; };
  Program program;
  program.num_blocks = pick(std::array<uint64_t, 6>{1, 2, 3, 8, 12, 40});
  program.shape = 8;
  if (seed % 3 != 0) program.shape = RunShapes()[seed / 3 % RunShapes().size()];
  program.pool.resize(20 + random() % 100);
  for (uint64_t& digest : program.pool) digest = random();
  const size_t num_members = program.pool.size() * 3 / 4;
  const std::array<Op, 12> ops = {
      Op::kInsert, Op::kInsert, Op::kInsert, Op::kInsertIfAbsent, Op::kInsertIfAbsent, Op::kErase,
      Op::kErase,  Op::kErase,  Op::kMerge,  Op::kSubtract,       Op::kFold,           Op::kClear};
  for (size_t i = 0; i < 25; ++i) {
    Step step;
    step.op = pick(ops);
    // A cleared filter tests little: let it be rare.
    if (step.op == Op::kClear && random() % 3 != 0) step.op = Op::kErase;
    step.which = random() % 4 == 0 ? 1 : 0;
    if (step.op == Op::kInsert || step.op == Op::kInsertIfAbsent || step.op == Op::kErase) {
      const size_t most = pick(std::array<size_t, 6>{1, 3, 20, 70, 200, 5000});
      step.digests.resize(1 + random() % most);
      for (uint64_t& digest : step.digests) {
        const bool is_hot = random() % 4 == 0;
        digest = program.pool[random() % (is_hot ? 3 : num_members)];
      }
    }
    program.steps.push_back(std::move(step));
  }
  return program;
}

std::string ToText(const Program& program) {
  constexpr std::array<const char*, 7> kNames = {"Insert",   "InsertIfAbsent", "Erase", "Merge",
                                                 "Subtract", "Fold",           "Clear"};
  std::ostringstream text;
  text << program.num_blocks << " blocks, " << program.shape << '\n';
  for (const Step& step : program.steps) {
    text << kNames[static_cast<size_t>(step.op)] << " on filter " << step.which << ':'
         << TextOf(step.digests) << '\n';
  }
  return text.str();
}

}  // namespace trommel::tests
