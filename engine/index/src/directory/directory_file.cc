#include "engine/index/src/directory/directory_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "trommel/digest.h"

namespace trommel::index {
namespace {

class Encoder {
 public:
  void U32(uint32_t value) { Integer(value, 4); }
  void U64(uint64_t value) { Integer(value, 8); }
  void F64(double value) { U64(std::bit_cast<uint64_t>(value)); }
  void Text(std::string_view text) {
    U64(text.size());
    bytes_ += text;
  }
  std::string Take() { return std::move(bytes_); }

 private:
  void Integer(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xff);
  }
  std::string bytes_;
};

// Reads what Encoder wrote. Behind the end it reads zeros, and is no longer ok.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}
  uint32_t U32() { return static_cast<uint32_t>(Integer(4)); }
  uint64_t U64() { return Integer(8); }
  double F64() { return std::bit_cast<double>(U64()); }
  std::string Text() {
    const uint64_t size = U64();
    if (size > bytes_.size()) {
      Fail();
      return {};
    }
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  // A number of things that take at least min_bytes each.
  size_t Count(size_t min_bytes) {
    const uint64_t count = U64();
    if (count > bytes_.size() / min_bytes) {
      Fail();
      return 0;
    }
    return count;
  }
  bool IsDone() const { return is_ok_ && bytes_.empty(); }

 private:
  void Fail() {
    is_ok_ = false;
    bytes_ = {};
  }
  uint64_t Integer(size_t size) {
    if (bytes_.size() < size) {
      Fail();
      return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value |= uint64_t{static_cast<unsigned char>(bytes_[i])} << 8 * i;
    }
    bytes_.remove_prefix(size);
    return value;
  }
  std::string_view bytes_;
  bool is_ok_ = true;
};

constexpr size_t kEndBytes = 8 + 8 + kDirectoryMagicBytes;

uint64_t Checksum(std::string_view bytes) {
  return DigestPolicy{.kind = DigestKind::kXxh64}(Key(bytes));
}

Error Corrupt(const std::filesystem::path& path, std::string_view what) {
  return {ErrorCode::kCorrupt, path.string() + ": " + std::string(what)};
}

}  // namespace

std::string EncodeContents(const DirectoryContents& contents) {
  Encoder out;
  out.U32(static_cast<uint32_t>(contents.structure));
  out.F64(contents.target_fpr);
  out.U64(0);  // reserved
  out.U32(static_cast<uint32_t>(contents.digest_kind));
  out.U64(contents.digest_seed);
  out.U32(contents.num_attributes);
  out.U64(contents.servers.size());
  for (const StoreStamp& server : contents.servers) {
    out.Text(server.identity);
    out.U64(server.sequence);
  }
  out.U64(contents.attributes.size());
  for (const SavedAttribute& attribute : contents.attributes) {
    out.U32(attribute.attribute);
    out.U64(attribute.pairs_per_region);
    if (contents.structure == Structure::kMap) {
      out.U64(attribute.shape.num_blocks);
      out.U32(attribute.shape.fingerprint_bits);
    }
    out.U64(attribute.columns.size());
    for (const SavedColumn& column : attribute.columns) {
      out.U64(column.offset);
      out.U64(column.num_bytes);
      out.U64(column.regions.size());
      for (const Region& region : column.regions) {
        out.U32(region.id);
        out.Text(region.range.begin);
        out.Text(region.range.end);
        out.U32(region.server);
      }
    }
  }
  return out.Take();
}

