// Forged snapshots: any byte changed, and all checksums made to match again, so that a loader that
// refuses them does so for the right reason.
#ifndef TROMMEL_TESTS_SUPPORT_SNAPSHOT_FORGE_H_
#define TROMMEL_TESTS_SUPPORT_SNAPSHOT_FORGE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "engine/src/disk/checksum.h"
#include "engine/src/snapshots/snapshot_format.h"

namespace trommel::tests {

using Bytes = std::vector<std::byte>;

template <class T>
T Get(const Bytes& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

template <class T>
void Put(Bytes& bytes, uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

inline SnapshotHeader HeaderOf(const Bytes& bytes) { return Get<SnapshotHeader>(bytes, 0); }

// Makes the checksums match: of every section that lies within the file, then of the header.
inline void Reseal(Bytes& bytes) {
  if (bytes.size() < sizeof(SnapshotHeader)) return;
  SnapshotHeader header = HeaderOf(bytes);
  for (SectionRecord* section : {&header.presence, &header.counts, &header.side_table}) {
    if (section->offset > bytes.size()) continue;
    if (section->num_bytes > bytes.size() - section->offset) continue;
    section->checksum = Checksum::Of(std::span(bytes).subspan(section->offset, section->num_bytes));
  }
  Seal(header);
  Put(bytes, 0, header);
}

// The snapshot with another header, sealed; the checksums of its sections are left as the edit sets
// them.
template <class Edit>
Bytes WithHeader(Bytes bytes, const Edit& edit) {
  SnapshotHeader header = HeaderOf(bytes);
  edit(header);
  Seal(header);
  Put(bytes, 0, header);
  return bytes;
}

// The snapshot with other bytes in its sections, all checksums right.
template <class Edit>
Bytes Forged(Bytes bytes, const Edit& edit) {
  edit(bytes);
  Reseal(bytes);
  return bytes;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SNAPSHOT_FORGE_H_
