// Growing blocks: every target leaves the bytes and the answers of a model that compares codes with
// keys bit by bit.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/growing_layout.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/sanitized.h"
#include "support/shrink.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::FirstDifference;

enum class GrowingUpdate { kInsert, kInsertIfAbsent, kErase };

// As zeros and ones, without the last 1 and what follows; "-": none, of a free slot.
std::string BitsOfCode(uint16_t code) {
  std::string bits;
  for (int i = 15; i >= 0; --i) bits.push_back((code >> i & 1) != 0 ? '1' : '0');
  const size_t last = bits.rfind('1');
  return last == std::string::npos ? "-" : bits.substr(0, last);
}

uint16_t CodeOfBits(const std::string& bits) {
  uint16_t code = 0;
  for (size_t i = 0; i < bits.size(); ++i) {
    code = static_cast<uint16_t>(code | (bits[i] == '1' ? 0x8000 >> i : 0));
  }
  return static_cast<uint16_t>(code | 0x8000 >> bits.size());
}

// 64 shards, each with one segment, or two of the next depth.
class GrowingModel {
 public:
  struct Part {
    uint32_t depth;
    uint32_t bits;
    std::vector<uint16_t> slots;  // of all blocks
    std::vector<bool> counted;    // blocks
  };

  GrowingModel() {
    for (size_t s = 0; s < 2 * kGrowingShards; ++s) {
      const auto bits = static_cast<uint32_t>(7 + s / 2 % 4);
      // Odd shards have two segments, of prefixes 0 and 1; others' word is there twice.
      const uint32_t depth = bits + static_cast<uint32_t>(s / 2 % 2);
      parts_.push_back({depth, bits, std::vector<uint16_t>(size_t{32} << bits),
                        std::vector<bool>(size_t{1} << bits)});
    }
  }

  struct Found {
    uint16_t* block;
    std::string key;  // 15 bits
    bool is_marked;
    bool is_counted;
  };
  Part& PartOf(uint64_t digest) {
    const size_t shard = digest >> 58;
    return parts_[2 * shard + (shard % 2 == 1 ? digest >> 57 & 1 : 0)];
  }
  Found Find(uint64_t digest) {
    Part& part = PartOf(digest);
    std::string bits;
    for (int i = 57; i >= 0; --i) bits.push_back((digest >> i & 1) != 0 ? '1' : '0');
    uint64_t block_idx = 0;
    for (uint32_t i = part.depth - part.bits; i < part.depth; ++i) {
      block_idx = 2 * block_idx + static_cast<uint64_t>(bits[i] == '1');
    }
    uint16_t* block = part.slots.data() + 32 * block_idx;
    return {block, bits.substr(part.depth, 15), block[31] == 0x8000, part.counted[block_idx]};
  }
  void Count(uint64_t digest) {
    Part& part = PartOf(digest);
    const auto slot_idx = static_cast<size_t>(Find(digest).block - part.slots.data());
    part.counted[slot_idx / 32] = true;
  }

  // The slot of the code that begins the key; 32: none does. A mark has no bits.
  static size_t MatchOf(const Found& found) {
    size_t slot_idx = 0;
    for (; slot_idx < 32; ++slot_idx) {
      const std::string bits = BitsOfCode(found.block[slot_idx]);
      if (!bits.empty() && bits != "-" && found.key.starts_with(bits)) break;
    }
    return slot_idx;
  }

  OneFate Apply(GrowingUpdate update, uint64_t digest) {
    const Found found = Find(digest);
    const size_t match = MatchOf(found);
    uint16_t* end = found.block + 32;
    if (update == GrowingUpdate::kInsertIfAbsent && match < 32) return OneFate::kUnchanged;
    if (found.is_marked) return OneFate::kStop;
    if (update == GrowingUpdate::kErase) {
      if (match == 32) return OneFate::kUnchanged;
      if (found.is_counted) return OneFate::kStop;
      found.block[match] = 0;
      return OneFate::kDone;
    }
    uint16_t* free = std::find(found.block, end, 0);
    if (free == end || match < 32) return OneFate::kStop;
    *free = CodeOfBits(found.key);
    return OneFate::kDone;
  }

  OneFate Query(uint64_t digest) {
    const Found found = Find(digest);
    if (MatchOf(found) < 32) return OneFate::kDone;
    return found.is_marked ? OneFate::kSpill : OneFate::kUnchanged;
  }

