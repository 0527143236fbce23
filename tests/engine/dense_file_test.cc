// Stores of dense blocks in files: bytes follow from contents alone, come back as they were, and
// any others are refused.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "engine/src/disk/byte_sink.h"
#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "engine/src/files/store_sections.h"
#include "engine/src/fingerprints/dense_store.h"
#include "kernels/dense_layout.h"
#include "support/catch.h"
#include "support/sanitized.h"
#include "trommel/byte_stream.h"

namespace trommel {
namespace {

constexpr uint64_t kFileBlocks = 128;

std::unique_ptr<DenseStore> NewFileStore(const DenseLayout& layout) {
  Geometry geometry;
  geometry.encoding = Encoding::kDense;
  geometry.num_blocks = kFileBlocks;
  geometry.shard_bits = 2;
  geometry.num_slices = 0;
  geometry.fingerprint_bits = layout.bits;
  geometry.slots = layout.shape.slots;
  Result<std::unique_ptr<DenseStore>> store = DenseStore::Create(geometry, 0);
  REQUIRE(store);
  return *std::move(store);
}

std::vector<std::byte> BytesOfStore(const DenseStore& store) {
  VectorSink sink;
  FileWriter file(sink, {});
  file.Begin(FileType::kCounting, {}, 0);
  WriteDense(store, kOnlyStore, file);
  REQUIRE(file.Finish());
  return sink.Take();
}

Result<uint64_t> ReadStoreFrom(std::span<const std::byte> bytes, DenseStore& store,
                               uint64_t limit_bytes = 0) {
  const SpanSource source(bytes);
  Result<FileReader> file = FileReader::Open(source);
  if (!file) return file.error();
  return ReadDense(*file, kOnlyStore, store, limit_bytes, 0);
}

// Crowded and empty blocks, equal keys, keys that are in often: cut, counted, and with hidden keys.
std::vector<uint64_t> MixedDenseDigests(const DenseLayout& layout, std::mt19937_64& random) {
  std::vector<uint64_t> digests;
  for (uint64_t i = 0; i < kFileBlocks * layout.shape.slots; ++i) digests.push_back(random());
  for (int i = 0; i < 200; ++i) digests.push_back(digests[random() % 30]);
  digests.insert(digests.end(), 20'000, digests[0]);
  const uint64_t crowded = ~uint64_t{0} / kFileBlocks * 7 + kFileBlocks;
  for (int i = 0; i < 400; ++i) digests.push_back(crowded + random() % (uint64_t{1} << 56));
  return digests;
}

// A file whose checksums hold, with these words and this side.
std::vector<std::byte> ForgedDense(std::span<const uint32_t> words,
                                   std::span<const uint32_t> side) {
  VectorSink sink;
  FileWriter file(sink, {});
  file.Begin(FileType::kCounting, {}, 0);
  file.Add(sections::kBlocks, kOnlyStore, std::as_bytes(words));
  file.Add(sections::kSide, kOnlyStore, std::as_bytes(side));
  REQUIRE(file.Finish());
  return sink.Take();
}

// The words of blocks of which the first shows keys 1 and 2, and has counts of both.
std::vector<uint32_t> TwoKeysCounted(const DenseLayout& layout) {
  std::vector<uint32_t> words(kFileBlocks * 16);
  BlockContents contents;
  contents.push_back({1, 1000});
  contents.push_back({2, 1000});
  static_cast<void>(EncodeDense(layout, contents, words.data()));
  return words;
}

TEST_CASE("forged words and rests of dense blocks are what a store writes, or are refused",
          "[engine][files][fingerprints][dense][long]") {
  const kernels::DenseShape shape = kernels::kDenseShapes[GENERATE(0U, 1U, 3U, 5U, 6U, 8U)];
  const DenseLayout layout{shape, shape.max_bits - GENERATE(0U, 1U)};
  std::mt19937_64 random(Catch::rngSeed() + shape.slots);
  const auto store = NewFileStore(layout);
  for (const uint64_t digest : MixedDenseDigests(layout, random)) REQUIRE(store->InsertOne(digest));
  std::vector<uint32_t> words(kFileBlocks * 16);
  std::vector<uint32_t> side;
  {
    const std::vector<std::byte> bytes = BytesOfStore(*store);
    const SpanSource source(bytes);
    Result<FileReader> file = FileReader::Open(source);
    REQUIRE(file);
    const auto blocks = file->Take(sections::kBlocks, kOnlyStore).ReadAll<uint32_t>();
    const auto rests = file->Take(sections::kSide, kOnlyStore).ReadAll<uint32_t>();
    REQUIRE(blocks);
    REQUIRE(rests);
    words = *blocks;
    side = *rests;
  }
  int num_refused = 0;
  const auto check = [&](const std::vector<uint32_t>& some_words,
                         const std::vector<uint32_t>& some_side) {
    const std::vector<std::byte> bytes = ForgedDense(some_words, some_side);
    const auto read = NewFileStore(layout);
    const Result<uint64_t> num_keys = ReadStoreFrom(bytes, *read);
    if (num_keys) {
      REQUIRE(BytesOfStore(*read) == bytes);
    } else {
      REQUIRE(num_keys.error().code == ErrorCode::kCorrupt);
      ++num_refused;
    }
  };
  check(words, side);
  REQUIRE(num_refused == 0);
  // An entry of two keys, each 2^62 times or one more: together as many as a filter may have, and
  // one too many. The block shows both once; behind it there are others' keys.
  const auto sum_is_refused = [&](uint64_t first, uint64_t second) {
    const auto halves = [](uint64_t count) {
      return std::array{static_cast<uint32_t>(count), static_cast<uint32_t>(count >> 32)};
    };
    const auto [first_low, first_high] = halves(first);
    const auto [second_low, second_high] = halves(second);
    const uint32_t all = ~uint32_t{0} << std::max(18U, shape.key_bits());
    const std::vector<uint32_t> entry = {0,          2,       1 | all,    first_low,
                                         first_high, 2 | all, second_low, second_high};
    const Result<uint64_t> read =
        ReadStoreFrom(ForgedDense(TwoKeysCounted(layout), entry), *NewFileStore(layout));
    if (!read) REQUIRE(read.error().code == ErrorCode::kCorrupt);
    return !read;
  };
  CHECK_FALSE(sum_is_refused((uint64_t{1} << 62) - 1, (uint64_t{1} << 62) - 2));
  CHECK(sum_is_refused(uint64_t{1} << 62, uint64_t{1} << 62));
  CHECK(sum_is_refused((uint64_t{1} << 63) - 1, (uint64_t{1} << 63) - 1));
  constexpr int kForgeries = TROMMEL_TESTS_SANITIZED ? 60 : 300;
  for (int i = 0; i < kForgeries; ++i) {
    std::vector<uint32_t> changed = words;
    std::vector<uint32_t> changed_side = side;
    switch (i % 4) {
      case 0:
        changed[random() % changed.size()] ^= uint32_t{1} << random() % 32;
        break;
      case 1:
        for (size_t w = 16 * (random() % kFileBlocks), n = 0; n < 16; ++n) {
          changed[w + n] = static_cast<uint32_t>(random());
        }
        break;
      case 2:
        changed_side[random() % side.size()] ^= uint32_t{1} << random() % 32;
        break;
      default:
        changed_side.resize(2 * (random() % (side.size() / 2)));
    }
    check(changed, changed_side);
  }
  CHECK(num_refused > kForgeries / 2);
}

TEST_CASE("keys that no line has a place for count for a limit of memory before they take any",
          "[engine][files][fingerprints][dense]") {
  const kernels::DenseShape shape =
      kernels::kDenseShapes[GENERATE(range(size_t{0}, kernels::kNumDenseShapes))];
  const DenseLayout layout{shape, shape.max_bits};
  const auto store = NewFileStore(layout);
  std::mt19937_64 random(Catch::rngSeed() + shape.slots);
  constexpr uint64_t kNumKeys = 20'000;  // all of one block
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    REQUIRE(store->InsertOne(random() % (~uint64_t{0} / kFileBlocks)));
  }
  uint64_t num_hidden = 0;
  for (size_t r = 0; r < store->num_owned_ranges(); ++r) {
    num_hidden += store->range(r).hidden().size();
  }
  const std::vector<std::byte> bytes = BytesOfStore(*store);
  const auto read = NewFileStore(layout);
  const uint64_t empty_bytes = read->num_bytes();
  const auto limit_for = [&](double share) {
    return empty_bytes + static_cast<uint64_t>(share * static_cast<double>(num_hidden)) * 48;
  };
  const Result<uint64_t> refused = ReadStoreFrom(bytes, *read, limit_for(0.7));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK(read->num_bytes() == empty_bytes);
  CHECK(ReadStoreFrom(bytes, *read, limit_for(1)));
}

}  // namespace
}  // namespace trommel
