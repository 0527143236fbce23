#include "trommel/hbase/bloom_keys.h"

#include <cmath>
#include <numbers>

#include "engine/src/base/check.h"
#include "engine/src/base/out_of_range.h"

namespace trommel::hbase {
namespace {

constexpr uint32_t kMostChunkBytes = uint32_t{1} << 27;  // so that a chunk's bits are below 2^31
constexpr uint32_t kMostFold = 20;
constexpr double kLn2Squared = std::numbers::ln2 * std::numbers::ln2;

// An error rate as HBase prints it: the shortest decimal number that is this float.
Error BadRate(float rate) {
  return OutOfRange("error_rate", static_cast<double>(rate), "above 0 and below 1");
}

// HBase computes in floats here. The result is what its writer gets, to the last bit.
float RatePerProbe(const FilterOptions& options) {
  if (options.type != BloomType::kRowCol) return options.error_rate;
  const float rest = 1 - options.error_rate;
  return static_cast<float>(1 - std::sqrt(static_cast<double>(rest)));
}

uint32_t WordAt(const char* at) {
  uint32_t word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | static_cast<unsigned char>(at[i]);
  return word;
}

}  // namespace

std::string_view BloomTypeName(BloomType type) noexcept {
  switch (type) {
    case BloomType::kNone:
      return "NONE";
    case BloomType::kRow:
      return "ROW";
    case BloomType::kRowCol:
      return "ROWCOL";
    case BloomType::kRowPrefixFixedLength:
      return "ROWPREFIX_FIXED_LENGTH";
  }
  return "?";
}

void RowColKey(CellName cell, std::string& key) {
  TROMMEL_CHECK(cell.row.size() <= kMaxRowBytes, "a row is longer than kMaxRowBytes");
  key.clear();
  key += static_cast<char>(cell.row.size() >> 8);
  key += static_cast<char>(cell.row.size() & 0xff);
  key += cell.row;
  key += '\0';
  key += cell.qualifier;
  key += "\x7f\xff\xff\xff\xff\xff\xff\xff\xff";
}

uint32_t MurmurHash(std::string_view key, uint32_t seed) noexcept {
  constexpr uint32_t kFactor = 0x5bd1e995;
  constexpr int kShift = 24;
  const auto size = static_cast<uint32_t>(key.size());
  uint32_t hash = seed ^ size;
  const char* at = key.data();
  const char* const end = at + key.size();
  for (; end - at >= 4; at += 4) {
    uint32_t word = WordAt(at) * kFactor;
    word ^= word >> kShift;
    hash = hash * kFactor ^ word * kFactor;
  }
  if (at != end) {
    // Java's bytes are signed, and become integers by their sign: a byte of 0x80 or more sets all
    // bits above its own.
    for (auto i = static_cast<int>(end - at) - 1; i >= 0; --i) {
      hash ^= static_cast<uint32_t>(static_cast<signed char>(at[i])) << (8 * i);
    }
    hash *= kFactor;
  }
  hash ^= hash >> 13;
  hash *= kFactor;
  return hash ^ hash >> 15;
}

Result<ChunkShape> ChunkShapeFor(const FilterOptions& options) {
  if (options.hash_type != HashType::kMurmur) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = "hash_type is " +
                            std::to_string(static_cast<unsigned>(options.hash_type)) +
                            "; only 1 (murmur) is implemented, not 0 (jenkins) or 2 (murmur3)"};
  }
  if (options.type == BloomType::kRowPrefixFixedLength &&
      (options.prefix_length == 0 || options.prefix_length > kMaxRowBytes)) {
    return OutOfRange("prefix_length", options.prefix_length, uint32_t{1}, kMaxRowBytes);
  }
  if (!(options.error_rate > 0 && options.error_rate < 1)) return BadRate(options.error_rate);
  if (options.chunk_bytes == 0 || options.chunk_bytes > kMostChunkBytes) {
    return OutOfRange("chunk_bytes", options.chunk_bytes, uint32_t{1}, kMostChunkBytes);
  }
  if (options.max_fold > kMostFold) {
    return OutOfRange("max_fold", options.max_fold, uint32_t{0}, kMostFold);
  }
  const uint32_t unit = uint32_t{1} << options.max_fold;
  const uint32_t num_bytes = (options.chunk_bytes + unit - 1) / unit * unit;
  const auto num_bits = static_cast<double>(uint64_t{num_bytes} * 8);
  const double rate = RatePerProbe(options);
  // The keys for the best, fractional k; then k, rounded up from whole bits per key; then the keys
  // for that k.
  const auto ideal_keys = static_cast<uint64_t>(num_bits * (kLn2Squared / -std::log(rate)));
  const uint64_t bits_per_key = ideal_keys == 0 ? 0 : uint64_t{num_bytes} * 8 / ideal_keys;
  const double num_hashes = std::ceil(std::numbers::ln2 * static_cast<double>(bits_per_key));
  const double keys = num_hashes == 0 ? 0
                                      : -num_bits / num_hashes *
                                            std::log(1 - std::exp(std::log(rate) / num_hashes));
  if (!(keys >= 1 && keys < 0x1p31)) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = "no filter of " + std::to_string(num_bytes) +
                            " bytes per chunk has an error_rate of " +
                            TextOf(static_cast<double>(options.error_rate)) +
                            ": make chunk_bytes larger, or the rate less extreme"};
  }
  return ChunkShape{.num_bytes = num_bytes,
                    .num_hashes = static_cast<uint32_t>(num_hashes),
                    .max_keys = static_cast<uint32_t>(keys)};
}

}  // namespace trommel::hbase
