// Recorded triples {source address, destination address, domain}, in the order of time, cut in two:
// what is put in, and what is asked for later.
#ifndef TROMMEL_BENCH_PAPER_TRIPLE_FILE_H_
#define TROMMEL_BENCH_PAPER_TRIPLE_FILE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/result.h"
#include "trommel/tuples.h"

namespace trommel::paper {

using Triple = std::array<uint32_t, 3>;  // numbers of values

struct TripleLog {
  std::vector<Triple> triples;  // of all rows, repetitions included
  std::array<std::vector<std::string>, 3> values;

  // The values of these triples, hashed.
  TupleDigests Digests(const std::vector<Triple>& some) const;
};

// Lines of tab-separated columns under a line of names, among them src_ip, dst_ip and domain. Fails
// with kIo where the file cannot be read, and with kInvalidArgument, saying which line, where a
// column is missing.
Result<TripleLog> ReadTriples(const std::string& path);

// Different projections of triples onto a set, for questions whether one is in.
class TripleSet {
 public:
  TripleSet(AttributeMask set, const std::vector<Triple>& triples);
  bool Has(const Triple& triple) const;
  size_t size() const { return projections_.size(); }

 private:
  AttributeMask set_;
  std::vector<Triple> projections_;  // ascending
};

// The different projections of `triples` onto a set that are not among `known`'s: each by one
// triple.
std::vector<Triple> NewTriples(AttributeMask set, const std::vector<Triple>& triples,
                               const std::vector<Triple>& known);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_TRIPLE_FILE_H_
