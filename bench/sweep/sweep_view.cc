#include "bench/sweep/sweep_view.h"

#include <algorithm>

namespace trommel::bench {

SweepView::SweepView(const MachineCard& card, const std::vector<SweepFigure>& figures)
    : card_(card), figures_(figures) {
  for (const SweepFigure& figure : figures) {
    if (!IsOfFilter(figure.row.operation)) continue;
    base_keys_ = std::max(base_keys_, figure.row.num_keys <= 30'000'000 ? figure.row.num_keys : 0);
    base_threads_ = std::min(base_threads_, figure.row.num_threads);
    if (!base_encoding_) base_encoding_ = figure.row.encoding;
  }
}

const SweepFigure* SweepView::Find(Operation op, uint64_t num_keys, Encoding encoding) const {
  const auto found = std::ranges::find_if(figures_, [&](const SweepFigure& figure) {
    const SweepRow& row = figure.row;
    return row.operation == op && row.num_keys == num_keys && row.encoding == encoding &&
           IsOfSizes(row);
  });
  return found == figures_.end() ? nullptr : &*found;
}

const SweepFigure* SweepView::FindTextbook(Operation op, uint64_t num_keys) const {
  const auto found = std::ranges::find_if(figures_, [&](const SweepFigure& figure) {
    const SweepRow& row = figure.row;
    return row.operation == TextbookOf(op) && row.num_keys == num_keys && HasBaseTarget(row) &&
           HasBaseBatch(row);
  });
  return found == figures_.end() ? nullptr : &*found;
}

FigureRange NsOf(const SweepFigure& figure) { return RangeOfRepetitions(figure.ns); }

std::string NameOf(const SweepFigure& figure) {
  return std::string(OperationName(figure.row.operation));
}

std::string KeysText(uint64_t num_keys) {
  if (num_keys >= 1'000'000) return Printed("%g M keys", static_cast<double>(num_keys) / 1e6);
  return Printed("%g k keys", static_cast<double>(num_keys) / 1e3);
}

}  // namespace trommel::bench
