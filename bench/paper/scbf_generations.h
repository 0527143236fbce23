// The scalable split counting filter: its rate with d generations, and what becomes of keys when
// others are erased from generations that merely seem to hold them.
#ifndef TROMMEL_BENCH_PAPER_SCBF_GENERATIONS_H_
#define TROMMEL_BENCH_PAPER_SCBF_GENERATIONS_H_

#include <cstdint>
#include <vector>

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"
#include "trommel/classic/filter.h"

namespace trommel::paper {

// Where keys go and where they are erased. The text says neither for keys that several generations
// seem to hold.
enum class EraseRule {
  kEverywhere,  // insert into the newest, erase from each that answers "maybe present"
  kNewest,      // insert into the newest, erase from the newest that answers so
  kOldest,      // insert into the oldest that answers so, else the newest; erase from the oldest
};

// Generations of one geometry, each closed when it is half full.
class Generations {
 public:
  Generations(const classic::ArrayGeometry& geometry, EraseRule rule);

  void Insert(uint64_t digest);
  void Erase(uint64_t digest);
  bool MayContain(uint64_t digest) const;
  size_t size() const { return generations_.size(); }

 private:
  classic::Filter& Newest();

  classic::ArrayGeometry geometry_;
  EraseRule rule_;
  uint64_t capacity_;  // m ln 2: half full
  uint64_t num_in_newest_ = 0;
  std::vector<classic::Filter> generations_;
};

std::vector<Table> ScbfGenerations(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_SCBF_GENERATIONS_H_
