// The false-positive rate after keys were inserted, beside the requested one.
#ifndef TROMMEL_TOOLS_RATE_REPORT_H_
#define TROMMEL_TOOLS_RATE_REPORT_H_

#include <string>

#include "tools/trommel/filters/family_filter.h"
#include "tools/trommel/filters/key_figures.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {

// Adds the rate now, and of a window the highest one and the insertions beyond its size. Here and
// below, `figures` are the filter's now.
void DescribeRate(const FamilyFilter& filter, const KeyFigures& figures, Report& report);

// Adds the highest rate of a window while keys were inserted; nothing for other types.
void DescribeHighestRate(const FamilyFilter& filter, const KeyFigures& figures, Report& report);

// Says that the filter holds more distinct keys than it was sized for, without a full stop: what to
// do about it follows. Empty if it does not.
std::string CapacityWarning(const FamilyFilter& filter, const KeyFigures& figures);

// Says how a window's rate came to exceed what it was sized for while keys were inserted, and what
// keeps it; empty if it did not.
std::string WindowRateWarning(const FamilyFilter& filter, const KeyFigures& figures);

// Prints the warning, if there is one, as a line of standard error.
void WarnOfWindowRate(const FamilyFilter& filter, const KeyFigures& figures);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_RATE_REPORT_H_