  std::vector<Part>& parts() { return parts_; }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

// The same in memory for kernels.
class GrowingSegments {
 public:
  explicit GrowingSegments(const GrowingModel& model) : words_(2 * kGrowingShards + 8) {
    uint64_t* words = Words();
    for (size_t s = 0; s < model.parts().size(); ++s) {
      const auto& part = model.parts()[s];
      const uint64_t num_bytes = 2 * kSegmentAlignment + SegmentEnd(part.bits);
      memory_.emplace_back(num_bytes + kSegmentAlignment);
      std::byte* begin = memory_.back().data();
      begin += kSegmentAlignment - reinterpret_cast<uintptr_t>(begin) % kSegmentAlignment;
      blocks_.push_back(begin + 2 * kSegmentAlignment);
      std::memcpy(blocks_.back(), part.slots.data(), part.slots.size() * sizeof(uint16_t));
      auto* words_of_groups = reinterpret_cast<uint64_t*>(blocks_.back());
      for (size_t b = 0; b < part.counted.size(); ++b) {
        if (!part.counted[b]) continue;
        *(words_of_groups - 2 * (b / 64) - 1) |= uint64_t{1} << b % 64;
      }
      const auto address = reinterpret_cast<uintptr_t>(blocks_.back());
      words[s] = SegmentWord(address, part.depth, part.bits);
      // Shards with one segment have its word twice.
      if (s % 2 == 1 && s / 2 % 2 == 0) words[s] = words[s - 1];
    }
    root_ = DirectoryRoot(reinterpret_cast<uintptr_t>(words), kGrowingShardBits + 1);
  }

  GrowingBlocks view() const { return {&root_}; }
  uint64_t WordOf(uint64_t digest) const { return LoadSegmentWord(root_, digest); }
  std::vector<uint16_t> SlotsOf(size_t part, size_t size) const {
    std::vector<uint16_t> slots(size);
    std::memcpy(slots.data(), blocks_[part], size * sizeof(uint16_t));
    return slots;
  }
  uint64_t VersionOf(uint64_t digest) const {
    return *reinterpret_cast<const uint64_t*>(PlaceInSegment(digest, WordOf(digest)).version);
  }

 private:
  uint64_t* Words() {
    const auto address = reinterpret_cast<uintptr_t>(words_.data());
    return words_.data() + (64 - address % 64) % 64 / sizeof(uint64_t);
  }

  std::vector<uint64_t> words_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::byte*> blocks_;
  uint64_t root_ = 0;
};

// Blocks of the digests with codes of all lengths, of these digests and of others, none of which
// begins another one; some full, some marked, some counted.
GrowingModel MixedModel(const std::vector<uint64_t>& digests, std::mt19937_64& random) {
  GrowingModel model;
  for (const uint64_t digest : digests) {
    const GrowingModel::Found found = model.Find(digest);
    const size_t num_codes = random() % 40;
    for (size_t i = 0; i < num_codes; ++i) {
      std::string bits = found.key;
      if (random() % 2 == 0) bits[random() % 15] = random() % 2 == 0 ? '1' : '0';
      bits.resize(random() % 3 == 0 ? 15 : 1 + random() % 15);
      uint16_t& slot = found.block[random() % 32];
      slot = 0;
      const bool is_apart = std::all_of(found.block, found.block + 32, [&](uint16_t other) {
        const std::string of_other = BitsOfCode(other);
        return other == 0 || other == 0x8000 ||
               !(bits.starts_with(of_other) || of_other.starts_with(bits));
      });
      if (is_apart) slot = CodeOfBits(bits);
    }
    if (random() % 4 == 0) model.Count(digest);
    if (found.block[31] == 0x8000 || random() % 4 == 0) found.block[31] = 0x8000;
  }
  return model;
}

void CheckUpdate(GrowingUpdate update, const std::vector<uint64_t>& digests, size_t begin,
                 GrowingModel model) {
  const GrowingKernels& kernels = ActiveKernels().growing;
  const GrowingSegments in_batches(model);
  const GrowingSegments one_by_one(model);
  std::vector<uint64_t> want_bits(digests.size() / 64 + 1);
  std::vector<uint64_t> bits(want_bits.size());
  const auto kernel = update == GrowingUpdate::kInsert  ? kernels.insert
                      : update == GrowingUpdate::kErase ? kernels.erase
                                                        : kernels.insert_if_absent;
  const auto one = update == GrowingUpdate::kInsert  ? kernels.insert_one
                   : update == GrowingUpdate::kErase ? kernels.erase_one
                                                     : kernels.insert_if_absent_one;
  while (begin <= digests.size()) {
    size_t stop = begin;
    size_t num_changed = 0;
    for (; stop < digests.size(); ++stop) {
      const OneFate fate = model.Apply(update, digests[stop]);
      const uint64_t version = one_by_one.VersionOf(digests[stop]);
      REQUIRE(one(digests[stop], one_by_one.WordOf(digests[stop])) == fate);
      REQUIRE(one_by_one.VersionOf(digests[stop]) == version + 2);
      if (fate == OneFate::kStop) break;
      if (fate != OneFate::kDone) continue;
      num_changed += 1;
      if (update != GrowingUpdate::kInsert) want_bits[stop / 64] |= uint64_t{1} << stop % 64;
    }
    const DigestRange range{.begin = begin, .end = digests.size()};
    const GrowingProgress progress = kernel(digests.data(), range, in_batches.view(), bits.data());
    REQUIRE(progress.end == stop);
    REQUIRE(progress.num_changed == num_changed);
    begin = stop + 1;
  }
  REQUIRE(FirstDifference(bits, want_bits) == "");
  for (size_t s = 0; s < model.parts().size(); ++s) {
    const auto& slots = model.parts()[s].slots;
    REQUIRE(FirstDifference(in_batches.SlotsOf(s, slots.size()), slots) == "");
    REQUIRE(FirstDifference(one_by_one.SlotsOf(s, slots.size()), slots) == "");
  }
}

// Half of them collide with each other's blocks.
std::vector<uint64_t> CrowdedDigests(size_t size, std::mt19937_64& random) {
  std::vector<uint64_t> digests = tests::DrawnDigests(size, size / 2 + 1, random());
  for (size_t i = 1; i < digests.size(); i += 2) {
    digests[i] = (digests[i - 1] & ~uint64_t{0} << 44) | digests[i] >> 20;
  }
  return digests;
}

}  // namespace

