// Use of a moved-from filter of any type aborts with a message; it may be destroyed and assigned
// to.
#include "trommel/impl_ptr.h"

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/every_type.h"
#include "trommel/concurrent_filter.h"
#include "trommel/matrix/matrix.h"
#include "trommel/matrix/sizing.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

// One operation of each kind.
template <class Filter>
void CheckMovedFrom(Filter& filter) {
  const auto says_so = ContainsSubstring("this filter was moved from");
  const std::vector<uint64_t> keys = {1, 2, 3};
  if constexpr (requires { filter.UseExecutor(nullptr); }) {
    CHECK_THAT(AbortMessage([&] { filter.UseExecutor(nullptr); }), says_so);
  }
  CHECK_THAT(AbortMessage([&] { (void)filter.Serialize(); }), says_so);
  CHECK_THAT(AbortMessage([&] { (void)filter.GetStats(); }), says_so);
  CHECK_THAT(AbortMessage([&] { filter.Clear(); }), says_so);
  if constexpr (!std::is_base_of_v<TupleIndex, Filter>) {
    std::array<uint64_t, 1> bits;
    CHECK_THAT(AbortMessage([&] { (void)filter.MayContain(1); }), says_so);
    CHECK_THAT(AbortMessage([&] { filter.Insert(1); }), says_so);
    // Digests go to the kernels, strings to the hash.
    for (const Key& key : {Key::Digest(1), Key("a")}) {
      if constexpr (requires { filter.InsertIfAbsent(key); }) {
        CHECK_THAT(AbortMessage([&] { filter.InsertIfAbsent(key); }), says_so);
        CHECK_THAT(AbortMessage([&] { (void)filter.CountEstimate(key); }), says_so);
      }
      if constexpr (requires { filter.Erase(key); }) {
        CHECK_THAT(AbortMessage([&] { filter.Erase(key); }), says_so);
      }
      CHECK_THAT(AbortMessage([&] { (void)filter.MayContain(key); }), says_so);
      CHECK_THAT(AbortMessage([&] { (void)filter.Prefetch(key); }), says_so);
      CHECK_THAT(AbortMessage([&] { filter.Insert(key); }), says_so);
    }
    CHECK_THAT(AbortMessage([&] { filter.Insert(keys); }), says_so);
    CHECK_THAT(AbortMessage([&] { (void)filter.Query(keys, bits); }), says_so);
    CHECK_THAT(AbortMessage([&] { (void)filter.num_keys(); }), says_so);
    CHECK_THAT(AbortMessage([&] { (void)filter.digest_policy(); }), says_so);
  } else {
    CHECK_THAT(AbortMessage([&] { filter.Insert(Tuples{}); }), says_so);
    CHECK_THAT(AbortMessage([&] { (void)filter.Query(1, Tuples{}, {}); }), says_so);
  }
}

// Moves a filter away and back: a moved-from filter may be assigned to.
template <class Filter>
void MoveToAndFro(Filter filter) {
  Filter taken = std::move(filter);
  CheckMovedFrom(filter);  // NOLINT(bugprone-use-after-move)
  filter = std::move(taken);
  CHECK(AbortMessage([&] { (void)filter.GetStats(); }) == "survived");
  taken = std::move(filter);
  filter = std::move(taken);
}

}  // namespace

TEST_CASE("use of a moved-from filter aborts with a message, for every type",
          "[engine][moved_from]") {
  for (NamedFilter& one : EveryType()) {
    INFO(one.name);
    OnType(*one.filter, [](auto& filter) { MoveToAndFro(std::move(filter)); });
  }
  MoveToAndFro(*ConcurrentFilter::Create({.capacity = 100}));
}

TEST_CASE("a concurrent filter is not made from a moved-from one", "[engine][moved_from]") {
  CountingFilter filter = *CountingFilter::Create({.capacity = 100});
  const CountingFilter taken = std::move(filter);
  CHECK_THAT(AbortMessage([&] { const ConcurrentFilter of(std::move(filter)); }),
             ContainsSubstring("this filter was moved from"));
}

TEST_CASE("use of a moved-from matrix aborts with a message", "[engine][moved_from]") {
  const auto geometry =
      matrix::GeometryFor({.sets = *AttributeSets::Create(2), .num_hashes = 2, .num_cells = 1000});
  REQUIRE(geometry.ok());
  matrix::Matrix matrix = *matrix::Matrix::Create(*geometry);
  const matrix::Matrix taken = std::move(matrix);
  CHECK_THAT(AbortMessage([&] { (void)matrix.num_tuples(); }),
             ContainsSubstring("this filter was moved from"));
}

}  // namespace trommel::tests
