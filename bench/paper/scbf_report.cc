#include "bench/paper/scbf_report.h"

#include "bench/paper/scbf_generations.h"
#include "bench/paper/scbf_overflow.h"
#include "bench/paper/scbf_sizing.h"

namespace trommel::paper {

Report ScbfReport(const Options& options) {
  Report report{
      .name = "reproduce_scbf",
      .source =
          "Huang, Fang and Zhang, Split Counting Bloom Filter and its Application in Hbase "
          "Secondary Index",
      .tables = {ScbfSizing(options)}};
  for (Table& table : ScbfOverflow(options)) report.tables.push_back(std::move(table));
  for (Table& table : ScbfGenerations(options)) report.tables.push_back(std::move(table));
  return report;
}

}  // namespace trommel::paper
