// What `trommel bench` prints for people.
#ifndef TROMMEL_TOOLS_BENCH_PRINT_H_
#define TROMMEL_TOOLS_BENCH_PRINT_H_

#include <cstdint>
#include <string>

#include "bench/sweep/machine_card.h"
#include "bench/sweep/sweep.h"

namespace trommel::tool {

// All of these end with a newline.
std::string CardText(const bench::MachineCard& card);
// What to know where other programs are busy; empty where none are.
std::string BusyText(const bench::MachineCard& card);
std::string TableHead();
// The title over a group of rows: those of one size, or the machine's ceilings.
std::string GroupTitle(const bench::SweepFigure& figure);
std::string FigureLine(const bench::SweepFigure& figure);
// How the largest filter's memory lay.
std::string PagesText(uint64_t filter_bytes, uint64_t huge_page_bytes);

std::string FormatPerSecond(double rate);  // "161 M", "1.45 G": three digits

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_BENCH_PRINT_H_
