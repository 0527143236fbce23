#include "support/attribute_program.h"

#include <array>
#include <random>
#include <span>
#include <sstream>
#include <utility>

#include "support/shrink.h"

namespace trommel::tests {
namespace {

AttributeSets RandomListOf(uint32_t num_attributes, std::mt19937_64& random) {
  std::vector<AttributeMask> kept;
  AttributeMask left = AttributeSets::AtMost(num_attributes, 1)->full();
  while (left != 0) {  // every attribute is in some set
    const AttributeMask set = (random() & random()) & ~AttributeMask{0} >> (64 - num_attributes);
    if (set != 0) kept.push_back(set);
    left &= ~set;
  }
  return *AttributeSets::Keep(num_attributes, kept);
}

AttributeSets RandomSets(std::mt19937_64& random) {
  const uint64_t form = random() % 8;
  if (form == 0) return RandomListOf(static_cast<uint32_t>(1 + random() % 64), random);
  if (form == 1) {
    return *AttributeSets::AtMost(static_cast<uint32_t>(17 + random() % 48), 1);
  }
  if (form == 2) {
    const std::vector<AttributeMask> cuts = {0b11, AttributeMask{0b101} << 14};
    return *AttributeSets::AtMost(17, 2, cuts);
  }
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
  // The last of these begin with blocks, and few bits of each key.
  config.capacity = std::array<uint64_t, 4>{10, 150, 1700, 1700}[random() % 4];
  config.max_capacity = config.capacity;
  config.target_fpr = 0.2;

  const uint32_t num_attributes = config.sets.num_attributes();
  constexpr uint32_t kFewAttributes = 4;
  if (num_attributes <= kFewAttributes) {
    for (AttributeMask set = 0; set <= config.sets.full(); ++set) program.asked.push_back(set);
  } else {
    const std::span<const AttributeMask> allowed = config.sets.allowed();
    program.asked = {0, config.sets.full()};
    for (int i = 0; i < 6; ++i) {
      const AttributeMask set = allowed[random() % allowed.size()];
      program.asked.insert(program.asked.end(), {set, set | allowed[random() % allowed.size()],
                                                 random() & random() & config.sets.full()});
    }
  }
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
  text << config.sets.num_attributes() << " attributes, at most " << config.sets.max_together();
  if (config.sets.is_list()) {
    text << ", the list";
    for (const AttributeMask set : config.sets.allowed()) text << ' ' << AttributeMaskText(set);
  }
  text << ", cuts";
  for (const AttributeMask cut : config.sets.cuts()) text << ' ' << AttributeMaskText(cut);
  text << ", capacity " << config.capacity << '\n';
  for (const AttributeStep& step : program.steps) {
    text << kNames[static_cast<size_t>(step.op)] << ':';
    for (const TupleRow& row : step.rows) text << " (" << TextOf(row) << " )";
    text << '\n';
  }
  return text.str();
}

}  // namespace trommel::tests
