// Distinct digests: a set, and then a sketch.
#include "tools/trommel/input/distinct_digests.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace trommel::tool {
namespace {

// MurmurHash3's 64-bit finalizer: a bijection, so that different digests stay different.
uint64_t Mixed(uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdU;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53U;
  return x ^ x >> 33;
}

// Ertl's sigma: what registers at 0 contribute, of which there is the share x.
double Sigma(double x) {
  if (x == 1) return INFINITY;
  double sum = x;
  double weight = 1;
  for (double before = -1; sum != before; weight *= 2) {
    x *= x;
    before = sum;
    sum += x * weight;
  }
  return sum;
}

// Ertl's tau: the same for registers at their maximum, of which there is the share 1 - x.
double Tau(double x) {
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x;
  double weight = 1;
  for (double before = -1; sum != before;) {
    x = std::sqrt(x);
    before = sum;
    weight /= 2;
    sum -= (1 - x) * (1 - x) * weight;
  }
  return sum / 3;
}

}  // namespace

void DistinctDigests::Add(std::span<const uint64_t> digests) {
  for (const uint64_t digest : digests) {
    if (!registers_.empty()) {
      AddToSketch(digest);
      continue;
    }
    exact_.insert(digest);
    if (exact_.size() <= kMostExact) continue;
    registers_.resize(kNumRegisters);
    for (const uint64_t known : exact_) AddToSketch(known);
    exact_ = {};
  }
}

// The register that the top bits choose keeps the most leading zeros of the others, plus one.
void DistinctDigests::AddToSketch(uint64_t digest) {
  const uint64_t mixed = Mixed(digest);
  const uint64_t rest = mixed << kRegisterBits | uint64_t{1} << (kRegisterBits - 1);
  uint8_t& most = registers_[mixed >> (64 - kRegisterBits)];
  most = std::max(most, static_cast<uint8_t>(std::countl_zero(rest) + 1));
}

double DistinctDigests::Estimate() const {
  constexpr unsigned kRestBits = 64 - kRegisterBits;
  const auto num_registers = static_cast<double>(kNumRegisters);
  std::array<uint64_t, kRestBits + 2> num_at = {};
  for (const uint8_t value : registers_) ++num_at[value];
  double z = num_registers * Tau(1 - static_cast<double>(num_at.back()) / num_registers);
  for (unsigned value = kRestBits; value > 0; --value) {
    z = (z + static_cast<double>(num_at[value])) / 2;
  }
  z += num_registers * Sigma(static_cast<double>(num_at[0]) / num_registers);
  return num_registers * num_registers / (2 * std::log(2) * z);
}

uint64_t DistinctDigests::AtMost() const {
  if (registers_.empty()) return exact_.size();
  const double standard_error = 1.04 / std::sqrt(static_cast<double>(kNumRegisters));
  return static_cast<uint64_t>(std::ceil(Estimate() * (1 + 2 * standard_error)));
}

}  // namespace trommel::tool
