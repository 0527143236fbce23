// The canonical snapshot: the same counts give the same bytes, and these are the bytes.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/src/disk/checksum.h"
#include "engine/src/snapshots/snapshot.h"
#include "golden/snapshots.h"
#include "kernels/reference.h"
#include "support/catch.h"
#include "support/program.h"
#include "support/sample_filters.h"
#include "support/shapes.h"
#include "support/snapshot_forge.h"
#include "support/subject.h"
#include "support/targets.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using tests::Bytes;

// A snapshot spelled out from a reference filter, number after number, as snapshot_format.h draws
// it.
class Speller {
 public:
  Bytes Spell(const kernels::ReferenceFilter& filter, uint32_t shard_bits, uint64_t num_keys) {
    const std::vector<uint64_t> promoted = filter.PromotedBlocks();
    const auto num_slices = static_cast<uint32_t>(filter.num_slices());
    bytes_.assign(256, std::byte{0});
    const bool has_runs = filter.shape().has_runs;
    const auto presence = Section(4096, [&] {
      if (!has_runs) Words(filter.PresenceWords());
    });
    const auto counts = Section(4096, [&] {
      if (has_runs) {
        Blocks(filter);
      } else {
        Words(filter.CountWords());
      }
    });
    const auto side_table = Section(64, [&] {
      for (const uint64_t block_idx : promoted) Entry(filter, block_idx);
    });
    Bytes body = std::move(bytes_);
    bytes_.clear();
    for (const uint64_t c : {0x89, 0x54, 0x52, 0x4d, 0x0d, 0x0a, 0x1a, 0x0a}) Number(c, 1);
    for (const uint64_t number : {1, 256, 1, 2}) Number(number, 4);
    Number(0, 8);  // seed
    for (const uint32_t number : {num_slices, has_runs ? 1U : 0U, shard_bits, 0U})
      Number(number, 4);
    Number(filter.num_blocks(), 8);
    Number(0, 8);  // capacity
    Number(0, 8);  // target_fpr
    Number(num_keys, 8);
    Number(promoted.size(), 8);
    for (const auto& section : {presence, counts, side_table}) {
      for (const uint64_t number : section) Number(number, 8);
    }
    Number(body.size(), 8);
    while (bytes_.size() < 248) Number(0, 8);
    Number(Checksum::Of(bytes_), 8);
    std::ranges::copy(bytes_, body.begin());
    return body;
  }

 private:
  void Number(uint64_t number, int num_bytes) {
    for (int i = 0; i < num_bytes; ++i) {
      bytes_.push_back(static_cast<std::byte>(number >> (8 * i)));
    }
  }
  void Words(const std::vector<uint32_t>& words) {
    for (const uint32_t word : words) Number(word, 4);
  }
  // Each block's presence words, then its runs.
  void Blocks(const kernels::ReferenceFilter& filter) {
    const std::vector<uint32_t> presence = filter.PresenceWords();
    const std::vector<uint32_t> runs = filter.CountWords();
    const size_t presence_words = presence.size() / filter.num_blocks();
    const size_t run_words = runs.size() / filter.num_blocks();
    for (uint64_t b = 0; b < filter.num_blocks(); ++b) {
      for (size_t w = 0; w < presence_words; ++w) Number(presence[b * presence_words + w], 4);
      for (size_t w = 0; w < run_words; ++w) Number(runs[b * run_words + w], 4);
    }
  }
  void Entry(const kernels::ReferenceFilter& filter, uint64_t block_idx) {
    const size_t in_block = filter.shape().num_counters();
    const auto counters = std::span(filter.counters()).subspan(block_idx * in_block, in_block);
    const uint64_t largest = *std::ranges::max_element(counters);
    const int width = largest < 256 ? 1 : largest < 65536 ? 2 : largest >> 32 == 0 ? 4 : 8;
    Number(block_idx, 8);
    Number(static_cast<uint64_t>(width), 4);
    Number(0, 4);
    for (const uint64_t count : counters) Number(count, width);
  }
  // offset, size, checksum
  template <class Write>
  std::array<uint64_t, 3> Section(uint64_t alignment, const Write& write) {
    while (bytes_.size() % alignment != 0) bytes_.push_back(std::byte{0});
    const uint64_t offset = bytes_.size();
    write();
    const auto section = std::span(bytes_).subspan(offset);
    return {offset, section.size(), Checksum::Of(section)};
  }

  Bytes bytes_;
};

// The digests policy of the subjects' filters is the caller's own or any: only its kind's byte
// differs.
Bytes WithCallersDigests(Bytes bytes) {
  return tests::WithHeader(std::move(bytes), [](SnapshotHeader& header) {
    header.start.digest_kind = static_cast<uint32_t>(DigestKind::kCaller);
  });
}

