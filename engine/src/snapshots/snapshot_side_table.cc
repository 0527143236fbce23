// Reading the side table section, entry by entry.
#include "engine/src/snapshots/snapshot_side_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "engine/src/disk/checksum.h"

namespace trommel {

Status SideTableReader::CheckSum() const {
  std::array<std::byte, kPageAlignment> buffer;
  Checksum sum;
  for (uint64_t done = 0; done < section_.num_bytes;) {
    const auto part =
        std::span(buffer).first(std::min<uint64_t>(section_.num_bytes - done, buffer.size()));
    if (Status read = source_.ReadAt(section_.offset + done, part); !read) return read;
    sum.Add(part);
    done += part.size();
  }
  return CheckSectionSum(section_, sum.Value(), "side table");
}

Status SideTableReader::ReadEntries() {
  while (at_ < section_.offset + section_.num_bytes) {
    if (Status read = ReadEntry(); !read) return read;
  }
  // A file may have changed since CheckSum: what was loaded must be what was summed.
  return CheckSectionSum(section_, loaded_.Value(), "side table");
}

Status SideTableReader::ReadEntry() {
  const uint64_t left = section_.offset + section_.num_bytes - at_;
  SideEntryHeader entry;
  if (left < sizeof(entry)) return CorruptAt(at_, "the side table ends within an entry");
  const auto entry_bytes = std::as_writable_bytes(std::span(&entry, 1));
  if (Status read = source_.ReadAt(at_, entry_bytes); !read) return read;
  if (entry.block_idx >= store_.geometry().num_blocks) {
    return CorruptAt(at_, "the side table names a block that does not exist");
  }
  if (num_entries_ > 0 && entry.block_idx <= last_block_) {
    return CorruptAt(at_, "the side table's blocks do not ascend");
  }
  if (!std::has_single_bit(entry.width) || entry.width > sizeof(uint64_t)) {
    return CorruptAt(at_ + offsetof(SideEntryHeader, width),
                     "a counter's width is not 1, 2, 4 or 8 bytes");
  }
  if (entry.reserved != 0) {
    return CorruptAt(at_ + offsetof(SideEntryHeader, reserved), "reserved bytes are not zero");
  }
  const uint64_t counter_bytes = SideCounterBytes(store_.geometry(), entry.width);
  if (left - sizeof(entry) < counter_bytes) {
    return CorruptAt(at_, "the side table ends within an entry");
  }
  const auto narrow = std::span(narrow_).first(counter_bytes);
  if (Status read = source_.ReadAt(at_ + sizeof(entry), narrow); !read) return read;
  loaded_.Add(entry_bytes);
  loaded_.Add(narrow);
  if (Status put = PutEntry(entry); !put) return put;
  at_ += sizeof(entry) + counter_bytes;
  last_block_ = entry.block_idx;
  num_entries_ += 1;
  return Ok();
}

Status SideTableReader::PutEntry(const SideEntryHeader& entry) {
  const size_t num_slices = store_.geometry().num_slices;
  const std::span<uint64_t> counters = std::span(counters_).first(store_.num_counters());
  for (size_t i = 0; i < counters.size(); ++i) {
    counters[i] = 0;
    std::memcpy(&counters[i], narrow_.data() + i * entry.width, entry.width);
  }
  if (SideCounterWidth(counters) != entry.width) {
    return CorruptAt(at_ + offsetof(SideEntryHeader, width),
                     "narrower counters would hold all counts of the block");
  }
  if (store_.encoding().fits(counters, num_slices)) {
    return CorruptAt(at_, "the side table has a block that fits its encoding");
  }
  if (!store_.IsPromoted(entry.block_idx)) {
    return CorruptAt(at_, "the side table has a block that is not marked as promoted");
  }
  const uint32_t* presence = store_.PresenceOf(entry.block_idx);
  const size_t positions = store_.geometry().slice_positions();
  uint64_t block_keys = 0;
  for (size_t s = 0; s < num_slices; ++s) {
    uint64_t slice_keys = 0;
    bool is_presence_right = true;
    for (size_t i = s * positions; i < (s + 1) * positions; ++i) {
      // What is left of the budget: so no sum can wrap.
      if (counters[i] > kMaxSnapshotKeys - slice_keys)
        return CorruptAt(at_, "counts over 2^63 - 1");
      slice_keys += counters[i];
      is_presence_right &= (presence[i / 32] >> (i % 32) & 1) == uint32_t{counters[i] > 0};
    }
    if (s > 0 && slice_keys != block_keys) {
      return CorruptAt(at_, "a block's slices hold different numbers of keys");
    }
    if (!is_presence_right) {
      return CorruptAt(at_, "a promoted block's presence bits are not those of its counters");
    }
    block_keys = slice_keys;
  }
  if (block_keys > kMaxSnapshotKeys - num_keys_) return CorruptAt(at_, "counts over 2^63 - 1");
  num_keys_ += block_keys;
  if (!store_.WriteCounters(entry.block_idx, counters)) {
    return Error{ErrorCode::kOutOfMemory, "the system refused memory for the side table"};
  }
  return Ok();
}

}  // namespace trommel
