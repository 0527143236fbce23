// Filters that grow by themselves, in files. The section `growing` has what was asked for of each;
// each of its shards, in the order of the digests' top 6 bits, is a store. One of these three:
//
//   digests           8 bytes each: strings (kernels/growing_layout.h), ascending
//   sizes, values     the values in ascending order, by their first bits: bucket by bucket how many
//                     have these, 4 bytes each; and the other bits of each, one behind the other
//   neither           a shard without keys
//
//   further           16 bytes each: string or value, further copies; ascending
//
// n values have 2^b buckets with b = log2(n) - 4 rounded down, or 1; of the others' bits the first
// is the lowest of its word of 64. Canonical: all of it follows from the keys, but for whether a
// shard keeps digests. What GrowingStore::ReadShard would not return is refused. A shard gets the
// blocks of its keys, or as many as long remainders need, within the limit of memory.
#include "engine/src/scalable/growing_file.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "engine/src/scalable/growing_engine.h"

namespace trommel {
namespace {

static_assert(sizeof(ValueCount) == 16);

// Bits that buckets of so many values have in common.
uint32_t BucketBits(uint64_t num_values, uint32_t value_bits) {
  constexpr int kLogOfBucket = 4;
  const int bits = static_cast<int>(std::bit_width(num_values)) - 1 - kLogOfBucket;
  return static_cast<uint32_t>(std::clamp(bits, 0, static_cast<int>(value_bits) - 1));
}

struct PackedValues {
  std::vector<uint32_t> sizes;
  std::vector<uint64_t> words;
};

PackedValues Pack(std::span<const uint64_t> values, uint32_t value_bits) {
  if (values.empty()) return {};
  const uint32_t bucket_bits = BucketBits(values.size(), value_bits);
  const uint32_t num_bits = value_bits - bucket_bits;
  PackedValues packed{std::vector<uint32_t>(size_t{1} << bucket_bits),
                      std::vector<uint64_t>((values.size() * num_bits + 63) / 64)};
  uint64_t at = 0;
  for (const uint64_t value : values) {
    packed.sizes[value >> num_bits] += 1;
    const uint64_t low = value & ((uint64_t{1} << num_bits) - 1);
    packed.words[at / 64] |= low << at % 64;
    if (at % 64 + num_bits > 64) packed.words[at / 64 + 1] |= low >> (64 - at % 64);
    at += num_bits;
  }
  return packed;
}

// Returns false if these are not what Pack makes of some values.
bool Unpack(const PackedValues& packed, uint32_t value_bits, std::vector<uint64_t>& values) {
  uint64_t num_values = 0;
  for (const uint32_t size : packed.sizes) num_values += size;
  if (num_values == 0 || num_values > 64 * packed.words.size() ||
      num_values > uint64_t{1} << value_bits) {
    return false;  // values are distinct
  }
  const uint32_t bucket_bits = BucketBits(num_values, value_bits);
  const uint32_t num_bits = value_bits - bucket_bits;
  const uint64_t end = num_values * num_bits;
  if (packed.sizes.size() != uint64_t{1} << bucket_bits || packed.words.size() != (end + 63) / 64 ||
      (end % 64 != 0 && packed.words.back() >> end % 64 != 0)) {
    return false;
  }
  values.reserve(num_values);
  uint64_t at = 0;
  for (uint64_t bucket = 0; bucket < packed.sizes.size(); ++bucket) {
    for (uint32_t i = 0; i < packed.sizes[bucket]; ++i, at += num_bits) {
      uint64_t low = packed.words[at / 64] >> at % 64;
      if (at % 64 + num_bits > 64) low |= packed.words[at / 64 + 1] << (64 - at % 64);
      values.push_back(bucket << num_bits | (low & ((uint64_t{1} << num_bits) - 1)));
    }
  }
  return true;
}

// Of an entry that begins `at` bytes into the section.
Status CheckNumbers(const FileSection& section, uint64_t at, const GrowingNumbers& numbers) {
  if (numbers.is_one_shard > 1) {
    return section.CorruptAt(at + offsetof(GrowingNumbers, is_one_shard), "neither 1 shard nor 64");
  }
  if (!GrowthPlan::CanBe(numbers.options())) {
    return section.CorruptAt(at, "values of " + std::to_string(numbers.value_bits) + " bits for " +
                                     std::to_string(numbers.first_capacity) + " to " +
                                     std::to_string(numbers.max_capacity) + " keys");
  }
  // Written so that NaN fails.
  if (!(numbers.target_fpr >= kMinTargetFpr && numbers.target_fpr <= kMaxTargetFpr)) {
    return section.CorruptAt(at + offsetof(GrowingNumbers, target_fpr),
                             "a rate that none can ask for");
  }
  if (numbers.asked_capacity > numbers.max_capacity) {
    return section.CorruptAt(at + offsetof(GrowingNumbers, asked_capacity),
                             "a max_capacity beyond what the filter may hold");
  }
  return Ok();
}

template <class T>
Status ReadList(FileReader& file, const SectionRow& row, uint32_t store_idx, std::vector<T>& list) {
  Result<std::vector<T>> all = file.Take(row, store_idx).ReadAll<T>();
  if (!all.ok()) return all.error();
  list = *std::move(all);
  return Ok();
}

Result<ShardContents> ReadShardContents(FileReader& file, uint32_t store_idx,
                                        const GrowthPlan& plan) {
  ShardContents contents;
  PackedValues packed;
  Status read = ReadList(file, sections::kDigests, store_idx, contents.keys);
  if (read.ok()) read = ReadList(file, sections::kFurther, store_idx, contents.further);
  if (read.ok()) read = ReadList(file, sections::kSizes, store_idx, packed.sizes);
  if (read.ok()) read = ReadList(file, sections::kValues, store_idx, packed.words);
  if (!read.ok()) return read.error();
  contents.keeps_digests = packed.sizes.empty() && packed.words.empty();
  if (contents.keeps_digests) return contents;
  const FileSection sizes = file.Take(sections::kSizes, store_idx);
  if (!contents.keys.empty()) return sizes.CorruptAt(0, "a shard has digests and values");
  if (!Unpack(packed, plan.options().value_bits, contents.keys)) {
    return sizes.CorruptAt(0, "sizes of buckets that are not those of the values");
  }
  return contents;
}

// The number of the shard's keys; none if there are more than a file may have.
bool CountKeys(const ShardContents& contents, uint64_t& num_keys) {
  num_keys += contents.keys.size();
  for (const ValueCount& further : contents.further) {
    if (num_keys > kMaxFileKeys || further.count > kMaxFileKeys - num_keys) return false;
    num_keys += further.count;
  }
  return num_keys <= kMaxFileKeys;
}

}  // namespace

Result<std::vector<GrowingNumbers>> ReadGrowing(FileReader& file) {
  const FileSection section = file.Take(sections::kGrowing);
  Result<std::vector<GrowingNumbers>> entries = section.ReadAll<GrowingNumbers>();
  if (!entries.ok()) return entries.error();
  if (entries->empty()) return section.CheckBytes(sizeof(GrowingNumbers)).error();
  for (size_t i = 0; i < entries->size(); ++i) {
    const Status valid = CheckNumbers(section, i * sizeof(GrowingNumbers), (*entries)[i]);
    if (!valid.ok()) return valid.error();
  }
  return entries;
}

uint64_t LeastBytes(FileReader& file, uint32_t first_store, size_t num_stores) {
  uint64_t num_bytes = 0;
  for (uint32_t store = first_store; store < first_store + num_stores; ++store) {
    num_bytes += file.Take(sections::kValues, store).num_bytes() / 2 +
                 file.Take(sections::kDigests, store).num_bytes() +
                 file.Take(sections::kFurther, store).num_bytes() / 16;
  }
  return num_bytes;
}

void GrowingEngine::AppendNumbers(FileWriter& file) const {
  const GrowingOptions& options = plan_.options();
  file.Append(BytesOf(GrowingNumbers{.value_bits = options.value_bits,
                                     .is_one_shard = options.num_shards() == 1 ? 1U : 0U,
                                     .first_capacity = options.first_capacity,
                                     .max_capacity = options.max_capacity,
                                     .asked_capacity = config_.max_capacity,
                                     .target_fpr = config_.target_fpr}));
}

void GrowingEngine::WriteShards(FileWriter& file, uint32_t first_store) const {
  for (uint32_t s = 0; s < num_shards() && file.ok(); ++s) {
    const uint32_t store = first_store + s;
    const ShardContents contents = ReadShard(s);
    PackedValues packed;
    if (contents.keeps_digests) {
      file.Add(sections::kDigests, store, std::as_bytes(std::span(contents.keys)));
    } else {
      packed = Pack(contents.keys, plan_.options().value_bits);
    }
    file.Add(sections::kFurther, store, std::as_bytes(std::span(contents.further)));
    file.Add(sections::kSizes, store, std::as_bytes(std::span(packed.sizes)));
    file.Add(sections::kValues, store, std::as_bytes(std::span(packed.words)));
  }
}

Status GrowingEngine::WriteTo(FileWriter& file) const {
  const uint64_t about_bytes = store_->num_entries() * sizeof(uint32_t);
  file.Begin(FileType::kScalable, config_.digest, about_bytes);
  file.BeginSection(sections::kGrowing, 0);
  AppendNumbers(file);
  file.EndSection();
  WriteShards(file, 1);
  return Ok();
}

Result<std::unique_ptr<GrowingEngine>> GrowingEngine::Read(FileReader& file, uint64_t limit_bytes,
                                                           const DigestKey& digest_key) {
  const Result<DigestPolicy> policy = file.Policy(digest_key);
  if (!policy.ok()) return policy.error();
  const Result<std::vector<GrowingNumbers>> numbers = ReadGrowing(file);
  if (!numbers.ok()) return numbers.error();
  if (numbers->size() != 1 || numbers->front().is_one_shard != 0) {
    return file.Take(sections::kGrowing).CorruptAt(0, "not one filter of 64 shards");
  }
  if (Status fits = CheckMemoryLimit("the filter needs at least",
                                     LeastBytes(file, 1, GrowingStore::kNumShards), limit_bytes);
      !fits.ok()) {
    return fits.error();
  }
  return ReadShards(file, numbers->front(), *policy, 1, limit_bytes);
}

Result<std::unique_ptr<GrowingEngine>> GrowingEngine::ReadShards(
    FileReader& file, const GrowingNumbers& numbers, const DigestPolicy& policy,
    uint32_t first_store, uint64_t limit_bytes, std::shared_ptr<GrowingMemory> memory) {
  const GrowthPlan plan(numbers.options());
  const ScalableConfig config{.first_capacity = plan.first_capacity(),
                              .target_fpr = numbers.target_fpr,
                              .max_capacity = numbers.asked_capacity,
                              .digest = policy,
                              .memory_limit_bytes = limit_bytes};
  // Not as large as at first: a small file must not take much memory.
  Result<std::unique_ptr<GrowingEngine>> engine = Create(config, plan, false, std::move(memory));
  if (!engine.ok()) return engine.error();
  uint64_t num_keys = 0;
  for (size_t s = 0; s < plan.options().num_shards(); ++s) {
    const uint32_t store = first_store + static_cast<uint32_t>(s);
    const Result<ShardContents> contents = ReadShardContents(file, store, plan);
    if (!contents.ok()) return contents.error();
    const auto corrupt = [&](const std::string& what) {
      const SectionRow& row = contents->keeps_digests ? sections::kDigests : sections::kValues;
      return file.Take(row, store).CorruptAt(0, what);
    };
    if (!CountKeys(*contents, num_keys)) return corrupt("counts over 2^63 - 1");
    if (Status written = (*engine)->WriteShard(s, *contents); !written.ok()) {
      const Error& error = written.error();
      if (error.code != ErrorCode::kOutOfMemory) return corrupt(error.message);
      if (limit_bytes == 0) return error;
      return Error{error.code, "the filter needs more than the limit of " +
                                   GroupedText(limit_bytes) + " bytes (memory_limit_bytes)"};
    }
  }
  return engine;
}

}  // namespace trommel
