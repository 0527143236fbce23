#include "bench/route_trial.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "bench/textbook_filter.h"
#include "bench/trial_steps.h"
#include "bench/workload.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

constexpr double kRouteFpr = 0.01;
constexpr size_t kNumSides = 4;
constexpr size_t kTextbookSide = 3;

// The two filters, with the same keys in them.
struct Rivals {
  Rivals(uint64_t num_keys, bool with_textbook, Encoding encoding)
      : ours(std::move(CountingFilter::Create({.capacity = num_keys,
                                               .target_fpr = kRouteFpr,
                                               .num_slices = encoding == Encoding::kRuns ? 5U : 0U,
                                               .encoding = encoding}))
                 .value()) {
    if (with_textbook) textbook.emplace(TextbookFilter::ForKeys(num_keys, kRouteFpr));
  }

  // From now on the first so many members are in; each time fewer than before.
  void FillTo(uint64_t wanted) {
    if (num_members == 0) {
      ForEachBatch(kFirstMember, wanted, [this](Batch batch) {
        ours.Insert(Keys::Digests(batch.digests));
        if (textbook) textbook->Insert(batch.digests);
      });
    } else {
      ForEachBatch(kFirstMember + wanted, num_members - wanted, [this](Batch batch) {
        ours.Erase(Keys::Digests(batch.digests));
        if (textbook) textbook->Erase(batch.digests);
      });
    }
    num_members = wanted;
  }

  void Insert(size_t side, std::span<const uint64_t> digests) {
    side == kTextbookSide ? textbook->Insert(digests) : ours.Insert(Keys::Digests(digests));
  }
  uint64_t Erase(size_t side, std::span<const uint64_t> digests) {
    return side == kTextbookSide ? textbook->Erase(digests)
                                 : ours.Erase(Keys::Digests(digests)).num_erased;
  }

  CountingFilter ours;
  std::optional<TextbookFilter> textbook;
  uint64_t num_members = 0;
};

}  // namespace

std::vector<TrialRow> RunRouteTrial(uint64_t num_keys, const std::vector<double>& keys_per_block,
                                    uint64_t rounds, bool with_textbook, Encoding encoding) {
  Rivals rivals(num_keys, with_textbook, encoding);
  const auto num_blocks = static_cast<double>(rivals.ours.geometry().num_blocks);
  const double most = *std::max_element(keys_per_block.begin(), keys_per_block.end());
  const Population guests(kFirstGuest, static_cast<size_t>(most * num_blocks));
  std::vector<TrialRow> rows;
  for (const double load : keys_per_block) {
    const auto digests = guests.batch().digests.first(static_cast<size_t>(load * num_blocks));
    // Runs grow slower beyond their capacity, so the batch is within it.
    rivals.FillTo(num_keys - digests.size());
    char text[96];
    std::snprintf(text, sizeof(text), "%s keys, %.2f a block (%zu)", CountName(num_keys).c_str(),
                  load, digests.size());
    TrialRow insert{std::string("insert, ") + text, std::vector<Figures>(kNumSides)};
    TrialRow erase{std::string("erase,  ") + text, std::vector<Figures>(kNumSides)};
    for (uint64_t round = 0; round <= rounds; ++round) {
      for (size_t i = 0; i < kNumSides; ++i) {
        const size_t side = (i + round) % kNumSides;  // nobody always comes first
        if (side == kTextbookSide && !with_textbook) continue;
        constexpr Route kRoutes[] = {Route::kDirect, Route::kSplit, Route::kAutomatic};
        if (side != kTextbookSide) rivals.ours.UseRoute(kRoutes[side]);
        const double insert_ns = CpuNsAKey(digests.size(), [&] { rivals.Insert(side, digests); });
        uint64_t num_erased = 0;
        const double erase_ns =
            CpuNsAKey(digests.size(), [&] { num_erased = rivals.Erase(side, digests); });
        Demand(num_erased == digests.size(), "not all that came were erased");
        if (round == 0) continue;  // warms up
        insert.sides[side].push_back(insert_ns);
        erase.sides[side].push_back(erase_ns);
      }
    }
    rows.push_back(std::move(insert));
    rows.push_back(std::move(erase));
  }
  return rows;
}

}  // namespace trommel::bench
