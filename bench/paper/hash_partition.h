// Splitting a file's lines over machines by hash: every copy of a string goes to one machine, so
// copies can be counted there; distinct strings are spread evenly, lines only as evenly as copies.
#ifndef TROMMEL_BENCH_PAPER_HASH_PARTITION_H_
#define TROMMEL_BENCH_PAPER_HASH_PARTITION_H_

#include <cstdint>
#include <vector>

#include "bench/paper/random_stream.h"

namespace trommel::paper {

struct PartitionTrial {
  std::vector<uint64_t> lines = {};     // of each machine
  std::vector<uint64_t> distinct = {};  // strings of each machine
  uint64_t num_distinct = 0;            // strings in the file
  uint64_t num_on_two_machines = 0;     // strings of which a copy went elsewhere
  double ChiSquare() const;             // of `distinct` against an even share
};

// `num_lines` lines of up to `num_strings` strings, a few of which come very often (string i with a
// density of (i / num_strings)^(-2/3)), each line hashed with XXH64 and sent to hash %
// num_machines.
PartitionTrial RunPartition(uint64_t num_lines, uint32_t num_strings, uint32_t num_machines,
                            RandomStream random);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_HASH_PARTITION_H_
