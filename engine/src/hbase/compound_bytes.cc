// A compound filter as bytes.
//
//   0     "TrHBloom"                        8
//   8     version, 1                        4
//   12    type: 1 ROW, 2 ROWCOL, 3 ROWPREFIX_FIXED_LENGTH    4
//   16    prefix length, 0 for other types  4
//   20    bytes of the metadata             4
//   24    bytes of the last key             4
//   28    0                                 4
//   32    checksum of bytes 0 to 31, and of the metadata, the last key and the chunks' checksums 8
//   40    metadata: HBase's own, numbers with the high byte first
//         last key, as HBase's LAST_BLOOM_KEY
//         a checksum per chunk              8 each
//         the chunks, one after the other
//
// All numbers are little-endian, except for those of the metadata.
#include <algorithm>
#include <cstring>

#include "engine/src/disk/checksum.h"
#include "trommel/hbase/compound_filter.h"

namespace trommel::hbase {
namespace {

constexpr std::string_view kBloomMagic = "TrHBloom";
constexpr uint32_t kBloomVersion = 1;
constexpr size_t kCheckedHeaderBytes = 32;  // of 40: those before the checksum
constexpr uint32_t kMetadataVersion = 3;
constexpr uint64_t kMostHashesRead = 1000;
constexpr std::string_view kComparator = "org.apache.hadoop.hbase.CellComparatorImpl";

void AppendBytes(std::vector<std::byte>& bytes, std::string_view more) {
  const auto* first = reinterpret_cast<const std::byte*>(more.data());
  bytes.insert(bytes.end(), first, first + more.size());
}

void AppendBigEndian(std::vector<std::byte>& bytes, uint64_t number, int num_bytes) {
  for (int i = num_bytes - 1; i >= 0; --i) bytes.push_back(static_cast<std::byte>(number >> 8 * i));
}

void AppendLittleEndian(std::vector<std::byte>& bytes, uint64_t number, int num_bytes) {
  for (int i = 0; i < num_bytes; ++i) bytes.push_back(static_cast<std::byte>(number >> 8 * i));
}

// Hadoop's variable-length number, for those of at least 0: one byte up to 127; else a byte of -112
// less the number of bytes that follow, high byte first.
void AppendCounted(std::vector<std::byte>& bytes, std::string_view text) {
  const uint64_t size = text.size();
  if (size <= 127) {
    AppendBigEndian(bytes, size, 1);
  } else {
    int num_bytes = 1;
    while (size >> 8 * num_bytes != 0) ++num_bytes;
    bytes.push_back(static_cast<std::byte>(-112 - num_bytes));
    AppendBigEndian(bytes, size, num_bytes);
  }
  AppendBytes(bytes, text);
}

// Reads forward, and says once and for all when there is too little.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> Take(uint64_t num_bytes) {
    if (num_bytes > bytes_.size()) {
      is_short_ = true;
      bytes_ = {};
      return {};
    }
    const auto taken = bytes_.first(static_cast<size_t>(num_bytes));
    bytes_ = bytes_.subspan(static_cast<size_t>(num_bytes));
    return taken;
  }
  uint64_t BigEndian(uint64_t num_bytes) {
    uint64_t number = 0;
    for (const std::byte byte : Take(num_bytes)) number = number << 8 | static_cast<uint8_t>(byte);
    return number;
  }
  uint64_t LittleEndian(uint64_t num_bytes) {
    const auto taken = Take(num_bytes);
    uint64_t number = 0;
    for (size_t i = taken.size(); i-- > 0;) number = number << 8 | static_cast<uint8_t>(taken[i]);
    return number;
  }
  std::string_view Text(uint64_t num_bytes) {
    const auto taken = Take(num_bytes);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  std::string_view Counted() {
    uint64_t size = BigEndian(1);
    if (size > 127) {
      const uint64_t num_bytes = 0x90 - size;  // of the byte as a number without sign
      if (size >= 0x90 || num_bytes > 4) return Text(~uint64_t{0});
      size = BigEndian(num_bytes);
    }
    return Text(size);
  }
  bool is_short() const { return is_short_; }
  size_t num_left() const { return bytes_.size(); }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  bool is_short_ = false;
};

Error Damaged(const std::string& what) {
  return {.code = ErrorCode::kCorrupt, .message = "HBase filter: " + what};
}

// The name in a key of RowColKey; false if it is none.
bool ParseRowCol(std::string_view key, std::string& row, std::string& qualifier) {
  constexpr size_t kAroundRow = 3;
  constexpr size_t kBehind = 9;
  if (key.size() < kAroundRow + kBehind) return false;
  const size_t row_bytes = static_cast<size_t>(static_cast<unsigned char>(key[0])) << 8 |
                           static_cast<unsigned char>(key[1]);
  if (row_bytes > kMaxRowBytes || row_bytes + kAroundRow + kBehind > key.size()) return false;
  row = key.substr(2, row_bytes);
  qualifier = key.substr(kAroundRow + row_bytes, key.size() - kAroundRow - kBehind - row_bytes);
  std::string again;
  RowColKey({row, qualifier}, again);
  return again == key;
}

}  // namespace

