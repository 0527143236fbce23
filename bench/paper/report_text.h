// A report as text for a terminal: a line a row, its note below it.
#ifndef TROMMEL_BENCH_PAPER_REPORT_TEXT_H_
#define TROMMEL_BENCH_PAPER_REPORT_TEXT_H_

#include <string>

#include "bench/paper/comparison.h"

namespace trommel::paper {

std::string ReportText(const Report& report);

// `text` broken at spaces so that no line is longer than `width`, each with `indent` spaces first.
// Ends with a newline unless empty. Line ends in the text stay.
std::string Wrapped(const std::string& text, size_t indent, size_t width = 110);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_REPORT_TEXT_H_
