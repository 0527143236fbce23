/// @file
/// User metadata: bytes of the caller's own, kept in the file of a filter (SaveOptions::metadata).
#ifndef TROMMEL_METADATA_H_
#define TROMMEL_METADATA_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/export.h"
#include "trommel/result.h"

namespace trommel {

/// The most bytes of user metadata of a file: 64 KiB.
inline constexpr size_t kMaxMetadataBytes = size_t{1} << 16;

/// Returns the user metadata of a filter's file, of any type; nothing if it has none. Fails as
/// CountingFilter::Load does for what the header, the directory and the metadata show; the rest of
/// the file is not read.
TROMMEL_API Result<std::vector<std::byte>> LoadMetadata(const std::filesystem::path& path);
/// The same of the bytes of such a file anywhere else. Fails as the source does, too.
TROMMEL_API Result<std::vector<std::byte>> LoadMetadata(const ByteSource& source);

}  // namespace trommel

#endif  // TROMMEL_METADATA_H_
