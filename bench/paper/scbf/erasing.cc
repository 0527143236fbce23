// Which live keys a scalable filter loses when others are erased.
#include <algorithm>
#include <string>

#include "bench/paper/report/random.h"
#include "bench/paper/scbf/scbf.h"

namespace trommel::paper {
namespace {

constexpr int kNumReplacements = 3;

}  // namespace

ErasingTrial RunErasing(classic::ScalableSplit filter, uint64_t num_keys, RandomStream random) {
  std::vector<uint64_t> live = random.Take(num_keys);
  for (const uint64_t key : live) filter.Insert(key);
  for (int round = 0; round < kNumReplacements; ++round) {
    for (size_t i = 0; i < live.size(); i += 2) filter.Erase(live[i]);
    for (size_t i = 0; i < live.size(); i += 2) {
      live[i] = random.Next();
      filter.Insert(live[i]);
    }
    // The others are replaced next time.
    std::rotate(live.begin(), live.begin() + 1, live.end());
  }
  ErasingTrial trial{.num_live = live.size(), .num_generations = filter.num_generations()};
  for (const uint64_t key : live) trial.num_lost += !filter.MayContain(key);
  return trial;
}

Table ScbfErasing(const Options& options) {
  const uint64_t num_keys = options.quick ? 8'000 : 40'000;
  constexpr double kTarget = 0x1p-5;
  const uint64_t positions = 5 * (num_keys / 16);
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
    classic::InsertRule insert;
    const char* insert_name;
  } inserts[] = {{classic::InsertRule::kBelowHalf, "into one below half, "},
                 {classic::InsertRule::kNewest, "into the newest, "},
                 {classic::InsertRule::kOldestShowing, "into the oldest that shows it, "}};
  const struct {
    classic::EraseRule erase;
    const char* erase_name;
  } erases[] = {{classic::EraseRule::kEverywhere, "from each that shows it"},
                {classic::EraseRule::kNewest, "from the newest that does"},
                {classic::EraseRule::kOldest, "from the oldest that does"}};
  for (const auto& [insert, insert_name] : inserts) {
    for (const auto& [erase, erase_name] : erases) {
      const bool is_ours = insert == classic::InsertRule::kOldestShowing;
      if (is_ours && erase != classic::EraseRule::kOldest) continue;
      const ErasingTrial trial = RunErasing({positions, kTarget, insert, erase}, num_keys,
                                            RandomStream(options.seed, 120));
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
      } else if (insert == classic::InsertRule::kBelowHalf) {
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
