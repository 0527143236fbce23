// Tables with tabs between cells, under a line with the columns' names.
#ifndef TROMMEL_BENCH_TEXT_TSV_H_
#define TROMMEL_BENCH_TEXT_TSV_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trommel/result.h"

namespace trommel::bench {

// The parts of a text between separators: one more than there are of these, which may be empty.
// They point into the text.
inline std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

class Tsv {
 public:
  // Fails with kInvalidArgument where there is no header. Errors call the table `name`.
  static Result<Tsv> Open(std::istream& lines, std::string name) {
    std::string header;
    if (!std::getline(lines, header)) return Bad(name + ": has no header");
    Tsv tsv(lines, std::move(name));
    for (const std::string_view column : SplitAt(header, '\t')) tsv.columns_.emplace_back(column);
    return tsv;
  }

  const std::vector<std::string>& columns() const { return columns_; }
  // The places of columns, whose names are separated by commas; none of an empty list. Fails with
  // kInvalidArgument for one that is not there.
  Result<std::vector<size_t>> PlacesOf(std::string_view names) const {
    std::vector<size_t> places;
    if (names.empty()) return places;
    for (const std::string_view wanted : SplitAt(names, ',')) {
      const auto found = std::ranges::find(columns_, wanted);
      if (found == columns_.end()) return Bad(name_ + ": no column '" + std::string(wanted) + "'");
      places.push_back(static_cast<size_t>(found - columns_.begin()));
    }
    return places;
  }

  // Calls visit(cells, place) for each further line, with "NAME:LINE", until it fails. Fails with
  // kInvalidArgument for a line of another number of cells than the header's.
  template <class Visit>
  Status ForEachLine(const Visit& visit) {
    std::string line;
    for (uint64_t number = 2; std::getline(*lines_, line); ++number) {
      const std::vector<std::string_view> cells = SplitAt(line, '\t');
      const std::string place = name_ + ":" + std::to_string(number);
      if (cells.size() != columns_.size()) {
        return Bad(place + ": " + std::to_string(cells.size()) + " cells; the header has " +
                   std::to_string(columns_.size()));
      }
      if (Status visited = visit(cells, place); !visited.ok()) return visited;
    }
    return Ok();
  }

  static Error Bad(std::string message) {
    return {ErrorCode::kInvalidArgument, std::move(message)};
  }

 private:
  Tsv(std::istream& lines, std::string name) : lines_(&lines), name_(std::move(name)) {}

  std::istream* lines_;
  std::string name_;
  std::vector<std::string> columns_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TEXT_TSV_H_
