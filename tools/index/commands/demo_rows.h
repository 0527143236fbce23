// DemoRows: what the demo shows, a made-up catalogue or the rows of a file.
#ifndef TROMMEL_TOOLS_INDEX_DEMO_ROWS_H_
#define TROMMEL_TOOLS_INDEX_DEMO_ROWS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/index/commands/demo_queries.h"
#include "tools/index/table/new_table.h"
#include "trommel/index/cluster.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::tool {

// Not thread-safe.
class DemoRows {
 public:
  DemoRows() = default;
  DemoRows(const DemoRows&) = delete;
  DemoRows& operator=(const DemoRows&) = delete;
  virtual ~DemoRows() = default;

  virtual std::string_view noun() const noexcept = 0;  // "product"
  virtual const index::ClusterConfig& config() const noexcept = 0;

  // Writes all rows, with progress. Fails as Cluster::Write does, and when an interrupt is noted.
  virtual Status WriteTo(index::Cluster& table) = 0;

  // The others require that WriteTo was called.
  virtual uint64_t num_rows() const noexcept = 0;
  virtual Result<std::vector<DemoQuery>> Queries() const = 0;
  // Change i of a sample of the rows, from 0; none behind the last.
  virtual std::optional<index::Mutation> Change(uint64_t i) const = 0;
};

// `options` has servers and regions.
std::unique_ptr<DemoRows> MakeCatalogueRows(uint64_t num_products, const NewTableOptions& options);

// The rows of options.input. Where that fails, does as ReadNewTable does.
std::unique_ptr<DemoRows> MakeFileRows(const NewTableOptions& options, int& code);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_DEMO_ROWS_H_
