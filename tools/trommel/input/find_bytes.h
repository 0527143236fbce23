// FindBytes: where a byte is in a text, one vector of the text at a time. A call of memchr per line
// takes three times as long for lines of 10 to 100 bytes.
#ifndef TROMMEL_TOOLS_FIND_BYTES_H_
#define TROMMEL_TOOLS_FIND_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trommel::tool {

// Writes the offsets of the bytes of `text` that equal `wanted`, ascending, and returns how many
// there are. Requires a text shorter than 2^32 bytes, and room for as many offsets as it has bytes.
// Thread safety: any thread.
using FindBytes = size_t(std::string_view text, char wanted, uint32_t* offsets);

// The version for the target in use (trommel/targets.h). Get it once for many texts.
FindBytes* FindBytesForTarget() noexcept;

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FIND_BYTES_H_
