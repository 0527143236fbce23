// Maps that the system refuses memory: insertions are refused key by key and change nothing,
// erasures and closings need none.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/map_model.h"
#include "trommel/column_map.h"
#include "trommel/keys.h"

namespace trommel {
namespace {

using tests::MapModel;

constexpr uint32_t kMapColumns = 700;

// One block group of few places, all of which have many keys and, some of them, many columns.
ColumnMap CrowdedMap() {
  ColumnMap map = ColumnMap::Create({.capacity = 2'000,
                                     .num_columns = kMapColumns,
                                     .digest = {.kind = DigestKind::kCaller},
                                     .num_blocks = 64,
                                     .fingerprint_bits = 8})
                      .value();
  for (uint32_t c = 0; c < kMapColumns; ++c) REQUIRE(map.OpenColumn(c));
  return map;
}

// Keys into a column; keys may be there several times.
struct MapBatch {
  uint32_t column = 0;
  std::vector<uint64_t> digests;
};

std::vector<MapBatch> SomeBatches(size_t num_batches, std::mt19937_64& random) {
  std::vector<uint64_t> digests(900);
  for (uint64_t& digest : digests) digest = random();
  std::vector<MapBatch> batches(num_batches);
  for (MapBatch& batch : batches) {
    batch.column = static_cast<uint32_t>(random() % kMapColumns);
    for (size_t i = 1 + random() % 40; i > 0; --i) {
      const size_t range = random() % 3 == 0 ? 8 : random() % 2 == 0 ? 60 : digests.size();
      batch.digests.push_back(digests[random() % range]);
    }
  }
  return batches;
}

// The map answers exactly what the model does for all of these.
void CheckMap(const ColumnMap& map, const MapModel& model, std::span<const MapBatch> batches) {
  MapModel::MapRow row(map.row_words());
  size_t num_wrong = 0;
  for (const MapBatch& batch : batches) {
    for (const uint64_t digest : batch.digests) {
      map.Query(Key::Digest(digest), row);
      num_wrong += row != model.Want(digest);
    }
  }
  CHECK(num_wrong == 0);
  CHECK(map.GetStats().num_pairs == model.num_pairs());
}

// What insertions of batches of at most 64 keys did: a word per batch.
struct MapInsertions {
  explicit MapInsertions(size_t num_batches) : inserted(num_batches) {}

  std::vector<uint64_t> inserted;
  uint64_t num_refused = 0;
  uint64_t num_wrong = 0;  // outcomes that do not say what the words say
};

// Without an allocation of its own.
void InsertBatches(ColumnMap& map, std::span<const MapBatch> batches, MapInsertions& done) {
  for (size_t b = 0; b < batches.size(); ++b) {
    const Keys keys = Keys::Digests(batches[b].digests);
    const InsertOutcome outcome =
        map.Insert(batches[b].column, keys, std::span(&done.inserted[b], 1));
    const auto num_inserted = static_cast<uint64_t>(std::popcount(done.inserted[b]));
    const bool is_right =
        outcome.num_inserted == num_inserted && outcome.num_refused == keys.size() - num_inserted &&
        outcome.refusal ==
            (outcome.num_refused == 0 ? GrowthRefusal::kNone : GrowthRefusal::kOutOfMemory);
    done.num_wrong += uint64_t{!is_right};
    done.num_refused += outcome.num_refused;
  }
}

// The keys that are in, which the model is told.
std::vector<MapBatch> TakenOf(std::span<const MapBatch> batches, const MapInsertions& done,
                              MapModel& model) {
  std::vector<MapBatch> taken;
  for (size_t b = 0; b < batches.size(); ++b) {
    taken.push_back({batches[b].column, {}});
    for (size_t i = 0; i < batches[b].digests.size(); ++i) {
      if ((done.inserted[b] >> i & 1) == 0) continue;
      taken.back().digests.push_back(batches[b].digests[i]);
      model.Insert(batches[b].column, batches[b].digests[i]);
    }
  }
  return taken;
}

uint64_t EraseBatches(ColumnMap& map, std::span<const MapBatch> batches) {
  uint64_t num_refused = 0;
  for (const MapBatch& batch : batches) {
    num_refused += map.Erase(batch.column, Keys::Digests(batch.digests)).num_refused;
  }
  return num_refused;
}

void CheckMapIsEmpty(const ColumnMap& map) {
  const MapStats stats = map.GetStats();
  CHECK(stats.num_pairs == 0);
  CHECK(stats.num_slots_in_use == 0);
  CHECK(stats.num_places_elsewhere == 0);
  uint64_t num_keys = 0;
  for (uint32_t c = 0; c < map.num_columns(); ++c) num_keys += map.IsOpen(c) ? map.num_keys(c) : 0;
  CHECK(num_keys == 0);
}

}  // namespace

TEST_CASE("an insertion into a map that finds no memory changes nothing, at any allocation",
          "[engine][column_map][refused_memory][long]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  std::mt19937_64 random(Catch::rngSeed());
  const auto which = GENERATE(tests::Refused::kOne, tests::Refused::kAllFrom);
  const std::vector<MapBatch> batches = SomeBatches(800, random);
  uint64_t num_refused = 0;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; n += 1 + n / 3) {
    CAPTURE(n);
    ColumnMap map = CrowdedMap();
    MapInsertions done(batches.size());
    {
      const tests::RefusedAllocation refused(n, which);
      InsertBatches(map, batches, done);
      was_refused = refused.was_refused();
    }
    CHECK(done.num_wrong == 0);
    CHECK(map.GetStats().num_refused_inserts == done.num_refused);
    num_refused += done.num_refused;
    MapModel model(map);
    const std::vector<MapBatch> taken = TakenOf(batches, done, model);
    CheckMap(map, model, batches);
    CHECK(EraseBatches(map, taken) == 0);
    CheckMapIsEmpty(map);
  }
  CHECK(num_refused > 0);
}

