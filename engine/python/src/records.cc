// Outcomes and statistics as records.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "engine/python/src/module.h"
#include "engine/python/src/record.h"
#include "trommel/attribute_filter.h"
#include "trommel/estimates.h"
#include "trommel/outcomes.h"
#include "trommel/scalable_filter.h"
#include "trommel/upsert.h"
#include "trommel/window_filter.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

void BindOutcomes(nb::module_& module) {
  Record<InsertOutcome>(module, "InsertOutcome", "What a batch of insertions did.")
      .Field("num_inserted", &InsertOutcome::num_inserted, "Keys that were inserted.")
      .Field("num_refused", &InsertOutcome::num_refused,
             "Keys that the filter had no space for: nothing changed for them.")
      .Field(
          "refusal", [](const InsertOutcome& self) { return GrowthRefusalText(self.refusal); },
          "Why keys were refused; empty if none were.");
  Record<EraseOutcome>(module, "EraseOutcome", "What a batch of erasures did.")
      .Field("num_erased", &EraseOutcome::num_erased, "Keys that were erased.")
      .Field("num_refused", &EraseOutcome::num_refused,
             "Keys that were certainly absent: nothing changed for them.")
      .Field("num_expired", &EraseOutcome::num_expired,
             "Where keys expire: those of a bucket that is not live.");
  Record<UpsertOutcome>(module, "UpsertOutcome", "What upsert did.")
      .Field("num_inserted", &UpsertOutcome::num_inserted,
             "Keys that were not in the table: the filter has them now.")
      .Field("num_existing", &UpsertOutcome::num_existing,
             "Keys that the table had: the filter has them already.")
      .Field("num_repeated", &UpsertOutcome::num_repeated,
             "Keys equal to an earlier one of the batch, whose fate they share.")
      .Field("num_asked", &UpsertOutcome::num_asked, "Keys about which the table was asked.")
      .Field("num_refused", &UpsertOutcome::num_refused,
             "Keys that the filter had no space for, and does not have.")
      .Field(
          "refusal", [](const UpsertOutcome& self) { return GrowthRefusalText(self.refusal); },
          "Why keys were refused; empty if none were.");
  Record<WindowInsertOutcome>(module, "WindowInsertOutcome",
                              "What a batch of insertions at a given time did.")
      .Field("num_inserted", &WindowInsertOutcome::num_inserted, "Keys that were inserted.")
      .Field("num_refused", &WindowInsertOutcome::num_refused,
             "Keys of a bucket that has expired or lies in the future, and those without space.")
      .Field("num_without_space", &WindowInsertOutcome::num_without_space,
             "Keys that the limit of side memory had no space for.");
}

void BindBlocks(nb::module_& module) {
  Record<Stats>(module, "Stats", "Statistics that a filter keeps as running figures.")
      .Field("num_keys", &Stats::num_keys, "Insertions less erasures; duplicates count.")
      .Field("num_bytes", &Stats::num_bytes, "Blocks and side table.")
      .Field("side_table_bytes", &Stats::side_table_bytes,
             "Part of num_bytes: what full blocks have no place for.")
      .Field("num_promoted", &Stats::num_promoted, "Blocks that use the side table.")
      .Field("num_refused_erases", &Stats::num_refused_erases, "Since creation, load or clear.")
      .Field("num_refused_inserts", &Stats::num_refused_inserts, "Since creation, load or clear.")
      .Field("predicted_fpr", &Stats::predicted_fpr,
             "The false-positive rate of num_keys distinct keys, by the model.")
      .Field("undecided_share", &Stats::undecided_share,
             "Of a ConcurrentFilter of fingerprints: the further share of non-members that are "
             "answered True. Its rate is the sum of this and predicted_fpr.")
      .Field("num_interrupted_queries", &Stats::num_interrupted_queries,
             "Queries that writers interrupted so often that they were answered True.");
  Record<BlockFill>(module, "BlockFill", "What a pass over all blocks measures.")
      .Field("fill_ratio", &BlockFill::fill_ratio,
             "Share of positions that are present; of fingerprints, distinct keys per slot.")
      .Field("current_fpr", &BlockFill::current_fpr,
             "The false-positive rate of the blocks as they are.")
      .Field("huge_page_bytes", &BlockFill::huge_page_bytes, "Bytes on huge pages.");
  Record<Estimate>(module, "Estimate", "A number known with an error.")
      .Field("value", &Estimate::value, "The estimate.")
      .Field("standard_error", &Estimate::standard_error, "Its standard error.")
      .Field("low", &Estimate::low, "Lower end of the interval of about 95 %.")
      .Field("high", &Estimate::high, "Upper end of the interval.");
}

