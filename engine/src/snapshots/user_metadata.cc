#include "engine/src/snapshots/user_metadata.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

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

Result<std::vector<std::byte>> MetadataBehind(const OpenedSnapshot& snapshot) {
  const uint64_t end = snapshot.file_bytes();
  // Not by the source's last bytes alone: a snapshot may end with bytes that look like a trailer.
  if (snapshot.num_bytes() <= end || snapshot.num_bytes() - end <= sizeof(MetadataTrailer)) {
    return std::vector<std::byte>();
  }
  const uint64_t before = snapshot.num_bytes() - sizeof(MetadataTrailer);
  MetadataTrailer trailer{};
  const auto bytes = std::as_writable_bytes(std::span(&trailer, 1));
  if (Status read = snapshot.source().ReadAt(before, bytes); !read) return read.error();
  if (trailer.magic != kMetadataMagic) return std::vector<std::byte>();
  if (trailer.num_bytes != before - end || trailer.num_bytes > kMaxMetadataBytes) {
    return CorruptAt(before,
                     GroupedText(before - end) + " bytes of user metadata, whose trailer says " +
                         GroupedText(trailer.num_bytes) + "; there may be between 1 and 65,536");
  }
  std::vector<std::byte> metadata(trailer.num_bytes);
  if (Status read = snapshot.source().ReadAt(end, metadata); !read) return read.error();
  if (trailer.checksum != MetadataChecksum(metadata)) {
    return CorruptAt(end, "the user metadata does not match its checksum");
  }
  return metadata;
}

Status CheckMetadata(std::span<const std::byte> metadata) {
  if (metadata.size() <= kMaxMetadataBytes) return Ok();
  return Error{ErrorCode::kInvalidArgument, "metadata has " + GroupedText(metadata.size()) +
                                                " bytes; it may have at most 65,536"};
}

Status AppendMetadata(std::span<const std::byte> metadata, ByteSink& sink) {
  if (metadata.empty()) return Ok();
  if (Status fits = CheckMetadata(metadata); !fits) return fits;
  // A copy, so that the checksum is of what is written, whatever another thread writes meanwhile.
  const std::vector<std::byte> copy(metadata.begin(), metadata.end());
  if (Status done = sink.Append(copy); !done) return done;
  const MetadataTrailer trailer{
      .num_bytes = copy.size(), .checksum = MetadataChecksum(copy), .magic = kMetadataMagic};
  return sink.Append(std::as_bytes(std::span(&trailer, 1)));
}

Result<std::vector<std::byte>> LoadMetadata(const std::filesystem::path& path) {
  return FilterFiles::LoadMetadata(path);
}

Result<std::vector<std::byte>> LoadMetadata(const ByteSource& source) {
  return FilterFiles::LoadMetadata(source);
}

}  // namespace trommel
