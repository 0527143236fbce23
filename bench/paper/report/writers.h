// A report as text for a terminal and as a page.
#ifndef TROMMEL_BENCH_PAPER_REPORT_WRITERS_H_
#define TROMMEL_BENCH_PAPER_REPORT_WRITERS_H_

#include <cstddef>
#include <string>

#include "bench/paper/report/report.h"

namespace trommel::paper {

// One line per row, its note below it.
std::string ReportText(const Report& report);

// `text` broken at spaces so that no line is longer than `width`, each with `indent` spaces first.
// Ends with a newline unless empty. Line ends of the text stay.
std::string Wrapped(const std::string& text, size_t indent, size_t width = 110);

// One HTML file: a section per table, with a mark for each figure of each row above the table, and
// per chart. `command` is what made it.
std::string ReportHtml(const Report& report, const std::string& command);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_REPORT_WRITERS_H_
