// How far ahead the batch kernels fetch.
#ifndef TROMMEL_KERNELS_PIPELINE_H_
#define TROMMEL_KERNELS_PIPELINE_H_

#include <cstddef>

namespace trommel::kernels {

// A key's lines are fetched this many keys before they are needed: far enough that memory answers
// in time, near enough that the lines (one or two a query, one to four an update) are still in the
// first-level cache. The curve is flat beyond these values and steep below; figures in
// bench/README.md.
inline constexpr size_t kQueryDistance = 128;
inline constexpr size_t kUpdateDistance = 64;

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_PIPELINE_H_
