#include "bench/paper/report/report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/text/figures.h"

namespace trommel::paper {
namespace {

bool IsSame(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

std::string WithCommas(double figure) {
  std::string text = bench::Printed("%.0f", figure);
  const size_t first = text.starts_with('-') ? 1 : 0;
  for (size_t end = text.size(); end > first + 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 9> kNames = {// in the order of Verdict
                                                      "agrees",
                                                      "slip of the source",
                                                      "source is wrong",
                                                      "does not reproduce",
                                                      "holds in sound form",
                                                      "as modelled",
                                                      "source is silent",
                                                      "shown",
                                                      "CONTRADICTS MODEL"};
  static_assert(kNames.size() == static_cast<size_t>(Verdict::kContradicted) + 1);
  return kNames.at(static_cast<size_t>(verdict));
}

Verdict Judge(const Row& row) {
  if (row.measured && row.allowed && !row.allowed->Contains(*row.measured)) {
    return Verdict::kContradicted;
  }
  if (row.given) return *row.given;
  if (!row.paper) return row.measured && row.exact ? Verdict::kAsModelled : Verdict::kShown;
  const std::optional<double> truth = row.exact     ? row.exact
                                      : row.formula ? row.formula
                                                    : row.measured;
  if (!truth) return Verdict::kShown;
  if (IsSame(*row.paper, *truth, row.tolerance)) return Verdict::kAgrees;
  const bool slip = row.formula && !IsSame(*row.paper, *row.formula, row.tolerance);
  return slip ? Verdict::kSlip : Verdict::kWrong;
}

Verdict JudgeClaim(double claimed, double measured, double slack) {
  const double lacking = claimed < 0 ? measured - claimed : claimed - measured;
  return lacking <= slack ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
}

bool IsContradicted(const Report& report) {
  return std::ranges::any_of(report.tables, [](const Table& table) {
    return std::ranges::any_of(table.rows,
                               [](const Row& row) { return Judge(row) == Verdict::kContradicted; });
  });
}

std::string FigureText(std::optional<double> figure, Unit unit, bool at_most) {
  if (!figure) return "";
  const std::string text = unit == Unit::kCount    ? WithCommas(*figure)
                           : unit == Unit::kShare  ? bench::Printed("%.4g %%", 100 * *figure)
                           : unit == Unit::kChange ? bench::Printed("%+.1f %%", 100 * *figure)
                           : unit == Unit::kNs     ? bench::Printed("%.1f ns", *figure)
                                                   : bench::Printed("%.4g", *figure);
  return (at_most ? "<= " : "") + text;
}

namespace {

constexpr double kSigmas = 6;

}  // namespace

Range SigmaRange(double mean, double sigma) {
  return {mean - kSigmas * sigma, mean + kSigmas * sigma};
}

Range BinomialRange(double chance, uint64_t num_trials, double extra_sigma) {
  const double n = static_cast<double>(num_trials);
  const double sigma = std::hypot(std::sqrt(chance * (1 - chance) / n), extra_sigma);
  const double margin = kSigmas * sigma + kSigmas * kSigmas / 6 / n;
  return {chance - margin, chance + margin};
}

Range PoissonRange(double mean, uint64_t num_trials) {
  const double n = static_cast<double>(num_trials);
  const double margin = kSigmas * std::sqrt(mean / n) + kSigmas * kSigmas / 6 / n;
  return {mean - margin, mean + margin};
}

}  // namespace trommel::paper
