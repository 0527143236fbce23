// Rows as text.
#include "tools/index/table/row_output.h"

#include <unistd.h>

#include <string_view>
#include <utility>

#include "tools/index/rows/table_columns.h"
#include "tools/trommel/output/line_writer.h"

namespace trommel::tool {
namespace {

void AppendCell(std::string_view text, std::string& line) {
  for (const char c : text) {
    switch (c) {
      case '\t':
        line += "\\t";
        break;
      case '\n':
        line += "\\n";
        break;
      case '\r':
        line += "\\r";
        break;
      default:
        line += c;
    }
  }
}

}  // namespace

Status PrintRows(const index::Schema& schema, std::span<const index::Row> rows) {
  LineWriter writer(STDOUT_FILENO, "\n");
  std::string line = "key";
  for (const index::Attribute& attribute : schema.attributes) {
    line += '\t';
    AppendCell(attribute.name, line);
  }
  if (Status written = writer.Write(line); !written.ok()) return written;
  for (const index::Row& row : rows) {
    line.clear();
    AppendCell(KeyText(schema, row.key), line);
    for (const index::Values& values : row.attributes) {
      line += '\t';
      for (size_t i = 0; i < values.size(); ++i) {
        if (i > 0) line += ',';
        AppendCell(values[i], line);
      }
    }
    if (Status written = writer.Write(line); !written.ok()) return written;
  }
  return writer.Flush();
}

Json RowJson(const index::Schema& schema, const index::Row& row) {
  Json attributes = Json::Object();
  for (size_t i = 0; i < row.attributes.size(); ++i) {
    attributes.Add(schema.attributes[i].name, Json::Array(row.attributes[i]));
  }
  return {{"key", KeyText(schema, row.key)}, {"attributes", std::move(attributes)}};
}

}  // namespace trommel::tool
