// Batches of tuples, and queries with a set per tuple (tuple_index.h).
#include "trommel/tuples.h"

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>

#include "engine/src/base/check.h"
#include "engine/src/tuples/tuple_batch.h"
#include "trommel/tuple_index.h"

namespace trommel {
namespace {

// The columns of a set, of some tuples.
struct GatheredColumns {
  GatheredColumns(AttributeMask set, const Tuples& tuples, std::span<const uint32_t> indices) {
    view.size = indices.size();
    for (AttributeMask rest = set; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(rest));
      TROMMEL_CHECK(tuples.columns[i] != nullptr, "a column of a queried set is not given");
      digests[i].reserve(indices.size());
      for (const uint32_t idx : indices) digests[i].push_back(tuples.columns[i][idx]);
      view.columns[i] = digests[i].data();
    }
  }

  std::array<std::vector<uint64_t>, kMaxAttributes> digests;
  Tuples view;
};

// QueryEach by a batch per set. May throw std::bad_alloc.
size_t QueryBySet(const TupleIndex& index, std::span<const AttributeMask> queried,
                  const Tuples& tuples, std::span<uint64_t> maybe_present) {
  std::ranges::fill(maybe_present, uint64_t{0});
  std::vector<uint32_t> by_set(tuples.size);
  std::iota(by_set.begin(), by_set.end(), 0U);
  std::ranges::stable_sort(by_set, {}, [queried](uint32_t idx) { return queried[idx]; });

  size_t num_present = 0;
  std::vector<uint64_t> answers;
  for (size_t begin = 0; begin < by_set.size();) {
    const AttributeMask set = queried[by_set[begin]];
    size_t end = begin;
    while (end < by_set.size() && queried[by_set[end]] == set) ++end;
    const std::span<const uint32_t> indices(by_set.data() + begin, end - begin);
    const GatheredColumns gathered(set, tuples, indices);
    answers.resize(BitmapWords(indices.size()));
    num_present += index.Query(set, gathered.view, answers);
    for (size_t i = 0; i < indices.size(); ++i) {
      maybe_present[indices[i] / 64] |= (answers[i / 64] >> i % 64 & 1) << indices[i] % 64;
    }
    begin = end;
  }
  return num_present;
}

size_t QueryOneByOne(const TupleIndex& index, std::span<const AttributeMask> queried,
                     const Tuples& tuples, std::span<uint64_t> maybe_present) {
  std::ranges::fill(maybe_present, uint64_t{0});
  size_t num_present = 0;
  for (size_t i = 0; i < tuples.size; ++i) {
    uint64_t answer = 0;
    num_present += index.Query(queried[i], tuples.From(i, 1), std::span(&answer, 1));
    maybe_present[i / 64] |= answer << (i % 64);
  }
  return num_present;
}

}  // namespace

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

size_t TupleIndex::QueryEach(std::span<const AttributeMask> queried, const Tuples& tuples,
                             std::span<uint64_t> maybe_present) const noexcept {
  TROMMEL_CHECK(queried.size() == tuples.size, "there must be one queried set per tuple");
  static_assert(kMaxAttributes == 64, "a set has a bit for each column");
  constexpr AttributeMask kAllColumns = ~AttributeMask{0};
  CheckBitmap(tuples, kAllColumns, maybe_present);
  TROMMEL_CHECK(!ShareBytes(std::as_bytes(queried), std::as_bytes(maybe_present)),
                "the bitmap overlaps the queried sets");
  TROMMEL_CHECK(tuples.size <= UINT32_MAX, "a batch has at most 2^32 - 1 tuples");
  try {
    return QueryBySet(*this, queried, tuples, maybe_present);
  } catch (const std::bad_alloc&) {
    return QueryOneByOne(*this, queried, tuples, maybe_present);
  }
}

}  // namespace trommel
