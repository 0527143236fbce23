// The demo of a file: queries are drawn from its rows, and a sample of them is changed.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/commands/demo_draw.h"
#include "tools/index/commands/demo_rows.h"
#include "tools/index/rows/row_sample.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr size_t kMostChanges = 1000;
constexpr size_t kRowsPerChange = 50;  // 2 %

class FileRows : public DemoRows {
 public:
  FileRows(const std::string& path, NewTable made)
      : path_(path == "-" ? "(stdin)" : path),
        made_(std::move(made)),
        sample_(made_.config.schema, kMostChanges) {}

  std::string_view noun() const noexcept override { return "row"; }
  const index::ClusterConfig& config() const noexcept override { return made_.config; }
  uint64_t num_rows() const noexcept override { return sample_.num_rows(); }

  Status WriteTo(index::Cluster& table) override {
    return made_.loader.WriteTo(table, [this](const index::Row& row) { sample_.Add(row); });
  }

  Result<std::vector<DemoQuery>> Queries() const override {
    if (num_rows() == 0) return Error{ErrorCode::kInvalidArgument, path_ + ": no rows to query"};
    return DrawDemoQueries(made_.config.schema, sample_);
  }

  // Of two rows of the sample, one gets the values of the other, which is deleted.
  std::optional<index::Mutation> Change(uint64_t i) const override {
    const std::vector<index::Row>& rows = sample_.rows();
    const size_t num_changes =
        std::min(rows.size(), std::max<size_t>(2, num_rows() / kRowsPerChange));
    if (i >= num_changes) return std::nullopt;
    if (i % 2 != 0) return index::Mutation{rows[i].key, std::nullopt};
    return index::Mutation{rows[i].key, rows[(i + 1) % rows.size()].attributes};
  }

 private:
  std::string path_;
  NewTable made_;
  RowSample sample_;
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

}  // namespace trommel::tool
