// Batches of tuples: columns of digests, views of ranges of them, and queries with a set per tuple.
#include "trommel/tuples.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "trommel/tuple_index.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a batch of tuples hashes each value once", "[engine][attributes]") {
  const std::vector<std::string> domains{"a.example", "b.example"};
  const std::vector<uint64_t> ports{53, 443};
  TupleDigests batch(3);
  const DigestPolicy policy{DigestKind::kXxh3, 7};
  batch.Set(0, domains, policy);
  batch.Set(2, ports, policy);
  const Tuples tuples = batch.view();
  REQUIRE(tuples.size == 2);
  CHECK(tuples.columns[0][1] == policy(domains[1]));
  CHECK(tuples.columns[1] == nullptr);  // not given
  CHECK(tuples.columns[2][0] == policy(ports[0]));

  const Tuples last = tuples.From(1, 1);
  CHECK(last.size == 1);
  CHECK(last.columns[2] == tuples.columns[2] + 1);
  CHECK(last.columns[1] == nullptr);

  batch.Clear();
  CHECK(batch.view().size == 0);
}

TEST_CASE("columns of a batch have one length", "[engine][attributes]") {
  TupleDigests batch(2);
  batch.Set(0, std::vector<uint64_t>{1, 2});
  batch.Set(1, std::vector<uint64_t>{1});
  CHECK_THAT(tests::AbortMessage([&] { (void)batch.view(); }), ContainsSubstring("one length"));
  CHECK_THAT(tests::AbortMessage([&] { batch.Set(2, std::vector<uint64_t>{1}); }),
             ContainsSubstring("no such attribute"));
}

TEST_CASE("tuples have sixteen attributes at most", "[engine][attributes][death]") {
  CHECK(TupleDigests(kMaxAttributes).num_attributes() == kMaxAttributes);
  CHECK_THAT(tests::AbortMessage([] { TupleDigests(kMaxAttributes + 1); }),
             ContainsSubstring("more attributes than a tuple can have"));
}

// "Maybe present" if the sum of the queried digests is odd; counts its batches.
class OddIndex final : public TupleIndex {
 public:
  const AttributeSets& sets() const noexcept override { return sets_; }
  bool CanAnswer(AttributeMask) const noexcept override { return true; }
  std::vector<AttributeMask> PartsOf(AttributeMask queried) const override { return {queried}; }
  InsertOutcome Insert(const Tuples&) noexcept override { return {}; }
  size_t Query(AttributeMask queried, const Tuples& tuples,
               std::span<uint64_t> maybe_present) const noexcept override {
    ++num_batches;
    size_t num_present = 0;
    std::ranges::fill(maybe_present, uint64_t{0});
    for (size_t t = 0; t < tuples.size; ++t) {
      const bool is_odd = Sum(queried, tuples, t) % 2 == 1;
      maybe_present[t / 64] |= uint64_t{is_odd} << t % 64;
      num_present += is_odd ? 1 : 0;
    }
    return num_present;
  }
  uint64_t num_tuples() const noexcept override { return 0; }
  uint64_t num_bytes() const noexcept override { return 0; }
  void UseExecutor(std::shared_ptr<Executor>) noexcept override {}

  static uint64_t Sum(AttributeMask queried, const Tuples& tuples, size_t tuple_idx) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kMaxAttributes; ++i) {
      if ((queried >> i & 1) != 0) sum += tuples.columns[i][tuple_idx];
    }
    return sum;
  }

  mutable size_t num_batches = 0;

 private:
  AttributeSets sets_ = *AttributeSets::Create(3);
};

TEST_CASE("a query with a set per tuple is answered set by set", "[engine][attributes]") {
  std::mt19937_64 random(7);
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{500}}) {
    std::vector<std::vector<uint64_t>> columns(3, std::vector<uint64_t>(size));
    std::vector<AttributeMask> queried(size);
    for (size_t t = 0; t < size; ++t) {
      for (auto& column : columns) column[t] = random() >> 8;
      queried[t] = static_cast<AttributeMask>(random() % 8);
    }
    Tuples tuples;
    tuples.size = size;
    for (size_t i = 0; i < 3; ++i) tuples.columns[i] = columns[i].data();

    const OddIndex index;
    std::vector<uint64_t> answers(TupleIndex::BitmapWords(size), ~uint64_t{0});
    const size_t num_present = index.QueryEach(queried, tuples, answers);
    CHECK(index.num_batches <= 8);
    size_t num_expected = 0;
    for (size_t t = 0; t < answers.size() * 64; ++t) {
      const bool expected = t < size && OddIndex::Sum(queried[t], tuples, t) % 2 == 1;
      num_expected += expected ? 1 : 0;
      CHECK((answers[t / 64] >> t % 64 & 1) == (expected ? 1U : 0U));
    }
    CHECK(num_present == num_expected);
  }
}

}  // namespace
}  // namespace trommel
