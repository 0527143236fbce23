// The bytes of a row in the column family `rows`, under its key as it is:
//
//   | 01 | versions | then per version, per attribute of the schema: | values | each value |
//    form  number                                                     number   string
//
// Versions are newest first; an attribute's values ascend, each once.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_ROW_CODEC_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_ROW_CODEC_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/index/src/rows/row_store.h"
#include "trommel/result.h"

namespace trommel::index {

std::string EncodeRow(const Versions& versions);

// Fails with kCorrupt unless the bytes are a whole row of so many attributes as EncodeRow writes
// it, with at least one version, and within the limits of the schema.
Result<Versions> DecodeRow(std::string_view bytes, size_t num_attributes);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_ROW_CODEC_H_
