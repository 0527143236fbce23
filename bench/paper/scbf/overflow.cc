// Tables 2 to 4: overflow of counters.
#include <cmath>
#include <numbers>

#include "bench/paper/report/random.h"
#include "bench/paper/scbf/scbf.h"
#include "engine/src/classic/filter.h"
#include "engine/src/classic/formulas.h"

namespace trommel::paper {
namespace {

constexpr double kLoad = std::numbers::ln2;  // increments per counter, in both structures
constexpr uint32_t kNumHashes = 10;          // Table 1's first row
constexpr uint64_t kSlicePositions = kScbfPositions / kNumHashes;

struct PrintedOverflow {
  uint32_t bits;
  double split;                 // Tables 2 and 3
  std::optional<double> plain;  // Table 4
};
const PrintedOverflow kPrintedOverflows[] = {{1, 0.03388, 0.1534},
                                             {2, 1.80e-4, 5.56e-3},
                                             {3, 4.48e-10, 7.15e-7},
                                             {4, 1.54e-23, 2.22e-16},
                                             {5, 3.89e-55, std::nullopt}};
constexpr uint32_t kMostMeasuredBits = 3;

struct Side {
  const char* name;
  classic::ArrayGeometry geometry;
  uint64_t num_thrown;     // increments that could hit a counter
  uint64_t num_positions;  // and the number of these counters
  OverflowTrial trial;
};

std::string CountName(const PrintedOverflow& printed) {
  return std::to_string(printed.bits) + (printed.bits == 1 ? " bit: " : " bits: ") +
         "a counter reaches " + std::to_string(1U << printed.bits);
}

// Measured in filters, or by importance sampling for counts that they never reach.
void Measure(const Options& options, const Side& side, uint32_t bits, Row& row) {
  const uint32_t count = 1U << bits;
  const double exact = classic::BinomialTail(side.num_thrown, side.num_positions, count);
  if (bits <= kMostMeasuredBits) {
    row.measured = side.trial.CounterShare(count);
    row.allowed = BinomialRange(exact, side.trial.num_counters);
    return;
  }
  const uint64_t num_samples = options.quick ? 20'000 : 1'000'000;
  const TailEstimate estimate = EstimateTail(side.num_thrown, side.num_positions, count,
                                             num_samples, RandomStream(options.seed, 40 + bits));
  row.measured = estimate.chance;
  row.allowed = SigmaRange(exact, estimate.sigma);
  row.note += "By importance sampling: " +
              FigureText(static_cast<double>(side.trial.num_counters), Unit::kCount) +
              " counters were filled and none was so high, which gives only <= " +
              FigureText(3 / static_cast<double>(side.trial.num_counters), Unit::kNumber) + ".";
}

Table SplitTable(const Options& options, const Side& side) {
  Table table{.title = "Tables 2 and 3: overflow of the split counting filter, per counter"};
  table.text =
      "The text derives the bound (e ln 2 / j)^j / sqrt(2 pi j), which is the formula here, and "
      "prints (ln 2 / j)^j / sqrt(2 pi j): the factor e^j was dropped. The exact model is the "
      "Poisson distribution of mean ln 2; the measurements have the binomial distribution of "
      "25,552 keys, 2 % lower at 32.";
  for (const PrintedOverflow& printed : kPrintedOverflows) {
    const uint32_t count = 1U << printed.bits;
    Row row{.what = CountName(printed), .paper = printed.split};
    row.formula = classic::OverflowBound(kLoad, count);
    row.exact = classic::PoissonTail(kLoad, count);
    row.note = "Without e^" + std::to_string(count) + ": " +
               FigureText(classic::OverflowAsPrinted(kLoad, count), Unit::kNumber) + ". ";
    Measure(options, side, printed.bits, row);
    table.rows.push_back(row);
  }
  return table;
}

Table PlainTable(const Options& options, const Side& side) {
  Table table{.title = "Table 4: overflow of the plain counting filter, per counter"};
  table.text =
      "The formula is the tail itself, so the two tables compare a mistaken bound with an exact "
      "value. Both structures put n k increments on M counters: the load is ln 2 in both, and "
      "everything that follows from it is equal.";
  for (const PrintedOverflow& printed : kPrintedOverflows) {
    const uint32_t count = 1U << printed.bits;
    Row row{.what = CountName(printed), .paper = printed.plain};
    row.exact = classic::PoissonTail(kLoad, count);
    row.formula = TailBySubtraction(kLoad, count);
    if (printed.bits > kMostMeasuredBits) {
      row.note =
          "The formula as 1 - sum in doubles: 2.22e-16 is their rounding step, not a probability. ";
    }
    Measure(options, side, printed.bits, row);
    table.rows.push_back(row);
  }
  return table;
}

Table MaximumTable(const Side& split, const Side& plain) {
  Table table{.title = "The maximum over all counters, which the tables name"};
  table.text =
      "P(max c(i) >= j) is printed above figures of one counter. With M = 368,640 counters it is 1 "
      "- (1 - p)^M.";
  for (const PrintedOverflow& printed : kPrintedOverflows) {
    for (const Side* side : {&split, &plain}) {
      const uint32_t count = 1U << printed.bits;
      const bool is_split = side == &split;
      Row row{.what = std::to_string(printed.bits) + (printed.bits == 1 ? " bit, " : " bits, ") +
                      side->name};
      row.paper = is_split ? printed.split : printed.plain;
      const double p = classic::BinomialTail(side->num_thrown, side->num_positions, count);
      const double exact = -std::expm1(static_cast<double>(kScbfPositions) * std::log1p(-p));
      row.exact = exact;
      if (printed.bits <= kMostMeasuredBits) {
        row.measured = side->trial.FilterShare(count);
        row.allowed = BinomialRange(exact, side->trial.num_filters);
      } else {
        row.measured = 3 / static_cast<double>(side->trial.num_filters);
        row.measured_at_most = true;
      }
      table.rows.push_back(row);
    }
  }
  table.rows.back().note =
      "At most: no filter of " + std::to_string(split.trial.num_filters) + " had one (95 % bound).";
  return table;
}

}  // namespace

double TailBySubtraction(double load, uint32_t count) {
  double term = 1;
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    sum += term;
    term *= load / (i + 1);
  }
  return 1 - std::exp(-load) * sum;
}

