// All encodings in one run, one thread: memory, rate and speed of planes, runs and fingerprints
// beside the textbook counting Bloom filter and a plain split-block filter, and whether targets are
// met. With --trial=scale one encoding, at several sizes. How to read it: README.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/machine/roofline.h"
#include "bench/sides/demand.h"
#include "bench/sides/fpr_bounds.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/trials/encoding_trial.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"
#include "trommel/sizing.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

struct ScaleRequest {
  std::vector<uint64_t> sizes;  // in keys; the others are compared with the first
  Encoding encoding = Encoding::kRuns;
  double target_fpr = 0.0061;
  uint32_t run_slices = 5;  // of runs
  uint32_t num_threads = 1;
  uint64_t rounds = 9;
  double seconds_per_ceiling = 0.1;
};

// A filter when the first insertions were measured, and what filling it took.
struct ScaleFilter {
  uint64_t num_keys = 0;
  double fill_ns = 0;  // per key
  double bits_per_key = 0;
  double side_table_bytes = 0;
  double promoted_share = 0;
  double huge_page_share = 0;  // of the bytes of blocks
  double measured_fpr = 0;
  double predicted_fpr = 0;
};

// Rows: insert, query hit, query miss, erase, in batches of 65,536; then a random line read and a
// random line updated in as much memory as the blocks take, in the first round that counts alone.
// ns per key or line: thread CPU time of one thread, wall time of several.
constexpr size_t kNumScaleOps = 4;

struct ScaleOutcome {
  ScaleRequest request;
  std::vector<ScaleFilter> filters;  // in the order of sizes
  std::vector<TrialRow> rows;        // a side per size
};

constexpr size_t kScaleBatch = 65'536;
// Keys of a measurement: their blocks are more than caches hold.
constexpr uint64_t kKeysPerScaleFigure = uint64_t{1} << 21;
constexpr uint64_t kScaleNonMembers = 10'000'000;
constexpr double kMostOfSmall = 2;

enum ScaleRow : size_t {
  kScaleInsert,
  kScaleHit,
  kScaleMiss,
  kScaleErase,
  kScaleRead,
  kScaleUpdate,
  kNumScaleRows
};
constexpr const char* kScaleRows[kNumScaleRows] = {
    "insert", "query hit", "query miss", "erase", "ceiling: line read", "ceiling: line update"};

class ScaledFilter {
 public:
  ScaledFilter(const ScaleRequest& request, uint64_t num_keys, std::shared_ptr<Executor> executor)
      : request_(request),
        num_guests_(std::min(kKeysPerScaleFigure, num_keys / 8)),
        num_members_(num_keys - num_guests_),
        filter_(ValueOrExit(CountingFilter::Create(
            {.capacity = num_keys,
             .target_fpr = request.target_fpr,
             .num_slices = request.encoding == Encoding::kRuns ? request.run_slices : 0,
             .encoding = request.encoding,
             .executor = std::move(executor)}))),
        bitmap_(CountingFilter::BitmapWords(kScaleBatch)) {
    double fill_ns = 0;
    ForEachBatch(kFirstMember, num_members_, [&](Batch batch) {
      fill_ns += TimeOf([&] { filter_.Insert(Keys::Digests(batch.digests)); });
    });
    figures_.num_keys = num_keys;
    figures_.fill_ns = fill_ns / static_cast<double>(num_members_);
  }

  // Each member, and the rate of non-members.
  void Prove() {
    ForEachBatch(kFirstMember, num_members_, [&](Batch batch) {
      Demand(Query(batch.digests) == batch.size(), "a member was answered \"absent\"");
    });
    uint64_t num_shown = 0;
    ForEachBatch(kFirstNonMember, kScaleNonMembers,
                 [&](Batch batch) { num_shown += Query(batch.digests); });
    const Stats stats = filter_.GetStats();
    const Geometry& geometry = filter_.geometry();
    figures_.measured_fpr = static_cast<double>(num_shown) / double{kScaleNonMembers};
    figures_.predicted_fpr = stats.predicted_fpr;
    Demand(std::abs(figures_.measured_fpr - figures_.predicted_fpr) <=
               kMaxSigmas * BlockFprSigma(geometry, num_members_, kScaleNonMembers),
           "the rate of non-members is not the predicted one");
    figures_.bits_per_key =
        8 * static_cast<double>(stats.num_bytes) / static_cast<double>(num_members_);
    figures_.side_table_bytes = static_cast<double>(stats.side_table_bytes);
    figures_.promoted_share =
        static_cast<double>(stats.num_promoted) / static_cast<double>(geometry.num_blocks);
    figures_.huge_page_share = static_cast<double>(filter_.MeasureFill().huge_page_bytes) /
                               static_cast<double>(geometry.num_bytes());
  }

