// The false-positive rate after keys were inserted, beside the requested one.
#ifndef TROMMEL_TOOLS_RATE_REPORT_H_
#define TROMMEL_TOOLS_RATE_REPORT_H_

#include <string>

#include "tools/trommel/filters/family_filter.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {

// Adds the rate now, and of a window the highest one and the keys beyond its buckets' size.
void DescribeRate(const FamilyFilter& filter, Report& report);

// Adds the highest rate of a window while keys were inserted; nothing for other types.
void DescribeHighestRate(const FamilyFilter& filter, Report& report);

// Says how a window's rate came to exceed what it was sized for while keys were inserted, and what
// keeps it; empty if it did not.
std::string WindowRateWarning(const FamilyFilter& filter);

// Prints the warning, if there is one, as a line of standard error.
void WarnOfWindowRate(const FamilyFilter& filter);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_RATE_REPORT_H_
