// The demo of a file: queries are drawn from its rows, and a sample of them is changed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/commands/demo.h"
#include "tools/index/rows/row_sample.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr size_t kMostChanges = 1000;
constexpr size_t kRowsPerChange = 50;  // 2 %

class FileRows : public DemoRows {
 public:
  FileRows(const std::string& path, NewTable made)
      : path_(path == "-" ? "(stdin)" : path), made_(std::move(made)) {}

  std::string_view noun() const noexcept override { return "row"; }
  const index::ClusterConfig& config() const noexcept override { return made_.config; }
  uint64_t num_rows() const noexcept override { return sample_.num_added(); }

  Status WriteTo(index::Cluster& table) override {
    return made_.loader.WriteTo(table, [this](const index::Row& row) { sample_.Add(row); });
  }

  Result<std::vector<DemoQuery>> Queries() const override {
    if (num_rows() == 0) return Error{ErrorCode::kInvalidArgument, path_ + ": no rows to query"};
    return DrawDemoQueries(made_.config.schema, sample_.items(), num_rows());
  }

  // Of two rows of the sample, one gets the values of the other, which is deleted.
  std::optional<index::Mutation> Change(uint64_t i) const override {
    const std::vector<index::Row>& rows = sample_.items();
    const size_t num_changes =
        std::min(rows.size(), std::max<size_t>(2, num_rows() / kRowsPerChange));
    if (i >= num_changes) return std::nullopt;
    if (i % 2 != 0) return index::Mutation{rows[i].key, std::nullopt};
    return index::Mutation{rows[i].key, rows[(i + 1) % rows.size()].attributes};
  }

 private:
  std::string path_;
  NewTable made_;
  Reservoir<index::Row> sample_{kMostChanges};
};

}  // namespace

std::unique_ptr<DemoRows> MakeFileRows(const NewTableOptions& options, int& code) {
  std::optional<NewTable> made = ReadNewTable(options, code);
  if (!made) return nullptr;
  if (std::ranges::none_of(made->config.schema.attributes, &index::Attribute::is_indexed)) {
    code = Fail(kUsageError, "--key: no column is left to query");
    return nullptr;
  }
  return std::make_unique<FileRows>(options.input.path, std::move(*made));
}

namespace {

constexpr size_t kMostDrawn = 5;         // attributes
constexpr uint64_t kMostFound = 50'000;  // rows: all are read many times
constexpr size_t kNumPairs = 2;

// Of an attribute, how many rows of the sample have each value.
using ValueCounts = std::map<std::string, uint64_t>;

// Indexed attributes with at least `least` different values, those with few first.
std::vector<uint32_t> AttributesByValues(const index::Schema& schema,
                                         std::span<const ValueCounts> counts, size_t least) {
  std::vector<uint32_t> attributes;
  for (uint32_t i = 0; i < schema.attributes.size(); ++i) {
    if (schema.attributes[i].is_indexed && counts[i].size() >= least) attributes.push_back(i);
  }
  std::ranges::stable_sort(attributes, {},
                           [counts](uint32_t attribute) { return counts[attribute].size(); });
  return attributes;
}

// Of these, the first, the last, and some at even steps between.
std::vector<uint32_t> SpreadOver(const std::vector<uint32_t>& attributes) {
  if (attributes.size() <= kMostDrawn) return attributes;
  std::vector<uint32_t> spread;
  for (size_t i = 0; i < kMostDrawn; ++i) {
    spread.push_back(attributes[i * (attributes.size() - 1) / (kMostDrawn - 1)]);
  }
  return spread;
}

// As Quoted writes it, without quotes where nothing needs them.
std::string Shown(const std::string& text) {
  std::string quoted = Quoted(text);
  const bool is_plain = quoted == "'" + text + "'" && text.find(' ') == std::string::npos;
  return is_plain ? text : quoted;
}

class Drawing {
 public:
  explicit Drawing(const index::Schema& schema) : schema_(schema) {}

  // Unless there is the same query.
  void Add(std::vector<index::Condition> conditions) {
    const auto same = std::ranges::find(queries_, conditions, &DemoQuery::conditions);
    if (same != queries_.end()) return;
    std::string text;
    for (const index::Condition& condition : conditions) {
      if (!text.empty()) text += ' ';
      text += Shown(schema_.attributes[condition.attribute].name) + "=" + Shown(condition.value);
    }
    queries_.push_back({std::move(text), std::move(conditions)});
  }

  // Values of two attributes of the first row, from row `begin` on, that has both.
  void AddPair(std::span<const index::Row> rows, size_t begin, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const index::Row& row = rows[(begin + i) % rows.size()];
      const index::Values& values_a = row.attributes[a];
      const index::Values& values_b = row.attributes[b];
      if (values_a.empty() || values_b.empty()) continue;
      Add({{a, values_a[values_a.size() / 2]}, {b, values_b[values_b.size() / 2]}});
      return;
    }
  }

  std::vector<DemoQuery> Take() { return std::move(queries_); }

 private:
  const index::Schema& schema_;
  std::vector<DemoQuery> queries_;
};

}  // namespace

std::vector<DemoQuery> DrawDemoQueries(const index::Schema& schema,
                                       std::span<const index::Row> sample, uint64_t num_rows) {
  std::vector<ValueCounts> counts(schema.attributes.size());
  for (const index::Row& row : sample) {
    for (size_t i = 0; i < counts.size(); ++i) {
      for (const std::string& value : row.attributes[i]) ++counts[i][value];
    }
  }
  std::vector<uint32_t> attributes = SpreadOver(AttributesByValues(schema, counts, 2));
  if (attributes.empty()) attributes = SpreadOver(AttributesByValues(schema, counts, 0));
  Drawing drawing(schema);
  for (const uint32_t attribute : attributes) {
    const ValueCounts& values = counts[attribute];
    const auto frequency = [&](const ValueCounts::value_type& value) {
      return value.second * num_rows / sample.size() <= kMostFound ? value.second : 0;
    };
    const auto frequent = std::ranges::max_element(values, {}, frequency);
    const auto rare = std::ranges::min_element(values, {}, &ValueCounts::value_type::second);
    if (values.empty()) continue;
    if (frequency(*frequent) > 0) drawing.Add({{attribute, frequent->first}});
    drawing.Add({{attribute, rare->first}});
  }
  // Neighbours from the middle on: neither has a few values only, or one for each row.
  const size_t num_pairs = attributes.size() - 1;
  for (size_t i = 0; num_pairs > 0 && i < kNumPairs; ++i) {
    const size_t first = ((num_pairs - 1) / 2 + i) % num_pairs;
    drawing.AddPair(sample, i * sample.size() / kNumPairs, attributes[first],
                    attributes[first + 1]);
  }
  std::string absent = "no-such-value";
  while (counts[attributes.back()].contains(absent)) absent += '-';
  drawing.Add({{attributes.back(), absent}});
  return drawing.Take();
}

}  // namespace trommel::tool