  // ns of each row. Other keys in each round.
  std::vector<double> Measure(uint64_t round) {
    std::vector<double> ns(kNumScaleOps);
    const uint64_t first_hit = round * num_guests_ % (num_members_ - num_guests_ + 1);
    const Population guests(kFirstGuest + round * num_guests_, num_guests_);
    const Population members(kFirstMember + first_hit, num_guests_);
    const Population absent(kFirstNonMember + kScaleNonMembers + round * num_guests_, num_guests_);
    const auto timed = [&](const Population& keys, const auto& each) {
      uint64_t num_done = 0;
      const double total = TimeOf([&] { num_done = InBatches(keys.batch().digests, each); });
      return std::pair(total / static_cast<double>(num_guests_), num_done);
    };
    const auto query = [this](std::span<const uint64_t> digests) { return Query(digests); };
    uint64_t num_done = 0;
    std::tie(ns[kScaleInsert], num_done) = timed(guests, [this](std::span<const uint64_t> digests) {
      filter_.Insert(Keys::Digests(digests));
      return digests.size();
    });
    std::tie(ns[kScaleHit], num_done) = timed(members, query);
    Demand(num_done == num_guests_, "a member was answered \"absent\"");
    std::tie(ns[kScaleMiss], num_done) = timed(absent, query);
    Demand(num_done < num_guests_ / 2, "too many non-members were answered \"maybe present\"");
    std::tie(ns[kScaleErase], num_done) = timed(guests, [this](std::span<const uint64_t> digests) {
      return filter_.Erase(Keys::Digests(digests)).num_erased;
    });
    Demand(num_done == num_guests_, "an inserted key was refused");
    return ns;
  }

  // Adds to ns: a random line read, and one updated, in as much memory.
  void MeasureCeilings(std::vector<double>& ns) const {
    const Geometry& geometry = filter_.geometry();
    const Touch read[] = {{geometry.query_bytes(), geometry.num_slices > 8 ? 2U : 1U}};
    const Touch update[] = {{geometry.num_bytes(), geometry.num_slices > 8 ? 2U : 1U}};
    const double seconds = request_.seconds_per_ceiling;
    ns.push_back(RandomReadNs(read, seconds, request_.num_threads));
    ns.push_back(RandomUpdateNs(update, seconds, request_.num_threads));
  }

  const ScaleFilter& figures() const { return figures_; }

 private:
  template <class Work>
  double TimeOf(const Work& work) {
    return request_.num_threads == 1 ? CpuNsPerKey(1, work) : WallNsPerKey(1, work);
  }

  // The sum of each(digests) over batches.
  template <class Each>
  static uint64_t InBatches(std::span<const uint64_t> digests, const Each& each) {
    uint64_t sum = 0;
    for (size_t first = 0; first < digests.size(); first += kScaleBatch) {
      sum += each(digests.subspan(first, std::min(kScaleBatch, digests.size() - first)));
    }
    return sum;
  }

  uint64_t Query(std::span<const uint64_t> digests) {
    return InBatches(digests, [this](std::span<const uint64_t> batch) {
      const size_t num_words = CountingFilter::BitmapWords(batch.size());
      return filter_.Query(Keys::Digests(batch), std::span(bitmap_).first(num_words));
    });
  }

  const ScaleRequest& request_;
  const uint64_t num_guests_;
  const uint64_t num_members_;
  CountingFilter filter_;
  std::vector<uint64_t> bitmap_;
  ScaleFilter figures_;
};

