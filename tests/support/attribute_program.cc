#include "support/attribute_program.h"

#include <array>
#include <random>
#include <sstream>
#include <utility>

#include "support/shrink.h"

namespace trommel::tests {
namespace {

AttributeSets RandomSets(std::mt19937_64& random) {
  const auto num_attributes = static_cast<uint32_t>(1 + random() % 4);
  const AttributeMask full = (AttributeMask{1} << num_attributes) - 1;
  std::vector<AttributeMask> cuts;
  for (uint64_t left = random() % 4; left > 0; --left) {
    const auto cut = static_cast<AttributeMask>(random()) & full;
    if ((cut & (cut - 1)) != 0) cuts.push_back(cut);
  }
  return *AttributeSets::Create(num_attributes, cuts);
}

}  // namespace

AttributeProgram RandomAttributeProgram(uint64_t seed, size_t num_steps) {
  std::mt19937_64 random(seed);
  AttributeProgram program;
  AttributeConfig& config = program.config;
  config.sets = RandomSets(random);
  config.capacity = std::array<uint64_t, 3>{10, 40, 150}[random() % 3];
  config.target_fpr = 0.2;
  config.encoding = random() % 2 == 0 ? Encoding::kRuns : Encoding::kPlanes;

  const uint32_t num_attributes = config.sets.num_attributes();
  std::vector<std::vector<uint64_t>> values(num_attributes);
  for (auto& of_attribute : values) {
    of_attribute.resize(std::array<size_t, 3>{2, 8, 100}[random() % 3]);
    for (uint64_t& value : of_attribute) {
      value = (random() % 2) << 58 | random() % (uint64_t{1} << 32);
    }
  }
  program.pool.resize(60 + random() % 120);
  for (TupleRow& row : program.pool) {
    for (const auto& of_attribute : values) {
      row.push_back(of_attribute[random() % of_attribute.size()]);
    }
  }
  const size_t num_members = program.pool.size() * 4 / 5;
  for (size_t i = 0; i < num_steps; ++i) {
    AttributeStep step;
    const uint64_t kind = random() % 20;
    step.op = kind < 10   ? AttributeOp::kInsert
              : kind < 18 ? AttributeOp::kErase
              : kind < 19 ? AttributeOp::kSaveAndLoad
                          : AttributeOp::kClear;
    if (step.op == AttributeOp::kClear && random() % 3 != 0) step.op = AttributeOp::kErase;
    if (step.op == AttributeOp::kInsert || step.op == AttributeOp::kErase) {
      step.rows.resize(1 + random() % std::array<size_t, 4>{1, 10, 100, 700}[random() % 4]);
      for (TupleRow& row : step.rows) row = program.pool[random() % num_members];
    }
    program.steps.push_back(std::move(step));
  }
  return program;
}

std::string ToText(const AttributeProgram& program) {
  constexpr std::array<const char*, 4> kNames = {"Insert", "Erase", "SaveAndLoad", "Clear"};
  const AttributeConfig& config = program.config;
  std::ostringstream text;
  text << config.sets.num_attributes() << " attributes, cuts";
  for (const AttributeMask cut : config.sets.cuts()) text << ' ' << AttributeMaskText(cut);
  text << ", capacity " << config.capacity << ", " << EncodingName(config.encoding) << '\n';
  for (const AttributeStep& step : program.steps) {
    text << kNames[static_cast<size_t>(step.op)] << ':';
    for (const TupleRow& row : step.rows) text << " (" << TextOf(row) << " )";
    text << '\n';
  }
  return text.str();
}

}  // namespace trommel::tests
