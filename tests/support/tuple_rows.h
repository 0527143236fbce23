// Tuples as rows, as models and programs have them, and as columns, as indexes take them.
#ifndef TROMMEL_TESTS_SUPPORT_TUPLE_ROWS_H_
#define TROMMEL_TESTS_SUPPORT_TUPLE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "engine/src/tuples/projection.h"
#include "support/random_keys.h"
#include "trommel/tuples.h"

namespace trommel::tests {

using TupleRow = std::vector<uint64_t>;  // a digest for each attribute

// Columns of rows; view() is a batch of them, and lives as long as this. Columns of attributes that
// `given` leaves out are null.
class TupleColumns {
 public:
  explicit TupleColumns(std::span<const TupleRow> rows, AttributeMask given = ~AttributeMask{0}) {
    if (rows.empty()) return;
    columns_.resize(rows.front().size());
    for (const TupleRow& row : rows) {
      for (size_t a = 0; a < row.size(); ++a) columns_[a].push_back(row[a]);
    }
    view_.size = rows.size();
    for (size_t a = 0; a < columns_.size(); ++a) {
      if ((given >> a & 1) != 0) view_.columns[a] = columns_[a].data();
    }
  }
  TupleColumns(const TupleColumns&) = delete;
  TupleColumns& operator=(const TupleColumns&) = delete;

  const Tuples& view() const { return view_; }

 private:
  std::vector<std::vector<uint64_t>> columns_;
  Tuples view_;
};

// The digest of one row's projection.
inline uint64_t ProjectionOf(AttributeMask set, const TupleRow& row) {
  uint64_t digest = 0;
  const TupleColumns columns(std::span(&row, 1));
  ProjectionDigests(set, columns.view(), std::span(&digest, 1));
  return digest;
}

// Digests of each attribute are drawn from num_values: with few, tuples share them.
inline std::vector<TupleRow> DrawnTuples(size_t size, uint32_t num_attributes, uint64_t num_values,
                                         uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<TupleRow> rows(size, TupleRow(num_attributes));
  for (TupleRow& row : rows) {
    for (uint32_t a = 0; a < num_attributes; ++a) {
      std::mt19937_64 of_value((random() % num_values) * kMaxAttributes + a);
      row[a] = of_value();
    }
  }
  return rows;
}

// num_rows rows of random digests: for attribute a one of num_values[a] values, or, where that is
// 0, a new one for every row.
inline std::vector<TupleRow> RandomRows(size_t num_rows, std::span<const uint64_t> num_values,
                                        uint64_t seed, KeySpace space = KeySpace::kMembers) {
  std::vector<TupleRow> rows(num_rows, TupleRow(num_values.size()));
  for (size_t i = 0; i < num_rows; ++i) {
    for (size_t a = 0; a < num_values.size(); ++a) {
      const uint64_t random = RandomKey(space, seed + a, i);
      rows[i][a] = num_values[a] == 0 ? random : RandomKey(space, seed + a, random % num_values[a]);
    }
  }
  return rows;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_TUPLE_ROWS_H_
