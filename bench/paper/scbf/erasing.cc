// Which live keys a scalable filter loses when others are erased.
#include <algorithm>
#include <string>

#include "bench/paper/report/random.h"
#include "bench/paper/scbf/scbf.h"

namespace trommel::paper {
namespace {

constexpr int kNumReplacements = 3;

}  // namespace

ErasingTrial RunErasing(const classic::ArrayGeometry& geometry, InsertRule insert_rule,
                        EraseRule erase_rule, uint64_t num_keys, RandomStream random) {
  Generations generations(geometry, insert_rule, erase_rule);
  std::vector<uint64_t> live = random.Take(num_keys);
  for (const uint64_t key : live) generations.Insert(key);
  for (int round = 0; round < kNumReplacements; ++round) {
    for (size_t i = 0; i < live.size(); i += 2) generations.Erase(live[i]);
    for (size_t i = 0; i < live.size(); i += 2) {
      live[i] = random.Next();
      generations.Insert(live[i]);
    }
    // The others are replaced next time.
    std::rotate(live.begin(), live.begin() + 1, live.end());
  }
  ErasingTrial trial{.num_live = live.size(), .num_generations = generations.size()};
  for (const uint64_t key : live) trial.num_lost += !generations.MayContain(key);
  return trial;
}

Table ScbfErasing(const Options& options) {
  const uint64_t num_keys = options.quick ? 8'000 : 40'000;
  const classic::ArrayGeometry geometry{.kind = classic::Kind::kSplitCounting,
                                        .hashing = classic::Hashing::kMixed,
                                        .num_hashes = 5,
                                        .counter_bits = 8,
                                        .num_positions = num_keys / 16};
  Table table{.title =
                  "Scalable filter: live keys that answer \"absent\" after others were erased"};
  table.text =
      FigureText(static_cast<double>(num_keys), Unit::kCount) +
      " keys, half of which are replaced by new ones, three times; generations of 5 slices. The "
      "text inserts into a generation that is not half full, so that erasing opens old ones again, "
      "and says of a key that no generation shows that it is certainly not stored (0 lost). From "
      "which generation a key is erased it does not say: three readings.";
  table.axis = Axis::kLinear;
  const struct {
    InsertRule insert;
    const char* insert_name;
  } inserts[] = {{InsertRule::kBelowHalf, "into one below half, "},
                 {InsertRule::kNewest, "into the newest, "},
                 {InsertRule::kOldestShowing, "into the oldest that shows it, "}};
  const struct {
    EraseRule erase;
    const char* erase_name;
  } erases[] = {{EraseRule::kEverywhere, "from each that shows it"},
                {EraseRule::kNewest, "from the newest that does"},
                {EraseRule::kOldest, "from the oldest that does"}};
  for (const auto& [insert, insert_name] : inserts) {
    for (const auto& [erase, erase_name] : erases) {
      const bool is_ours = insert == InsertRule::kOldestShowing;
      if (is_ours && erase != EraseRule::kOldest) continue;
      const ErasingTrial trial =
          RunErasing(geometry, insert, erase, num_keys, RandomStream(options.seed, 120));
      Row row{.what = std::string(insert_name) + erase_name, .unit = Unit::kCount};
      row.measured = static_cast<double>(trial.num_lost);
      row.note = std::to_string(trial.num_generations) + " generations. ";
      if (is_ours) {
        row.paper = 0;
        row.exact = 0;
        row.allowed = Exactly(0);
        row.given = Verdict::kSoundForm;
        row.note +=
            "Only the newest generation gains presence bits: a key for which an older one answers "
            "\"maybe present\" is counted there, and erased from the oldest that answers so.";
      } else if (insert == InsertRule::kBelowHalf) {
        row.paper = 0;  // and the measured figure decides
      } else {
        row.given = Verdict::kSilent;
      }
      table.rows.push_back(row);
    }
  }
  return table;
}

}  // namespace trommel::paper
