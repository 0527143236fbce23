// How a query was answered, for people and programs.
#ifndef TROMMEL_TOOLS_INDEX_PLAN_OUTPUT_H_
#define TROMMEL_TOOLS_INDEX_PLAN_OUTPUT_H_

#include "tools/trommel/output/report.h"
#include "trommel/index/query.h"
#include "trommel/index/schema.h"

namespace trommel::tool {

// Adds rows, plan and unanswered ranges. RPCs are compared with one to each server, which is what
// the same query takes without a directory.
void DescribeAnswer(const index::Schema& schema, const index::QueryOutcome& outcome,
                    Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_PLAN_OUTPUT_H_
