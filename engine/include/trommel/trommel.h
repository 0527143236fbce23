/// @file
/// Every filter for production use, and what they need: keys, digests, executors, sizing,
/// estimates.
///
/// Two headers are included separately:
/// - trommel/any_filter.h has one interface to filters of every type, and loads what a file is;
/// - trommel/attribute_plan.h plans which sets of attributes to store, and in how much memory.
///
/// The documentation uses these words throughout:
/// - "Requires" states a precondition. A call that breaks it is a bug in the calling program and
///   ends the program with a message on standard error, unless the text says it is not checked.
/// - "Fails with" names the ErrorCode that a Result or Status carries. Except where the text says
///   otherwise, a call that fails changes nothing.
/// - "Exclusive" marks a call that must not run at the same time as any other on the same object.
/// - A *non-member* is a key that was never inserted.
#ifndef TROMMEL_TROMMEL_H_
#define TROMMEL_TROMMEL_H_

#include "trommel/attribute_filter.h"
#include "trommel/attribute_sets.h"
#include "trommel/byte_stream.h"
#include "trommel/column_map.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/estimates.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"
#include "trommel/targets.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"
#include "trommel/upsert.h"
#include "trommel/version.h"
#include "trommel/window_filter.h"

#endif  // TROMMEL_TROMMEL_H_
