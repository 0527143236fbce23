#include "bench/paper/course_sizing.h"

#include <cmath>
#include <numbers>

#include "bench/fpr_bounds.h"
#include "bench/paper/bloom_model.h"
#include "bench/paper/random_batches.h"
#include "trommel/classic/filter.h"
#include "trommel/classic/formulas.h"
#include "trommel/sizing.h"

namespace trommel::paper {
namespace {

constexpr double kNumKeys = 1e10;
constexpr double kFpr = 1e-4;
constexpr double kPrintedBits = 131'571'428'572;
constexpr uint32_t kPrintedHashes = 13;

// A filter of so many bits a key, as many keys smaller as a machine allows.
Row MeasuredRate(const Options& options, const std::string& what, double bits_per_key,
                 uint32_t num_hashes) {
  const uint64_t num_keys = options.quick ? 20'000 : 1'000'000;
  const uint64_t num_strangers = options.quick ? 500'000 : 30'000'000;
  const auto num_positions = static_cast<uint64_t>(bits_per_key * static_cast<double>(num_keys));
  auto filter = classic::Filter::CreateWithGeometry({.kind = classic::Kind::kBloom,
                                                     .hashing = classic::Hashing::kMixed,
                                                     .num_hashes = num_hashes,
                                                     .counter_bits = 1,
                                                     .num_positions = num_positions})
                    .value();
  InsertRandom(filter, RandomStream(options.seed, 11), num_keys);
  const double exact = classic::BloomFprSecondOrder(num_hashes, num_positions, num_keys);
  Row row{.what = what, .exact = exact};
  row.formula = FprAt(bits_per_key, num_hashes);
  row.measured = MeasuredFpr(filter, RandomStream(options.seed, 12), num_strangers);
  const double own = std::sqrt(std::max(
      0.0,
      std::pow(bench::TextbookFprSigma(num_positions, num_hashes, num_keys, num_strangers), 2) -
          std::pow(bench::BinomialSigma(exact, num_strangers), 2)));
  row.allowed = BinomialRange(exact, num_strangers, own);
  return row;
}

}  // namespace

Table CourseSizing(const Options& options) {
  Table table{.title = "A blocklist: n = 10^10 addresses at p = 1e-4"};
  table.text =
      "The text's formula is m = -n ln p / (ln 2)^2. Rates are measured on filters of the same "
      "bits "
      "a key and fewer keys.";
  const double formula_bits = std::round(kNumKeys * BestBitsPerKey(kFpr));

  Row bits{.what = "bits", .unit = Unit::kCount, .paper = kPrintedBits, .formula = formula_bits};
  bits.exact = std::ceil(kNumKeys * LeastBitsPerKey(kFpr));
  bits.note = "The exact model has a whole number of hashes (13).";

  Row slip{.what = "how the bits came about: n * 9.21 / 0.7",
           .unit = Unit::kCount,
           .paper = kPrintedBits};
  slip.formula = std::ceil(kNumKeys * 9.21 / 0.7);
  slip.given = Verdict::kSlip;
  slip.note =
      "This gives the printed figure to the last digit: ln p was rounded to -9.21, ln 2 to 0.7, "
      "and "
      "the square was forgotten.";

  Row printed = MeasuredRate(options, "rate at the printed bits, 13 hashes",
                             kPrintedBits / kNumKeys, kPrintedHashes);
  printed.paper = kFpr;

  Row gib{.what = "GiB, rounded up", .paper = 23, .formula = std::ceil(formula_bits / 8 / 0x1p30)};
  gib.note = "22.3 GiB of the formula's bits; the printed bits would be 15.3.";

  Row hashes{.what = "hashes k = m / n ln 2", .paper = kPrintedHashes};
  hashes.formula = std::ceil(formula_bits / kNumKeys * std::numbers::ln2);
  hashes.exact = BestHashes(kFpr);
  hashes.note = "13.3, which the text says is rounded up; but 13 hashes need less memory than 14.";

  Row rate = MeasuredRate(options, "rate at the formula's bits, 13 hashes", BestBitsPerKey(kFpr),
                          kPrintedHashes);
  rate.paper = 6e-5;
  rate.tolerance = 0.01;

  Row generous = MeasuredRate(options, "rate at 20 bits a key, 14 hashes", 20, 14);
  generous.note = "The nearest to the printed 6e-5 that round figures give.";

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

}  // namespace trommel::paper
