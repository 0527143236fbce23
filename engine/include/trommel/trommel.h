// The filters one would use, and what they need: keys, digests, executors, sizing, estimates.
//
// Beside it stand, each to be included by those who want it: trommel/published.h (the filters and
// the matrix as their papers have them, for reproduction), trommel/any_filter.h (files of all types
// through one door) and trommel/attribute_plan.h (which sets of attributes to store).
#ifndef TROMMEL_TROMMEL_H_
#define TROMMEL_TROMMEL_H_

#include "trommel/attribute_filter.h"
#include "trommel/attribute_sets.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/estimates.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/layered_filter.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"
#include "trommel/targets.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"
#include "trommel/version.h"
#include "trommel/window_filter.h"

#endif  // TROMMEL_TROMMEL_H_
