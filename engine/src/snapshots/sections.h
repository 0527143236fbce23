// Sections of snapshots, written and read with their checksums.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_SECTIONS_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_SECTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/result.h"

namespace trommel {

// Bytes at once: still in the cache when they are summed.
inline constexpr size_t kSectionPiece = size_t{1} << 20;

// Sections one after the other, each at its place, summed on the way.
class SectionWriter {
 public:
  SectionWriter(ByteSink& sink, uint64_t end) : sink_(sink), end_(end) {}

  Status Begin(const SectionRecord& section) {
    checksum_ = Checksum();
    if (end_ < section.offset) {
      if (Status done = AppendZeros(section.offset - end_, sink_); !done) return done;
      end_ = section.offset;
    }
    return Ok();
  }

  Status Append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(bytes.size(), kSectionPiece));
      checksum_.Add(piece);
      if (Status done = sink_.Append(piece); !done) return done;
      end_ += piece.size();
      bytes = bytes.subspan(piece.size());
    }
    return Ok();
  }

  void End(SectionRecord& section) const { section.checksum = checksum_.Value(); }

 private:
  ByteSink& sink_;
  uint64_t end_;
  Checksum checksum_;
};

// Copies a section to where it will live.
inline Status ReadSection(const ByteSource& source, const SectionRecord& section,
                          std::string_view name, std::span<std::byte> into) {
  Checksum sum;
  for (uint64_t done = 0; done < section.num_bytes;) {
    const size_t piece = std::min<uint64_t>(section.num_bytes - done, kSectionPiece);
    const auto part = into.subspan(done, piece);
    if (Status read = source.ReadAt(section.offset + done, part); !read) return read;
    sum.Add(part);
    done += piece;
  }
  return CheckSectionSum(section, sum.Value(), name);
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_SECTIONS_H_
