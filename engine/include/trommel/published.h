// The structures as their papers have them, for reproduction, teaching and comparison: the plain
// Bloom filter, the counting Bloom filter and the split counting filter over one large array
// (trommel/classic), and the cut Bloom filter matrix (trommel/matrix). CountingFilter and
// AttributeFilter are the same ideas made for use.
#ifndef TROMMEL_PUBLISHED_H_
#define TROMMEL_PUBLISHED_H_

#include "trommel/classic/filter.h"
#include "trommel/classic/formulas.h"
#include "trommel/classic/geometry.h"
#include "trommel/classic/sizing.h"
#include "trommel/matrix/geometry.h"
#include "trommel/matrix/literal_matrix.h"
#include "trommel/matrix/matrix.h"
#include "trommel/matrix/sizing.h"

#endif  // TROMMEL_PUBLISHED_H_
