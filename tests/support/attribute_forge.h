// Forged snapshots of attribute filters: as snapshot_forge.h, for their header and front.
#ifndef TROMMEL_TESTS_SUPPORT_ATTRIBUTE_FORGE_H_
#define TROMMEL_TESTS_SUPPORT_ATTRIBUTE_FORGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "engine/src/attributes/attribute_format.h"
#include "engine/src/disk/checksum.h"
#include "support/snapshot_forge.h"

namespace trommel::tests {

// Makes the checksums of header and front match, as far as they lie within the file.
inline void ResealAttributes(Bytes& bytes) {
  if (bytes.size() < sizeof(AttributeHeader)) return;
  auto header = Get<AttributeHeader>(bytes, 0);
  if (header.front_bytes <= bytes.size() - sizeof(header)) {
    header.front_checksum =
        Checksum::Of(std::span(bytes).subspan(sizeof(header), header.front_bytes));
  }
  Seal(header);
  Put(bytes, 0, header);
}

// The snapshot with another header, its checksums right.
template <class Edit>
Bytes WithAttributeHeader(Bytes bytes, const Edit& edit) {
  auto header = Get<AttributeHeader>(bytes, 0);
  edit(header);
  Put(bytes, 0, header);
  ResealAttributes(bytes);
  return bytes;
}

template <class Edit>
Bytes WithSetRecord(Bytes bytes, size_t set_idx, const Edit& edit) {
  const uint64_t at = kHeaderBytes + set_idx * sizeof(SetRecord);
  auto record = Get<SetRecord>(bytes, at);
  edit(record);
  Put(bytes, at, record);
  ResealAttributes(bytes);
  return bytes;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_ATTRIBUTE_FORGE_H_
