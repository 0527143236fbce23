#include "engine/src/snapshots/user_metadata.h"

#include <array>
#include <string>

#include "engine/src/base/grouped_text.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/snapshots/filter_files.h"
#include "engine/src/snapshots/snapshot_format.h"

namespace trommel {
namespace {

// The last bytes of a file with user metadata.
struct MetadataTrailer {
  uint64_t num_bytes;  // of metadata
  uint64_t checksum;   // of the metadata, then num_bytes
  std::array<uint8_t, 16> magic;
};
static_assert(sizeof(MetadataTrailer) == 32);

// As the magic of snapshots, it shows line ends that were translated; then version 1.
constexpr std::array<uint8_t, 16> kMetadataMagic = {0x89, 'T',  'R',  'M',  'M', 'E', 'T', 'A',
                                                    0x0d, 0x0a, 0x1a, 0x0a, 1,   0,   0,   0};

uint64_t MetadataChecksum(std::span<const std::byte> metadata) {
  const uint64_t num_bytes = metadata.size();
  Checksum checksum;
  checksum.Add(metadata);
  checksum.Add(BytesOf(num_bytes));
  return checksum.Value();
}

}  // namespace

Result<FoundMetadata> FindMetadata(const ByteSource& source) {
  FoundMetadata found{.snapshot_bytes = source.num_bytes(), .metadata = {}};
  if (source.num_bytes() < sizeof(MetadataTrailer)) return found;
  const uint64_t before = source.num_bytes() - sizeof(MetadataTrailer);
  MetadataTrailer trailer{};
  const auto bytes = std::as_writable_bytes(std::span(&trailer, 1));
  if (Status read = source.ReadAt(before, bytes); !read) return read.error();
  if (trailer.magic != kMetadataMagic) return found;
  if (trailer.num_bytes == 0 || trailer.num_bytes > kMaxMetadataBytes ||
      trailer.num_bytes > before) {
    return CorruptAt(before, "the file has " + GroupedText(trailer.num_bytes) +
                                 " bytes of user metadata; it must have between 1 and 65,536, "
                                 "within the file");
  }
  found.snapshot_bytes = before - trailer.num_bytes;
  found.metadata.resize(trailer.num_bytes);
  if (Status read = source.ReadAt(found.snapshot_bytes, found.metadata); !read) {
    return read.error();
  }
  if (trailer.checksum != MetadataChecksum(found.metadata)) {
    return CorruptAt(found.snapshot_bytes, "the user metadata does not match its checksum");
  }
  return found;
}

Status CheckMetadata(std::span<const std::byte> metadata) {
  if (metadata.size() <= kMaxMetadataBytes) return Ok();
  return Error{ErrorCode::kInvalidArgument, "metadata has " + GroupedText(metadata.size()) +
                                                " bytes; it may have at most 65,536"};
}

Status AppendMetadata(std::span<const std::byte> metadata, ByteSink& sink) {
  if (metadata.empty()) return Ok();
  if (Status done = sink.Append(metadata); !done) return done;
  const MetadataTrailer trailer{.num_bytes = metadata.size(),
                                .checksum = MetadataChecksum(metadata),
                                .magic = kMetadataMagic};
  return sink.Append(std::as_bytes(std::span(&trailer, 1)));
}

Result<std::vector<std::byte>> LoadMetadata(const std::filesystem::path& path) {
  return FilterFiles::LoadMetadata(path);
}

}  // namespace trommel
