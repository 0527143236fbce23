// Memory limits: which one holds, and how an error words that something exceeds it.
#ifndef TROMMEL_ENGINE_SRC_BASE_MEMORY_LIMIT_H_
#define TROMMEL_ENGINE_SRC_BASE_MEMORY_LIMIT_H_

#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/machine_memory.h"
#include "trommel/result.h"

namespace trommel {

// As given; 0: MachineMemoryBytes.
inline uint64_t MemoryLimit(uint64_t limit_bytes) {
  return limit_bytes != 0 ? limit_bytes : MachineMemoryBytes();
}

// "the filter needs 2,000 bytes, more than the limit of 1,000 bytes (memory_limit_bytes)"; `needs`
// is what stands before the number. `is_given`: the limit is the caller's, not the machine's.
inline Error OverMemoryLimit(std::string_view needs, uint64_t num_bytes, uint64_t limit_bytes,
                             bool is_given) {
  return {.code = ErrorCode::kOutOfMemory,
          .message = std::string(needs) + " " + GroupedText(num_bytes) +
                     " bytes, more than the limit of " + GroupedText(limit_bytes) + " bytes (" +
                     (is_given ? "memory_limit_bytes" : "this machine's memory") + ")"};
}

// Of a limit of side memory that is too low for so many ranges of blocks, each of which needs as
// much at least.
inline Error SideLimitTooLow(uint64_t limit_bytes, uint64_t least_bytes, uint64_t num_ranges) {
  return {.code = ErrorCode::kInvalidArgument,
          .message = "side_memory_limit_bytes is " + GroupedText(limit_bytes) +
                     "; it must be 0 (no limit) or at least " +
                     GroupedText(least_bytes * num_ranges) + ": " + GroupedText(least_bytes) +
                     " per range of blocks (" + GroupedText(num_ranges) + " here)"};
}

// What a call returns for which the system refused memory: without its message, if that needs
// memory that is refused as well.
inline Error OutOfMemoryError(std::string_view message) noexcept {
  Error error{.code = ErrorCode::kOutOfMemory, .message = {}};
  try {
    error.message = message;
  } catch (const std::bad_alloc&) {
    return error;
  }
  return error;
}

// Fails with kOutOfMemory over the limit; 0: the machine's memory.
inline Status CheckMemoryLimit(std::string_view needs, uint64_t num_bytes, uint64_t limit_bytes) {
  const uint64_t limit = MemoryLimit(limit_bytes);
  if (num_bytes <= limit) return Ok();
  return OverMemoryLimit(needs, num_bytes, limit, limit_bytes != 0);
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_MEMORY_LIMIT_H_