TEST_CASE("no erasure from a map needs memory, and no closing of columns",
          "[engine][column_map][refused_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<MapBatch> batches = SomeBatches(3'000, random);
  ColumnMap map = CrowdedMap();
  MapInsertions done(batches.size());
  InsertBatches(map, batches, done);
  MapModel model(map);
  std::vector<MapBatch> taken = TakenOf(batches, done, model);
  REQUIRE(map.GetStats().num_places_elsewhere > 0);
  std::ranges::shuffle(taken, random);
  const auto middle = taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 2);
  const std::vector<MapBatch> half(taken.begin(), middle);
  taken.erase(taken.begin(), middle);
  std::vector<uint32_t> closed(kMapColumns / 2);
  for (uint32_t c = 0; c < closed.size(); ++c) closed[c] = c;
  uint64_t num_refused = 0;
  {
    const tests::RefusedAllocation refused(1, tests::Refused::kAllFrom);
    num_refused = EraseBatches(map, half);
    map.CloseColumns(closed);
  }
  CHECK(num_refused == 0);
  for (const MapBatch& batch : half) {
    for (const uint64_t digest : batch.digests) model.Erase(batch.column, digest);
  }
  for (const uint32_t c : closed) model.Close(c);
  CheckMap(map, model, batches);
  std::erase_if(taken, [&](const MapBatch& batch) { return batch.column < closed.size(); });
  {
    const tests::RefusedAllocation refused(1, tests::Refused::kAllFrom);
    num_refused = EraseBatches(map, taken);
  }
  CHECK(num_refused == 0);
  CheckMapIsEmpty(map);
}

TEST_CASE("a column that the system refuses memory for is not loaded, and nothing of it stays",
          "[engine][column_map][refused_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  std::mt19937_64 random(Catch::rngSeed());
  ColumnMap full = CrowdedMap();
  // Two copies of each: that takes memory whatever the blocks have.
  std::vector<uint64_t> digests(4'000);
  for (uint64_t& digest : digests) digest = random();
  full.Insert(3, Keys::Digests(digests));
  full.Insert(3, Keys::Digests(digests));
  const std::vector<std::byte> bytes = full.SerializeColumn(3);
  const std::vector<std::byte> none = CrowdedMap().SerializeColumn(3);
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; n += 1 + n / 3) {
    CAPTURE(n);
    ColumnMap map = CrowdedMap();
    map.Insert(5, Keys::Digests(std::span(digests).first(100)));
    const std::vector<std::byte> other = map.SerializeColumn(5);
    map.CloseColumn(3);
    Status loaded = Ok();
    was_refused = tests::WasRefusedAt(n, [&] { loaded = map.LoadColumn(3, bytes); });
    CHECK(map.IsOpen(3) == loaded.ok());
    CHECK((map.SerializeColumn(5) == other));
    if (loaded.ok()) {
      CHECK((map.SerializeColumn(3) == bytes));
      continue;
    }
    CHECK(loaded.error().code == ErrorCode::kOutOfMemory);
    CHECK(map.OpenColumn(3).ok());
    CHECK(map.num_keys(3) == 0);
    CHECK((map.SerializeColumn(3) == none));
  }
}

}  // namespace trommel
