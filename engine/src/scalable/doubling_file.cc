// Filters that double, in files. The section `doubling` has what was asked for; each of the 64
// shards, in the order of the digests' top 6 bits, is a store:
//
//   numbers   depth and segments that have split; none if the shard keeps digests
//   digests   8 bytes each: strings (growing/shard_contents.h), ascending
//   further   16 bytes each: string, count; ascending by string
//   sizes     4 bytes each: how many codes the block has
//   codes     2 bytes each: block by block, ascending
//
// A shard that keeps digests has no blocks, one that has blocks no digests. Canonical: a shard's
// size follows from its history, all else from the strings that it holds. What
// GrowingStore::ReadShard would not return is refused. A block takes at least 4 bytes of the file,
// and a code that its block has no place for 2 bytes, so a file makes its reader take at most 33
// times its own size.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/memory_limit.h"
#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "engine/src/scalable/doubling_engine.h"

namespace trommel {
namespace {

struct DoublingNumbers {
  uint32_t first_bits;      //  0  a shard has 2^first_bits blocks at first
  uint32_t most_doublings;  //  4
  uint64_t max_capacity;    //  8  as asked for; 0: none
  double target_fpr;        // 16  as asked for
};
static_assert(sizeof(DoublingNumbers) == 24);

struct ShardNumbers {
  uint32_t depth;      // 0  2^depth blocks before those that have been split
  uint32_t reserved;   // 4  0
  uint64_t num_split;  // 8  segments of 4,096 blocks that have been split
};
static_assert(sizeof(ShardNumbers) == 16 && sizeof(StringCount) == 16);

constexpr uint32_t StoreOf(size_t shard_idx) { return static_cast<uint32_t>(shard_idx) + 1; }

// About what all shards take in a file.
uint64_t AboutBytes(const GrowingFigures& figures, uint64_t num_entries) {
  return figures.num_blocks * sizeof(uint32_t) + num_entries * 2 * sizeof(uint16_t);
}

Status CheckNumbers(const FileSection& section, const DoublingNumbers& numbers) {
  if (!DoublingPlan::CanBe(numbers.first_bits, numbers.most_doublings)) {
    return section.CorruptAt(0, "2^" + std::to_string(numbers.first_bits) +
                                    " blocks that double up to " +
                                    std::to_string(numbers.most_doublings) + " times");
  }
  // Written so that NaN fails.
  if (!(numbers.target_fpr >= kMinTargetFpr && numbers.target_fpr <= kMaxTargetFpr)) {
    return section.CorruptAt(offsetof(DoublingNumbers, target_fpr), "a rate that none can ask for");
  }
  const DoublingPlan plan(numbers.first_bits, numbers.most_doublings);
  if (numbers.max_capacity > plan.largest_capacity()) {
    return section.CorruptAt(offsetof(DoublingNumbers, max_capacity),
                             "a max_capacity beyond what the doublings hold");
  }
  return Ok();
}

// What the shards' blocks, digests and counts take at least. The blocks that a shard has at first
// are made before it is read: all shards must have as many.
Result<uint64_t> LeastBytes(FileReader& file, uint32_t first_bits) {
  constexpr uint64_t kBlockBytes = 64;
  uint64_t num_bytes = 0;
  for (size_t s = 0; s < GrowingStore::kNumShards; ++s) {
    const FileSection sizes = file.Take(sections::kSizes, StoreOf(s));
    const uint64_t num_blocks = sizes.num_bytes() / sizeof(uint32_t);
    if (first_bits > GrowingStore::kLeastFirstBits && num_blocks >> first_bits == 0) {
      return sizes.CorruptAt(0, "the shard has fewer blocks than at first");
    }
    num_bytes += num_blocks * kBlockBytes + file.Take(sections::kDigests, StoreOf(s)).num_bytes() +
                 file.Take(sections::kFurther, StoreOf(s)).num_bytes() / 2;
  }
  return num_bytes;
}

template <class T>
Status ReadList(FileReader& file, const SectionRow& row, uint32_t store_idx, std::vector<T>& list) {
  Result<std::vector<T>> all = file.Take(row, store_idx).ReadAll<T>();
  if (!all.ok()) return all.error();
  list = *std::move(all);
  return Ok();
}

Result<ShardContents> ReadShardContents(FileReader& file, uint32_t store_idx) {
  ShardContents contents;
  if (file.Has(sections::kNumbers, store_idx)) {
    const FileSection section = file.Take(sections::kNumbers, store_idx);
    const Result<ShardNumbers> numbers = section.ReadAs<ShardNumbers>();
    if (!numbers.ok()) return numbers.error();
    if (numbers->depth == 0 || numbers->reserved != 0) {
      return section.CorruptAt(0, "a depth of 0, or reserved bytes that are not zero");
    }
    contents.depth = numbers->depth;
    contents.num_split = numbers->num_split;
  }
  Status read = ReadList(file, sections::kDigests, store_idx, contents.digests);
  if (read.ok()) read = ReadList(file, sections::kFurther, store_idx, contents.further);
  if (read.ok()) read = ReadList(file, sections::kSizes, store_idx, contents.block_sizes);
  if (read.ok()) read = ReadList(file, sections::kCodes, store_idx, contents.codes);
  if (!read.ok()) return read.error();
  return contents;
}

// The number of the shard's keys; none if there are more than a file may have.
bool CountKeys(const ShardContents& contents, uint64_t& num_keys) {
  num_keys += contents.digests.size() + contents.codes.size();
  for (const StringCount& further : contents.further) {
    if (num_keys > kMaxFileKeys || further.count > kMaxFileKeys - num_keys) return false;
    num_keys += further.count;
  }
  return num_keys <= kMaxFileKeys;
}

}  // namespace

Status DoublingEngine::WriteTo(FileWriter& file) const {
  file.Begin(FileType::kScalable, config_.digest,
             AboutBytes(store_->Figures(), store_->num_entries()));
  file.Add(sections::kDoubling, 0,
           BytesOf(DoublingNumbers{.first_bits = plan_.first_bits(),
                                   .most_doublings = plan_.most_doublings(),
                                   .max_capacity = config_.max_capacity,
                                   .target_fpr = config_.target_fpr}));
  for (size_t s = 0; s < GrowingStore::kNumShards && file.ok(); ++s) {
    const ShardContents contents = ReadShard(s);
    const ShardNumbers numbers{
        .depth = contents.depth, .reserved = 0, .num_split = contents.num_split};
    if (contents.depth != 0) file.Add(sections::kNumbers, StoreOf(s), BytesOf(numbers));
    file.Add(sections::kDigests, StoreOf(s), std::as_bytes(std::span(contents.digests)));
    file.Add(sections::kFurther, StoreOf(s), std::as_bytes(std::span(contents.further)));
    file.Add(sections::kSizes, StoreOf(s), std::as_bytes(std::span(contents.block_sizes)));
    file.Add(sections::kCodes, StoreOf(s), std::as_bytes(std::span(contents.codes)));
  }
  return Ok();
}

Result<std::unique_ptr<DoublingEngine>> DoublingEngine::Read(FileReader& file, uint64_t limit_bytes,
                                                             const DigestKey& digest_key) {
  const Result<DigestPolicy> policy = file.Policy(digest_key);
  if (!policy.ok()) return policy.error();
  const FileSection section = file.Take(sections::kDoubling);
  const Result<DoublingNumbers> numbers = section.ReadAs<DoublingNumbers>();
  if (!numbers.ok()) return numbers.error();
  if (Status valid = CheckNumbers(section, *numbers); !valid.ok()) return valid.error();
  const Result<uint64_t> least_bytes = LeastBytes(file, numbers->first_bits);
  if (!least_bytes.ok()) return least_bytes.error();
  if (Status fits = CheckMemoryLimit("the filter needs at least", *least_bytes, limit_bytes);
      !fits.ok()) {
    return fits.error();
  }
  const DoublingPlan plan(numbers->first_bits, numbers->most_doublings);
  const ScalableConfig config{.first_capacity = plan.first_capacity(),
                              .target_fpr = numbers->target_fpr,
                              .mode = GrowthMode::kDoubling,
                              .max_capacity = numbers->max_capacity,
                              .digest = *policy,
                              .encoding = Encoding::kFingerprints16,
                              .memory_limit_bytes = limit_bytes};
  Result<std::unique_ptr<DoublingEngine>> engine = Create(config, plan);
  if (!engine.ok()) return engine.error();
  uint64_t num_keys = 0;
  for (size_t s = 0; s < GrowingStore::kNumShards; ++s) {
    const Result<ShardContents> contents = ReadShardContents(file, StoreOf(s));
    if (!contents.ok()) return contents.error();
    const auto corrupt = [&](const std::string& what) {
      const SectionRow& row = contents->depth == 0 ? sections::kDigests : sections::kSizes;
      return file.Take(row, StoreOf(s)).CorruptAt(0, what);
    };
    if (!CountKeys(*contents, num_keys)) return corrupt("counts over 2^63 - 1");
    if (Status written = (*engine)->WriteShard(s, *contents); !written.ok()) {
      const Error& error = written.error();
      return error.code == ErrorCode::kOutOfMemory ? error : corrupt(error.message);
    }
  }
  return engine;
}

}  // namespace trommel
