#include "bench/paper/report/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace trommel::paper {
namespace {

bool IsSame(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

std::string WithCommas(double figure) {
  char digits[64];
  const int length = std::snprintf(digits, sizeof(digits), "%.0f", figure);
  std::string text;
  for (int i = 0; i < length; ++i) {
    if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAgrees:
      return "agrees";
    case Verdict::kSlip:
      return "slip of the source";
    case Verdict::kWrong:
      return "source is wrong";
    case Verdict::kDoesNotReproduce:
      return "does not reproduce";
    case Verdict::kSoundForm:
      return "holds in sound form";
    case Verdict::kAsModelled:
      return "as modelled";
    case Verdict::kSilent:
      return "source is silent";
    case Verdict::kShown:
      return "shown";
    case Verdict::kContradicted:
      return "CONTRADICTS MODEL";
  }
  return "unknown";
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
  char text[64];
  switch (unit) {
    case Unit::kNumber:
      std::snprintf(text, sizeof(text), "%.4g", *figure);
      break;
    case Unit::kCount:
      return (at_most ? "<= " : "") + WithCommas(*figure);
    case Unit::kShare:
      std::snprintf(text, sizeof(text), "%.4g %%", 100 * *figure);
      break;
    case Unit::kChange:
      std::snprintf(text, sizeof(text), "%+.1f %%", 100 * *figure);
      break;
    case Unit::kNs:
      std::snprintf(text, sizeof(text), "%.1f ns", *figure);
      break;
  }
  return (at_most ? "<= " : "") + std::string(text);
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
