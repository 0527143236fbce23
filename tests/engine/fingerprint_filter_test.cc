// Counting filters of fingerprints against an exact model: a multiset of keys for each block.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/blocks/block_contents.h"
#include "engine/src/sizing/geometry_checks.h"
#include "kernels/dense_layout.h"
#include "kernels/fingerprint_layout.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/file_forge.h"
#include "support/shapes.h"
#include "support/shrink.h"
#include "support/statistics.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/estimates.h"

namespace trommel {
namespace {

Geometry GeometryFor(Encoding encoding, uint64_t num_blocks, uint32_t bits = 0,
                     uint32_t shard_bits = 0) {
  Geometry geometry = tests::FingerprintsOf(encoding, num_blocks, shard_bits);
  if (bits != 0) geometry.fingerprint_bits = std::min(bits, geometry.fingerprint_bits);
  return geometry;
}

// What a filter must be: written from the definition, with a division instead of shifts.
class Model {
 public:
  explicit Model(const Geometry& geometry) : geometry_(geometry), blocks_(geometry.num_blocks) {}

  uint64_t& CountOf(uint64_t digest) {
    __extension__ using Wide = unsigned __int128;
    constexpr Wide kAll = Wide{1} << 64;
    const Wide product = static_cast<Wide>(digest) * geometry_.num_blocks;
    const auto rest = static_cast<uint64_t>(product);
    auto key = static_cast<uint32_t>(static_cast<Wide>(rest) * geometry_.num_values() / kAll);
    if (geometry_.encoding == Encoding::kFingerprints16) {
      if (key % 256 == 0) key += 1;
      if (key % 256 == 255) key -= 1;
    }
    return blocks_[static_cast<size_t>(product >> 64)][key];
  }

  BlockContents ContentsOf(uint64_t block_idx) const {
    BlockContents contents;
    for (const auto& [key, count] : blocks_[block_idx]) {
      if (count > 0) contents.push_back({key, count});
    }
    return contents;
  }

 private:
  Geometry geometry_;
  std::vector<std::map<uint32_t, uint64_t>> blocks_;
};

CountingFilter Empty(const Geometry& geometry) {
  return *CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller});
}

std::vector<std::byte> FilledBytes(const Geometry& geometry, std::vector<uint64_t> digests) {
  CountingFilter filter = Empty(geometry);
  filter.Insert(Keys::Digests(digests));
  return filter.Serialize();
}

void SetBit(std::span<uint64_t> bits, size_t i, bool is_set) {
  bits[i / 64] = (bits[i / 64] & ~(uint64_t{1} << i % 64)) | uint64_t{is_set} << i % 64;
}

// Calls use(filter), or use of the ConcurrentFilter made of it for that time.
template <class Use>
auto With(CountingFilter& filter, bool is_shared, const Use& use) {
  if (!is_shared) return use(filter);
  ConcurrentFilter shared = ConcurrentFilter::Adopt(std::move(filter)).value();
  auto result = use(shared);
  filter = std::move(shared).TakeExclusive();
  return result;
}

// Beside no writer, queries of a shared filter find all that the filter's own find (`bits`). They
// find more only if blocks hide keys.
void CheckSharedQuery(const ConcurrentFilter& shared, std::span<const uint64_t> digests,
                      std::span<const uint64_t> bits) {
  std::vector<uint64_t> shared_bits(bits.size());
  shared.Query(Keys::Digests(digests), shared_bits);
  const Stats stats = shared.GetStats();
  REQUIRE(stats.num_interrupted_queries == 0);
  for (size_t i = 0; i < digests.size(); ++i) {
    REQUIRE(shared.MayContain(Key::Digest(digests[i])) == tests::BitAt(shared_bits, i));
    if (tests::BitAt(shared_bits, i) != tests::BitAt(bits, i)) {
      REQUIRE(tests::BitAt(shared_bits, i));
      REQUIRE(stats.undecided_share > 0);
    }
  }
}

