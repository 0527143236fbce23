// Batches of tuples: columns of digests, and views of parts of them.
#include "trommel/tuples.h"

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/death.h"

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

}  // namespace
}  // namespace trommel
