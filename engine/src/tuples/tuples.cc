#include "trommel/tuples.h"

#include "engine/src/base/check.h"

namespace trommel {

TupleDigests::TupleDigests(uint32_t num_attributes) : columns_(num_attributes) {
  TROMMEL_CHECK(num_attributes <= kMaxAttributes, "more attributes than a tuple can have");
}

void TupleDigests::Set(uint32_t attribute, Keys values, const DigestPolicy& policy) {
  TROMMEL_CHECK(attribute < columns_.size(), "there is no such attribute");
  columns_[attribute].resize(values.size());
  policy.Digests(values, columns_[attribute]);
}

void TupleDigests::Clear() noexcept {
  for (auto& column : columns_) column.clear();
}

Tuples TupleDigests::view() const noexcept {
  Tuples tuples;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].empty()) continue;
    TROMMEL_CHECK(tuples.size == 0 || tuples.size == columns_[i].size(),
                  "columns of a batch must have one length");
    tuples.columns[i] = columns_[i].data();
    tuples.size = columns_[i].size();
  }
  return tuples;
}

}  // namespace trommel
