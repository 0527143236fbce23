/// @file
/// PlanAttributes: how to share memory among sets of attributes. Pure arithmetic on the exact
/// models; no filter is allocated.
#ifndef TROMMEL_ATTRIBUTE_PLAN_H_
#define TROMMEL_ATTRIBUTE_PLAN_H_

#include <cstdint>
#include <vector>

#include "trommel/attribute_filter.h"
#include "trommel/attribute_sets.h"
#include "trommel/export.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

/// How often a set is queried, relative to the other shares of the mix.
struct QueryShare {
  AttributeMask set = 0;  ///< The set that is queried.
  double share = 1;       ///< Above 0, finite.
};

/// What PlanAttributes plans for. Exactly one of target_fpr and memory_bytes is given.
struct AttributePlanRequest {
  AttributeSets sets = {};                ///< The attributes and their cuts.
  uint64_t capacity = 0;                  ///< Tuples to size for; required.
  std::vector<uint64_t> num_values = {};  ///< As AttributeConfig::num_values.
  /// How often each set is queried. Empty: every set but the empty one, all alike; of sets with a
  /// limit, of a list and of more than 16 attributes, every allowed set.
  std::vector<QueryShare> mix = {};
  double target_fpr = 0;  ///< False-positive rate for every allowed set; 0: memory_bytes is given.
  uint64_t memory_bytes = 0;  ///< Memory to share for the mix; 0: target_fpr is given.
  uint64_t max_capacity = 0;  ///< As AttributeConfig::max_capacity.
};

/// The plan for one allowed set.
struct PlannedSet {
  AttributeMask set = 0;     ///< The set.
  double weight = 0;         ///< u_S: its part of the mix.
  uint64_t capacity = 0;     ///< Distinct projections.
  double target_fpr = 0;     ///< Of its filter, up to max_capacity.
  double predicted_fpr = 0;  ///< Of its filter at capacity, by the model of what will be created.
  /// Of its filter at capacity, with the side table that tuples take if they are spread evenly over
  /// the values.
  uint64_t num_bytes = 0;
};

/// What PlanAttributes found.
struct TROMMEL_API AttributePlan {
  std::vector<PlannedSet> sets = {};  ///< Ascending, as AttributeSets::allowed().
  uint64_t num_bytes = 0;             ///< Of all filters.
  double expected_fpr = 0;            ///< Of the filter, over the mix.

  /// Returns the value for AttributeConfig::budgets.
  std::vector<SetBudget> budgets() const;
};

/// Shares memory among the allowed sets so that the expected false-positive rate of the mix is
/// least.
///
/// *What is minimized.* Each query of the mix is for a non-member, with the probability of its
/// share, and is split into parts. The worst case that a split leaves to hashing is a non-member
/// for which all parts but one match, each part being that one with equal probability: the rate is
/// then that part's. With w_q the shares of the queries and P(q) their parts,
/// @code{.unparsed}
///   expected_fpr = sum_q w_q / |P(q)| sum_{S in P(q)} fpr_S  =  sum_S u_S fpr_S
/// @endcode
/// is minimized with sum_S bytes_S(capacity_S, fpr_S) within the budget. If halving a rate always
/// cost the same number of bytes, fpr_S would be proportional to capacity_S / u_S (Lagrange). Bytes
/// come in steps, of a bit for each key, so memory is assigned step by step where a byte
/// saves most: the optimum, less at most one step's bytes. (So one of two sets with equal shares
/// may get a step for which the memory does not suffice twice.) Combination false positives
/// (AttributeSets) are left out: memory does not change them.
///
/// Fails with kInvalidArgument for numbers out of range, if both or neither of target_fpr and
/// memory_bytes are given, for shares of sets beyond the attributes, and if the memory does not
/// suffice even for the highest rates, naming how much would. Thread safety: any thread. Cost:
/// microseconds per set, or with memory per distinct capacity of the sets.
TROMMEL_API Result<AttributePlan> PlanAttributes(const AttributePlanRequest& request);

}  // namespace trommel

#endif  // TROMMEL_ATTRIBUTE_PLAN_H_
