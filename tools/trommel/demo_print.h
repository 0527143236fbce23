// What the demo shows: plain text of at most 80 columns, or fields of a JSON object.
#ifndef TROMMEL_TOOLS_DEMO_PRINT_H_
#define TROMMEL_TOOLS_DEMO_PRINT_H_

#include "tools/trommel/demo_keys.h"
#include "tools/trommel/demo_replay.h"
#include "tools/trommel/demo_speed.h"
#include "tools/trommel/demo_trial.h"
#include "tools/trommel/report.h"

namespace trommel::tool {

void DescribeKeys(const DemoKeys& keys, Report& report);
void DescribeTrial(const Trial& trial, Report& report);
void DescribeSpeed(const Speed& speed, const Trial& trial, Report& report);
void DescribeReplay(const Replay& replay, Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DEMO_PRINT_H_