std::vector<std::byte> CompoundFilter::Metadata() const {
  std::vector<std::byte> bytes;
  AppendBigEndian(bytes, kMetadataVersion, 4);
  AppendBigEndian(bytes, num_bytes(), 8);
  AppendBigEndian(bytes, num_hashes_, 4);
  AppendBigEndian(bytes, static_cast<uint64_t>(HashType::kMurmur), 4);
  AppendBigEndian(bytes, num_keys_, 8);
  AppendBigEndian(bytes, max_keys_, 8);
  AppendBigEndian(bytes, chunks_.size(), 4);
  const bool has_column = type_ == BloomType::kRowCol;
  AppendCounted(bytes, has_column ? kComparator : std::string_view());
  uint64_t offset = 0;
  std::string key;
  for (const Chunk& chunk : chunks_) {
    AppendBigEndian(bytes, offset, 8);
    AppendBigEndian(bytes, chunk.num_bytes, 4);
    if (has_column) RowColKey(chunk.first.view(), key);
    AppendCounted(bytes, has_column ? key : chunk.first.row);
    offset += chunk.num_bytes;
  }
  return bytes;
}

std::vector<std::byte> CompoundFilter::Serialize() const {
  const std::vector<std::byte> metadata = Metadata();
  const std::string last = LastKey();
  std::vector<std::byte> bytes;
  AppendBytes(bytes, kBloomMagic);
  AppendLittleEndian(bytes, kBloomVersion, 4);
  AppendLittleEndian(bytes, static_cast<uint64_t>(type_), 4);
  AppendLittleEndian(bytes, prefix_length_, 4);
  AppendLittleEndian(bytes, metadata.size(), 4);
  AppendLittleEndian(bytes, last.size(), 4);
  AppendLittleEndian(bytes, 0, 4);
  std::vector<std::byte> checked = metadata;
  AppendBytes(checked, last);
  for (const Chunk& chunk : chunks_) AppendLittleEndian(checked, Checksum::Of(chunk.bits), 8);
  Checksum checksum;
  checksum.Add(bytes);
  checksum.Add(checked);
  AppendLittleEndian(bytes, checksum.Value(), 8);
  bytes.insert(bytes.end(), checked.begin(), checked.end());
  for (const Chunk& chunk : chunks_) {
    bytes.insert(bytes.end(), chunk.bits.begin(), chunk.bits.end());
  }
  return bytes;
}

// Fills what the metadata has; the chunks get their first keys and lengths.
Status CompoundFilter::ReadIndex(std::span<const std::byte> metadata) {
  ByteReader reader(metadata);
  if (const uint64_t version = reader.BigEndian(4); version != kMetadataVersion) {
    return Damaged("metadata of version " + std::to_string(version) + "; this reads 3");
  }
  const uint64_t total_bytes = reader.BigEndian(8);
  const uint64_t num_hashes = reader.BigEndian(4);
  const uint64_t hash_type = reader.BigEndian(4);
  num_keys_ = reader.BigEndian(8);
  max_keys_ = reader.BigEndian(8);
  const uint64_t num_chunks = reader.BigEndian(4);
  if (hash_type != static_cast<uint64_t>(HashType::kMurmur)) {
    return Damaged("hash type " + std::to_string(hash_type) + "; only 1 (murmur) is implemented");
  }
  if (num_hashes > kMostHashesRead) {
    return Damaged(std::to_string(num_hashes) + " hashes; 1,000 is the most");
  }
  num_hashes_ = static_cast<uint32_t>(num_hashes);
  reader.Counted();  // the comparator's class
  uint64_t offset = 0;
  for (uint64_t c = 0; c < num_chunks && !reader.is_short(); ++c) {
    Chunk chunk;
    const uint64_t at = reader.BigEndian(8);
    chunk.num_bytes = reader.BigEndian(4);
    const std::string_view key = reader.Counted();
    const std::string name = "chunk " + std::to_string(c);
    if (at != offset) return Damaged(name + " is not behind the one before it");
    if (chunk.num_bytes == 0 || chunk.num_bytes >= uint64_t{1} << 28) {
      return Damaged(name + " has " + std::to_string(chunk.num_bytes) + " bytes");
    }
    if (type_ == BloomType::kRowCol) {
      if (!ParseRowCol(key, chunk.first.row, chunk.first.qualifier)) {
        return Damaged("the first key of " + name + " is no key of row and column");
      }
    } else {
      chunk.first.row = key;
    }
    if (c > 0 && !(chunks_.back().first.view() < chunk.first.view())) {
      return Damaged("the first key of " + name + " does not sort behind that of the one before");
    }
    offset += chunk.num_bytes;
    chunks_.push_back(std::move(chunk));
  }
  if (reader.is_short() || reader.num_left() != 0) return Damaged("the index has a wrong length");
  if (offset != total_bytes || (num_keys_ == 0) != chunks_.empty()) {
    return Damaged("the index and the totals before it differ");
  }
  return Ok();
}

