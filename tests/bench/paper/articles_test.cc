// The course text, the article on space and the article on chunk indexes, at a small size.
#include "bench/paper/articles/articles.h"

#include <string>

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

// The run's seed is known once a test runs.
Options Quick() { return {.seed = Catch::rngSeed(), .quick = true}; }

TEST_CASE("the course text is reproduced, slips and all", "[paper]") {
  const Report report = CourseReport(Quick());
  CheckReproduced(report, {{"A blocklist", "bits", "slip of the source"},
                           {"A blocklist", "rate at the printed", "slip of the source"},
                           {"A blocklist", "rate at the formula", "slip of the source"},
                           {"A blocklist", "GiB", "agrees"},
                           {"A blocklist", "hashes", "slip of the source"},
                           {"Hashes", "bits of an MD5", "slip of the source"},
                           {"Hashes", "rows of 100", "slip of the source"},
                           {"Hashes", "bit 20001: index", "agrees"},
                           {"A thousand", "chance", "source is wrong"},
                           {"10 TB", "strings found", "agrees"},
                           {"Which store files", "ROWCOL: files read by get(r1,q1)", "agrees"},
                           {"A simulated region", "stored row, no filter: data blocks", "agrees"}});
  CHECK(RowOf(report, "A blocklist", "bits").formula == 191'701'167'547);
  CHECK(RowOf(report, "A blocklist", "the origin of the bits").formula == 131'571'428'572);
  CHECK(RowOf(report, "A simulated region", "stored row, ROW: data blocks").measured < 1.1);
  CHECK(RowOf(report, "A simulated region", "absent rows").measured < -0.98);
}

TEST_CASE("the listings lose as many keys as theory expects", "[paper]") {
  const Report report{.tables = {ListingLosses(Quick())}};
  CheckReproduced(report, {{"The listings", "expiry", "source is wrong"}});
  CHECK(RowOf(report, "The listings", "doubling: keys lost").measured > 0.4);
}

TEST_CASE("no space is saved by another hash", "[paper]") {
  CheckReproduced({.tables = {HashClaim(Quick())}}, {{"Claim", "space", "does not reproduce"}});
}

TEST_CASE(
    "fewer probes and slices answer for every key, and the fills choose probes that keep the rate",
    "[paper]") {
  const Report report{.tables = {ProbesClaim(Quick())}};
  CheckReproduced(report, {{"Claim", "space released, filter full", "does not reproduce"},
                           {"Claim", "sizes within the target, probes", "agrees"},
                           {"Claim", "sizes within the target, the listing", "source is wrong"}});
  CHECK(RowOf(report, "Claim", "space released, filter half").measured < -0.2);
}

TEST_CASE("scalable filters lose no key by growing, and save absent rows their reads", "[paper]") {
  const Report report{.tables = {GrowthClaim(Quick())}};
  CheckReproduced(report,
                  {{"Claim", "probes of a miss", "holds in sound form"},
                   {"Claim", "orders: rate at +50 %, ScalableFilter", "holds in sound form"},
                   {"Claim", "orders: space, ScalableFilter", "does not reproduce"},
                   {"Claim", "orders: data blocks per get, absent", "agrees"},
                   {"Claim", "orders: data blocks per get, stored", "does not reproduce"}});
  CHECK(RowOf(report, "Claim", "folded").measured == 1);
  CHECK(RowOf(report, "Claim", "keys lost by growing").measured == 0);
  // With so many store files it would.
  const double files = *RowOf(report, "Claim", "orders: store files at which").formula;
  CHECK((1 + (files - 1) * 0.02) / (1 + (files - 1) * 0.05) == Catch::Approx(1 / 1.4));
}

TEST_CASE("a window hides no live key, and its memory does not follow what expires", "[paper]") {
  const Report report{.tables = {ExpiryClaim(Quick())}};
  CheckReproduced(report, {{"Claim", "memory freed, 4 of 10", "does not reproduce"},
                           {"Claim", "60 % expired: a filter rebuilt", "holds in sound form"},
                           {"Claim", "sensors: layers", "does not reproduce"}});
  CHECK(RowOf(report, "Claim", "live keys hidden").measured == 0);
}

TEST_CASE("layers take more space at the same rate, not less", "[paper]") {
  CheckReproduced({.tables = {LayersClaim(Quick())}},
                  {{"Claim", "space at the same rate, the listing", "does not reproduce"}});
}

TEST_CASE("the article on chunk indexes is reproduced", "[paper]") {
  const Report report = ChunkIndexReport(Quick());
  CheckReproduced(report, {{"The worked", "positions", "agrees"},
                           {"The worked", "a third key is \"maybe present\", any", "as modelled"},
                           {"m / n = 8", "k = 6,", "shown"},
                           {"m / n = 8", "k = 5.55", "agrees"},
                           {"100 M", "bytes of a hash", "agrees"},
                           {"The use", "stored chunks", "agrees"}});
  CHECK(RowOf(report, "The use", "new chunks").exact > 0.001);
}

TEST_CASE("every hash has the rate of the model", "[paper]") {
  const Report report = HashReport(Quick());
  CheckReproduced(report, {{"Rate of one", "XXH3, keys like", "as modelled"}});
  CHECK(RowOf(report, "ns per key of 8 bytes", "XXH64").measured > 0);
}

}  // namespace

}  // namespace trommel::paper
