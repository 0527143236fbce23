// The exact answer, key by key.
#include "tools/trommel/commands/exact_dedup.h"

#include <fmt/core.h>

#include <algorithm>

#include "tools/trommel/output/number_text.h"

namespace trommel::tool {

void ExactDedup::Add(Keys keys, std::span<const uint64_t> times,
                     std::span<const uint64_t> printed) {
  for (size_t i = 0; i < keys.size(); ++i) {
    // Time does not go back: a late key counts as of now, as it does in a window filter.
    if (!times.empty()) now_ = std::max(now_, times[i]);
    const bool was_printed = (printed[i / 64] >> (i % 64) & 1) != 0;
    if (keys.kind() == KeyKind::kInt64) {
      const auto* integers = static_cast<const char*>(keys.data());
      AddOne({integers + i * sizeof(uint64_t), sizeof(uint64_t)}, was_printed);
    } else {
      AddOne(static_cast<const std::string_view*>(keys.data())[i], was_printed);
    }
  }
}

void ExactDedup::AddOne(std::string_view key, bool was_printed) {
  const auto found = seen_.find(key);
  if (found != seen_.end()) {
    Seen& seen = found->second;
    const uint64_t age = now_ - seen.time;
    if (!seen.is_lost && age < window_) {
      num_wrongly_printed_ += was_printed ? 1 : 0;
      return;
    }
    const bool may_be_either = seen.is_lost ? age < window_ : age - window_ < tolerance_;
    if (may_be_either) {
      ++num_either_;
      if (was_printed) seen = {.time = now_, .is_lost = false};
      return;
    }
    seen = {.time = now_, .is_lost = !was_printed};
  } else {
    seen_.emplace(std::string(key), Seen{.time = now_, .is_lost = !was_printed});
  }
  ++num_new_;
  num_wrongly_suppressed_ += was_printed ? 0 : 1;
}

void ExactDedup::Describe(Report& report) const {
  const double measured_fpr =
      num_new_ == 0 ? 0
                    : static_cast<double>(num_wrongly_suppressed_) / static_cast<double>(num_new_);
  report.Add("num_new", num_new_, "exact answer",
             fmt::format("{} to be printed, of {}", FormatCount(num_new_, "line"),
                         FormatCount(seen_.size(), "distinct key")));
  report.AddField("num_distinct", seen_.size());
  report.Add("num_wrongly_suppressed", num_wrongly_suppressed_, "wrongly suppressed",
             fmt::format("{} ({} of them)", FormatCount(num_wrongly_suppressed_),
                         FormatRate(measured_fpr)));
  report.AddField("measured_fpr", measured_fpr);
  report.Add("num_wrongly_printed", num_wrongly_printed_, "wrongly printed",
             FormatCount(num_wrongly_printed_));
  if (window_ != kForever) {
    report.Add("num_either", num_either_, "either way",
               fmt::format("{} as the window's last bucket went", FormatCount(num_either_)));
  }
}

}  // namespace trommel::tool
