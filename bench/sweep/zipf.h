// Zipf: ranks drawn so that the probability of rank r is proportional to (r + 1)^-skew, as for keys
// of real streams.
#ifndef TROMMEL_BENCH_SWEEP_ZIPF_H_
#define TROMMEL_BENCH_SWEEP_ZIPF_H_

#include <cstdint>
#include <random>

namespace trommel::bench {

// Exact, for any number of ranks, without a table: rejection-inversion (Hoermann and Derflinger,
// "Rejection-inversion to generate variates from monotone discrete distributions", 1996). A draw
// takes slightly more than one attempt.
class Zipf {
 public:
  // Requires num_ranks >= 1 and skew >= 0; 0 is uniform.
  Zipf(uint64_t num_ranks, double skew);

  uint64_t operator()(std::mt19937_64& engine) const;  // 0 .. num_ranks - 1

 private:
  double Area(double x) const;         // the integral of x^-skew
  double InverseArea(double a) const;  // of Area

  uint64_t num_ranks_;
  double skew_;
  double first_area_;
  double last_area_;
  double accept_width_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_ZIPF_H_
