// Everything a user of Trommel may include, in one line.
#ifndef TROMMEL_TROMMEL_H_
#define TROMMEL_TROMMEL_H_

#include "trommel/any_filter.h"
#include "trommel/classic/bloom_filter.h"
#include "trommel/classic/counting_bloom_filter.h"
#include "trommel/classic/filter.h"
#include "trommel/classic/formulas.h"
#include "trommel/classic/geometry.h"
#include "trommel/classic/sizing.h"
#include "trommel/classic/split_counting_filter.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/estimates.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/layered_filter.h"
#include "trommel/result.h"
#include "trommel/sizing.h"
#include "trommel/targets.h"
#include "trommel/version.h"
#include "trommel/window_filter.h"

#endif  // TROMMEL_TROMMEL_H_
