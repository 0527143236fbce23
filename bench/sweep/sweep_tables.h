// The tables of a sweep's page.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_TABLES_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_TABLES_H_

#include <string>
#include <utility>
#include <vector>

#include "bench/html/html_report.h"
#include "bench/sweep/machine_card.h"
#include "bench/sweep/sweep.h"
#include "bench/sweep/sweep_plan.h"
#include "bench/sweep/sweep_view.h"

namespace trommel::bench {

// What encodings are compared by.
inline constexpr Operation kComparedOperations[] = {Operation::kInsert, Operation::kErase,
                                                    Operation::kQueryMiss, Operation::kQueryHit};

// What each encoding takes at the largest size up to 30 M keys.
HtmlTable SummaryTable(const SweepView& view);

// Which encoding is fastest here, and by how much.
HtmlTable ChoicesTable(const SweepView& view, const std::vector<SweepFigure>& figures);

HtmlTable RowsTable(const std::vector<SweepFigure>& figures);

std::vector<std::pair<std::string, std::string>> CardRows(const MachineCard& card);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_TABLES_H_
