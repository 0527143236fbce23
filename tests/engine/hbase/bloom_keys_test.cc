// Keys, hash and shapes, beside what HBase's own classes computed.
#include "trommel/hbase/bloom_keys.h"

#include "support/catch.h"
#include "support/hbase_vectors.h"

namespace trommel::hbase {
namespace {

// MurmurHash2 as Austin Appleby published it: the last bytes are numbers without sign.
uint32_t OriginalMurmur(const std::string& key, uint32_t seed) {
  constexpr uint32_t m = 0x5bd1e995;
  const auto byte = [&](size_t i) { return uint32_t{static_cast<unsigned char>(key[i])}; };
  uint32_t h = seed ^ static_cast<uint32_t>(key.size());
  size_t i = 0;
  for (; i + 4 <= key.size(); i += 4) {
    uint32_t k = byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24;
    k *= m;
    k ^= k >> 24;
    h = h * m ^ k * m;
  }
  const size_t tail = key.size() - i;
  if (tail > 2) h ^= byte(i + 2) << 16;
  if (tail > 1) h ^= byte(i + 1) << 8;
  if (tail > 0) h = (h ^ byte(i)) * m;
  h ^= h >> 13;
  h *= m;
  return h ^ h >> 15;
}

}  // namespace

TEST_CASE("the hash of a key is that of HBase, whatever its length and bytes", "[engine][hbase]") {
  size_t num_unlike_original = 0;
  const auto records = VectorsOf("hash");
  for (const VectorRecord& record : records) {
    const auto seed = static_cast<uint32_t>(NumberOf(record[1], 16));
    const std::string key = FromHex(record[2]);
    INFO("seed " << record[1] << ", key " << record[2]);
    CHECK(MurmurHash(key, seed) == NumberOf(record[3], 16));
    const size_t tail = key.size() / 4 * 4;
    bool is_high = false;
    for (size_t i = tail; i < key.size(); ++i) is_high |= (key[i] & 0x80) != 0;
    CHECK((OriginalMurmur(key, seed) != MurmurHash(key, seed)) == is_high);
    num_unlike_original += is_high;
  }
  CHECK(records.size() == 312);
  CHECK(num_unlike_original > 50);  // each position of the last bytes has a high one
}

TEST_CASE("the key of a row and a column is that of HBase", "[engine][hbase]") {
  const auto records = VectorsOf("rowcol");
  for (const VectorRecord& record : records) {
    const std::string row = FromHex(record[1]);
    const std::string qualifier = FromHex(record[2]);
    std::string key = "used before";
    RowColKey({row, qualifier}, key);
    CHECK(key == FromHex(record[3]));
    CHECK(HashOf(key).first == NumberOf(record[4], 16));
    CHECK(HashOf(key).second == MurmurHash(key, HashOf(key).first));
  }
  CHECK(records.size() == 9);
}

TEST_CASE("the size, hashes and keys of a chunk are those of HBase", "[engine][hbase]") {
  const auto records = VectorsOf("shape");
  for (const VectorRecord& record : records) {
    FilterOptions options;
    options.type = TypeNamed(record[1]);
    options.error_rate = std::stof(record[2]);
    options.chunk_bytes = static_cast<uint32_t>(NumberOf(record[3]));
    options.max_fold = static_cast<uint32_t>(NumberOf(record[4]));
    const ChunkShape shape = ChunkShapeFor(options).value();
    INFO(record[1] << " " << record[2] << " " << record[3] << " " << record[4]);
    CHECK(shape.num_bytes == NumberOf(record[5]));
    CHECK(shape.num_hashes == NumberOf(record[6]));
    CHECK(shape.max_keys == NumberOf(record[7]));
  }
  CHECK(records.size() == 72);
}

TEST_CASE("positions are remainders of signed sums that wrap, without their sign",
          "[engine][hbase]") {
  // 2^31 - 1 + 1 wraps to -2^31, whose remainder by 1,000 is -648.
  const KeyHash wraps{0x7fffffff, 1};
  CHECK(wraps.Position(0, 1000) == 647);
  CHECK(wraps.Position(1, 1000) == 648);
  const KeyHash negative{0xffffffff, 0xffffffff};
  CHECK(negative.Position(0, 1000) == 1);
  CHECK(negative.Position(1, 1000) == 2);
  CHECK(KeyHash{0x80000000, 0}.Position(0, 3) == 2);
}

TEST_CASE("options out of range, and hashes that are not implemented, are refused by name",
          "[engine][hbase]") {
  const auto message = [](const FilterOptions& options) {
    const auto shape = ChunkShapeFor(options);
    return shape.ok() ? std::string() : shape.error().message;
  };
  CHECK(message({.hash_type = HashType::kMurmur3}) ==
        "hash_type is 2; only 1 (murmur) is implemented, not 0 (jenkins) or 2 (murmur3)");
  CHECK(message({.hash_type = HashType::kJenkins}).starts_with("hash_type is 0"));
  CHECK(message({.type = BloomType::kRowPrefixFixedLength}) ==
        "prefix_length is 0; it must be between 1 and 32767");
  CHECK(message({.type = BloomType::kRowPrefixFixedLength, .prefix_length = 32'768})
            .starts_with("prefix_length is 32768"));
  CHECK(message({.type = BloomType::kRowPrefixFixedLength, .prefix_length = 32'767}).empty());
  CHECK(message({.error_rate = 0}).starts_with("error_rate is 0"));
  CHECK(message({.error_rate = 1}).starts_with("error_rate is 1"));
  CHECK(message({.error_rate = std::stof("nan")}).starts_with("error_rate is nan"));
  CHECK(message({.chunk_bytes = 0}).starts_with("chunk_bytes is 0"));
  CHECK(message({.chunk_bytes = (1U << 27) + 1}).starts_with("chunk_bytes is 134217729"));
  CHECK(message({.max_fold = 21}).starts_with("max_fold is 21"));
  CHECK(message({.error_rate = 1e-30F, .chunk_bytes = 1, .max_fold = 0})
            .starts_with("no filter of 1 bytes per chunk"));
  CHECK(message({.error_rate = 0.9F}).starts_with("no filter of 131072 bytes per chunk"));
}

}  // namespace trommel::hbase
