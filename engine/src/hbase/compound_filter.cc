#include "trommel/hbase/compound_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/src/base/check.h"

namespace trommel::hbase {

size_t CompoundFilter::ChunkOf(CellName key) const noexcept {
  const auto behind =
      std::upper_bound(chunks_.begin(), chunks_.end(), key,
                       [](CellName name, const Chunk& chunk) { return name < chunk.first.view(); });
  return behind == chunks_.begin() ? chunks_.size()
                                   : static_cast<size_t>(behind - chunks_.begin()) - 1;
}

bool CompoundFilter::Shows(CellName key, const KeyHash& hash) const noexcept {
  if (passes_all_) return true;
  const size_t chunk_idx = ChunkOf(key);
  if (chunk_idx == chunks_.size()) return false;  // before the first key of the file
  const std::vector<std::byte>& bits = chunks_[chunk_idx].bits;
  if (bits.empty()) return true;
  const auto num_bits = static_cast<uint32_t>(bits.size() * 8);
  for (uint32_t i = 0; i < num_hashes_; ++i) {
    const uint32_t position = hash.Position(i, num_bits);
    if ((bits[position / 8] >> (position % 8) & std::byte{1}) == std::byte{0}) return false;
  }
  return true;
}

bool CompoundFilter::IsBehind(CellName key) const noexcept {
  return !passes_all_ && last_.view() < key;
}

CellProbe ProbeFor(BloomType type, uint32_t prefix_length, CellName cell, std::string& scratch) {
  CellProbe probe;
  if (type == BloomType::kRowCol) {
    RowColKey({cell.row, {}}, scratch);
    probe.deletion_hash = HashOf(scratch);
    RowColKey(cell, scratch);
    probe.key = cell;
    probe.hash = HashOf(scratch);
  } else {
    const bool is_cut = type == BloomType::kRowPrefixFixedLength;
    probe.key.row = is_cut ? RowPrefix(cell.row, prefix_length) : cell.row;
    probe.hash = HashOf(probe.key.row);
  }
  return probe;
}

bool CompoundFilter::ShowsProbe(const CellProbe& probe) const noexcept {
  const bool is_behind = IsBehind(probe.key);
  if (type_ != BloomType::kRowCol) return !is_behind && Shows(probe.key, probe.hash);
  // As HBase does: the last key excludes a cell only if it excludes the row's deletion as well.
  const CellName deletion{probe.key.row, {}};
  if (is_behind && IsBehind(deletion)) return false;
  return Shows(probe.key, probe.hash) || Shows(deletion, probe.deletion_hash);
}

bool CompoundFilter::MayContain(CellName cell) const {
  std::string scratch;
  return ShowsProbe(ProbeFor(type_, prefix_length_, cell, scratch));
}

bool CompoundFilter::MayContainRow(std::string_view row) const {
  if (type_ == BloomType::kRowCol) return passes_all_ || num_keys_ > 0;
  return MayContain({row, {}});
}

size_t CompoundFilter::Query(std::span<const CellName> cells,
                             std::span<uint64_t> maybe_present) const {
  TROMMEL_CHECK(maybe_present.size() >= (cells.size() + 63) / 64, "maybe_present is too small");
  std::ranges::fill(maybe_present, 0);
  std::string scratch;
  size_t num_maybe = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool maybe = ShowsProbe(ProbeFor(type_, prefix_length_, cells[i], scratch));
    maybe_present[i / 64] |= static_cast<uint64_t>(maybe) << (i % 64);
    num_maybe += maybe;
  }
  return num_maybe;
}

uint64_t CompoundFilter::num_bytes() const noexcept {
  uint64_t num_bytes = 0;
  for (const Chunk& chunk : chunks_) num_bytes += chunk.num_bytes;
  return num_bytes;
}

std::string CompoundFilter::LastKey() const {
  if (type_ != BloomType::kRowCol || num_keys_ == 0) return last_.row;
  std::string key;
  RowColKey(last_.view(), key);
  return key;
}

double CompoundFilter::FprOfChunk(size_t chunk_idx) const {
  const std::vector<std::byte>& bits = chunks_[chunk_idx].bits;
  if (bits.empty()) return 1;
  uint64_t num_set = 0;
  for (const std::byte byte : bits) {
    num_set += static_cast<uint64_t>(std::popcount(static_cast<uint8_t>(byte)));
  }
  return std::pow(static_cast<double>(num_set) / static_cast<double>(bits.size() * 8), num_hashes_);
}

}  // namespace trommel::hbase
