// OutOfMemory: the error of a call for which the system refused memory.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROWS_OUT_OF_MEMORY_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROWS_OUT_OF_MEMORY_H_

#include "trommel/result.h"

namespace trommel::index {

// Allocates nothing: the message is as short as a std::string keeps in itself.
inline Error OutOfMemory() noexcept { return {ErrorCode::kOutOfMemory, "out of memory"}; }

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROWS_OUT_OF_MEMORY_H_
