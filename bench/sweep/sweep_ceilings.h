// The ceilings of a sweep: each measured once, and which of them bounds a row.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_CEILINGS_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_CEILINGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "bench/sweep/sweep_row.h"

namespace trommel::bench {

// ns of all the row's threads together: for a ceiling of the machine, to read, change or copy one
// random cache line (a stream's lines, read and written, are in order); at a filter's footprint, to
// access the lines of one key's query or update. NaN where there is too little memory for so many
// threads.
double MeasureCeilingNs(const SweepRow& row, double seconds);

struct Bound {
  double ns = 0;  // per key
  Operation ceiling = Operation::kReadCeiling;
};

class SweepCeilings {
 public:
  void Add(const SweepRow& row, double ns);

  // What memory allows for this row; nothing if it is not bounded by memory, or not measured. A
  // filter applies a batch directly or splits it: of an update it is the ceiling of the faster way,
  // or of the direct one for batches of fewer keys than half the blocks.
  //
  // A split does two things, at best at the same time. It streams: a key's digest is read,
  // written and read again, and a call passes through the lines of its keys, or through the whole
  // filter if that is less, reading and writing. And it updates, within a shard.
  std::optional<Bound> BoundOf(const SweepRow& row) const;

 private:
  std::optional<Bound> Find(Operation ceiling, const SweepRow& row) const;

  using Place = std::tuple<Operation, uint64_t, Encoding, uint32_t>;  // and threads
  static Place PlaceOf(Operation ceiling, const SweepRow& row) {
    return {ceiling, row.num_keys, row.encoding, row.num_threads};
  }

  std::map<Place, double> ns_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_CEILINGS_H_