// Random batches and single keys, from digests that are few enough to meet again and crowd their
// blocks: a tenth of them belong to one block, and some are inserted hundreds of times.
// If is_shared, each step's updates are those of a ConcurrentFilter.
void RunProgram(const Geometry& geometry, uint64_t seed, size_t num_steps, double load,
                bool is_shared) {
  std::mt19937_64 random(seed);
  CountingFilter filter = Empty(geometry);
  Model model(geometry);
  const auto num_digests = static_cast<size_t>(1 + load * static_cast<double>(geometry.num_blocks));
  std::vector<uint64_t> pool(num_digests);
  for (size_t i = 0; i < pool.size(); ++i) {
    pool[i] = i % 10 == 3 ? random() >> 40 : random();
  }
  uint64_t num_keys = 0;
  for (size_t step = 0; step < num_steps; ++step) {
    std::vector<uint64_t> batch(1 + random() % 200);
    for (uint64_t& digest : batch) digest = pool[random() % pool.size()];
    if (random() % 8 == 0) std::ranges::fill(batch, batch.front());
    const bool is_growing = 4 * step / num_steps % 2 == 0;
    const uint64_t choice = random() % 10;
    std::vector<uint64_t> bits(CountingFilter::BitmapWords(batch.size()), ~uint64_t{0});
    if (choice < (is_growing ? 6U : 2U)) {
      const bool are_in = With(filter, is_shared, [&](auto& user) {
        if (choice % 2 == 0) return user.Insert(Keys::Digests(batch)).num_refused == 0;
        return std::ranges::all_of(
            batch, [&](uint64_t digest) { return user.Insert(Key::Digest(digest)); });
      });
      REQUIRE(are_in);
      for (const uint64_t digest : batch) model.CountOf(digest) += 1;
      num_keys += batch.size();
    } else if (choice < 8) {
      With(filter, is_shared, [&](auto& user) {
        if (choice % 2 == 0) return user.Erase(Keys::Digests(batch), bits).num_refused == 0;
        for (size_t i = 0; i < batch.size(); ++i) {
          SetBit(bits, i, user.Erase(Key::Digest(batch[i])));
        }
        return true;
      });
      for (size_t i = 0; i < batch.size(); ++i) {
        uint64_t& count = model.CountOf(batch[i]);
        const bool is_erased = tests::BitAt(bits, i);
        REQUIRE(is_erased == (count > 0));
        count -= uint64_t{is_erased};
        num_keys -= uint64_t{is_erased};
      }
    } else {
      With(filter, is_shared, [&](auto& user) {
        if (choice % 2 == 0) return user.InsertIfAbsent(Keys::Digests(batch), bits) > 0;
        for (size_t i = 0; i < batch.size(); ++i) {
          SetBit(bits, i, user.InsertIfAbsent(Key::Digest(batch[i])));
        }
        return true;
      });
      for (size_t i = 0; i < batch.size(); ++i) {
        uint64_t& count = model.CountOf(batch[i]);
        const bool is_new = tests::BitAt(bits, i);
        REQUIRE(is_new == (count == 0));
        count += uint64_t{is_new};
        num_keys += uint64_t{is_new};
      }
    }
    REQUIRE(filter.num_keys() == num_keys);

    for (uint64_t& digest : batch) {
      if (random() % 2 == 0) digest = random();
    }
    filter.Query(Keys::Digests(batch), bits);
    std::vector<uint64_t> counts(batch.size());
    filter.CountEstimates(Keys::Digests(batch), counts);
    std::vector<uint32_t> absent(batch.size());
    const size_t num_absent = filter.Select(Keys::Digests(batch), Answer::kAbsent, absent);
    size_t num_seen_absent = 0;
    for (size_t i = 0; i < batch.size(); ++i) {
      const uint64_t count = model.CountOf(batch[i]);
      REQUIRE(tests::BitAt(bits, i) == (count > 0));
      REQUIRE(filter.MayContain(Key::Digest(batch[i])) == (count > 0));
      REQUIRE(counts[i] == count);
      if (count > 0) continue;
      REQUIRE(num_seen_absent < num_absent);
      REQUIRE(absent[num_seen_absent++] == i);
    }
    REQUIRE(num_seen_absent == num_absent);
    if (is_shared) {
      ConcurrentFilter shared(std::move(filter));
      CheckSharedQuery(shared, batch, bits);
      std::vector<uint64_t> shared_counts(batch.size());
      shared.CountEstimates(Keys::Digests(batch), shared_counts);
      REQUIRE(shared_counts == counts);
      filter = std::move(shared).TakeExclusive();
    }

    if (step % 20 != 19) continue;
    // The snapshot is that of a filter whose keys were inserted in another order at once.
    const std::vector<std::byte> bytes =
        With(filter, is_shared, [](const auto& user) { return user.Serialize(); });
    Result<CountingFilter> loaded = CountingFilter::Deserialize(bytes);
    if (!loaded) FAIL(loaded.error().message);
    REQUIRE(loaded->Serialize() == bytes);
    REQUIRE(loaded->num_keys() == num_keys);
    REQUIRE(loaded->GetStats().num_promoted <= geometry.num_blocks);
    const uint64_t num_promoted = filter.GetStats().num_promoted;
    REQUIRE(loaded->GetStats().num_promoted <= num_promoted);
    // Dense blocks keep records, and bins that are cut, for a while.
    if (geometry.encoding != Encoding::kDense) {
      REQUIRE(loaded->GetStats().num_promoted == num_promoted);
    }
    CountingFilter both = *std::move(loaded);
    REQUIRE(both.Merge(filter).ok());
    REQUIRE(both.num_keys() == 2 * num_keys);
    REQUIRE(both.Subtract(filter).ok());
    REQUIRE(both.Serialize() == bytes);
    if (random() % 4 == 0) filter = std::move(both);  // goes on from another form in memory
  }
  // Erasing everything leaves an empty filter, without a side table.
  for (const uint64_t digest : pool) {
    while (filter.Erase(Key::Digest(digest))) {
    }
  }
  CHECK(filter.num_keys() == 0);
  CHECK(filter.GetStats().num_promoted == 0);
  CHECK(filter.GetStats().side_table_bytes == 0);
  CHECK(filter.Serialize() == Empty(geometry).Serialize());
}

