// Tuples for tests: rows of digests, and the columns that the library wants.
#ifndef TROMMEL_TESTS_SUPPORT_TUPLE_BATCH_H_
#define TROMMEL_TESTS_SUPPORT_TUPLE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "trommel/tuples.h"

namespace trommel::tests {

using TupleRow = std::vector<uint64_t>;  // a digest an attribute

// Attributes' digests are drawn from num_values each: few, and tuples share them.
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

class TupleBatch {
 public:
  // Columns of attributes that `given` leaves out are null.
  explicit TupleBatch(const std::vector<TupleRow>& rows, AttributeMask given = ~AttributeMask{0})
      : size_(rows.size()), given_(given), columns_(rows.empty() ? 0 : rows.front().size()) {
    for (size_t a = 0; a < columns_.size(); ++a) {
      for (const TupleRow& row : rows) columns_[a].push_back(row[a]);
    }
  }

  Tuples view() const {
    Tuples tuples;
    tuples.size = size_;
    for (size_t a = 0; a < columns_.size(); ++a) {
      if ((given_ >> a & 1) != 0) tuples.columns[a] = columns_[a].data();
    }
    return tuples;
  }

 private:
  size_t size_;
  AttributeMask given_;
  std::vector<std::vector<uint64_t>> columns_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_TUPLE_BATCH_H_