Status CompoundFilter::ReadFrom(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  if (reader.Text(kBloomMagic.size()) != kBloomMagic) return Damaged("bad magic");
  if (const uint64_t version = reader.LittleEndian(4); version != kBloomVersion) {
    return Damaged("version " + std::to_string(version) + "; this reads 1");
  }
  const uint64_t type = reader.LittleEndian(4);
  const uint64_t prefix_length = reader.LittleEndian(4);
  const uint64_t num_metadata_bytes = reader.LittleEndian(4);
  const uint64_t num_last_bytes = reader.LittleEndian(4);
  reader.LittleEndian(4);
  const uint64_t stored = reader.LittleEndian(8);
  const std::span<const std::byte> behind = reader.rest();
  const std::span<const std::byte> metadata = reader.Take(num_metadata_bytes);
  const std::string_view last = reader.Text(num_last_bytes);
  if (reader.is_short()) return Damaged("cut within its metadata");
  // The number of chunks is needed for the checksum that vouches for it: only as far as there are
  // bytes.
  constexpr size_t kAtNumChunks = 36;
  if (metadata.size() < kAtNumChunks + 4) return Damaged("no metadata");
  const uint64_t num_chunks = ByteReader(metadata.subspan(kAtNumChunks)).BigEndian(4);
  const std::span<const std::byte> checksums = reader.Take(num_chunks * 8);
  if (reader.is_short()) return Damaged("cut within its checksums");
  Checksum checksum;
  checksum.Add(bytes.first(kCheckedHeaderBytes));
  checksum.Add(behind.first(metadata.size() + last.size() + checksums.size()));
  if (checksum.Value() != stored) return Damaged("the checksum of its metadata does not fit");
  if (type == 0 || type > static_cast<uint64_t>(BloomType::kRowPrefixFixedLength)) {
    return Damaged("type " + std::to_string(type));
  }
  type_ = static_cast<BloomType>(type);
  if ((type_ == BloomType::kRowPrefixFixedLength) != (prefix_length != 0) ||
      prefix_length > kMaxRowBytes) {
    return Damaged("prefix length " + std::to_string(prefix_length));
  }
  prefix_length_ = static_cast<uint32_t>(prefix_length);
  if (Status read = ReadIndex(metadata); !read.ok()) return read;
  if (type_ != BloomType::kRowCol || num_keys_ == 0) {
    last_.row = last;
  } else if (!ParseRowCol(last, last_.row, last_.qualifier)) {
    return Damaged("the last key is no key of row and column");
  }
  if (!chunks_.empty() && last_.view() < chunks_.back().first.view()) {
    return Damaged("the last key sorts before the first of the last chunk");
  }
  ByteReader sums(checksums);
  for (size_t c = 0; c < chunks_.size(); ++c) {
    const uint64_t expected = sums.LittleEndian(8);
    const uint64_t num_left = reader.num_left();
    const std::span<const std::byte> bits = reader.Take(chunks_[c].num_bytes);
    const std::string name = "chunk " + std::to_string(c);
    if (bits.size() != chunks_[c].num_bytes) {
      damage_.push_back(Damaged(name + " has " + std::to_string(num_left) + " of " +
                                std::to_string(chunks_[c].num_bytes) +
                                " bytes: its keys are maybe present"));
    } else if (Checksum::Of(bits) != expected) {
      damage_.push_back(
          Damaged("the checksum of " + name + " does not fit: its keys are maybe present"));
    } else {
      chunks_[c].bits.assign(bits.begin(), bits.end());
    }
  }
  if (reader.num_left() != 0) {
    damage_.push_back(Damaged(std::to_string(reader.num_left()) + " bytes behind the last chunk"));
  }
  return Ok();
}

CompoundFilter CompoundFilter::DeserializeOrPass(std::span<const std::byte> bytes) {
  CompoundFilter filter;
  const Status read = filter.ReadFrom(bytes);
  if (read.ok()) return filter;
  CompoundFilter passing;
  passing.passes_all_ = true;
  passing.damage_.push_back(read.error());
  passing.damage_.back().message += "; every key is maybe present";
  return passing;
}

}  // namespace trommel::hbase
