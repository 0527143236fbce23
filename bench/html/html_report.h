// Reports as one HTML file that needs no network and no other file: text, charts that are drawn in
// the browser by uPlot (assets/; 53 kB of the file), and tables. Every figure of a chart is in the
// file, so a reader can hover for it, hide lines, zoom, copy the data or download it as CSV.
//
// uPlot and not SVG of our own: what a reader does with a chart (exact figures under the pointer,
// lines that can be hidden, zooming) is the library's, and 53 kB is little beside that.
#ifndef TROMMEL_BENCH_HTML_HTML_REPORT_H_
#define TROMMEL_BENCH_HTML_HTML_REPORT_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trommel::bench {

struct HtmlLine {
  std::string name = {};
  std::vector<double> y = {};  // one per x of the chart; NaN where there is none
  // The range that repetitions had, one per x; both empty where there is one figure only.
  std::vector<double> low = {};
  std::vector<double> high = {};
  bool is_points = false;                // marks without a line
  bool is_dashed = false;                // a ceiling, or a model
  std::optional<size_t> colour_of = {};  // the line of the chart whose colour it has
};

struct HtmlChart {
  std::string title = {};
  std::string text = {};  // what it shows
  std::string x_name = {};
  std::string y_name = {};
  std::string unit = {};                 // of y: "ns", "%", "x"
  std::vector<double> x = {};            // ascending
  std::vector<std::string> labels = {};  // instead of x: names, for x = 0, 1, 2 ...
  std::vector<HtmlLine> lines = {};
  bool log_x = false;  // requires positive figures
  bool log_y = false;
  bool y_from_zero = true;  // of a linear y axis
};

enum class CellKind : char { kPlain, kGood, kBad };

struct HtmlCell {
  std::string text = {};
  CellKind kind = CellKind::kPlain;
};

struct HtmlTable {
  std::string title = {};
  std::string text = {};
  std::vector<std::string> head = {};
  std::vector<std::vector<HtmlCell>> rows = {};  // as many cells as the head has
};

struct HtmlSection {
  std::string title = {};
  std::string text = {};
  std::vector<HtmlChart> charts = {};
  std::vector<HtmlTable> tables = {};
};

struct HtmlReport {
  std::string title = {};
  std::string subtitle = {};
  std::string command = {};                // that made it
  std::vector<std::string> findings = {};  // what a reader should know first, a sentence each
  HtmlTable summary = {};                  // below the findings, if it has rows
  std::vector<HtmlSection> sections = {};
  std::vector<std::pair<std::string, std::string>> card = {};  // of the machine
};

// A chart of names instead of numbers along x: fills x.
void SetLabels(HtmlChart& chart, std::vector<std::string> labels);

// The whole file. Texts may hold anything: they are set as text, never as markup.
std::string HtmlText(const HtmlReport& report);

// Charts of figures with the range that their repetitions had.

struct FigureRange {
  double middle = 0, low = 0, high = 0;
};

// The median of the repetitions, and their least and greatest. Requires at least one.
FigureRange RangeOfRepetitions(std::vector<double> repetitions);

// The range of over / under: of the medians, and the least and greatest that the repetitions allow.
FigureRange RatioOf(const FigureRange& over, const FigureRange& under);

// Lines that share a chart: each has a figure at some values of x.
class RangeLines {
 public:
  void Add(const std::string& line, double x, const FigureRange& figure);
  // A figure without repetitions: a ceiling or a model, drawn dashed.
  void AddBound(const std::string& line, double x, double figure);
  bool empty() const { return lines_.empty(); }

  // Fills x and lines of the chart; y is NaN where a line has no figure.
  void PutInto(HtmlChart& chart) const;

 private:
  struct Line {
    std::string name = {};
    bool is_bound = false;
    std::map<double, FigureRange> figures = {};
  };
  Line& Find(const std::string& name, bool is_bound);

  std::vector<Line> lines_;  // in the order of their first figure
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_HTML_HTML_REPORT_H_
