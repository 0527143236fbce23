// The hashes that are compared: ours by their policies, others as a caller's digests. Those whose
// libraries were not there when this was built are left out.
#ifndef TROMMEL_BENCH_PAPER_HASH_SIDES_H_
#define TROMMEL_BENCH_PAPER_HASH_SIDES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trommel::paper {

struct HashSide {
  std::string name;
  void (*digests)(std::span<const std::string_view> keys, std::span<uint64_t> digests);
};

// XXH64 first, then XXH3, SipHash-1-3 (ours for keys that strangers choose), then FarmHash and
// MurmurHash3 if built in.
const std::vector<HashSide>& HashSides();

// A sentence about those left out, "" if there are none.
std::string MissingHashes();

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_HASH_SIDES_H_
