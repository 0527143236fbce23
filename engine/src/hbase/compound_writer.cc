// Writing a compound filter: what counts as a new key, when a chunk is full, and folding.
#include <utility>

#include "trommel/hbase/compound_filter.h"

namespace trommel::hbase {
namespace {

constexpr size_t kMostShownBytes = 40;

// For messages: "row1", with \xHH for what is not printable, cut when long.
std::string Quoted(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : bytes.substr(0, kMostShownBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
  }
  return text + (bytes.size() > kMostShownBytes ? "..\"" : "\"");
}

std::string Quoted(CellName cell) {
  return Quoted(cell.row) + (cell.qualifier.empty() ? "" : ", " + Quoted(cell.qualifier));
}

Error BadCell(uint64_t position, const std::string& what) {
  return {.code = ErrorCode::kInvalidArgument,
          .message = "cell " + std::to_string(position) + " " + what};
}

}  // namespace

CompoundFilterWriter::CompoundFilterWriter(const FilterOptions& options, const ChunkShape& shape)
    : shape_(shape) {
  filter_.type_ = options.type;
  if (options.type == BloomType::kRowPrefixFixedLength) {
    filter_.prefix_length_ = options.prefix_length;
  }
  filter_.num_hashes_ = shape.num_hashes;
}

Result<CompoundFilterWriter> CompoundFilterWriter::Create(const FilterOptions& options) {
  if (options.type == BloomType::kNone) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "type NONE has no filter"};
  }
  const Result<ChunkShape> shape = ChunkShapeFor(options);
  if (!shape.ok()) return shape.error();
  return CompoundFilterWriter(options, shape.value());
}

Status CompoundFilterWriter::Append(CellName cell) { return Append({&cell, 1}); }

Status CompoundFilterWriter::Append(std::span<const CellName> cells) {
  for (const CellName& cell : cells) {
    if (cell.row.empty() || cell.row.size() > kMaxRowBytes) {
      return BadCell(num_cells_, "has a row of " + std::to_string(cell.row.size()) +
                                     " bytes; it must have 1 to " + std::to_string(kMaxRowBytes));
    }
    const bool has_column = filter_.type_ == BloomType::kRowCol;
    const CellName named{cell.row, has_column ? cell.qualifier : std::string_view()};
    if (num_cells_ > 0 && named < last_cell_.view()) {
      return BadCell(num_cells_, "is " + Quoted(named) + ", which sorts before cell " +
                                     std::to_string(num_cells_ - 1) + ", " +
                                     Quoted(last_cell_.view()) + ": cells must ascend");
    }
    const CellName key{filter_.type_ == BloomType::kRowPrefixFixedLength
                           ? RowPrefix(named.row, filter_.prefix_length_)
                           : named.row,
                       named.qualifier};
    if (filter_.num_keys_ == 0 || key != filter_.last_.view()) Add(key);
    if (named != last_cell_.view()) {
      last_cell_.row = named.row;
      last_cell_.qualifier = named.qualifier;
    }
    ++num_cells_;
  }
  return Ok();
}

void CompoundFilterWriter::Add(CellName key) {
  auto& chunks = filter_.chunks_;
  if (chunks.empty() || num_in_chunk_ == shape_.max_keys) {
    chunks.push_back({.first = {std::string(key.row), std::string(key.qualifier)},
                      .bits = std::vector<std::byte>(shape_.num_bytes),
                      .num_bytes = shape_.num_bytes});
    filter_.max_keys_ += shape_.max_keys;
    num_in_chunk_ = 0;
  }
  CompoundFilter::Chunk& chunk = chunks.back();
  std::string_view hashed = key.row;
  if (filter_.type_ == BloomType::kRowCol) {
    RowColKey(key, scratch_);
    hashed = scratch_;
  }
  const KeyHash hash = HashOf(hashed);
  for (uint32_t i = 0; i < shape_.num_hashes; ++i) {
    const uint32_t position = hash.Position(i, shape_.num_bytes * 8);
    chunk.bits[position / 8] |= std::byte{1} << (position % 8);
  }
  ++num_in_chunk_;
  ++filter_.num_keys_;
  filter_.last_.row = key.row;
  filter_.last_.qualifier = key.qualifier;
}

// A folded chunk is the one that was built at half the size, because |s rem n| rem (n / 2) is
// |s rem (n / 2)|. HBase folds for as long as the number of bytes is even and more than twice as
// many keys would fit, whatever max_fold.
void CompoundFilterWriter::CloseChunk() {
  CompoundFilter::Chunk& chunk = filter_.chunks_.back();
  uint64_t num_bytes = shape_.num_bytes;
  uint64_t max_keys = shape_.max_keys;
  while (num_bytes % 2 == 0 && max_keys > uint64_t{2} * num_in_chunk_) {
    num_bytes /= 2;
    max_keys /= 2;
  }
  for (uint64_t byte = num_bytes; byte < shape_.num_bytes; ++byte) {
    chunk.bits[byte % num_bytes] |= chunk.bits[byte];
  }
  chunk.bits.resize(num_bytes);
  chunk.bits.shrink_to_fit();
  chunk.num_bytes = num_bytes;
  filter_.max_keys_ -= shape_.max_keys - max_keys;
}

CompoundFilter CompoundFilterWriter::Finish() && {
  if (!filter_.chunks_.empty()) CloseChunk();
  return std::move(filter_);
}

}  // namespace trommel::hbase
