// The course text, the article on space and the article on chunk indexes, at a small size.
#include "bench/paper/articles/articles.h"

#include <string>

#include "bench/paper/articles/hashes.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("the course text's bits, hashes and rate are slips, its gigabytes are right", "[paper]") {
  const Report report{.name = "",
                      .source = "",
                      .tables = {CourseSizing({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "A blocklist", "bits") == "slip of the source");
  CHECK(RowOf(report, "A blocklist", "bits").formula == 191'701'167'547);
  CHECK(RowOf(report, "A blocklist", "the origin of the bits").formula == 131'571'428'572);
  CHECK(VerdictOf(report, "A blocklist", "rate at the printed") == "slip of the source");
  CHECK(VerdictOf(report, "A blocklist", "rate at the formula") == "slip of the source");
  CHECK(VerdictOf(report, "A blocklist", "GiB") == "agrees");
  CHECK(VerdictOf(report, "A blocklist", "hashes") == "slip of the source");
}

TEST_CASE("the course text is reproduced, slips and all", "[paper]") {
  const Report report = CourseReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Hashes", "bits of an MD5") == "slip of the source");
  CHECK(VerdictOf(report, "Hashes", "rows of 100") == "slip of the source");
  CHECK(VerdictOf(report, "Hashes", "bit 20001: index") == "agrees");
  CHECK(VerdictOf(report, "A thousand", "chance") == "source is wrong");
  CHECK(VerdictOf(report, "10 TB", "strings found") == "agrees");
  CHECK(VerdictOf(report, "Which store files", "ROWCOL: files read by get(r1,q1)") == "agrees");
}

TEST_CASE("a simulated region reads as many blocks as its closed forms say", "[paper]") {
  const Report report{.tables = {CourseReads({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "A simulated region", "stored row, no filter: data blocks") == "agrees");
  CHECK(RowOf(report, "A simulated region", "stored row, ROW: data blocks").measured < 1.1);
  CHECK(RowOf(report, "A simulated region", "absent rows").measured < -0.98);
}

TEST_CASE("the article on space is reproduced", "[paper]") {
  const Report report = ClaimsReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(report.tables.size() == 6);
}

TEST_CASE("the listings lose as many keys as theory expects", "[paper]") {
  const Report report{.tables = {ListingLosses({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "The listings", "expiry") == "source is wrong");
  CHECK(RowOf(report, "The listings", "doubling: keys lost").measured > 0.4);
}

TEST_CASE("no space is saved by another hash", "[paper]") {
  const Report report{.tables = {HashClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Claim", "space") == "does not reproduce");
}

TEST_CASE("fewer probes and slices answer for every key", "[paper]") {
  const Report report{.tables = {ProbesClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Claim", "space released, filter full") == "does not reproduce");
  CHECK(RowOf(report, "Claim", "space released, filter half").measured < -0.2);
}

TEST_CASE("scalable filters lose no key by growing and stay within their rates", "[paper]") {
  const Report report{.tables = {GrowthClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Claim", "probes of a miss") == "holds in sound form");
  CHECK(RowOf(report, "Claim", "folded").measured == 1);
  CHECK(RowOf(report, "Claim", "keys lost by growing").measured == 0);
  CHECK(VerdictOf(report, "Claim", "orders: rate at +50 %, ScalableFilter") ==
        "holds in sound form");
  CHECK(VerdictOf(report, "Claim", "orders: space, ScalableFilter") == "does not reproduce");
}

TEST_CASE("orders: fewer false positives save absent rows their reads, stored ones few",
          "[paper]") {
  const Report report{.tables = {GrowthClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CHECK(VerdictOf(report, "Claim", "orders: data blocks per get, absent") == "agrees");
  CHECK(VerdictOf(report, "Claim", "orders: data blocks per get, stored") == "does not reproduce");
  // With so many store files it would.
  const double files = *RowOf(report, "Claim", "orders: store files at which").formula;
  CHECK((1 + (files - 1) * 0.02) / (1 + (files - 1) * 0.05) == Catch::Approx(1 / 1.4));
}

TEST_CASE("a window hides no live key, and its memory does not follow what expires", "[paper]") {
  const Report report{.tables = {ExpiryClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(RowOf(report, "Claim", "live keys hidden").measured == 0);
  CHECK(VerdictOf(report, "Claim", "memory freed, 4 of 10") == "does not reproduce");
  CHECK(VerdictOf(report, "Claim", "60 % expired: a filter rebuilt") == "holds in sound form");
  CHECK(VerdictOf(report, "Claim", "sensors: layers") == "does not reproduce");
}

TEST_CASE("probes chosen by the fills keep the rate, those of the listing do not", "[paper]") {
  const Report report{.tables = {ProbesClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CHECK(VerdictOf(report, "Claim", "sizes within the target, probes") == "agrees");
  CHECK(VerdictOf(report, "Claim", "sizes within the target, the listing") == "source is wrong");
}

TEST_CASE("layers take more space at the same rate, not less", "[paper]") {
  const Report report{.tables = {LayersClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Claim", "space at the same rate, the listing") == "does not reproduce");
}

TEST_CASE("the article on chunk indexes is reproduced", "[paper]") {
  const Report report = ChunkIndexReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "The worked", "positions") == "agrees");
  CHECK(VerdictOf(report, "The worked", "a third key is \"maybe present\", any") == "as modelled");
  CHECK(VerdictOf(report, "m / n = 8", "k = 6,") == "shown");
  CHECK(VerdictOf(report, "m / n = 8", "k = 5.55") == "agrees");
  CHECK(VerdictOf(report, "100 M", "bytes of a hash") == "agrees");
  CHECK(VerdictOf(report, "The use", "stored chunks") == "agrees");
  CHECK(RowOf(report, "The use", "new chunks").exact > 0.001);
}

TEST_CASE("every hash has the rate of the model", "[paper]") {
  const Report report = HashReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Rate of one", "XXH3, keys like") == "as modelled");
  CHECK(RowOf(report, "ns per key of 8 bytes", "XXH64").measured > 0);
}

}  // namespace

}  // namespace trommel::paper
