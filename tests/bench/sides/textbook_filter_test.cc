// The textbook filter against an exact map of its counters, updated by the textbook's definition.
#include "bench/sides/textbook_filter.h"

#include <algorithm>
#include <map>
#include <vector>

#include "bench/sides/fpr_bounds.h"
#include "bench/sides/workload.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

// Counters that saturate at 15, by position.
class Model {
 public:
  explicit Model(const TextbookFilter& filter) : filter_(filter) {}

  void Insert(uint64_t digest) {
    for (const uint64_t position : Positions(digest)) {
      auto& count = counts_[position];
      if (count < 15) ++count;
    }
  }
  bool MayContain(uint64_t digest) const {
    return std::ranges::all_of(Positions(digest), [this](uint64_t position) {
      return counts_.contains(position) && counts_.at(position) > 0;
    });
  }
  bool Erase(uint64_t digest) {
    if (!MayContain(digest)) return false;
    for (const uint64_t position : Positions(digest)) {
      auto& count = counts_[position];
      if (count > 0 && count < 15) --count;
    }
    return true;
  }
  void CheckEqual() const {
    for (uint64_t p = 0; p < filter_.num_counters(); ++p) {
      const auto found = counts_.find(p);
      const int want = found == counts_.end() ? 0 : found->second;
      if (filter_.CounterAt(p) != want) FAIL_CHECK("counter " << p << " is not " << want);
    }
  }

 private:
  std::vector<uint64_t> Positions(uint64_t digest) const {
    std::vector<uint64_t> positions;
    for (uint32_t i = 0; i < filter_.num_hashes(); ++i) {
      positions.push_back(filter_.Position(digest, i));
    }
    return positions;
  }

  const TextbookFilter& filter_;
  std::map<uint64_t, int> counts_;
};

// Few distinct digests, so that counters also reach 15.
std::vector<uint64_t> Repeating(size_t num_digests, uint64_t num_distinct) {
  std::vector<uint64_t> digests(num_digests);
  for (size_t i = 0; i < num_digests; ++i) digests[i] = KeyAt(KeyAt(i) % num_distinct);
  return digests;
}

TEST_CASE("textbook filter counts like its model", "[bench][textbook]") {
  const auto num_hashes = GENERATE(1U, 2U, 7U, TextbookFilter::kMaxHashes);
  const auto num_digests = GENERATE(size_t{0}, 1, 31, 32, 33, 64, 65, 1000);
  TextbookFilter filter(999, num_hashes);
  Model model(filter);

  const std::vector<uint64_t> in = Repeating(num_digests, 40);
  filter.Insert(in);
  for (const uint64_t digest : in) model.Insert(digest);
  model.CheckEqual();

  // Half of these were never inserted, and some are erased more often than they were inserted.
  const std::vector<uint64_t> out = Repeating(num_digests, 80);
  size_t want_erased = 0;
  for (const uint64_t digest : out) want_erased += model.Erase(digest) ? 1 : 0;
  CHECK(filter.Erase(out) == want_erased);
  model.CheckEqual();

  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(num_digests), ~uint64_t{0});
  size_t want_present = 0;
  for (const uint64_t digest : out) want_present += model.MayContain(digest) ? 1 : 0;
  CHECK(filter.Query(out, bitmap) == want_present);
  for (size_t i = 0; i < bitmap.size() * 64; ++i) {
    const bool want = i < num_digests && model.MayContain(out[i]);
    if ((bitmap[i / 64] >> (i % 64) & 1) != uint64_t{want}) FAIL_CHECK("answer " << i);
    if (i < num_digests && filter.MayContain(out[i]) != want) FAIL_CHECK("single answer " << i);
  }
}

TEST_CASE("textbook filter has its predicted rate at capacity", "[bench][textbook]") {
  const double target_fpr = GENERATE(0.1, 0.01, 0.001);
  constexpr uint64_t kNumKeys = 100'000;
  TextbookFilter filter = TextbookFilter::ForKeys(kNumKeys, target_fpr);
  CHECK(filter.PredictedFpr(kNumKeys) <= target_fpr);
  CHECK(filter.PredictedFpr(kNumKeys) > target_fpr * 0.999);

  const Population members(kFirstMember, kNumKeys);
  const Population non_members(kFirstNonMember, 10 * kNumKeys);
  filter.Insert(members.batch().digests);
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(non_members.batch().size()));
  CHECK(filter.Query(members.batch().digests,
                     std::span(bitmap).first(CountingFilter::BitmapWords(kNumKeys))) == kNumKeys);
  const auto num_false = static_cast<double>(filter.Query(non_members.batch().digests, bitmap));
  const double measured = num_false / static_cast<double>(non_members.batch().size());
  const double sigma = TextbookFprSigma(filter.num_counters(), filter.num_hashes(), kNumKeys,
                                        non_members.batch().size());
  CHECK(std::abs(measured - filter.PredictedFpr(kNumKeys)) <= kMaxSigmas * sigma);

  CHECK(filter.Erase(members.batch().digests) == kNumKeys);
  uint64_t num_left = 0;
  for (uint64_t p = 0; p < filter.num_counters(); ++p) num_left += filter.CounterAt(p) != 0;
  CHECK(num_left == 0);
}

}  // namespace
}  // namespace trommel::bench
