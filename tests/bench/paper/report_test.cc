// Rows and their verdicts, figures as text, and ranges of chance.
#include "bench/paper/report/report.h"

#include "bench/paper/report/random.h"
#include "bench/paper/report_checks.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("a figure equal to the exact model agrees, whatever the formula says", "[paper]") {
  CHECK(Judge({.paper = 0.1534, .formula = 0.2504, .exact = 0.15342}) == Verdict::kAgrees);
  CHECK(Judge({.paper = 0.1534, .exact = 0.1700, .tolerance = 0.1}) == Verdict::kAgrees);
}

TEST_CASE("a figure that follows from its formula but differs from the exact model is wrong",
          "[paper]") {
  CHECK(Judge({.paper = 0.25, .formula = 0.2504, .exact = 0.1534}) == Verdict::kWrong);
  CHECK(Judge({.paper = 0.25, .exact = 0.1534}) == Verdict::kWrong);
}

TEST_CASE("without a figure of the source the verdict depends on the other figures", "[paper]") {
  CHECK(Judge({.exact = 0.1, .measured = 0.1}) == Verdict::kAsModelled);
  CHECK(Judge({.measured = 0.1}) == Verdict::kShown);
  CHECK(Judge({.exact = 0.1}) == Verdict::kShown);
  CHECK(Judge({.paper = 0.1}) == Verdict::kShown);
}

TEST_CASE("a measurement outside its range contradicts the model, whatever else the row has",
          "[paper]") {
  Row row{.paper = 0.1, .exact = 0.1, .measured = 0.2, .allowed = Range{0.09, 0.11}};
  CHECK(Judge(row) == Verdict::kContradicted);
  row.given = Verdict::kSoundForm;
  CHECK(Judge(row) == Verdict::kContradicted);
  CHECK(IsContradicted({.name = "", .source = "", .tables = {{.title = "", .rows = {row}}}}));
  row.measured = 0.11;
  CHECK(Judge(row) == Verdict::kSoundForm);
  CHECK_FALSE(IsContradicted({.name = "", .source = "", .tables = {{.title = "", .rows = {row}}}}));
  CHECK_FALSE(IsContradicted(MadeReport()));
}

TEST_CASE("a claim is reproduced when it is reached within the slack, in its own direction",
          "[paper]") {
  CHECK(JudgeClaim(-0.15, -0.20, 0.02) == Verdict::kAgrees);
  CHECK(JudgeClaim(-0.15, -0.14, 0.02) == Verdict::kAgrees);
  CHECK(JudgeClaim(-0.15, -0.12, 0.02) == Verdict::kDoesNotReproduce);
  CHECK(JudgeClaim(-0.15, 0.3, 0.02) == Verdict::kDoesNotReproduce);
  CHECK(JudgeClaim(0.3, 0.35, 0.02) == Verdict::kAgrees);
  CHECK(JudgeClaim(0.3, 0.1, 0.02) == Verdict::kDoesNotReproduce);
}

TEST_CASE("figures are written in their units", "[paper]") {
  CHECK(FigureText(131571428572.0, Unit::kCount) == "131,571,428,572");
  CHECK(FigureText(-1234, Unit::kCount) == "-1,234");
  CHECK(FigureText(-123, Unit::kCount) == "-123");
  CHECK(FigureText(7.068e-17, Unit::kNumber) == "7.068e-17");
  CHECK(FigureText(0.4, Unit::kShare) == "40 %");
  CHECK(FigureText(-0.15, Unit::kChange) == "-15.0 %");
  CHECK(FigureText(0.15, Unit::kChange) == "+15.0 %");
  CHECK(FigureText(12.34, Unit::kNs) == "12.3 ns");
  CHECK(FigureText(3e-9, Unit::kNumber, true) == "<= 3e-09");
  CHECK(FigureText(std::nullopt, Unit::kNumber).empty());
}

TEST_CASE("ranges are six standard deviations wide on each side", "[paper]") {
  const Range sigma = SigmaRange(10, 0.5);
  CHECK(sigma.low == Catch::Approx(7));
  CHECK(sigma.high == Catch::Approx(13));
  CHECK(sigma.Contains(7.01));
  CHECK_FALSE(sigma.Contains(6.99));
  CHECK_FALSE(sigma.Contains(13.01));
  // sqrt(0.25 / 10000) = 0.005, and six trials.
  CHECK(BinomialRange(0.5, 10'000).high == Catch::Approx(0.5 + 0.03 + 0.0006));
  CHECK(BinomialRange(0.5, 10'000, 0.12).low == Catch::Approx(0.5 - 6 * 0.1201041 - 0.0006));
  CHECK(PoissonRange(4, 100).high == Catch::Approx(4 + 6 * 0.2 + 0.06));
  CHECK(Exactly(3).Contains(3));
  CHECK_FALSE(Exactly(3).Contains(3.0000001));
}

}  // namespace

}  // namespace trommel::paper
