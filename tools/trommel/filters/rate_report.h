// The false-positive rate after keys were inserted, beside the requested one.
#ifndef TROMMEL_TOOLS_RATE_REPORT_H_
#define TROMMEL_TOOLS_RATE_REPORT_H_

#include <string>

#include "tools/trommel/filters/window_rate.h"
#include "tools/trommel/output/report.h"
#include "trommel/any_filter.h"

namespace trommel::tool {

// Here and below, `figures` are the filter's now, measured, and `rate` is KeyUpdates::window_rate.

// Adds the rate now, and of a window the highest one and the insertions beyond its size.
void DescribeRate(const Figures& figures, const WindowRate* rate, Report& report);

// Adds the highest rate of a window while keys were inserted; nothing for other types.
void DescribeHighestRate(const Figures& figures, const WindowRate* rate, Report& report);

// Says that the filter holds more distinct keys than it was sized for, without a full stop: what to
// do about it follows. Empty if it does not.
std::string CapacityWarning(const Figures& figures);

// Says how a window's rate came to exceed what it was sized for while keys were inserted, and what
// keeps it; empty if it did not.
std::string WindowRateWarning(const Figures& figures, const WindowRate* rate);

// Prints the warning, if there is one, as a line of standard error.
void WarnOfWindowRate(const Figures& figures, const WindowRate* rate);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_RATE_REPORT_H_
