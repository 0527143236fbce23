// The beginning of every snapshot: read, and not yet believed.
#include "engine/src/snapshots/opened_snapshot.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "engine/src/base/grouped_text.h"
#include "engine/src/keys/digest_policy.h"

namespace trommel {
namespace {

// Magic and version: what every version keeps.
Status CheckBeginning(std::span<const std::byte> start) {
  const size_t magic_bytes = std::min(start.size(), kSnapshotMagic.size());
  const auto magic = std::as_bytes(std::span(kSnapshotMagic)).first(magic_bytes);
  const size_t same = static_cast<size_t>(
      std::ranges::mismatch(start.first(magic_bytes), magic).in1 - start.begin());
  if (same < std::min<size_t>(magic_bytes, 4)) {
    return Error{ErrorCode::kCorrupt, "not a Trommel file (bad magic)"};
  }
  if (same < magic_bytes) {
    return CorruptAt(same, "line ends were translated: this file was copied as text");
  }
  if (start.size() < offsetof(SnapshotStart, header_bytes)) return Ok();
  uint32_t version = 0;
  std::memcpy(&version, start.data() + offsetof(SnapshotStart, version), sizeof(version));
  if (version >= kSnapshotVersion && version <= kThirdVersion) return Ok();
  return Error{ErrorCode::kVersion, "snapshot of version " + std::to_string(version) +
                                        "; this library reads versions 1 to 3"};
}

// What this library cannot read: what a later one of the same version could write, and what an
// earlier one wrote.
Status CheckKnown(const SnapshotStart& start) {
  if (start.type == kLayeredType || start.type == kClassicType) {
    return Error{ErrorCode::kVersion,
                 std::string("at byte 16 the type is ") +
                     (start.type == kLayeredType ? "4 (layered filter)" : "5 (classic filter)") +
                     ", which this library reads no longer"};
  }
  if (start.type == static_cast<uint32_t>(SnapshotType::kWindowFilter) &&
      start.version == kSnapshotVersion) {
    return Error{ErrorCode::kVersion,
                 "at byte 8 the version is 1 of a window filter (a ring of buckets), which this "
                 "library reads no longer"};
  }
  if (start.type == 0 || start.type > kNumSnapshotTypes) {
    return UnknownAt(offsetof(SnapshotStart, type), "the type", start.type,
                     "1 (counting filter) to 6 (attribute filter)");
  }
  if (start.version == kSecondVersion &&
      start.type != static_cast<uint32_t>(SnapshotType::kCountingFilter) &&
      start.type != static_cast<uint32_t>(SnapshotType::kScalableFilter) &&
      start.type != static_cast<uint32_t>(SnapshotType::kWindowFilter) &&
      start.type != static_cast<uint32_t>(SnapshotType::kAttributeFilter)) {
    return UnknownAt(offsetof(SnapshotStart, type), "the type of version 2", start.type,
                     "1 (counting filter), 2 (scalable filter), 3 (window filter) and 6 "
                     "(attribute filter)");
  }
  if (start.version == kThirdVersion &&
      start.type != static_cast<uint32_t>(SnapshotType::kScalableFilter)) {
    return UnknownAt(offsetof(SnapshotStart, type), "the type of version 3", start.type,
                     "2 (scalable filter)");
  }
  if (start.digest_kind > static_cast<uint32_t>(kLastDigestKind)) {
    return UnknownAt(offsetof(SnapshotStart, digest_kind), "the digest kind", start.digest_kind,
                     "0 (xxh64), 1 (xxh3), 2 (caller) and 3 (siphash)");
  }
  return Ok();
}

}  // namespace

Result<OpenedSnapshot> OpenedSnapshot::Open(const ByteSource& source) {
  OpenedSnapshot snapshot(source);
  const auto header =
      std::span(snapshot.header_).first(std::min<uint64_t>(source.num_bytes(), kHeaderBytes));
  if (Status read = source.ReadAt(0, header); !read) return read.error();
  if (Status known = CheckBeginning(header); !known) return known.error();
  if (header.size() < kHeaderBytes) {
    return Error{ErrorCode::kCorrupt, "file is " + GroupedText(source.num_bytes()) +
                                          " bytes, and its header alone takes 256: truncated?"};
  }
  uint64_t checksum = 0;
  std::memcpy(&checksum, header.data() + kHeaderChecksumAt, sizeof(checksum));
  if (checksum != HeaderChecksum(header.first<kHeaderBytes>())) {
    return CorruptAt(kHeaderChecksumAt, "the header does not match its checksum");
  }
  const SnapshotStart start = snapshot.start();
  if (start.header_bytes != kHeaderBytes) {
    return CorruptAt(offsetof(SnapshotStart, header_bytes), "the header is not 256 bytes long");
  }
  if (Status known = CheckKnown(start); !known) return known.error();
  return snapshot;
}

SnapshotStart OpenedSnapshot::start() const {
  SnapshotStart start;
  std::memcpy(&start, header_.data(), sizeof(start));
  return start;
}

uint64_t OpenedSnapshot::file_bytes() const {
  uint64_t num_bytes = 0;
  std::memcpy(&num_bytes, header_.data() + FileBytesAt(type(), start().version), sizeof(num_bytes));
  return num_bytes;
}

Status OpenedSnapshot::CheckType(SnapshotType wanted) const {
  if (type() == wanted) return Ok();
  const auto with_article = [](SnapshotType of) {
    const std::string_view name = SnapshotTypeName(of);
    return (name.starts_with('a') ? "an " : "a ") + std::string(name) + " filter";
  };
  return Error{ErrorCode::kMismatch, "this is " + with_article(type()) + "'s snapshot, not " +
                                         with_article(wanted) + "'s"};
}

}  // namespace trommel
