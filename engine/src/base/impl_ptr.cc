#include "trommel/impl_ptr.h"

#include <cstdio>
#include <cstdlib>

namespace trommel {

void AbortMovedFrom() noexcept {
  std::fprintf(stderr,
               "trommel: misuse: this filter was moved from: it may only be destroyed or assigned "
               "to\n");
  std::abort();
}

}  // namespace trommel
