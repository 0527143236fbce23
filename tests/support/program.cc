#include "support/program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <sstream>
#include <utility>

#include "support/shapes.h"
#include "support/shrink.h"

namespace trommel::tests {
namespace {

using Multiset = std::map<uint64_t, uint64_t>;

// True if every key of `part` is as often in `whole`.
bool Contains(const Multiset& whole, const Multiset& part) {
  return std::ranges::all_of(part, [&](const auto& entry) {
    const auto found = whole.find(entry.first);
    return entry.second == 0 || (found != whole.end() && found->second >= entry.second);
  });
}

}  // namespace

Geometry Program::geometry() const {
  // As many shards as go.
  return GeometryOf(shape, num_blocks, static_cast<uint32_t>(std::countr_zero(num_blocks)));
}

Program RandomProgram(uint64_t seed, size_t num_steps, Shapes shapes) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](const auto& choices) { return choices[random() % choices.size()]; };
  Program program;
  program.num_blocks = pick(std::array<uint64_t, 6>{1, 2, 3, 8, 12, 40});
  program.shape = 8;
  random();  // once drew a shape: programs stay what they were when their bits were recorded
  // Chosen aside, so that programs of planes stay what they were.
  if (shapes == Shapes::kRuns || (shapes == Shapes::kAny && seed % 3 != 0)) {
    program.shape = RunShapes()[seed / 3 % RunShapes().size()];
  }
  program.pool.resize(20 + random() % 100);
  for (uint64_t& digest : program.pool) digest = random();
  const size_t num_members = program.pool.size() * 3 / 4;
  const std::array<Op, 12> ops = {
      Op::kInsert, Op::kInsert, Op::kInsert, Op::kInsertIfAbsent, Op::kInsertIfAbsent, Op::kErase,
      Op::kErase,  Op::kErase,  Op::kMerge,  Op::kSubtract,       Op::kFold,           Op::kClear};
  for (size_t i = 0; i < num_steps; ++i) {
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

Program Honest(const Program& program) {
  Program honest = program;
  honest.steps.clear();
  std::array<Multiset, 2> in;
  std::vector<kernels::ReferenceFilter> filters(
      2, kernels::ReferenceFilter(program.num_blocks, program.shape));
  for (Step step : program.steps) {
    kernels::ReferenceFilter& filter = filters[step.which];
    Multiset& ours = in[step.which];
    const Multiset& theirs = in[1 - step.which];
    switch (step.op) {
      case Op::kInsert:
        for (const uint64_t digest : step.digests) {
          filter.Insert(digest);
          ++ours[digest];
        }
        break;
      case Op::kInsertIfAbsent:
        for (const uint64_t digest : step.digests) ours[digest] += filter.InsertIfAbsent(digest);
        break;
      case Op::kErase:
        std::erase_if(step.digests, [&](uint64_t digest) {
          if (ours[digest] == 0) return true;
          ours[digest] -= filter.Erase(digest);
          return false;
        });
        break;
      case Op::kMerge:
        filter.Merge(filters[1 - step.which]);
        for (const auto& [digest, count] : theirs) ours[digest] += count;
        break;
      case Op::kSubtract:
        if (!Contains(ours, theirs)) continue;
        filter.Subtract(filters[1 - step.which]);
        for (const auto& [digest, count] : theirs) ours[digest] -= count;
        break;
      case Op::kFold:
        if (filter.num_blocks() % 2 == 0) {
          for (kernels::ReferenceFilter& each : filters) each = each.Folded();
        }
        break;
      case Op::kClear:
        filter = kernels::ReferenceFilter(filter.num_blocks(), filter.shape());
        ours.clear();
        break;
    }
    honest.steps.push_back(std::move(step));
  }
  return honest;
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
