// The demo's catalogue (bench/sides/catalogue.h), and values from those of one region to those of
// all.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/sides/catalogue.h"
#include "tools/index/commands/demo_rows.h"
#include "tools/index/rows/attribute_names.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {
namespace {

constexpr uint64_t kCatalogueSeed = 20240229;
constexpr uint64_t kProductsPerWrite = 1000;
constexpr std::array kCatalogueQueries = {
    "ean=4000000001234",
    "ean=0000000000000",
    "supplier=S0100",
    "series=brand-0037/series-07",
    "brand=brand-0037",
    "brand=brand-0037 colour=red",
    "brand=brand-1999",
    "tag=tag-2500",
    "tag=tag-2500 tag=tag-0002",
    "category=category-250",
    "category=category-250 country=country-40",
    "warehouse=W007 year=2012 price=band-11 material=material-07",
    "colour=teal year=2012 price=band-11",
};

class CatalogueRows : public DemoRows {
 public:
  CatalogueRows(uint64_t num_products, const NewTableOptions& options)
      : num_products_(num_products), quiet_(options.input.quiet) {
    config_.schema = bench::Catalogue::MakeSchema();
    config_.num_servers = options.num_servers;
    config_.splits = catalogue_.Splits(num_products, NumRegions(options));
  }

  std::string_view noun() const noexcept override { return "product"; }
  const index::ClusterConfig& config() const noexcept override { return config_; }
  uint64_t num_rows() const noexcept override { return num_products_; }

  Status WriteTo(index::Cluster& table) override {
    Progress progress("loading", quiet_, std::nullopt);
    for (uint64_t begin = 0; begin < num_products_; begin += kProductsPerWrite) {
      std::vector<index::Mutation> batch;
      for (uint64_t i = begin; i < std::min(begin + kProductsPerWrite, num_products_); ++i) {
        index::Row row = catalogue_.Product(i);
        batch.push_back({std::move(row.key), std::move(row.attributes)});
      }
      if (Status written = table.Write(batch); !written.ok()) return written;
      if (NotedInterrupt() != 0) return Error{ErrorCode::kIo, "interrupted"};
      if (progress.IsDue()) {
        progress.Draw(
            fmt::format("{} of {} products", FormatCount(begin), FormatCount(num_products_)));
      }
    }
    return Ok();
  }

  Result<std::vector<DemoQuery>> Queries() const override {
    std::vector<DemoQuery> queries;
    for (const char* const text : kCatalogueQueries) {
      DemoQuery query{text, {}};
      std::istringstream words(query.text);
      for (std::string word; words >> word;) {
        Result<index::Condition> condition = ParseCondition(config_.schema, word);
        if (!condition.ok()) return condition.error();
        query.conditions.push_back(std::move(*condition));
      }
      queries.push_back(std::move(query));
    }
    return queries;
  }

  // Each fiftieth product gets the values of another one, and the one after it is deleted.
  std::optional<index::Mutation> Change(uint64_t i) const override {
    constexpr uint64_t kStep = 50;
    const uint64_t product = i / 2 * kStep;
    if (product + 1 >= num_products_) return std::nullopt;
    if (i % 2 != 0) return index::Mutation{catalogue_.Product(product + 1).key, std::nullopt};
    return index::Mutation{catalogue_.Product(product).key,
                           catalogue_.Product(num_products_ + product).attributes};
  }

 private:
  const bench::Catalogue catalogue_{kCatalogueSeed};
  const uint64_t num_products_;
  const bool quiet_;
  index::ClusterConfig config_;
};

}  // namespace

std::unique_ptr<DemoRows> MakeCatalogueRows(uint64_t num_products, const NewTableOptions& options) {
  return std::make_unique<CatalogueRows>(num_products, options);
}

}  // namespace trommel::tool
