// Three shorter texts: the course text on HBase's Bloom filters, the article on their space, and
// the article on Bloom filters for a chunk index (Data Domain).
#ifndef TROMMEL_BENCH_PAPER_ARTICLES_ARTICLES_H_
#define TROMMEL_BENCH_PAPER_ARTICLES_ARTICLES_H_

#include <cstdint>
#include <vector>

#include "bench/paper/report/program.h"
#include "bench/paper/report/random.h"
#include "bench/paper/report/report.h"

namespace trommel::paper {

// The course text: its arithmetic, its sizing of a blocklist, its hashes made from one hash, its
// 100 machines, its two examples of store files, and what filters save a region that is read.
Report CourseReport(const Options& options);

// Its blocklist: 10^10 addresses at one false positive in 10,000.
Table CourseSizing(const Options& options);

// Its two examples of store files, and a simulated region's reads with and without filters.
Table CourseStoreFiles();
Table CourseReads(const Options& options);

// A file's lines sent to machines by hash: every copy of a string goes to one machine, so copies
// can be counted there; distinct strings are spread evenly, lines only as evenly as copies.
struct PartitionTrial {
  std::vector<uint64_t> lines = {};     // of each machine
  std::vector<uint64_t> distinct = {};  // strings of each machine
  uint64_t num_distinct = 0;            // strings in the file
  uint64_t num_on_two_machines = 0;     // strings of which a copy went elsewhere
  double ChiSquare() const;             // of `distinct` against an even share
};

// `num_lines` lines of up to `num_strings` strings, a few of which are very frequent (string i with
// a density of (i / num_strings)^(-2/3)), each line hashed with XXH64 and sent to hash %
// num_machines.
PartitionTrial RunPartition(uint64_t num_lines, uint32_t num_strings, uint32_t num_machines,
                            RandomStream random);

// The article on space: its listings, and its five claims, each against a fair baseline: a filter
// sized for the same keys at the same rate.
Report ClaimsReport(const Options& options);

Table ListingLosses(const Options& options);  // members that its listings lose, beside theory
Table HashClaim(const Options& options);      // a faster hash saves 15 % of space
Table ProbesClaim(const Options& options);    // an adaptive number of hashes saves 20 %
Table GrowthClaim(const Options& options);    // expansion makes queries 30 % faster; order system
Table ExpiryClaim(const Options& options);    // expiry frees 40 %; the sensors' data
Table LayersClaim(const Options& options);    // layers save 35 %

// Rates of one counting filter with each hash, for keys that count upwards and keys like domains.
Table HashRates(const Options& options);
// These rates, then ns per key by length of key.
Report HashReport(const Options& options);

// The article on chunk indexes: its worked example, its rate at eight bits per key, its memory
// figures, and the use it has in mind.
Report ChunkIndexReport(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_ARTICLES_ARTICLES_H_