// Takes the memory of all filters, and 100 MB. Ends the program if an answer is wrong (each member
// is queried), or when sizing or memory fails.
ScaleOutcome RunScaleTrial(const ScaleRequest& request) {
  ScaleOutcome outcome{.request = request, .filters = {}, .rows = {}};
  std::shared_ptr<Executor> executor;
  if (request.num_threads > 1) executor = ValueOrExit(Executor::Create(request.num_threads));
  std::vector<std::unique_ptr<ScaledFilter>> filters;
  for (const uint64_t num_keys : request.sizes) {
    filters.push_back(std::make_unique<ScaledFilter>(outcome.request, num_keys, executor));
    filters.back()->Prove();
    outcome.filters.push_back(filters.back()->figures());
  }
  for (const char* row : kScaleRows) {
    outcome.rows.push_back({row, std::vector<Figures>(filters.size())});
  }
  uint64_t num_turns = 0;
  InRounds(filters.size(), request.rounds, [&](size_t side, bool counts) {
    const uint64_t round = num_turns++ / filters.size();
    std::vector<double> ns = filters[side]->Measure(round);
    // Only once: to allocate so much memory takes longer than all else.
    if (round == 1) filters[side]->MeasureCeilings(ns);
    for (size_t r = 0; counts && r < ns.size(); ++r) outcome.rows[r].sides[side].push_back(ns[r]);
  });
  return outcome;
}

// The tables of an outcome, and each larger size beside the first: met or not.
std::string FormatScale(const ScaleOutcome& outcome) {
  const ScaleRequest& request = outcome.request;
  std::vector<std::string> columns;
  std::vector<RatioColumn> ratios;
  for (size_t i = 0; i < request.sizes.size(); ++i) {
    columns.push_back(CountName(request.sizes[i]));
    if (i > 0) ratios.push_back({columns[i] + " / " + columns[0], i, 0});
  }
  const std::string what =
      Printed("%s for %.3g %%, %u thread%s", std::string(EncodingName(request.encoding)).c_str(),
              100 * request.target_fpr, request.num_threads, request.num_threads == 1 ? "" : "s");
  std::string text =
      FormatTrial(what + ", batches of 65,536; ns per key", columns, ratios, outcome.rows);
  for (const ScaleFilter& filter : outcome.filters) {
    text += Printed(
        "%-5s keys: filled at %.1f ns per key, %.2f bits per key "
        "(side table %.1f MB), "
        "%.3f %% promoted, %.0f %% on huge pages, FPR %.4f %%, "
        "predicted %.4f %%\n",
        CountName(filter.num_keys).c_str(), filter.fill_ns, filter.bits_per_key,
        filter.side_table_bytes / 1e6, 100 * filter.promoted_share, 100 * filter.huge_page_share,
        100 * filter.measured_fpr, 100 * filter.predicted_fpr);
  }
  for (const RatioColumn& ratio : ratios) {
    for (size_t op = 0; op < kNumScaleOps; ++op) {
      const TrialRow& row = outcome.rows[op];
      const double median = PairedRatio(row.sides[ratio.over], row.sides[ratio.under]).median;
      text += Printed("target  %s, %s: %.2f, at most %.2f  %s\n", row.label.c_str(),
                      ratio.title.c_str(), median, kMostOfSmall,
                      median <= kMostOfSmall ? "met" : "NOT MET");
    }
  }
  return text;
}

constexpr uint64_t kMinKeys = 10'000;  // with fewer a batch is too short for the clock

constexpr char kUsage[] =
    "usage: encodings_bench [--keys=1M,30M] [--fpr=0.004,0.0061] [--slices=4|5|8|10] [--rounds=9]\n"
    "       encodings_bench --trial=scale [--keys=30M,300M] [--fpr=0.0061] [--slices=4|5|8|10]\n"
    "                       [--encoding=runs] [--threads=1] [--rounds=9]\n"
    "  --keys      sizes to compare at, in turn (at least 10k); of the scale: beside the first\n"
    "  --fpr       target rates of all sides but fingerprints, in turn (0.000001 to 0.5); of the\n"
    "              scale: of its encoding\n"
    "  --slices    of the runs' blocks\n"
    "  --encoding  of the scale: planes, runs, fingerprints16 or dense\n"
    "  --threads   of the scale (1 to 256)\n"
    "  --rounds    paired measurements of each figure, after one that does not count\n";