std::vector<Table> ScbfOverflow(const Options& options) {
  const auto num_keys = static_cast<uint64_t>(std::lround(kSlicePositions * kLoad));
  const uint64_t num_filters = options.quick ? 20 : 600;
  Side split{.name = "split",
             .geometry = {.kind = classic::Kind::kSplitCounting,
                          .hashing = classic::Hashing::kMixed,
                          .num_hashes = kNumHashes,
                          .num_positions = kSlicePositions},
             .num_thrown = num_keys,
             .num_positions = kSlicePositions,
             .trial = {}};
  Side plain{.name = "plain",
             .geometry = {.kind = classic::Kind::kCountingBloom,
                          .hashing = classic::Hashing::kMixed,
                          .num_hashes = kNumHashes,
                          .num_positions = kScbfPositions},
             .num_thrown = num_keys * kNumHashes,
             .num_positions = kScbfPositions,
             .trial = {}};
  for (Side* side : {&split, &plain}) {
    side->trial = RunOverflow(side->geometry, num_keys, num_filters, options.seed);
  }
  return {SplitTable(options, split), PlainTable(options, plain), MaximumTable(split, plain)};
}

namespace {

// How many of num_thrown throws hit, each with this probability: steps from hit to hit.
uint64_t NumHits(uint64_t num_thrown, double chance, RandomStream& random) {
  uint64_t num_hits = 0;
  for (double at = 0;; ++num_hits) {
    const double u = (static_cast<double>(random.Next() >> 11) + 0.5) * 0x1p-53;
    at += std::floor(std::log(u) / std::log1p(-chance)) + 1;
    if (at > static_cast<double>(num_thrown)) return num_hits;
  }
}

}  // namespace

double OverflowTrial::CounterShare(uint32_t count) const {
  return static_cast<double>(num_reaching[count]) / static_cast<double>(num_counters);
}

double OverflowTrial::FilterShare(uint32_t count) const {
  return static_cast<double>(num_filters_reaching[count]) / static_cast<double>(num_filters);
}

OverflowTrial RunOverflow(classic::ArrayGeometry geometry, uint64_t num_keys, uint64_t num_filters,
                          uint64_t seed) {
  geometry.counter_bits = classic::kMaxCounterBits;
  classic::Filter filter(geometry);
  const size_t num_heights = geometry.max_count() + 1;
  OverflowTrial trial{.num_filters = num_filters,
                      .num_counters = num_filters * geometry.total_positions(),
                      .num_reaching = std::vector<uint64_t>(num_heights),
                      .num_filters_reaching = std::vector<uint64_t>(num_heights)};
  for (uint64_t f = 0; f < num_filters; ++f) {
    filter.Clear();
    InsertRandom(filter, RandomStream(seed, 1000 + f), num_keys);
    std::vector<uint64_t> histogram(num_heights);
    for (const uint8_t count : filter.counters()) ++histogram[count];
    uint64_t num_reaching = 0;
    for (size_t j = num_heights; j-- > 0;) {
      num_reaching += histogram[j];
      trial.num_reaching[j] += num_reaching;
      trial.num_filters_reaching[j] += num_reaching != 0;
    }
  }
  return trial;
}

TailEstimate EstimateTail(uint64_t num_thrown, uint64_t num_positions, uint32_t count,
                          uint64_t num_samples, RandomStream random) {
  const double n = static_cast<double>(num_thrown);
  const double p = 1 / static_cast<double>(num_positions);
  const double q = count / n;
  const double log_hit = std::log(p / q);
  const double log_miss = std::log1p(-p) - std::log1p(-q);
  double sum = 0;
  double sum_square = 0;
  for (uint64_t i = 0; i < num_samples; ++i) {
    const auto hits = static_cast<double>(NumHits(num_thrown, q, random));
    if (hits < count) continue;
    const double weight = std::exp(hits * log_hit + (n - hits) * log_miss);
    sum += weight;
    sum_square += weight * weight;
  }
  const double samples = static_cast<double>(num_samples);
  const double mean = sum / samples;
  return {mean, std::sqrt((sum_square / samples - mean * mean) / samples)};
}

}  // namespace trommel::paper
