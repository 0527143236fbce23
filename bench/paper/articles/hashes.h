// The hashes that are compared: their cost, and the false-positive rate, which does not depend on
// the choice.
#ifndef TROMMEL_BENCH_PAPER_ARTICLES_HASHES_H_
#define TROMMEL_BENCH_PAPER_ARTICLES_HASHES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/paper/report/program.h"
#include "bench/paper/report/report.h"

namespace trommel::paper {

// Ours by their policies, others as a caller's digests.
struct HashSide {
  std::string name;
  void (*digests)(std::span<const std::string_view> keys, std::span<uint64_t> digests);
};

// XXH64 first, then XXH3, SipHash-1-3 (ours for keys chosen by untrusted parties), then FarmHash
// and MurmurHash3 if their libraries were there at build time.
const std::vector<HashSide>& HashSides();

// A sentence about those left out, "" if there are none.
std::string MissingHashes();

// Rates of one counting filter with each hash, for keys that count upwards and keys like domains.
Table HashRates(const Options& options);

// Rates, then ns per key by length of key.
Report HashReport(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_ARTICLES_HASHES_H_
