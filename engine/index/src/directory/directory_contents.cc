#include "engine/index/src/directory/directory_contents.h"

#include <bit>
#include <utility>

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

}  // namespace

std::string EncodeContents(const DirectoryContents& contents) {
  Encoder out;
  out.U32(static_cast<uint32_t>(contents.structure));
  out.F64(contents.target_fpr);
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
  contents.structure = static_cast<Structure>(structure);
  contents.target_fpr = in.F64();
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
    attribute.columns.resize(in.Count(8));
    for (SavedColumn& column : attribute.columns) {
      column.regions.resize(in.Count(24));
      for (Region& region : column.regions) {
        region.id = in.U32();
        region.range.begin = in.Text();
        region.range.end = in.Text();
        region.server = in.U32();
      }
    }
  }
  if (!in.IsDone() || structure == kTransposedStructure ||
      structure > static_cast<uint32_t>(Structure::kMap)) {
    return Error{ErrorCode::kCorrupt, "the contents of the directory's file are not valid"};
  }
  return contents;
}

}  // namespace trommel::index
