// Questions with a set of attributes each: the same answers as asking one by one.
#include "trommel/tuple_index.h"

#include <algorithm>
#include <random>
#include <vector>

#include "support/catch.h"

namespace trommel {
namespace {

// Says "maybe present" where the asked digests add up to an odd number, and counts its batches.
class OddIndex final : public TupleIndex {
 public:
  const AttributeSets& sets() const noexcept override { return sets_; }
  bool CanAnswer(AttributeMask) const noexcept override { return true; }
  std::vector<AttributeMask> PartsOf(AttributeMask asked) const override { return {asked}; }
  InsertOutcome Insert(const Tuples&) noexcept override { return {}; }
  size_t Query(AttributeMask asked, const Tuples& tuples,
               std::span<uint64_t> maybe_present) const noexcept override {
    ++num_batches;
    size_t num_present = 0;
    std::ranges::fill(maybe_present, uint64_t{0});
    for (size_t t = 0; t < tuples.size; ++t) {
      const bool is_odd = Sum(asked, tuples, t) % 2 == 1;
      maybe_present[t / 64] |= uint64_t{is_odd} << t % 64;
      num_present += is_odd ? 1 : 0;
    }
    return num_present;
  }
  uint64_t num_tuples() const noexcept override { return 0; }
  uint64_t num_bytes() const noexcept override { return 0; }
  void UseExecutor(std::shared_ptr<Executor>) noexcept override {}

  static uint64_t Sum(AttributeMask asked, const Tuples& tuples, size_t tuple_idx) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kMaxAttributes; ++i) {
      if ((asked >> i & 1) != 0) sum += tuples.columns[i][tuple_idx];
    }
    return sum;
  }

  mutable size_t num_batches = 0;

 private:
  AttributeSets sets_ = *AttributeSets::Create(3);
};

TEST_CASE("tuples with sets of their own are asked set by set", "[engine][attributes]") {
  std::mt19937_64 random(7);
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{500}}) {
    std::vector<std::vector<uint64_t>> columns(3, std::vector<uint64_t>(size));
    std::vector<AttributeMask> asked(size);
    for (size_t t = 0; t < size; ++t) {
      for (auto& column : columns) column[t] = random() >> 8;
      asked[t] = static_cast<AttributeMask>(random() % 8);
    }
    Tuples tuples;
    tuples.size = size;
    for (size_t i = 0; i < 3; ++i) tuples.columns[i] = columns[i].data();

    const OddIndex index;
    std::vector<uint64_t> answers(TupleIndex::BitmapWords(size), ~uint64_t{0});
    const size_t num_present = index.QueryEach(asked, tuples, answers);
    CHECK(index.num_batches <= 8);
    size_t num_expected = 0;
    for (size_t t = 0; t < answers.size() * 64; ++t) {
      const bool expected = t < size && OddIndex::Sum(asked[t], tuples, t) % 2 == 1;
      num_expected += expected ? 1 : 0;
      CHECK((answers[t / 64] >> t % 64 & 1) == (expected ? 1U : 0U));
    }
    CHECK(num_present == num_expected);
  }
}

}  // namespace
}  // namespace trommel
