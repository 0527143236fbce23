// Scenarios of the model: what blocks hold, and what each thread does. X is the key that a thread
// queries while others change its block.
#ifndef TROMMEL_TESTS_PROTOCOL_SCENARIOS_H_
#define TROMMEL_TESTS_PROTOCOL_SCENARIOS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/model_blocks.h"

namespace trommel {

enum class Action : uint8_t {
  kEnd,
  kInsert,
  kErase,
  kFind,     // a query that must answer "maybe"
  kMiss,     // a query that must answer "absent"
  kPublish,  // lets kAwait pass
  kAwait,    // ends the thread if it came too early
};

struct Step {
  Action action = Action::kEnd;
  ModelKey key{};
};

enum class Shape : uint8_t { kWide, kBins };

struct Scenario {
  const char* name;
  Shape shape;
  // Context switches of a search that is not full; 0: a full search ends within seconds.
  unsigned context_bound;
  ModelWords words;
  std::array<std::array<Step, 4>, 3> threads;
  ModelKey absent_at_end;  // with fingerprint 0: none

  constexpr size_t NumThreads() const { return threads[2][0].action == Action::kEnd ? 2 : 3; }
};

inline constexpr uint32_t kX = 7;         // in slots of 16 bits
inline constexpr uint32_t kXInBins = 23;  // slot 7 of bin 1

// clang-format off
inline constexpr std::array kScenarios = {
    // slots | X . |  ->  | X Y |  ->  | . Y |: X and Y have equal fingerprints.
    Scenario{"equal fingerprints", Shape::kWide, 0, {.blocks = {kX, 0}},
             {{{{{Action::kInsert, {0, kX}}, {Action::kErase, {0, kX}}}},
               {{{Action::kFind, {0, kX}}}}}},
             {}},
    // slots | A X |  ->  | A mark |, line | X Z |
    Scenario{"promotion", Shape::kWide, 0, {.blocks = {5, kX}},
             {{{{{Action::kInsert, {0, 8}}}},
               {{{Action::kFind, {0, kX}}}}}},
             {}},
    // slots | A mark |, line | X Z |  ->  slots | A X |
    Scenario{"return", Shape::kWide, 0,
             {.blocks = {5, kModelLineMark}, .line_keys = {kX, 8}},
             {{{{{Action::kErase, {0, 8}}}},
               {{{Action::kFind, {0, kX}}}}}},
             {0, 8}},
    // slots | A mark |, line | X Z |  ->  slots | X Z |
    Scenario{"refill", Shape::kWide, 0,
             {.blocks = {5, kModelLineMark}, .line_keys = {kX, 8}},
             {{{{{Action::kErase, {0, 5}}}},
               {{{Action::kFind, {0, kX}}}}}},
             {0, 5}},
    // slots | A mark |, line | X Z |  ->  slots | A spill mark |
    Scenario{"spill", Shape::kWide, 0,
             {.blocks = {5, kModelLineMark}, .line_keys = {kX, 8}},
             {{{{{Action::kInsert, {0, 9}}}},
               {{{Action::kFind, {0, kX}}}}}},
             {}},
    // Block 0 frees the entries | Y C | of the line, which become block 1's | X Z |. X and Y have
    // equal fingerprints: only the home says whose entry it is.
    Scenario{"shared line", Shape::kWide, 5,
             {.blocks = {5, kModelLineMark, 6, kX}, .line_keys = {kX, 4}},
             {{{{{Action::kErase, {0, kX}}, {Action::kInsert, {1, 8}}}},
               {{{Action::kFind, {1, kX}}}}}},
             {0, kX}},
    // bins | . | X |  ->  | Z | X |  ->  | . | X |
    Scenario{"shifted slots", Shape::kBins, 0, {.blocks = {7, 0, 0, 0x10}},
             {{{{{Action::kInsert, {0, 8}}, {Action::kErase, {0, 8}}, {Action::kMiss, {0, 8}}}},
               {{{Action::kFind, {0, kXInBins}}}}}},
             {0, 8}},
    // The return above, beside an insertion into the group's other block.
    Scenario{"two writers", Shape::kWide, 4,
             {.blocks = {5, kModelLineMark}, .line_keys = {kX, 8}},
             {{{{{Action::kErase, {0, 8}}}},
               {{{Action::kInsert, {1, 9}}}},
               {{{Action::kFind, {0, kX}}}}}},
             {0, 8}},
    // One thread inserts X, another one shifts it.
    Scenario{"published key", Shape::kBins, 4, {},
             {{{{{Action::kInsert, {0, kXInBins}}, {Action::kPublish}}},
               {{{Action::kInsert, {0, 8}}}},
               {{{Action::kAwait}, {Action::kFind, {0, kXInBins}}}}}},
             {}},
};
// clang-format on

}  // namespace trommel

#endif  // TROMMEL_TESTS_PROTOCOL_SCENARIOS_H_
