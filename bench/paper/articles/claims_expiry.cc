// Expiry, and the sensors' data.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/paper/articles/articles.h"
#include "bench/paper/articles/bloom_model.h"
#include "bench/paper/articles/listings.h"
#include "bench/paper/report/random.h"
#include "bench/sides/fpr_bounds.h"
#include "trommel/counting_filter.h"
#include "trommel/window_filter.h"

namespace trommel::paper {
namespace {

constexpr double kWindowRate = 0.01;
constexpr uint32_t kBuckets = 10;

// The keys of one tick.
RandomStream KeysOf(const Options& options, uint64_t tick) {
  return RandomStream(options.seed, 200 + tick);
}

// A window over the last `num_live` ticks, after kBuckets ticks of `each` keys.
WindowFilter Window(const Options& options, uint32_t num_live, uint64_t each) {
  auto window = WindowFilter::Create({.window = num_live,
                                      .num_buckets = num_live,
                                      .capacity = (num_live + 1) * each,
                                      .target_fpr = kWindowRate})
                    .value();
  for (uint64_t tick = 0; tick < kBuckets; ++tick) {
    window.Advance(tick);
    InsertRandom(window, KeysOf(options, tick), each);
  }
  return window;
}

double BytesOf(const WindowFilter& window) {
  return static_cast<double>(window.GetStats().num_bytes);
}

// Less space is better: a claim is met by at least as much saving, less a slack.
Row SpaceRow(const std::string& what, double claimed, double measured) {
  Row row{.what = what, .unit = Unit::kChange, .paper = claimed, .measured = measured};
  row.given = JudgeClaim(claimed, measured, 0.05);
  return row;
}

void AddListingExpiry(const Options& options, Table& table) {
  ExpiringListing listing(10'000);
  const uint32_t size_before = listing.bits().size();
  RandomStream random(options.seed, 95);
  for (int i = 0; i < 1'000; ++i) listing.Add(random.Next(), i < 400 ? 0 : 100);
  listing.CleanExpired(100, 50);
  Row freed{.what = "memory freed by the listing, 40 % expired", .unit = Unit::kChange};
  freed.paper = -0.4;
  freed.exact = 0;
  freed.measured = static_cast<double>(listing.bits().size()) / size_before - 1;
  freed.allowed = Exactly(0);
  freed.given = Verdict::kDoesNotReproduce;
  freed.note = "It clears bits of an array whose size does not change.";
  Row map{.what = "memory of its map / of the filter, at least"};
  map.formula = 8 * 16 / LeastBitsPerKey(kWindowRate);
  map.note =
      "8 bytes of time and 8 of a pointer to the key; Java's entries take several times as much.";
  table.rows.insert(table.rows.end(), {freed, map});
}

}  // namespace

Table ExpiryClaim(const Options& options) {
  const uint64_t num_keys = options.quick ? 50'000 : 2'000'000;
  const uint64_t each = num_keys / kBuckets;
  const uint64_t num_non_members = options.quick ? 50'000 : 2'000'000;
  Table table{.title = "Claim: expiry by time frees 40 % of space; of the sensors' data 60 %"};
  table.text =
      "The sound form is WindowFilter at 1 %: a key expires with its bucket, no live key is "
      "affected, and the memory is that of the keys of a window, whatever expires. Ten ticks of "
      "equally many keys; beside it one CountingFilter of all of them.";
  table.axis = Axis::kLinear;
  AddListingExpiry(options, table);

  CountingFilter whole =
      CountingFilter::Create({.capacity = num_keys, .target_fpr = kWindowRate}).value();
  for (uint64_t tick = 0; tick < kBuckets; ++tick) {
    InsertRandom(whole, KeysOf(options, tick), each);
  }
  const double whole_bytes = static_cast<double>(whole.GetStats().num_bytes);
  const RandomStream non_members(options.seed, 96);

  WindowFilter window = Window(options, kBuckets, each);
  const double before = BytesOf(window);
  const WindowStats stats = window.GetStats();
  Row rate{.what = "rate, ten buckets", .unit = Unit::kShare};
  rate.exact = stats.predicted_fpr + stats.slots.undecided_share;
  rate.measured = MeasuredFpr(window, non_members, num_non_members);
  rate.allowed = SigmaRange(
      *rate.exact,
      std::hypot(bench::BinomialSigma(*rate.exact, num_non_members), 0.03 * *rate.exact) +
          1 / static_cast<double>(num_non_members));
  rate.note = "Asked for: at most 1 %.";
  Row slower{.what = "query time against one filter", .unit = Unit::kChange, .paper = 0};
  slower.measured = bench::TimeChange(
      num_non_members, options.quick ? 2 : 3,
      [&] { CountMaybePresent(whole, non_members, num_non_members); },
      [&] { CountMaybePresent(window, non_members, num_non_members); });
  slower.given = *slower.measured < 0.1 ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
  slower.note = "\"No marked influence on queries\" is claimed: here, up to 10 %.";
  window.Advance(kBuckets + 3);  // the first four buckets leave
  Row kept = SpaceRow("memory freed, 4 of 10 buckets expired", -0.4, BytesOf(window) / before - 1);
  kept.note = "None: the keys that come next have the place of those that expired.";
  uint64_t num_hidden = 0;
  for (uint64_t tick = 4; tick < kBuckets; ++tick) {
    num_hidden += each - CountMaybePresent(window, KeysOf(options, tick), each);
  }
  Row hidden{.what = "live keys hidden", .unit = Unit::kCount, .exact = 0};
  hidden.measured = static_cast<double>(num_hidden);
  hidden.allowed = Exactly(0);
  table.rows.insert(table.rows.end(), {rate, kept, hidden, slower});
  for (const uint32_t expired : {4U, 6U}) {
    const uint32_t num_live = kBuckets - expired;
    const std::string share = std::to_string(10 * expired) + " % expired: ";
    const WindowFilter shorter = Window(options, num_live, each);
    Row row = SpaceRow(share + "a window against one filter of all keys", -0.1 * expired,
                       BytesOf(shorter) / whole_bytes - 1);
    row.note = "It has room for a bucket more than the window, which fills while another expires.";
    table.rows.push_back(row);
    auto live =
        CountingFilter::Create({.capacity = num_live * each, .target_fpr = kWindowRate}).value();
    Row rebuilt = SpaceRow(share + "a filter rebuilt from the live keys", -0.1 * expired,
                           static_cast<double>(live.GetStats().num_bytes) / whole_bytes - 1);
    if (rebuilt.given == Verdict::kAgrees) rebuilt.given = Verdict::kSoundForm;
    rebuilt.note = "As HBase's compactions do; it needs the keys.";
    table.rows.push_back(rebuilt);
  }
  Row with_layers =
      SpaceRow("sensors: layers over the live 40 %, against one filter of all keys", -0.45,
               Layers::Create(4 * each, kWindowRate).num_bytes() / whole_bytes - 1);
  with_layers.note =
      "Two layers, rebuilt from the live keys. What layers add is in their own table.";
  table.rows.push_back(with_layers);
  return table;
}

}  // namespace trommel::paper
