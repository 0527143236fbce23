/// @file
/// Structures exactly as published, for reproduction, teaching and comparison.
///
/// trommel/classic has the plain Bloom filter, the counting Bloom filter and the split counting
/// filter, each over one large array; trommel/matrix has the cut Bloom filter matrix; trommel/hbase
/// has the filters of HBase's store files, to the byte. For production use, CountingFilter and
/// AttributeFilter implement the ideas of the first two.
#ifndef TROMMEL_PUBLISHED_H_
#define TROMMEL_PUBLISHED_H_

#include "trommel/classic/filter.h"
#include "trommel/classic/formulas.h"
#include "trommel/classic/geometry.h"
#include "trommel/classic/sizing.h"
#include "trommel/hbase/bloom_keys.h"
#include "trommel/hbase/compound_filter.h"
#include "trommel/hbase/store_file_filter.h"
#include "trommel/matrix/geometry.h"
#include "trommel/matrix/literal_matrix.h"
#include "trommel/matrix/matrix.h"
#include "trommel/matrix/sizing.h"

#endif  // TROMMEL_PUBLISHED_H_