Result<DirectoryContents> DecodeContents(std::string_view bytes) {
  Decoder in(bytes);
  DirectoryContents contents;
  const uint32_t structure = in.U32();
  if (structure == kTransposedStructure) {
    return Error{
        ErrorCode::kVersion,
        "the directory has transposed columns, a structure that this program reads no longer"};
  }
  contents.structure = static_cast<Structure>(structure);
  contents.target_fpr = in.F64();
  const uint64_t reserved = in.U64();
  const uint32_t digest_kind = in.U32();
  contents.digest_kind = static_cast<DigestKind>(digest_kind);
  contents.digest_seed = in.U64();
  contents.num_attributes = in.U32();
  contents.servers.resize(in.Count(16));
  for (StoreStamp& server : contents.servers) {
    server.identity = in.Text();
    server.sequence = in.U64();
  }
  contents.attributes.resize(in.Count(20));
  for (SavedAttribute& attribute : contents.attributes) {
    attribute.attribute = in.U32();
    attribute.pairs_per_region = in.U64();
    if (contents.structure == Structure::kMap) {
      attribute.shape.num_blocks = in.U64();
      attribute.shape.fingerprint_bits = in.U32();
    }
    attribute.columns.resize(in.Count(24));
    for (SavedColumn& column : attribute.columns) {
      column.offset = in.U64();
      column.num_bytes = in.U64();
      column.regions.resize(in.Count(24));
      for (Region& region : column.regions) {
        region.id = in.U32();
        region.range.begin = in.Text();
        region.range.end = in.Text();
        region.server = in.U32();
      }
    }
  }
  const bool is_known = structure <= static_cast<uint32_t>(Structure::kMap) && reserved == 0 &&
                        digest_kind <= static_cast<uint32_t>(DigestKind::kSipHash);
  if (!in.IsDone() || !is_known) {
    return Error{ErrorCode::kCorrupt, "the contents of the directory's file are not valid"};
  }
  return contents;
}

std::string EncodeEnd(const DirectoryContents& contents) {
  const std::string bytes = EncodeContents(contents);
  Encoder end;
  end.U64(bytes.size());
  end.U64(Checksum(bytes));
  return bytes + end.Take() + std::string(kDirectoryMagic, kDirectoryMagicBytes);
}

Result<DirectoryContents> ReadContents(const std::filesystem::path& path, std::ifstream& file) {
  file.open(path, std::ios::binary);
  if (!file) {
    return Error{ErrorCode::kIo, path.string() + ": " + std::generic_category().message(errno)};
  }
  file.seekg(0, std::ios::end);
  const auto size = static_cast<uint64_t>(std::max<std::streamoff>(0, file.tellg()));
  char magic[kDirectoryMagicBytes] = {};
  char end[kEndBytes] = {};
  file.seekg(0);
  file.read(magic, sizeof magic);
  if (!file || std::memcmp(magic, kDirectoryMagic, kDirectoryMagicBytes) != 0) {
    // "TRMLDIR" and another digit is another version.
    if (file && std::memcmp(magic, kDirectoryMagic, kDirectoryMagicBytes - 1) == 0) {
      return Error{ErrorCode::kVersion, path.string() + ": version " + magic[7] +
                                            " of the directory's file; this program reads 1"};
    }
    return Corrupt(path, "not the file of a directory (bad magic)");
  }
  const auto truncated = [&] {
    return Corrupt(path, "truncated at " + std::to_string(size) + " bytes, or changed at its end");
  };
  if (size < kDirectoryMagicBytes + kEndBytes) return truncated();
  file.seekg(static_cast<std::streamoff>(size - kEndBytes));
  file.read(end, sizeof end);
  Decoder numbers(std::string_view(end, 16));
  const uint64_t num_bytes = numbers.U64();
  const uint64_t checksum = numbers.U64();
  if (!file || std::memcmp(end + 16, kDirectoryMagic, kDirectoryMagicBytes) != 0 ||
      num_bytes > size - kDirectoryMagicBytes - kEndBytes) {
    return truncated();
  }
  std::string bytes(num_bytes, '\0');
  file.seekg(static_cast<std::streamoff>(size - kEndBytes - num_bytes));
  file.read(bytes.data(), static_cast<std::streamsize>(num_bytes));
  if (!file || Checksum(bytes) != checksum) {
    return Corrupt(path, "the checksum of the contents does not match them");
  }
  Result<DirectoryContents> contents = DecodeContents(bytes);
  if (!contents) {
    return Error{contents.error().code, path.string() + ": " + contents.error().message};
  }
  // One behind the other: no byte is read for more than one column.
  uint64_t offset = kDirectoryMagicBytes;
  const uint64_t contents_at = size - kEndBytes - num_bytes;
  for (const SavedAttribute& attribute : contents->attributes) {
    for (const SavedColumn& column : attribute.columns) {
      if (column.offset != offset || column.num_bytes > contents_at - offset ||
          column.regions.empty()) {
        return Corrupt(path, "a column is not behind the one before it");
      }
      offset += column.num_bytes;
    }
  }
  if (offset != contents_at) return Corrupt(path, "bytes behind the last column");
  return contents;
}

}  // namespace trommel::index
