// Padding of files: the zeros from one part's end to the multiple of kPageAlignment at which the
// next one begins.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_PADDING_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_PADDING_H_

#include <cstdint>

#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "trommel/result.h"

namespace trommel {

// Any number of them. Fails as the sink does.
Status AppendZeros(uint64_t num_bytes, ByteSink& sink);

// kCorrupt, naming the first stray byte, unless the source's bytes from begin to end are zero: at
// most kPageAlignment of them.
Status CheckZeros(const ByteSource& source, uint64_t begin, uint64_t end);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_PADDING_H_
