// Queries as bitmap, as selection and for one key: the reference's answers.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "kernels/reference.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::DrawnDigests;
using tests::Guarded;

BlockStore StoreOf(uint64_t num_blocks, Shape shape, const std::vector<uint64_t>& digests) {
  BlockStore store = BlockStore::Create(tests::GeometryOf(shape, num_blocks), 0).value();
  store.Insert(digests);
  return store;
}

// A batch, about half of which are members, and the reference's answers.
struct Question {
  Question(size_t size, uint64_t num_blocks, Shape shape)
      : members(DrawnDigests(size, size / 2 + 1, Catch::rngSeed() + size + 1)),
        digests(DrawnDigests(size, size + 1, Catch::rngSeed() + size)),
        bitmap((size + 63) / 64, 0) {
    ReferenceFilter reference(num_blocks, shape);
    for (const uint64_t member : members) reference.Insert(member);
    for (size_t i = 0; i < size; i += 2) digests[i] = members[i];
    for (size_t i = 0; i < size; ++i) {
      const bool answer = reference.MayContain(digests[i]);
      bitmap[i / 64] |= uint64_t{answer} << (i % 64);
      (answer ? present : absent).push_back(static_cast<uint32_t>(i));
    }
  }

  std::vector<uint64_t> members;
  std::vector<uint64_t> digests;
  std::vector<uint64_t> bitmap;
  std::vector<uint32_t> present;
  std::vector<uint32_t> absent;
};

// The batch at an address that no vector is aligned to.
Guarded<uint64_t> Misaligned(const std::vector<uint64_t>& digests, size_t offset) {
  Guarded<uint64_t> copy(digests.size(), 0, offset);
  std::ranges::copy(digests, copy.data());
  return copy;
}

void CheckQuery(const Question& question, const BlockStore& store, size_t offset) {
  const Guarded<uint64_t> digests = Misaligned(question.digests, offset);
  // Old answers in the bitmap must be overwritten.
  Guarded<uint64_t> bitmap(question.bitmap.size(), ~uint64_t{0}, offset);
  const size_t num_present = store.Query({digests.data(), digests.size()}, bitmap.data());
  REQUIRE(num_present == question.present.size());
  REQUIRE(tests::FirstDifference(bitmap.Copy(), question.bitmap) == "");
  REQUIRE(bitmap.GuardsIntact());
  for (size_t i = 0; i < digests.size(); ++i) {
    REQUIRE(store.MayContain(question.digests[i]) == tests::BitAt(question.bitmap, i));
  }
}

void CheckSelect(const Question& question, const BlockStore& store, size_t offset) {
  const Guarded<uint64_t> digests = Misaligned(question.digests, offset);
  for (const bool maybe_present : {false, true}) {
    for (const uint32_t first_idx : {0U, 1024U, 0xfffff000U}) {
      std::vector<uint32_t> want = maybe_present ? question.present : question.absent;
      for (uint32_t& index : want) index += first_idx;
      Guarded<uint32_t> selection(digests.size(), 0, offset);
      const size_t num_selected = store.Select({digests.data(), digests.size()}, maybe_present,
                                               first_idx, selection.data());
      REQUIRE(num_selected == want.size());
      std::vector<uint32_t> got = selection.Copy();
      got.resize(num_selected);
      REQUIRE(tests::FirstDifference(got, want) == "");
      REQUIRE(selection.GuardsIntact());
    }
  }
}

TEST_CASE("query and select give the reference's answers on every target", "[kernels][query]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const size_t size : tests::EdgeSizes()) {
    for (const uint64_t num_blocks : tests::EdgeBlocks()) {
      INFO(size << " keys, " << num_blocks << " blocks, " << shape);
      const Question question(size, num_blocks, shape);
      tests::ForEachRunnableTarget([&] {
        const BlockStore store = StoreOf(num_blocks, shape, question.members);
        CheckQuery(question, store, size % 8);
        CheckSelect(question, store, size % 8);
      });
    }
  }
}

TEST_CASE("one missing bit in any slice makes a key absent on every target", "[kernels][query]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const uint64_t digest = DrawnDigests(1, 1, Catch::rngSeed())[0];
  tests::ForEachRunnableTarget([&] {
    BlockStore store = StoreOf(1, shape, {digest});
    REQUIRE(store.MayContain(digest));
    for (size_t s = 0; s < shape.num_slices; ++s) {
      const uint32_t bit = CounterIndex(digest, s, shape.num_slices);
      for (uint32_t i = 0; i < shape.num_counters() / 32; ++i) {  // all but the one
        store.PresenceOf(0)[i] = i == bit / 32 ? ~(1U << bit % 32) : ~0U;
      }
      uint64_t bitmap = 1;
      REQUIRE_FALSE(store.MayContain(digest));
      REQUIRE(store.Query({&digest, 1}, &bitmap) == 0);
      REQUIRE(bitmap == 0);
    }
  });
}

}  // namespace
}  // namespace trommel::kernels
