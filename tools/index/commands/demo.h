// The demo: its rows, a made-up catalogue or those of a file, and its queries, each by the
// directory and by broadcast.
#ifndef TROMMEL_TOOLS_INDEX_DEMO_H_
#define TROMMEL_TOOLS_INDEX_DEMO_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/index/table/new_table.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"
#include "trommel/index/query.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::tool {

struct DemoQuery {
  std::string text;  // "brand=brand-0037 colour=red"
  std::vector<index::Condition> conditions;
};

struct DemoFigures {
  std::string query;          // its text
  index::QueryOutcome found;  // by the directory; its rows are dropped
  size_t num_rows = 0;
  double directory_ms = 0;  // medians
  double broadcast_ms = 0;
  bool do_agree = false;  // both found the same rows, and all servers answered
};

// Runs the queries in this order, each at most `most_times`, with progress. Fails as Cluster::Find
// does, and when an interrupt is noted.
Result<std::vector<DemoFigures>> RunDemoQueries(const index::Cluster& table,
                                                std::span<const DemoQuery> queries,
                                                size_t most_times, bool quiet);

// A table with a line per query.
void DescribeDemoQueries(std::span<const DemoFigures> figures, Report& report);

// About a dozen: of up to five indexed attributes, from few to many different values in the sample
// of `num_rows` rows, a frequent value and a rare one; two pairs of values that a row has; a value
// that no row of the sample has. No query finds more than about 50,000 rows, if a column has a
// value that is rare enough. The same sample gives the same queries. Requires an indexed attribute.
std::vector<DemoQuery> DrawDemoQueries(const index::Schema& schema,
                                       std::span<const index::Row> sample, uint64_t num_rows);

// What the demo shows. Not thread-safe.
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

#endif  // TROMMEL_TOOLS_INDEX_DEMO_H_