TEST_CASE("a snapshot is what the reference's counters spell, whatever the detours",
          "[engine][snapshot]") {
  for (uint64_t i = 0; i < 100; ++i) {
    const uint64_t seed = Catch::rngSeed() * 1000 + i;
    const tests::Program program = tests::RandomProgram(seed);
    tests::ReferenceSubject reference(program);
    tests::FilterSubject filters(program, tests::Split::kRandom, seed);
    REQUIRE(tests::FirstDisagreement(program, filters, reference).empty());
    for (const size_t which : {0, 1}) {
      const CountingFilter& filter = filters.filter(which);
      const Bytes snapshot = filter.Serialize();
      const Bytes spelled =
          Speller().Spell(reference.filter(which), filter.geometry().shard_bits, filter.num_keys());
      if (WithCallersDigests(snapshot) != spelled) {
        FAIL_CHECK("another snapshot than spelled after\n" << tests::ToText(program));
      }
      const Result<CountingFilter> read = CountingFilter::Deserialize(snapshot);
      REQUIRE(read.ok());
      if (read->Serialize() != snapshot) {
        FAIL_CHECK("read and written, another snapshot after\n" << tests::ToText(program));
      }
    }
  }
}

TEST_CASE("erase undoes insert byte for byte, over the edge and back", "[engine][snapshot]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  CountingFilter filter = tests::MakeFilter(tests::GeometryOf(shape, 5));
  tests::InsertIntegers(filter, 60);
  const Bytes before = filter.Serialize();
  const Key hot = Key::Digest(0x123456789abcdef);
  std::vector<Bytes> on_the_way;
  for (int i = 0; i < 300; ++i) {
    on_the_way.push_back(filter.Serialize());
    filter.Insert(hot);
  }
  for (int i = 300; i > 0; --i) {
    REQUIRE(filter.Erase(hot));
    // On the way down the block stays promoted for a while: the file must not show it.
    REQUIRE((filter.Serialize() == on_the_way[static_cast<size_t>(i) - 1]));
  }
  CHECK((filter.Serialize() == before));
}

TEST_CASE("snapshots of the samples never change, on any target", "[engine][snapshot][golden]") {
  tests::ForEachRunnableTarget([] {
    const std::vector<tests::Sample> samples = tests::SampleFilters();
    REQUIRE(samples.size() == golden::kSnapshots.size());
    for (size_t i = 0; i < samples.size(); ++i) {
      const golden::SnapshotRecord& record = golden::kSnapshots[i];
      INFO("sample " << samples[i].name);
      const Bytes snapshot = samples[i].filter.Serialize();
      CHECK(samples[i].name == record.name);
      CHECK(snapshot.size() == record.num_bytes);
      CHECK(Checksum::Of(snapshot) == record.hash);
    }
  });
}

// Takes a number of bytes, then no more.
class FullSink final : public ByteSink {
 public:
  explicit FullSink(uint64_t room) : room_(room) {}
  Status Append(std::span<const std::byte> bytes) override { return Take(bytes.size()); }
  Status Overwrite(uint64_t, std::span<const std::byte> bytes) override {
    return Take(bytes.size());
  }

 private:
  Status Take(uint64_t num_bytes) {
    if (num_bytes > room_) return Error{ErrorCode::kIo, "full"};
    room_ -= num_bytes;
    return Ok();
  }
  uint64_t room_;
};

TEST_CASE("a sink that fails at any point makes writing fail", "[engine][snapshot]") {
  BlockStore store = std::move(BlockStore::Create({.num_slices = 8, .num_blocks = 4}, 0)).value();
  // Block 0 promoted; block 2 has come back as far as the file is concerned.
  store.Insert(std::vector<uint64_t>(100, 0));
  store.Insert(std::vector<uint64_t>(9, uint64_t{1} << 63));
  std::vector<uint64_t> erased(BlockStore::kBitmapWords);
  store.Erase(std::vector<uint64_t>(1, uint64_t{1} << 63), erased);
  REQUIRE(store.side_table().num_blocks() == 2);
  FilterFacts facts;
  facts.num_keys = 108;
  VectorSink whole;
  REQUIRE(WriteSnapshot(store, facts, whole).ok());
  const Bytes bytes = whole.Take();
  REQUIRE(bytes.size() == SnapshotBytes(store));
  REQUIRE(tests::HeaderOf(bytes).num_promoted == 1);
  REQUIRE(CountingFilter::Deserialize(bytes).ok());
  const uint64_t written = bytes.size() + sizeof(SnapshotHeader);  // the header is written twice
  for (uint64_t room = 0; room < written; ++room) {
    FullSink sink(room);
    if (WriteSnapshot(store, facts, sink).ok()) FAIL_CHECK("wrote with room for " << room);
  }
  FullSink sink(written);
  CHECK(WriteSnapshot(store, facts, sink).ok());
}

}  // namespace
}  // namespace trommel