void BindGrowth(nb::module_& module) {
  Record<ScalableStats>(module, "ScalableStats", "Statistics of a ScalableFilter.")
      .Field("num_keys", &ScalableStats::num_keys, "Insertions less erasures; duplicates count.")
      .Field("num_bytes", &ScalableStats::num_bytes, "Blocks, digests and side tables.")
      .Field("num_refused_erases", &ScalableStats::num_refused_erases,
             "Since creation, load or clear.")
      .Field("num_refused_inserts", &ScalableStats::num_refused_inserts,
             "Since creation, load or clear.")
      .Field("predicted_fpr", &ScalableStats::predicted_fpr, "Of the whole filter, by the model.")
      .Field(
          "num_blocks", [](const ScalableStats& self) { return self.num_blocks; },
          "Blocks of 64 bytes.")
      .Field(
          "most_doublings", [](const ScalableStats& self) { return self.most_doublings; },
          "How often the part that has grown most has doubled.");
  Record<WindowBucket>(module, "WindowBucket", "A live bucket of a window.")
      .Field("first_tick", &WindowBucket::first_tick, "First tick of the bucket.")
      .Field("last_tick", &WindowBucket::last_tick, "Last tick of the bucket.")
      .Field("num_keys", &WindowBucket::num_keys, "Insertions less erasures.")
      .Field("predicted_fpr", &WindowBucket::predicted_fpr, "Of this bucket alone.");
  Record<WindowStats>(module, "WindowStats", "Statistics of a filter of a window.")
      .Field("now", &WindowStats::now, "The time of the last advance.")
      .Field("num_keys", &WindowStats::num_keys, "Insertions less erasures of live buckets.")
      .Field("num_bytes", &WindowStats::num_bytes, "The store with its side table.")
      .Field("num_refused_erases", &WindowStats::num_refused_erases, "Of absent keys.")
      .Field("num_expired_erases", &WindowStats::num_expired_erases, "Of keys of no live bucket.")
      .Field("num_refused_inserts", &WindowStats::num_refused_inserts,
             "Of keys of no live bucket, and those without space.")
      .Field("num_without_space", &WindowStats::num_without_space,
             "Insertions that the limit of side memory had no space for.")
      .Field("num_excess_keys", &WindowStats::num_excess_keys, "Keys beyond the capacity.")
      .Field("predicted_fpr", &WindowStats::predicted_fpr, "Over all live buckets, by the model.")
      .Field("buckets", &WindowStats::buckets, "Oldest first; the last one is the current bucket.");
}

void BindTuples(nb::module_& module) {
  Record<SetStats>(module, "SetStats", "Statistics of one set of attributes.")
      .Field("mask", &SetStats::set, "The set: bit i stands for attribute i.")
      .Field("capacity", &SetStats::capacity, "Projections that it is sized for.")
      .Field("target_fpr", &SetStats::target_fpr, "As configured.")
      .Field("stats", &SetStats::stats, "Of its filter; num_keys counts tuples.");
  Record<AttributeStats>(module, "AttributeStats", "Statistics of an AttributeFilter.")
      .Field("num_tuples", &AttributeStats::num_tuples, "Insertions less erasures.")
      .Field("num_bytes", &AttributeStats::num_bytes, "Of all sets.")
      .Field("num_refused_inserts", &AttributeStats::num_refused_inserts, "Tuples.")
      .Field("num_refused_erases", &AttributeStats::num_refused_erases, "Tuples.")
      .Field("sets", &AttributeStats::sets, "Ascending by mask.");
}

}  // namespace

void BindRecords(nb::module_& module) {
  BindOutcomes(module);
  BindBlocks(module);
  BindGrowth(module);
  BindTuples(module);
}

}  // namespace trommel::python
