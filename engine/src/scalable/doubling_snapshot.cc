#include "engine/src/scalable/doubling_snapshot.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/memory_limit.h"
#include "engine/src/base/rounding.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/snapshots/fingerprint_snapshot.h"
#include "engine/src/snapshots/sections.h"

namespace trommel {
namespace {

constexpr uint64_t kTableAt = kHeaderBytes;
constexpr uint64_t kShardsAt = kTableAt + sizeof(ShardTable);
constexpr uint64_t kShardAlignment = 8;
static_assert(sizeof(StringCount) == 16, "the struct is the file's bytes");

constexpr uint64_t RecordAt(size_t shard_idx) { return kTableAt + shard_idx * sizeof(ShardRecord); }

// Of the shard's contents. Requires numbers that fit a file.
uint64_t BytesOfShard(const ShardRecord& record) {
  return RoundUp(record.num_digests * sizeof(uint64_t) + record.num_further * sizeof(StringCount) +
                     record.num_blocks * sizeof(uint32_t) + record.num_codes * sizeof(uint16_t),
                 kShardAlignment);
}

uint64_t PaddingOf(const ShardRecord& record) {
  return BytesOfShard(record) -
         (record.num_digests * sizeof(uint64_t) + record.num_further * sizeof(StringCount) +
          record.num_blocks * sizeof(uint32_t) + record.num_codes * sizeof(uint16_t));
}

// --- Writing.

Status AppendShard(const ShardContents& contents, ShardRecord& record, ByteSink& sink) {
  record = {.depth = contents.depth,
            .reserved = 0,
            .num_split = contents.num_split,
            .num_digests = contents.digests.size(),
            .num_further = contents.further.size(),
            .num_blocks = contents.block_sizes.size(),
            .num_codes = contents.codes.size(),
            .zero = 0,
            .checksum = 0};
  Checksum sum;
  const std::array<std::span<const std::byte>, 4> parts = {
      std::as_bytes(std::span(contents.digests)), std::as_bytes(std::span(contents.further)),
      std::as_bytes(std::span(contents.block_sizes)), std::as_bytes(std::span(contents.codes))};
  for (const std::span<const std::byte> part : parts) {
    sum.Add(part);
    if (Status done = sink.Append(part); !done.ok()) return done;
  }
  record.checksum = sum.Value();
  return AppendZeros(PaddingOf(record), sink);
}

// --- Reading.

Status CheckDoublingHeader(const DoublingHeader& header, uint64_t file_bytes) {
  if (header.mode != static_cast<uint32_t>(GrowthMode::kDoubling)) {
    return UnknownAt(offsetof(DoublingHeader, mode), "the growth of version 2", header.mode,
                     "2 (doubling)");
  }
  if (header.code != static_cast<uint32_t>(FingerprintCode::kWithLengths)) {
    return UnknownAt(offsetof(DoublingHeader, code), "the code of fingerprints that double",
                     header.code, "1 (with lengths)");
  }
  if (header.shard_bits != GrowingStore::kShardBits) {
    return UnknownAt(offsetof(DoublingHeader, shard_bits), "the number of shard bits",
                     header.shard_bits, "6");
  }
  if (!DoublingPlan::CanBe(header.first_bits, header.most_doublings)) {
    return CorruptAt(offsetof(DoublingHeader, first_bits),
                     "2^" + std::to_string(header.first_bits) + " blocks that double up to " +
                         std::to_string(header.most_doublings) + " times");
  }
  // Written so that NaN fails.
  if (!(header.target_fpr >= kMinTargetFpr && header.target_fpr <= kMaxTargetFpr)) {
    return CorruptAt(offsetof(DoublingHeader, target_fpr), "a rate that none can ask for");
  }
  const DoublingPlan plan(header.first_bits, header.most_doublings);
  if (header.max_capacity > plan.largest_capacity()) {
    return CorruptAt(offsetof(DoublingHeader, max_capacity),
                     "a max_capacity beyond what the doublings hold");
  }
  if (Status valid = CheckNumKeys(header.num_keys, offsetof(DoublingHeader, num_keys));
      !valid.ok()) {
    return valid;
  }
  if (header.reserved != 0) {
    return CorruptAt(offsetof(DoublingHeader, reserved), "reserved bytes are not zero");
  }
  if (Status valid = CheckReserved(header.zeros, offsetof(DoublingHeader, zeros)); !valid.ok()) {
    return valid;
  }
  if (Status whole = CheckFileBytes(file_bytes, header.file_bytes); !whole.ok()) return whole;
  if (file_bytes >= kShardsAt) return Ok();
  return CorruptAt(kTableAt, "the file ends within the table of shards");
}

// Numbers that the shard's bytes can hold, and no fewer blocks than a shard has at first: these are
// made before a shard is read. All else is for GrowingStore::WriteShard to say.
Status CheckShardRecord(const ShardRecord& record, size_t shard_idx, uint32_t first_bits,
                        uint64_t bytes_left) {
  const auto corrupt = [shard_idx](size_t offset, const char* what) {
    return CorruptAt(RecordAt(shard_idx) + offset,
                     "shard " + std::to_string(shard_idx) + ": " + what);
  };
  if (record.reserved != 0) {
    return corrupt(offsetof(ShardRecord, reserved), "reserved bytes are not zero");
  }
  if (record.zero != 0) {
    return corrupt(offsetof(ShardRecord, zero), "reserved bytes are not zero");
  }
  if (record.num_digests > bytes_left / sizeof(uint64_t) ||
      record.num_further > bytes_left / sizeof(StringCount) ||
      record.num_blocks > bytes_left / sizeof(uint32_t) ||
      record.num_codes > bytes_left / sizeof(uint16_t) || BytesOfShard(record) > bytes_left) {
    return corrupt(offsetof(ShardRecord, num_digests), "its contents do not fit in the file");
  }
  if (first_bits > GrowingStore::kLeastFirstBits && record.num_blocks >> first_bits == 0) {
    return corrupt(offsetof(ShardRecord, num_blocks), "it has fewer blocks than a shard at first");
  }
  return Ok();
}

template <class T>
Status ReadInto(const ByteSource& source, uint64_t& at, uint64_t count, std::vector<T>& into,
                Checksum& sum) {
  into.resize(count);
  const auto bytes = std::as_writable_bytes(std::span(into));
  if (Status read = source.ReadAt(at, bytes); !read.ok()) return read;
  sum.Add(bytes);
  at += bytes.size();
  return Ok();
}

Result<ShardContents> ReadShardContents(const ByteSource& source, const ShardRecord& record,
                                        size_t shard_idx, uint64_t at) {
  ShardContents contents;
  contents.depth = record.depth;
  contents.num_split = record.num_split;
  const uint64_t begin = at;
  Checksum sum;
  Status read = ReadInto(source, at, record.num_digests, contents.digests, sum);
  if (read.ok()) read = ReadInto(source, at, record.num_further, contents.further, sum);
  if (read.ok()) read = ReadInto(source, at, record.num_blocks, contents.block_sizes, sum);
  if (read.ok()) read = ReadInto(source, at, record.num_codes, contents.codes, sum);
  if (read.ok()) read = CheckZeros(source, at, begin + BytesOfShard(record));
  if (!read.ok()) return read.error();
  if (sum.Value() != record.checksum) {
    return CorruptAt(begin, "shard " + std::to_string(shard_idx) + " does not match its checksum");
  }
  return contents;
}

Result<ShardTable> ReadTable(const ByteSource& source, const DoublingHeader& header) {
  ShardTable table;
  const auto bytes = std::as_writable_bytes(std::span(table));
  if (Status read = source.ReadAt(kTableAt, bytes); !read.ok()) return read.error();
  if (Checksum::Of(bytes) != header.table_checksum) {
    return CorruptAt(kTableAt, "the table of shards does not match its checksum");
  }
  uint64_t end = kShardsAt;
  for (size_t s = 0; s < table.size(); ++s) {
    const uint64_t bytes_left = header.file_bytes - end;
    if (Status valid = CheckShardRecord(table[s], s, header.first_bits, bytes_left); !valid.ok()) {
      return valid.error();
    }
    end += BytesOfShard(table[s]);
  }
  if (end != header.file_bytes) return CorruptAt(end, "the file goes on behind its last shard");
  return table;
}

// What its blocks, digests and counts take at least.
uint64_t LeastBytes(const ShardTable& table) {
  constexpr uint64_t kBlockBytes = 64;
  uint64_t num_bytes = 0;
  for (const ShardRecord& record : table) {
    num_bytes += record.num_blocks * kBlockBytes + record.num_digests * sizeof(uint64_t) +
                 record.num_further * sizeof(uint64_t);
  }
  return num_bytes;
}

}  // namespace

bool HasDoublingHeader(const OpenedSnapshot& snapshot) {
  const auto header = snapshot.HeaderAs<DoublingHeader>(SnapshotType::kScalableFilter);
  return header.ok() && header->start.version == kSecondVersion;
}

Status DoublingEngine::WriteTo(ByteSink& sink) const { return WriteDoublingSnapshot(*this, sink); }

Status WriteDoublingSnapshot(const DoublingEngine& engine, ByteSink& sink) {
  const ScalableConfig& config = engine.config();
  DoublingHeader header = {};
  header.start = StartOf(SnapshotType::kScalableFilter, config.digest);
  header.start.version = kSecondVersion;
  header.mode = static_cast<uint32_t>(GrowthMode::kDoubling);
  header.code = static_cast<uint32_t>(FingerprintCode::kWithLengths);
  header.shard_bits = GrowingStore::kShardBits;
  header.first_bits = engine.plan().first_bits();
  header.most_doublings = engine.plan().most_doublings();
  header.max_capacity = config.max_capacity;
  header.target_fpr = config.target_fpr;
  // Header and table hold what follows from the shards: zeros take their place until that is known,
  // and no half-written file has a header.
  ShardTable table = {};
  const DoublingHeader blank = {};
  if (Status done = sink.Append(BytesOf(blank)); !done.ok()) return done;
  if (Status done = sink.Append(BytesOf(table)); !done.ok()) return done;
  header.file_bytes = kShardsAt;
  for (size_t s = 0; s < table.size(); ++s) {
    const ShardContents contents = engine.ReadShard(s);
    if (Status done = AppendShard(contents, table[s], sink); !done.ok()) return done;
    header.file_bytes += BytesOfShard(table[s]);
    header.num_keys += KeysOf(contents);
  }
  if (Status done = sink.Overwrite(kTableAt, BytesOf(table)); !done.ok()) return done;
  header.table_checksum = Checksum::Of(BytesOf(table));
  Seal(header);
  return sink.Overwrite(0, BytesOf(header));
}

Result<std::unique_ptr<DoublingEngine>> ReadDoublingSnapshot(const OpenedSnapshot& snapshot,
                                                             uint64_t limit_bytes,
                                                             const DigestKey& digest_key) {
  const auto header = snapshot.HeaderAs<DoublingHeader>(SnapshotType::kScalableFilter);
  if (!header.ok()) return header.error();
  if (Status valid = CheckDoublingHeader(*header, snapshot.num_bytes()); !valid.ok()) {
    return valid.error();
  }
  const Result<DigestPolicy> policy =
      PolicyOfFile(header->start.digest_kind, header->start.seed, digest_key);
  if (!policy.ok()) return policy.error();
  const ByteSource& source = snapshot.source();
  const Result<ShardTable> table = ReadTable(source, *header);
  if (!table.ok()) return table.error();
  if (Status fits = CheckMemoryLimit("the filter needs at least", LeastBytes(*table), limit_bytes);
      !fits.ok()) {
    return fits.error();
  }
  const DoublingPlan plan(header->first_bits, header->most_doublings);
  const ScalableConfig config{.first_capacity = plan.first_capacity(),
                              .target_fpr = header->target_fpr,
                              .mode = GrowthMode::kDoubling,
                              .max_capacity = header->max_capacity,
                              .digest = *policy,
                              .encoding = Encoding::kFingerprints16,
                              .memory_limit_bytes = limit_bytes};
  Result<std::unique_ptr<DoublingEngine>> engine = DoublingEngine::Create(config, plan);
  if (!engine.ok()) return engine.error();
  uint64_t at = kShardsAt;
  uint64_t num_keys = 0;
  for (size_t s = 0; s < table->size(); ++s) {
    const Result<ShardContents> contents = ReadShardContents(source, (*table)[s], s, at);
    if (!contents.ok()) return contents.error();
    for (const StringCount& further : contents->further) {
      if (further.count > kMaxSnapshotKeys) return CorruptAt(at, "counts over 2^63 - 1");
    }
    // What was summed does not wrap: each term is below 2^63, and it is compared after each.
    num_keys += contents->digests.size() + contents->codes.size();
    for (const StringCount& further : contents->further) {
      if (num_keys > header->num_keys) break;
      num_keys += further.count;
    }
    if (num_keys > header->num_keys) break;
    if (Status written = (*engine)->WriteShard(s, *contents); !written.ok()) {
      const Error& error = written.error();
      if (error.code == ErrorCode::kOutOfMemory) return error;
      return CorruptAt(at, "shard " + std::to_string(s) + ": " + error.message);
    }
    at += BytesOfShard((*table)[s]);
  }
  if (num_keys != header->num_keys) {
    return CorruptAt(offsetof(DoublingHeader, num_keys),
                     "num_keys is not the number of keys in the shards");
  }
  return engine;
}

}  // namespace trommel
