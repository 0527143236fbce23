// The course text on HBase.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "bench/paper/articles/articles.h"
#include "bench/paper/articles/bloom_model.h"
#include "bench/paper/report/random.h"
#include "trommel/digest.h"
#include "trommel/sizing.h"

namespace trommel::paper {
namespace {

Table Arithmetic() {
  Table table{.title = "Hashes and bit arrays"};
  Row md5{.what = "bits of an MD5 digest", .unit = Unit::kCount, .paper = 64, .formula = 128};
  md5.note = "\"0 to 2^64 - 1\" is printed; it is 2^128 - 1.";
  std::array<int, 3> counts{};
  const DigestPolicy policy{.kind = DigestKind::kXxh64};
  for (int key = 0; key < 100; ++key) ++counts[policy(Key(key)) % 3];
  Row thirds{.what = "of 0..99, hashed, those with hash % 3 = 0", .paper = 33, .exact = 100 / 3.0};
  thirds.measured = counts[0];
  const Range share = BinomialRange(1 / 3.0, 100);
  thirds.allowed = Range{100 * share.low, 100 * share.high};
  thirds.tolerance = 0.02;
  thirds.note = "XXH64: " + std::to_string(counts[0]) + ", " + std::to_string(counts[1]) + " and " +
                std::to_string(counts[2]) + ".";
  Row index{.what = "bit 20001: index of its int", .paper = 625, .formula = 20001 / 32};
  Row bit{.what = "bit 20001: bit of that int", .paper = 1, .formula = 20001 % 32};
  Row rows{.what = "rows of 100 bytes in a block of 64 KB", .unit = Unit::kNumber, .paper = 655.53};
  rows.formula = 64 * 1024 / 100.0;
  rows.tolerance = 1e-4;
  Row about{.what = "the same, \"about\"", .paper = 700, .formula = 64 * 1024 / 100.0};
  Row factor{.what = "the factor of f2 in f5", .paper = 3, .formula = 4};
  factor.note = "f1 + 2 f2 = f3, f1 + 3 f2 = f4, and then \"f1 + 3 f2 = f5\".";
  table.rows = {md5, thirds, index, bit, rows, about, factor};
  return table;
}

Table ManyFromOne(const Options& options) {
  Table table{.title = "A thousand hashes from one: f1 + i f2"};
  table.text = "The text calls them independent and uncorrelated.";
  const uint64_t num_digests = options.quick ? 10'000 : 1'000'000;
  RandomStream random(options.seed, 20);
  uint64_t num_related = 0;
  for (uint64_t i = 0; i < num_digests; ++i) {
    const uint64_t digest = random.Next();
    const auto f1 = static_cast<uint32_t>(digest >> 32);
    const auto f2 = static_cast<uint32_t>(digest);
    const uint32_t f3 = f1 + 2 * f2;
    const uint32_t f4 = f1 + 3 * f2;
    const uint32_t f5 = f1 + 4 * f2;
    num_related += f3 + f5 == 2 * f4;
  }
  Row related{.what = "chance of f3 + f5 = 2 f4 (mod 2^32)", .paper = 0x1p-32, .exact = 1};
  related.measured = static_cast<double>(num_related) / static_cast<double>(num_digests);
  related.allowed = Exactly(1);
  related.note =
      "With independent hashes: once in 2^32. Any two of them determine all others; the effect on "
      "rates:";
  table.rows.push_back(related);

  constexpr uint64_t kFewKeys = 20'000;
  for (const auto hashing : {classic::Hashing::kMixed, classic::Hashing::kDouble}) {
    const bool mixed = hashing == classic::Hashing::kMixed;
    Row row = BloomRate(mixed ? "rate, hashes mixed once more" : "rate, f1 + i f2",
                        {.hashing = hashing,
                         .num_hashes = 13,
                         .num_positions = 19 * kFewKeys,
                         .num_keys = kFewKeys,
                         .num_non_members = options.quick ? uint64_t{500'000} : 100'000'000},
                        RandomStream(options.seed, 21), RandomStream(options.seed, 22));
    row.note = "19 bits per key, 13 hashes, 20,000 keys. The model is that of independent hashes.";
    if (!mixed) {
      row.given = Verdict::kShown;
      row.note =
          "Keys with similar halves have similar positions for every hash. This raises the rate by "
          "some percent where filters are small and hashes many; here the effect is hardly larger "
          "than chance.";
    }
    table.rows.push_back(row);
  }
  return table;
}

Table Machines(const Options& options) {
  constexpr uint32_t kMachines = 100;
  const uint64_t num_lines = options.quick ? 200'000 : 10'000'000;
  const PartitionTrial trial = RunPartition(num_lines, static_cast<uint32_t>(num_lines / 10),
                                            kMachines, RandomStream(options.seed, 23));
  Table table{.title = "10 TB of lines over 100 machines by hash, here at a smaller scale"};
  table.text = std::to_string(num_lines) + " lines of " + std::to_string(trial.num_distinct) +
               " strings, some of which are very frequent.";
  Row elsewhere{.what = "strings found on two machines", .unit = Unit::kCount, .paper = 0};
  elsewhere.exact = 0;
  elsewhere.measured = static_cast<double>(trial.num_on_two_machines);
  elsewhere.allowed = Exactly(0);
  Row even{.what = "chi-square of strings per machine", .exact = kMachines - 1};
  even.measured = trial.ChiSquare();
  even.allowed = SigmaRange(kMachines - 1, std::sqrt(2.0 * (kMachines - 1)));
  even.note = "Strings are spread as evenly as chance allows: 99, with a standard deviation of 14.";
  const auto most = [&](const std::vector<uint64_t>& counts, uint64_t total) {
    return static_cast<double>(std::ranges::max(counts)) * kMachines / static_cast<double>(total);
  };
  Row strings{.what = "strings of the fullest machine / mean"};
  strings.measured = most(trial.distinct, trial.num_distinct);
  Row lines{.what = "lines of the fullest machine / mean"};
  lines.measured = most(trial.lines, num_lines);
  lines.note =
      "As the text warns, strings are spread evenly, not lines: all copies of a frequent string "
      "are on one machine.";
  table.rows = {elsewhere, even, strings, lines};
  return table;
}

}  // namespace

Report CourseReport(const Options& options) {
  return {.name = "reproduce_course",
          .source = "A course text on HBase's Bloom filters (shiyanlou)",
          .tables = {Arithmetic(), CourseSizing(options), ManyFromOne(options), Machines(options),
                     CourseStoreFiles(), CourseReads(options)}};
}

namespace {

constexpr double kNumKeys = 1e10;
constexpr double kFpr = 1e-4;
constexpr double kPrintedBits = 131'571'428'572;
constexpr uint32_t kPrintedHashes = 13;

// A filter of so many bits per key, with fewer keys, so that it fits into this machine.
Row MeasuredRate(const Options& options, const std::string& what, double bits_per_key,
                 uint32_t num_hashes) {
  const uint64_t num_keys = options.quick ? 20'000 : 1'000'000;
  Row row = BloomRate(
      what,
      {.num_hashes = num_hashes,
       .num_positions = static_cast<uint64_t>(bits_per_key * static_cast<double>(num_keys)),
       .num_keys = num_keys,
       .num_non_members = options.quick ? uint64_t{500'000} : 30'000'000},
      RandomStream(options.seed, 11), RandomStream(options.seed, 12));
  row.formula = FprAt(bits_per_key, num_hashes);
  return row;
}

}  // namespace

Table CourseSizing(const Options& options) {
  Table table{.title = "A blocklist: n = 10^10 addresses at p = 1e-4"};
  table.text =
      "The text's formula is m = -n ln p / (ln 2)^2. Rates are measured on filters of the same "
      "bits per key and fewer keys.";
  const double formula_bits = std::round(kNumKeys * BestBitsPerKey(kFpr));

  Row bits{.what = "bits", .unit = Unit::kCount, .paper = kPrintedBits, .formula = formula_bits};
  bits.exact = std::ceil(kNumKeys * LeastBitsPerKey(kFpr));
  bits.note = "The exact model has a whole number of hashes (13).";

  Row slip{.what = "the origin of the bits: n * 9.21 / 0.7",
           .unit = Unit::kCount,
           .paper = kPrintedBits};
  slip.formula = std::ceil(kNumKeys * 9.21 / 0.7);
  slip.given = Verdict::kSlip;
  slip.note =
      "This gives the printed figure to the last digit: ln p was rounded to -9.21, ln 2 to 0.7, "
      "and the square was forgotten.";

  Row printed = MeasuredRate(options, "rate at the printed bits, 13 hashes",
                             kPrintedBits / kNumKeys, kPrintedHashes);
  printed.paper = kFpr;

  Row gib{.what = "GiB, rounded up", .paper = 23, .formula = std::ceil(formula_bits / 8 / 0x1p30)};
  gib.note = "22.3 GiB of the formula's bits; the printed bits would be 15.3.";

  Row hashes{.what = "hashes k = m / n ln 2, rounded up", .paper = kPrintedHashes};
  hashes.formula = std::ceil(formula_bits / kNumKeys * std::numbers::ln2);
  hashes.note = "13.3, which the text says is rounded up. It happens that " +
                std::to_string(BestHashes(kFpr)) +
                " hashes, the printed number, need the least memory.";

  Row rate = MeasuredRate(options, "rate at the formula's bits, 13 hashes", BestBitsPerKey(kFpr),
                          kPrintedHashes);
  rate.paper = 6e-5;
  rate.tolerance = 0.01;

  Row generous = MeasuredRate(options, "rate at 20 bits per key, 14 hashes", 20, 14);
  generous.note = "With round figures the nearest to the printed 6e-5.";

  Row table_bytes{.what = "bytes of addresses, 64 each", .unit = Unit::kCount, .paper = 6.4e11};
  table_bytes.formula = kNumKeys * 64;

  Row counting{.what = "bytes of a counting filter", .unit = Unit::kCount};
  const Sizing sizing =
      SizeFor({.capacity = static_cast<uint64_t>(kNumKeys), .target_fpr = kFpr}).value();
  counting.formula = sizing.bits_per_key * kNumKeys / 8;
  counting.note = "CountingFilter at the same rate, side table included: addresses can be erased.";

  table.rows = {bits, slip, printed, gib, hashes, rate, generous, table_bytes, counting};
  return table;
}

double PartitionTrial::ChiSquare() const {
  const double mean = static_cast<double>(num_distinct) / static_cast<double>(distinct.size());
  double sum = 0;
  for (const uint64_t count : distinct) {
    const double off = static_cast<double>(count) - mean;
    sum += off * off / mean;
  }
  return sum;
}

PartitionTrial RunPartition(uint64_t num_lines, uint32_t num_strings, uint32_t num_machines,
                            RandomStream random) {
  constexpr uint32_t kNowhere = ~uint32_t{0};
  const DigestPolicy policy{.kind = DigestKind::kXxh64};
  PartitionTrial trial{.lines = std::vector<uint64_t>(num_machines),
                       .distinct = std::vector<uint64_t>(num_machines)};
  std::vector<uint32_t> machine_of(num_strings, kNowhere);
  std::string line = "string ";
  const size_t prefix = line.size();
  for (uint64_t i = 0; i < num_lines; ++i) {
    const double u = static_cast<double>(random.Next() >> 11) * 0x1p-53;
    const auto string = static_cast<uint32_t>(u * u * u * num_strings);
    line.resize(prefix);
    line += std::to_string(string);
    const auto machine = static_cast<uint32_t>(policy(Key(line)) % num_machines);
    ++trial.lines[machine];
    if (machine_of[string] == kNowhere) {
      machine_of[string] = machine;
      ++trial.distinct[machine];
      ++trial.num_distinct;
    }
    trial.num_on_two_machines += machine_of[string] != machine;
  }
  return trial;
}

}  // namespace trommel::paper
