// A table made by the program, and questions to it.
#ifndef TROMMEL_TESTS_INDEX_TOOLS_MADE_TABLE_H_
#define TROMMEL_TESTS_INDEX_TOOLS_MADE_TABLE_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {

// "id\tcolour\ttags\tshape\n" and rows: id 0000 to num_rows - 1, one of 5 colours, tags "t0,u0" to
// "t6,u2", shapes null for each second row.
inline std::string ShapesTsv(size_t first, size_t num_rows) {
  std::string text = "id\tcolour\ttags\tshape\n";
  for (size_t i = first; i < first + num_rows; ++i) {
    const std::string digits = std::to_string(i);
    text += std::string(4 - digits.size(), '0') + digits + "\tcolour" + std::to_string(i % 5) +
            "\tt" + std::to_string(i % 7) + ",u" + std::to_string(i % 3) + "\t" +
            (i % 2 == 0 ? "" : "shape" + std::to_string(i % 100)) + "\n";
  }
  return text;
}

class MadeTable {
 public:
  // Rows 0 to num_rows - 1 of ShapesTsv, with the options beside those of the columns.
  explicit MadeTable(size_t num_rows, const std::vector<std::string>& options = {}) {
    loaded_ = RunTool(With({"load", path(), folder_.Write("rows.tsv", ShapesTsv(0, num_rows)),
                            "--key", "id", "--set-valued", "tags"},
                           options));
    CAPTURE(loaded_.err);
    REQUIRE(loaded_.exit_code == 0);
  }

  std::string path() const { return folder_.Path("table"); }
  const TempFolder& folder() const { return folder_; }
  const ToolResult& loaded() const { return loaded_; }

  // Runs `command` on the table.
  ToolResult Run(const std::string& command, const std::vector<std::string>& more,
                 const std::string& input = "") const {
    return RunTool(With({command, path()}, more), input);
  }

  // The report of a command that exits as expected.
  nlohmann::json Report(const std::string& command, std::vector<std::string> more,
                        int exit_code = 0) const {
    more.push_back("--json");
    const ToolResult result = Run(command, more);
    CAPTURE(command, result.err);
    REQUIRE(result.exit_code == exit_code);
    return nlohmann::json::parse(result.out);
  }

  // How many rows have the values, by the directory; verified against a broadcast.
  size_t NumFound(std::vector<std::string> conditions) const {
    conditions.push_back("-q");
    const ToolResult found = Run("query", conditions);
    conditions.push_back("--broadcast");
    CHECK(Run("query", conditions).out == found.out);
    return std::stoul(found.out);
  }

 private:
  TempFolder folder_;
  ToolResult loaded_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_INDEX_TOOLS_MADE_TABLE_H_
