#include "trommel/tuple_index.h"

#include <algorithm>
#include <numeric>

#include "engine/src/base/check.h"
#include "engine/src/tuples/tuple_output.h"

namespace trommel {
namespace {

// The columns of `asked` of some tuples, side by side.
struct GatheredColumns {
  GatheredColumns(AttributeMask asked, const Tuples& tuples, std::span<const uint32_t> indices) {
    view.size = indices.size();
    for (uint32_t i = 0; i < kMaxAttributes; ++i) {
      if ((asked >> i & 1) == 0) continue;
      TROMMEL_CHECK(tuples.columns[i] != nullptr, "a column that is asked for is not given");
      digests[i].reserve(indices.size());
      for (const uint32_t idx : indices) digests[i].push_back(tuples.columns[i][idx]);
      view.columns[i] = digests[i].data();
    }
  }

  std::array<std::vector<uint64_t>, kMaxAttributes> digests;
  Tuples view;
};

}  // namespace

size_t TupleIndex::QueryEach(std::span<const AttributeMask> asked, const Tuples& tuples,
                             std::span<uint64_t> maybe_present) const noexcept {
  TROMMEL_CHECK(asked.size() == tuples.size, "each tuple needs a set that it is asked for");
  constexpr AttributeMask kAllColumns = (AttributeMask{1} << kMaxAttributes) - 1;
  CheckBitmap(tuples, kAllColumns, maybe_present);
  TROMMEL_CHECK(!ShareBytes(std::as_bytes(asked), std::as_bytes(maybe_present)),
                "the bitmap overlaps the sets that are asked");
  TROMMEL_CHECK(tuples.size <= UINT32_MAX, "a batch has at most 2^32 - 1 tuples");
  std::ranges::fill(maybe_present, uint64_t{0});
  std::vector<uint32_t> by_set(tuples.size);
  std::iota(by_set.begin(), by_set.end(), 0U);
  std::ranges::stable_sort(by_set, {}, [asked](uint32_t idx) { return asked[idx]; });

  size_t num_present = 0;
  std::vector<uint64_t> answers;
  for (size_t begin = 0; begin < by_set.size();) {
    const AttributeMask set = asked[by_set[begin]];
    size_t end = begin;
    while (end < by_set.size() && asked[by_set[end]] == set) ++end;
    const std::span<const uint32_t> indices(by_set.data() + begin, end - begin);
    const GatheredColumns gathered(set, tuples, indices);
    answers.resize(BitmapWords(indices.size()));
    num_present += Query(set, gathered.view, answers);
    for (size_t i = 0; i < indices.size(); ++i) {
      maybe_present[indices[i] / 64] |= (answers[i / 64] >> i % 64 & 1) << indices[i] % 64;
    }
    begin = end;
  }
  return num_present;
}

}  // namespace trommel
