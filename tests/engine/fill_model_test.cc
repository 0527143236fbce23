// The distribution of the fill, by Monte Carlo: means, variances and covariances of estimates from
// real positions, and the ends of the range.
#include "engine/src/counting/fill_model.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/layout.h"
#include "support/catch.h"

namespace trommel {
namespace {

using Catch::Approx;

// A filter's presence bits, one position a byte.
class Bits {
 public:
  explicit Bits(const Geometry& geometry) : geometry_(geometry), bits_(geometry.num_positions()) {}

  void Mark(uint64_t digest) {
    const uint64_t block = kernels::BlockIndex(digest, geometry_.num_blocks);
    const size_t first = block * geometry_.num_slices * geometry_.slice_positions();
    for (size_t s = 0; s < geometry_.num_slices; ++s) {
      uint8_t& bit = bits_[first + kernels::CounterIndex(digest, s, geometry_.num_slices)];
      num_present_ += 1U - bit;
      bit = 1;
    }
  }
  uint64_t num_present() const { return num_present_; }

 private:
  Geometry geometry_;
  std::vector<uint8_t> bits_;
  uint64_t num_present_ = 0;
};

// Mean and variance of a sample, and whether they are what is expected. At 6 sigma of the sample's
// own errors; the variance of a normal sample's variance is 2 sigma^4 / n.
struct Sample {
  void Add(double x) {
    sum += x;
    squares += x * x;
    num += 1;
  }
  double Mean() const { return sum / num; }
  double Variance() const { return squares / num - Mean() * Mean(); }

  double sum = 0;
  double squares = 0;
  double num = 0;
};

void CheckSample(const Sample& sample, double mean, double variance, double bias) {
  CHECK(std::abs(sample.Mean() - mean) < 6 * std::sqrt(variance / sample.num) + bias);
  CHECK(sample.Variance() == Approx(variance).epsilon(6 * std::sqrt(2 / sample.num) + 0.05));
}

constexpr int kTrials = 1500;

TEST_CASE("estimates from fills have the mean and the variance that the model says",
          "[engine][estimates][long]") {
  const uint32_t num_slices = GENERATE(uint32_t{8}, 4, 5, 10);
  const double load = GENERATE(0.1, 0.7, 2.0);
  const Geometry geometry{.num_slices = num_slices, .num_blocks = 16};
  const double places = 16.0 * geometry.slice_positions();
  const auto num_keys = static_cast<uint64_t>(places * load);
  std::mt19937_64 random(Catch::rngSeed());
  Sample sample;
  for (int trial = 0; trial < kTrials; ++trial) {
    Bits bits(geometry);
    for (uint64_t i = 0; i < num_keys; ++i) bits.Mark(random());
    sample.Add(KeysFromFill(geometry, bits.num_present()).value);
  }
  const double keys = static_cast<double>(num_keys);
  const double variance = FillVariance(geometry, keys);
  INFO(num_slices << " slices, " << num_keys << " keys: mean " << sample.Mean() << ", variance "
                  << sample.Variance() << ", model " << variance);
  // The logarithm is not straight: the mean is off by half of variance / places.
  CheckSample(sample, keys, variance, variance / places);
}

TEST_CASE("an intersection and its shares have the variance that the model says",
          "[engine][estimates][long]") {
  const uint32_t num_slices = GENERATE(uint32_t{8}, 5);
  const auto [only_a, only_b, shared] = GENERATE(
      table<uint64_t, uint64_t, uint64_t>({{200, 300, 100}, {50, 400, 300}, {500, 0, 200}}));
  const Geometry geometry{.num_slices = num_slices, .num_blocks = 16};
  std::mt19937_64 random(Catch::rngSeed());
  Sample of_shared;
  Sample of_jaccard;
  Sample of_a_in_b;
  Overlap last;
  double error_of_shared = 0;
  double error_of_jaccard = 0;
  double error_of_a_in_b = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Bits a(geometry);
    Bits b(geometry);
    Bits either(geometry);
    for (uint64_t i = 0; i < only_a + only_b + shared; ++i) {
      const uint64_t digest = random();
      if (i < only_a || i >= only_a + only_b) a.Mark(digest);
      if (i >= only_a) b.Mark(digest);
      either.Mark(digest);
    }
    last = OverlapFromFills(geometry, a.num_present(), b.num_present(), either.num_present());
    of_shared.Add(last.intersection_keys.value);
    of_jaccard.Add(last.jaccard.value);
    of_a_in_b.Add(last.a_in_b.value);
    error_of_shared += std::pow(last.intersection_keys.standard_error, 2) / kTrials;
    error_of_jaccard += std::pow(last.jaccard.standard_error, 2) / kTrials;
    error_of_a_in_b += std::pow(last.a_in_b.standard_error, 2) / kTrials;
  }
  const double n = static_cast<double>(shared);
  const double a = static_cast<double>(only_a + shared);
  const double all = static_cast<double>(only_a + only_b + shared);
  INFO(num_slices << " slices, " << only_a << " " << only_b << " " << shared);
  CheckSample(of_shared, n, error_of_shared, 2);
  CheckSample(of_jaccard, n / all, error_of_jaccard, 2 / all);
  if (only_b > 0) {  // else a filter within another one, and shares are clamped at 1
    CheckSample(of_a_in_b, n / a, error_of_a_in_b, 2 / a);
  }
}

TEST_CASE("the true number is between low and high 19 times in 20", "[engine][estimates][long]") {
  const uint64_t num_keys = GENERATE(uint64_t{100}, 1000, 3000);  // the last: nearly full
  const Geometry geometry{.num_slices = 8, .num_blocks = 16};
  std::mt19937_64 random(Catch::rngSeed());
  int num_within = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Bits bits(geometry);
    for (uint64_t i = 0; i < num_keys; ++i) bits.Mark(random());
    const Estimate keys = KeysFromFill(geometry, bits.num_present());
    CHECK(keys.low <= keys.value);
    CHECK(keys.value <= keys.high);
    num_within +=
        keys.low <= static_cast<double>(num_keys) && static_cast<double>(num_keys) <= keys.high;
  }
  CHECK(num_within > kTrials * 92 / 100);
  CHECK(num_within < kTrials * 99 / 100);
}

TEST_CASE("uneven blocks of a giant filter are inverted as they are filled",
          "[engine][estimates]") {
  // Of 3 * 2^29 blocks a third own 2 high halves each, the others 3.
  const Geometry geometry{.num_slices = 8, .num_blocks = uint64_t{3} << 29};
  const double keys = GENERATE(1e9, 3e10, 2e11);
  const double of_two = 0x1p29 * std::exp(-keys * 2 / 0x1p32 / 32);
  const double of_three = 0x1p30 * std::exp(-keys * 3 / 0x1p32 / 32);
  CHECK(KeysLeavingEmpty(geometry, 256 * (of_two + of_three)) == Approx(keys).epsilon(1e-9));
}

}  // namespace
}  // namespace trommel