TEST_CASE("a code matches the keys that its bits begin, a free slot and a mark none",
          "[kernels][growing][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  const uint64_t num_keys = tests::Scaled(20);
  constexpr uint32_t kStep = TROMMEL_TESTS_SANITIZED ? 13 : 1;
  for (uint32_t code = 0; code < 0x10000; code += kStep) {
    const std::string bits = BitsOfCode(static_cast<uint16_t>(code));
    for (uint64_t i = 0; i < num_keys; ++i) {
      // Most differ from the code late, if at all.
      const auto noise = static_cast<uint32_t>(random() & 0xffff) >> random() % 17;
      const uint32_t key = (code ^ noise) & 0xfffe;
      const std::string key_bits = BitsOfCode(static_cast<uint16_t>(key | 1));
      const bool is_code = code != 0 && code != 0x8000;
      const bool is_match = is_code && key_bits.starts_with(bits);
      if (IsMatch(code, key) != is_match) FAIL("code " << bits << ", key " << key_bits);
      const uint32_t other = code ^ noise;
      const std::string other_bits = BitsOfCode(static_cast<uint16_t>(other));
      const bool begins = is_code && other_bits != "-" && other_bits.starts_with(bits);
      if (other != 0 && Begins(code, other) != begins)
        FAIL("code " << bits << ", code " << other_bits);
    }
  }
}

TEST_CASE("updates of growing blocks leave the bytes of the definition on every target",
          "[kernels][growing]") {
  const auto update =
      GENERATE(GrowingUpdate::kInsert, GrowingUpdate::kInsertIfAbsent, GrowingUpdate::kErase);
  std::mt19937_64 random(Catch::rngSeed());
  for (const size_t size : {0, 1, 2, 63, 64, 65, 129, 400}) {
    if (TROMMEL_TESTS_SANITIZED && size > 200) break;  // it takes a minute
    const std::vector<uint64_t> digests = CrowdedDigests(size, random);
    const GrowingModel mixed = MixedModel(digests, random);
    tests::ForEachRunnableTarget([&] {
      CheckUpdate(update, digests, 0, GrowingModel());
      CheckUpdate(update, digests, size / 3, mixed);
    });
  }
}

TEST_CASE("queries of growing blocks find the codes that begin a key on every target",
          "[kernels][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const size_t size : tests::EdgeSizes()) {
    const std::vector<uint64_t> digests = CrowdedDigests(size, random);
    GrowingModel model = MixedModel(digests, random);
    const GrowingSegments segments(model);
    std::vector<uint64_t> want_shown((size + 63) / 64);
    std::vector<uint32_t> want_unsure;
    for (size_t i = 0; i < size; ++i) {
      const OneFate fate = model.Query(digests[i]);
      if (fate == OneFate::kDone) want_shown[i / 64] |= uint64_t{1} << i % 64;
      if (fate == OneFate::kSpill) want_unsure.push_back(static_cast<uint32_t>(i));
    }
    tests::ForEachRunnableTarget([&] {
      const GrowingKernels& kernels = ActiveKernels().growing;
      for (const auto query : {kernels.query, kernels.query_at_once}) {
        std::vector<uint64_t> shown(want_shown.size(), ~uint64_t{0});
        std::vector<uint32_t> unsure(size);
        unsure.resize(query(digests.data(), size, segments.view(), shown.data(), unsure.data()));
        REQUIRE(FirstDifference(shown, want_shown) == "");
        REQUIRE(FirstDifference(unsure, want_unsure) == "");
      }
      for (const uint64_t digest : digests) {
        const GrowingPlace place = PlaceInSegment(digest, segments.WordOf(digest));
        const OneFate fate = model.Query(digest);
        REQUIRE(kernels.query_one(digest, segments.view()) == fate);
        REQUIRE(kernels.shows(reinterpret_cast<const uint32_t*>(place.block), place.key) ==
                (fate == OneFate::kDone));
      }
    });
  }
}

}  // namespace trommel::kernels