constexpr std::array kBoth = {Encoding::kFingerprints16, Encoding::kDense};

TEST_CASE("a filter of fingerprints answers as the multiset of its keys does, shared or not",
          "[engine][counting][fingerprints][long]") {
  const bool is_shared = GENERATE(false, true);
  for (const Encoding encoding : kBoth) {
    for (const double load : {10.0, 34.0, 60.0, 200.0}) {
      for (const uint64_t num_blocks : {1, 3, 64, 100}) {
        INFO(EncodingName(encoding) << ", load " << load << ", blocks " << num_blocks);
        RunProgram(GeometryFor(encoding, num_blocks), 17 + num_blocks, tests::Scaled(160), load,
                   is_shared);
      }
    }
  }
}

TEST_CASE("shorter fingerprints count as exactly", "[engine][counting][fingerprints]") {
  for (const Encoding encoding : kBoth) {
    for (const uint32_t bits : {8U, 9U, 13U}) {
      INFO(EncodingName(encoding) << ", bits " << bits);
      RunProgram(GeometryFor(encoding, 70, bits), bits, tests::Scaled(160), 40,
                 /*is_shared=*/bits == 9);
    }
  }
}

TEST_CASE("dense blocks of every shape count as exactly",
          "[engine][counting][fingerprints][dense]") {
  for (const kernels::DenseShape& shape : kernels::kDenseShapes) {
    for (const uint32_t bits : {shape.max_bits, shape.max_bits - 2}) {
      INFO(shape.slots << " slots, remainders of " << bits << " bits");
      Geometry geometry = GeometryFor(Encoding::kDense, 64, 0, 2);
      geometry.slots = shape.slots;
      geometry.fingerprint_bits = bits;
      RunProgram(geometry, shape.slots, tests::Scaled(60), 1.2 * shape.slots, shape.slots % 2 == 0);
    }
  }
}

TEST_CASE("doubling is creation at twice the size with a bit less, and folding undoes it",
          "[engine][counting][fingerprints]") {
  std::mt19937_64 random(6);
  for (const Encoding encoding : kBoth) {
    const Geometry geometry = GeometryFor(encoding, 192);
    std::vector<uint64_t> digests(192 * 40);
    for (uint64_t& digest : digests) digest = random();
    CountingFilter filter = Empty(geometry);
    filter.Insert(Keys::Digests(digests));
    std::vector<std::vector<std::byte>> sizes = {filter.Serialize()};
    while (filter.Grow().ok()) {
      Geometry built = geometry;
      built.num_blocks <<= sizes.size();
      built.fingerprint_bits -= static_cast<uint32_t>(sizes.size());
      built.shard_bits = filter.geometry().shard_bits;
      REQUIRE(filter.geometry() == built);
      sizes.push_back(filter.Serialize());
      CHECK(sizes.back() == FilledBytes(built, digests));
    }
    CHECK(filter.geometry().fingerprint_bits == LeastFingerprintBits(encoding));
    for (size_t size = sizes.size() - 1; size > 0; --size) {
      CHECK(filter.Serialize() == sizes[size]);
      REQUIRE(filter.Fold().ok());
    }
    CHECK(filter.Serialize() == sizes[0]);
    // Below its first size the last bits are lost, as in a filter created with so few blocks.
    REQUIRE(filter.Fold().ok());
    Geometry half = geometry;
    half.num_blocks /= 2;
    CHECK(filter.Serialize() == FilledBytes(half, digests));
  }
}

