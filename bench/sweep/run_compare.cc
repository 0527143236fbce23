#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "bench/sweep/run_file.h"
#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

// The times of one row in a file.
struct Times {
  std::vector<double> per_iteration;
  std::vector<double> per_key;  // empty unless all repetitions have it
};

double NsPer(const std::string& unit) {
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  return unit == "s" ? 1e9 : 1;
}

// A file's rows by name, and the names in its order.
class RowTimes {
 public:
  explicit RowTimes(const RunFile& file) {
    for (const RunRecord& record : file.records) {
      if (record.run_type != "aggregate") Add(record);
    }
    for (const char* aggregate : {"median", "mean"}) {
      std::map<std::string, Times> before = times_;
      for (const RunRecord& record : file.records) {
        if (record.aggregate_name == aggregate && !before.contains(record.run_name)) Add(record);
      }
    }
  }

  const std::vector<std::string>& names() const { return names_; }
  const Times* Find(const std::string& name) const {
    const auto found = times_.find(name);
    return found == times_.end() ? nullptr : &found->second;
  }

 private:
  void Add(const RunRecord& record) {
    const double ns = record.real_time * NsPer(record.time_unit);
    if (!(ns > 0) || !std::isfinite(ns)) return;  // gives no ratio
    const auto [found, is_new] = times_.try_emplace(record.run_name);
    if (is_new) names_.push_back(record.run_name);
    Times& times = found->second;
    times.per_iteration.push_back(ns);
    const double per_key = record.Counter(kNsPerKey, 0);
    if (per_key > 0 && times.per_key.size() + 1 == times.per_iteration.size()) {
      times.per_key.push_back(per_key);
    }
  }

  std::map<std::string, Times> times_;
  std::vector<std::string> names_;
};

TimeRange RangeOf(const std::vector<double>& values) {
  const auto [min, max] = std::ranges::minmax(values);
  return {Median(values), min, max};
}

bool HasPerKey(const Times& times) { return times.per_key.size() == times.per_iteration.size(); }

ComparedRow CompareRow(const std::string& name, const Times& a, const Times& b) {
  const bool per_key = HasPerKey(a) && HasPerKey(b);
  ComparedRow row;
  row.name = name;
  row.a = RangeOf(per_key ? a.per_key : a.per_iteration);
  row.b = RangeOf(per_key ? b.per_key : b.per_iteration);
  row.ratio = {row.b.median / row.a.median, row.b.min / row.a.max, row.b.max / row.a.min};
  return row;
}

std::vector<CardDifference> Differences(const RunFile& a, const RunFile& b) {
  const std::map<std::string, std::string> in_a(a.context.begin(), a.context.end());
  const std::map<std::string, std::string> in_b(b.context.begin(), b.context.end());
  std::vector<CardDifference> differences;
  for (const auto& [field, value] : a.context) {
    const auto found = in_b.find(field);
    const std::string other = found == in_b.end() ? "" : found->second;
    if (value != other) differences.push_back({field, value, other});
  }
  for (const auto& [field, value] : b.context) {
    if (!in_a.contains(field)) differences.push_back({field, "", value});
  }
  return differences;
}

}  // namespace

Result<Comparison> Compare(const RunFile& a, const RunFile& b) {
  const RowTimes in_a(a);
  const RowTimes in_b(b);
  Comparison comparison;
  for (const std::string& name : in_a.names()) {
    if (const Times* other = in_b.Find(name)) {
      comparison.rows.push_back(CompareRow(name, *in_a.Find(name), *other));
    } else {
      comparison.only_a.push_back(name);
    }
  }
  for (const std::string& name : in_b.names()) {
    if (in_a.Find(name) == nullptr) comparison.only_b.push_back(name);
  }
  if (comparison.rows.empty()) {
    return Error{ErrorCode::kMismatch,
                 "the files have no row in common: " + std::to_string(in_a.names().size()) +
                     " rows in one, " + std::to_string(in_b.names().size()) + " in the other"};
  }
  comparison.card = Differences(a, b);
  return comparison;
}

}  // namespace trommel::bench
