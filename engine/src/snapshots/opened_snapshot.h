// OpenedSnapshot: a snapshot of any type whose header has been read, once. Which type it is, and
// what the type's reader takes from the header, come from that one reading.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_OPENED_SNAPSHOT_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_OPENED_SNAPSHOT_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/src/disk/byte_source.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/result.h"

namespace trommel {

class OpenedSnapshot {
 public:
  // Reads the header and checks what all types have in common: magic, version, size, checksum, type
  // and digest kind. Fails with kCorrupt, kVersion, and as the source does. The source must outlive
  // the snapshot.
  static Result<OpenedSnapshot> Open(const ByteSource& source);

  // The same snapshot in a source that has the same beginning, and must outlive it.
  OpenedSnapshot Within(const ByteSource& source) const {
    OpenedSnapshot snapshot = *this;
    snapshot.source_ = &source;
    return snapshot;
  }

  const ByteSource& source() const { return *source_; }
  uint64_t num_bytes() const { return source_->num_bytes(); }
  SnapshotType type() const { return static_cast<SnapshotType>(start().type); }
  // The size that the header says the snapshot has, which may be wrong.
  uint64_t file_bytes() const;

  // The header as the type's own struct. Fails with kMismatch, naming both types, if the snapshot
  // is of another one.
  template <class Header>
  Result<Header> HeaderAs(SnapshotType wanted) const {
    static_assert(offsetof(Header, start) == 0);
    if (Status fits = CheckType(wanted); !fits) return fits.error();
    return std::bit_cast<Header>(header_);
  }

 private:
  explicit OpenedSnapshot(const ByteSource& source) : source_(&source) {}

  SnapshotStart start() const;
  Status CheckType(SnapshotType wanted) const;

  const ByteSource* source_;
  std::array<std::byte, kHeaderBytes> header_{};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_OPENED_SNAPSHOT_H_
