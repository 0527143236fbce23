// Queries of two nested stores: what both of them show, one digest at a time.
#include "engine/src/batches/nested_query.h"

#include <cstdint>
#include <vector>

#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"

namespace trommel {
namespace {

TEST_CASE("two stores show what both show", "[engine][layered]") {
  const size_t size = GENERATE(size_t{0}, 1, 63, 64, 65, 1000, 2047, 2048);
  // Not nested, and with keys of their own: all four pairs of answers occur.
  BlockStore first = *BlockStore::Create(tests::GeometryOf(8, 40), 0);
  BlockStore large = *BlockStore::Create(tests::GeometryOf({5, true}, 90), 0);
  const auto digests = tests::DrawnDigests(size, size + 1, Catch::rngSeed() + size);
  first.Insert(std::span(digests).first(size / 2));
  large.Insert(std::span(digests).last(size / 2 + size / 4));

  std::vector<uint64_t> want_bits((size + 63) / 64, 0);
  std::vector<uint32_t> want_present;
  std::vector<uint32_t> want_absent;
  for (uint32_t i = 0; i < size; ++i) {
    const bool is_shown = first.MayContain(digests[i]) && large.MayContain(digests[i]);
    want_bits[i / 64] |= uint64_t{is_shown} << (i % 64);
    (is_shown ? want_present : want_absent).push_back(i + 100);
  }
  std::vector<uint64_t> bits(want_bits.size(), ~uint64_t{0});
  CHECK(QueryLayers(first, large, digests, bits.data()) == want_present.size());
  CHECK(bits == want_bits);
  std::vector<uint32_t> selection(size);
  selection.resize(SelectLayers(first, large, digests, true, 100, selection.data()));
  CHECK(selection == want_present);
  selection.resize(size);
  selection.resize(SelectLayers(first, large, digests, false, 100, selection.data()));
  CHECK(selection == want_absent);
}

}  // namespace
}  // namespace trommel
