// Rows written, changed and deleted with each structure, and without one, slab by slab.
#ifndef TROMMEL_BENCH_INDEX_WRITE_TRIAL_H_
#define TROMMEL_BENCH_INDEX_WRITE_TRIAL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include "bench/index/index_sides.h"
#include "bench/index/table_input.h"
#include "bench/text/figures.h"
#include "trommel/index/cluster.h"
#include "trommel/result.h"

namespace trommel::bench {

// What a row is written to. Each but the first has all that the ones before it have, except that
// the two structures do not have the exact map.
enum class WriteSide : uint8_t {
  kCommit,         // rows and entries, known beforehand: plain RocksDB
  kLocalIndex,     // old rows read, entries computed from them
  kExactMap,       // and the map changed
  kServerFilters,  // a table with server filters
  kColumnMap,      // a table with a directory of column maps
};
inline constexpr size_t kNumWriteSides = 5;
const char* NameOf(WriteSide side) noexcept;

// Microseconds per row, one figure per slab.
using WriteFigures = std::array<Figures, kNumWriteSides>;

struct LoadFigures {
  WriteFigures rows;
  double server_filters_build_seconds = 0;  // of the columns, behind the load
  double column_map_build_seconds = 0;
};

class WriteTrial {
 public:
  // Rows that are updated or deleted are so in `table`, too. Both must outlive the trial.
  WriteTrial(IndexSides& sides, IndexedTable& table, uint64_t seed)
      : sides_(sides), table_(table), random_(seed) {}

  // All rows into the empty sides: 20 slabs, 1,000 rows per write.
  Result<LoadFigures> Load();
  // Writes of one row each, 100 per slab: another value of one indexed attribute, from another row.
  Result<WriteFigures> Update(size_t num_rows);
  // Deletes, as above; the last rows go.
  Result<WriteFigures> Delete(size_t num_rows);

 private:
  using Mutations = std::vector<index::Mutation>;

  Status RunSlab(const Mutations& slab, size_t rows_per_write, WriteFigures& figures);
  Mutations Updates(size_t num_rows);
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  IndexSides& sides_;
  IndexedTable& table_;
  std::mt19937_64 random_;
  size_t num_slabs_ = 0;  // run: each begins with another side
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_INDEX_WRITE_TRIAL_H_
