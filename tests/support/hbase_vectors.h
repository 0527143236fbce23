// The records of vectors/vectors.txt, which HBase's own classes computed.
#ifndef TROMMEL_TESTS_SUPPORT_HBASE_VECTORS_H_
#define TROMMEL_TESTS_SUPPORT_HBASE_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "support/paths.h"
#include "trommel/hbase/bloom_keys.h"

namespace trommel::hbase {

// A line: its words, the first of which says what it is.
using VectorRecord = std::vector<std::string>;

inline std::vector<VectorRecord> AllVectors() {
  std::ifstream file(std::string(tests::kSourceFolder) + "/tests/engine/hbase/vectors/vectors.txt");
  std::vector<VectorRecord> records;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    VectorRecord record;
    for (std::string word; words >> word;) record.push_back(word);
    records.push_back(record);
  }
  return records;
}

inline std::vector<VectorRecord> VectorsOf(const std::string& kind) {
  std::vector<VectorRecord> chosen;
  for (VectorRecord& record : AllVectors()) {
    if (record.front() == kind) chosen.push_back(std::move(record));
  }
  return chosen;
}

inline std::string FromHex(const std::string& hex) {
  std::string bytes;
  if (hex == "-") return bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

inline uint64_t NumberOf(const std::string& text, int base = 10) {
  return std::stoull(text, nullptr, base);
}

inline std::string TextOfBytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline BloomType TypeNamed(const std::string& name) {
  for (const auto type : {BloomType::kRow, BloomType::kRowCol, BloomType::kRowPrefixFixedLength}) {
    if (BloomTypeName(type) == name) return type;
  }
  return BloomType::kNone;
}

// FNV-1a: in the vectors instead of the bytes of large chunks.
inline uint64_t Fnv(std::span<const std::byte> bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

// Cell i of the vectors: MakeVectors.java's member(). It owns the bytes.
struct VectorCell {
  std::string row;
  std::string qualifier;

  VectorCell(BloomType type, int i) {
    const bool has_column = type == BloomType::kRowCol;
    const std::string digits = std::to_string(has_column ? i / 4 : i);
    row = "row" + std::string(8 - digits.size(), '0') + digits;
    qualifier = "q" + std::to_string(has_column ? i % 4 : 1);
  }
  CellName name() const { return {row, qualifier}; }
};

}  // namespace trommel::hbase

#endif  // TROMMEL_TESTS_SUPPORT_HBASE_VECTORS_H_
