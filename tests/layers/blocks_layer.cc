// Blocks need neither keys, threads nor files: digests are inserted, queried and erased.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "trommel/sizing.h"

int main() {
  using namespace trommel;
  const Geometry geometry = SizeFor({.capacity = 1000, .target_fpr = 0.01}).value().geometry;
  BlockStore store = BlockStore::Create(geometry, 0).value();
  std::vector<uint64_t> digests(1000);
  for (size_t i = 0; i < digests.size(); ++i) digests[i] = (i + 1) * 0x9E3779B97F4A7C15;
  std::vector<uint64_t> bits((digests.size() + 63) / 64);
  store.Insert(digests);
  const size_t num_present = store.Query(digests, bits.data());
  bits.assign(bits.size(), 0);
  store.Erase(digests, bits);
  const bool is_good = num_present == digests.size() && store.Tally().num_present == 0;
  std::puts(is_good ? "all came in and went" : "some did not come in, or stayed");
  return is_good ? 0 : 1;
}
