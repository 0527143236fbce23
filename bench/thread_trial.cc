#include "bench/thread_trial.h"

#include <array>
#include <memory>
#include <utility>

#include "bench/roofline.h"
#include "bench/trial_steps.h"
#include "bench/workload.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"

namespace trommel::bench {
namespace {

constexpr double kThreadsFpr = 0.01;
constexpr double kSecondsPerCeiling = 0.2;

}  // namespace

std::vector<TrialRow> RunThreadTrial(uint64_t num_keys, uint32_t num_threads, uint64_t rounds) {
  const std::array<std::shared_ptr<Executor>, 2> executors = {
      nullptr, std::move(Executor::Create(num_threads)).value()};
  const Population members(kFirstMember, num_keys);
  const Population guests(kFirstGuest, num_keys / 4);
  const auto digests = members.batch().digests;
  const auto more = guests.batch().digests;
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(digests.size()));
  enum { kBuild, kInsert, kErase, kQuery, kReadCeiling, kUpdateCeiling, kStreamCeiling };
  std::vector<TrialRow> rows;
  for (const char* name : {"build from digests", "insert a quarter more", "erase it", "query hits",
                           "ceiling: random line read",
                           "ceiling: random update of an update's lines", "ceiling: copied line"}) {
    rows.push_back({std::string(name) + ", " + CountName(num_keys) + " keys", {{}, {}}});
  }
  for (uint64_t round = 0; round <= rounds; ++round) {
    for (size_t i = 0; i < 2; ++i) {
      const size_t side = (i + round) % 2;
      std::array<double, 7> ns{};
      // Building includes asking the system for memory and touching it, as it does for users.
      CountingConfig config{
          .capacity = num_keys, .target_fpr = kThreadsFpr, .encoding = Encoding::kPlanes};
      config.executor = executors[side];
      std::unique_ptr<CountingFilter> filter;
      ns[kBuild] = WallNsAKey(digests.size(), [&] {
        filter =
            std::make_unique<CountingFilter>(std::move(CountingFilter::Create(config)).value());
        filter->Insert(Keys::Digests(digests));
      });
      ns[kInsert] = WallNsAKey(more.size(), [&] { filter->Insert(Keys::Digests(more)); });
      uint64_t num_erased = 0;
      ns[kErase] = WallNsAKey(more.size(),
                              [&] { num_erased = filter->Erase(Keys::Digests(more)).num_erased; });
      Demand(num_erased == more.size(), "an inserted key was refused");
      size_t num_present = 0;
      ns[kQuery] = WallNsAKey(digests.size(),
                              [&] { num_present = filter->Query(Keys::Digests(digests), bitmap); });
      Demand(num_present == digests.size(), "a key that is in was missed");

      const Geometry& geometry = filter->geometry();
      const uint32_t threads = side == 0 ? 1 : num_threads;
      const std::array<Touch, 1> query = {Touch{geometry.presence_bytes(), 1}};
      const std::array<Touch, 2> update = {Touch{geometry.presence_bytes(), 1},
                                           Touch{geometry.count_bytes(), 2}};
      ns[kReadCeiling] = RandomReadNs(query, kSecondsPerCeiling, threads);
      ns[kUpdateCeiling] = RandomUpdateNs(update, kSecondsPerCeiling, threads);
      constexpr double kLineBytes = 2 * 64;  // read and written
      ns[kStreamCeiling] =
          kLineBytes / StreamGbPerS(geometry.num_bytes(), kSecondsPerCeiling, threads);
      if (round == 0) continue;  // warms up
      for (size_t r = 0; r < rows.size(); ++r) rows[r].sides[side].push_back(ns[r]);
    }
  }
  return rows;
}

}  // namespace trommel::bench
