// The tables of a sweep's page.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_TABLES_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_TABLES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/html/html_report.h"
#include "bench/sweep/machine_card.h"
#include "bench/sweep/sweep.h"
#include "bench/sweep/sweep_plan.h"
#include "bench/text/figures.h"

namespace trommel::bench {

// What one chart or table shows of a sweep.

// The rows of a sweep differ in one thing from its base case: a view holds those in which one thing
// varies and everything else is the base's.
class SweepView {
 public:
  // Keeps references.
  SweepView(const MachineCard& card, const std::vector<SweepFigure>& figures);

  uint64_t base_keys() const { return base_keys_; }
  uint32_t base_threads() const { return base_threads_; }
  Encoding base_encoding() const { return base_encoding_.value_or(Encoding::kPlanes); }

  bool HasBaseTarget(const SweepRow& row) const { return row.target == card_.target; }
  bool HasBaseThreads(const SweepRow& row) const { return row.num_threads == base_threads_; }
  bool HasBaseBatch(const SweepRow& row) const { return row.batch == kSweepBatch; }
  bool HasBaseEncoding(const SweepRow& row) const {
    return IsHashing(row.operation) || row.encoding == base_encoding();
  }
  bool HasBaseKeys(const SweepRow& row) const { return row.num_keys == base_keys_; }
  // Everything but the number of keys and the encoding is the base's.
  bool IsOfSizes(const SweepRow& row) const {
    return HasBaseTarget(row) && HasBaseThreads(row) && HasBaseBatch(row) &&
           !IsCeiling(row.operation);
  }

  void ForEach(const std::function<bool(const SweepRow&)>& chosen,
               const std::function<void(const SweepFigure&)>& visit) const {
    for (const SweepFigure& figure : figures_) {
      if (chosen(figure.row)) visit(figure);
    }
  }

  // A row of the base's threads, batch and target; null: not measured.
  const SweepFigure* Find(Operation op, uint64_t num_keys, Encoding encoding) const;
  // The same of the textbook's filter, in the base's batches.
  const SweepFigure* FindTextbook(Operation op, uint64_t num_keys) const;

 private:
  const SweepFigure* FindIf(const std::function<bool(const SweepRow&)>& chosen) const;

  const MachineCard& card_;
  const std::vector<SweepFigure>& figures_;
  uint64_t base_keys_ = 0;
  uint32_t base_threads_ = ~uint32_t{0};
  std::optional<Encoding> base_encoding_;
};

FigureRange NsOf(const SweepFigure& figure);
std::string NameOf(const SweepFigure& figure);  // of its operation
std::string KeysText(uint64_t num_keys);        // "30 M keys"

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