constexpr uint64_t kMostThreads = 256;

// Nothing if one is not a rate that filters are sized for.
std::optional<std::vector<double>> ParseRates(const std::string& list) {
  std::vector<double> rates;
  for (const char* text = list.c_str();; ++text) {
    char* end = nullptr;
    rates.push_back(std::strtod(text, &end));
    const bool is_rate = rates.back() >= kMinTargetFpr && rates.back() <= kMaxTargetFpr;
    if (end == text || !is_rate || (*end != ',' && *end != '\0')) return std::nullopt;
    if (*end == '\0') return rates;
    text = end;
  }
}

void Print(const EncodingOutcome& outcome) {
  const std::string title =
      Printed("\n%s keys, sized for %.2f %%, fp16 for %.3f %%, dense for %.2f %%; ns per key",
              CountName(outcome.request.num_keys).c_str(), 100 * outcome.request.target_fpr,
              100 * outcome.request.target_fpr16, 100 * outcome.request.target_fpr_of_dense);
  std::printf("%s\n%s", FormatTrial(title, kEncodingColumns, kEncodingRatios, outcome.rows).c_str(),
              FormatMemory(outcome).c_str());
  for (const TargetVerdict& verdict : Judge(outcome)) {
    std::printf("target  %-75s  %s\n", verdict.text.c_str(), verdict.is_met ? "met" : "NOT MET");
  }
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> keys;
  std::vector<double> rates;
  size_t trial = 0;
  size_t encoding_idx = 1;
  uint64_t num_threads = 1;
  constexpr uint32_t kSlices[] = {4, 5, 8, 10};
  size_t slices_idx = 1;
  uint64_t rounds = 9;
  const auto read_rates = [&rates](std::string_view value) {
    const auto read = ParseRates(std::string(value));
    if (read) rates = *read;
    return read.has_value();
  };
  if (!ReadArguments(
          argc, argv,
          {CountsArgument("--keys", keys, kMinKeys),
           {"--fpr", read_rates},
           WordArgument("--trial", {"encodings", "scale"}, trial),
           WordArgument("--encoding", {"planes", "runs", "fingerprints16", "dense"}, encoding_idx),
           CountArgument("--threads", num_threads, kMostThreads),
           WordArgument("--slices", {"4", "5", "8", "10"}, slices_idx),
           CountArgument("--rounds", rounds)},
          kUsage)) {
    return 2;
  }
  const uint32_t slices = kSlices[slices_idx];
  const bool is_scale = trial == 1;
  if (keys.empty())
    keys = {is_scale ? 30'000'000U : 1'000'000U, is_scale ? 300'000'000U : 30'000'000U};
  if (rates.empty()) rates = is_scale ? std::vector{0.0061} : std::vector{0.004, 0.0061};
  if (is_scale) {
    std::printf(
        "Target %s. Medians of %d paired rounds; ratios are taken in each round: median "
        "[min..max].\n",
        std::string(ActiveTarget()).c_str(), static_cast<int>(rounds));
    for (const double rate : rates) {
      const ScaleOutcome outcome =
          RunScaleTrial({.sizes = keys,
                         .encoding = static_cast<Encoding>(encoding_idx),  // in their order
                         .target_fpr = rate,
                         .run_slices = slices,
                         .num_threads = static_cast<uint32_t>(num_threads),
                         .rounds = rounds});
      std::printf("\n%s", FormatScale(outcome).c_str());
      std::fflush(stdout);
    }
    return 0;
  }
  std::printf(
      "One thread, target %s, runs of %u slices. Medians of %d paired rounds; ratios are taken in "
      "each round: median [min..max].\n",
      std::string(ActiveTarget()).c_str(), slices, static_cast<int>(rounds));
  for (const double rate : rates) {
    for (const uint64_t num_keys : keys) {
      const EncodingOutcome outcome = RunEncodingTrial(
          {.num_keys = num_keys, .target_fpr = rate, .run_slices = slices, .rounds = rounds});
      if (!outcome.wrong.empty()) {
        std::fprintf(stderr, "encodings_bench: %s\n", outcome.wrong.c_str());
        return 1;
      }
      Print(outcome);
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