TEST_CASE("what fingerprints cannot do is refused with the reason",
          "[engine][counting][fingerprints]") {
  CountingFilter runs = *CountingFilter::Create({.capacity = 1000});
  CHECK(runs.Grow().error().code == ErrorCode::kInvalidArgument);
  for (const Encoding encoding : kBoth) {
    const CountingConfig config{.capacity = 1000, .target_fpr = 0.01, .encoding = encoding};
    CountingFilter filter = *CountingFilter::Create(config);
    CountingFilter other = *CountingFilter::Create({.capacity = 1000});
    CHECK(filter.Merge(other).error().code == ErrorCode::kMismatch);
  }
}

TEST_CASE("a file with a key that no digest has is refused", "[engine][counting][fingerprints]") {
  const Geometry geometry = GeometryFor(Encoding::kFingerprints16, 1);
  const uint64_t digest = uint64_t{0x1234} << 48;  // of one block: the key is its top bits
  const auto load = [&](int key) {
    const std::vector<std::byte> bytes = tests::WithValue(FilledBytes(geometry, {digest}), "blocks",
                                                          1, 0, static_cast<uint16_t>(key));
    return CountingFilter::Deserialize(bytes);
  };
  for (const int key : {0x0001, 0x00fe, 0x12fe, 0x1201, 0xfffe}) CHECK(load(key).ok());
  for (const int key : {0x0100, 0x1200, 0x12ff, 0xff00}) {
    const Result<CountingFilter> loaded = load(key);
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().code == ErrorCode::kCorrupt);
  }
}

TEST_CASE("fingerprints keep their predicted rate when fresh and after churn",
          "[engine][counting][fingerprints][long]") {
  for (const auto& [encoding, target] :
       {std::pair(Encoding::kFingerprints16, 0.0004), std::pair(Encoding::kDense, 0.0023)}) {
    constexpr uint64_t kKeys = 100'000;
    CountingFilter filter = *CountingFilter::Create({.capacity = kKeys,
                                                     .target_fpr = target,
                                                     .digest = {.kind = DigestKind::kCaller},
                                                     .encoding = encoding});
    std::mt19937_64 random(12);
    std::vector<uint64_t> keys(kKeys);
    for (uint64_t& key : keys) key = random();
    filter.Insert(Keys::Digests(keys));
    const auto check_rate = [&] {
      std::vector<uint64_t> absent(tests::Scaled(4'000'000));
      for (uint64_t& key : absent) key = random();
      std::vector<uint64_t> bits(CountingFilter::BitmapWords(absent.size()));
      const uint64_t found = filter.Query(Keys::Digests(absent), bits);
      const double predicted = PredictedFpr(filter.geometry(), kKeys);
      // Two sources: the non-members' binomial, and which values the keys happen to take.
      tests::RateBound bound = tests::BinomialBound(predicted, absent.size());
      bound.sigma = std::hypot(bound.sigma, predicted / std::sqrt(static_cast<double>(kKeys)));
      CHECK(bound.ContainsHits(found));
      CHECK(filter.MeasureFill().current_fpr == Approx(predicted).epsilon(0.03));
      const uint64_t num_blocks = filter.geometry().num_blocks;
      CHECK(tests::BinomialBound(PredictedPromotedShare(filter.geometry(), kKeys), num_blocks)
                .ContainsHits(filter.GetStats().num_promoted));
    };
    check_rate();
    for (size_t i = 0; i < tests::Scaled(4 * kKeys); ++i) {
      uint64_t& key = keys[random() % kKeys];
      REQUIRE(filter.Erase(Key::Digest(key)));
      key = random();
      filter.Insert(Key::Digest(key));
    }
    check_rate();
    std::vector<uint64_t> bits(CountingFilter::BitmapWords(kKeys));
    CHECK(filter.Query(Keys::Digests(keys), bits) == kKeys);
  }
}

}  // namespace
}  // namespace trommel
