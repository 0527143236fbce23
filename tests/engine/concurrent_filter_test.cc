// The contract of concurrent_filter.h. (That one thread gets a CountingFilter's answers and bytes:
// counting_filter_invariants_test.cc; more threads for longer: `trommel stress`.)
#include "trommel/concurrent_filter.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/exact_model.h"
#include "support/in_threads.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"
#include "support/shapes.h"
#include "support/shrink.h"

namespace trommel {
namespace {

ConcurrentFilter Made(const CountingConfig& config) {
  return ConcurrentFilter::Create(config).value();
}

Encoding AnyEncoding() {
  return GENERATE(Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16,
                  Encoding::kFingerprints8);
}

// A few blocks of each shape. (Shards of fingerprints have 64 blocks at least.)
std::vector<Geometry> CrowdedGeometries() {
  std::vector<Geometry> geometries;
  for (const kernels::Shape& shape : tests::AllShapes()) {
    geometries.push_back(tests::GeometryOf(shape, 4, /*shard_bits=*/2));
  }
  geometries.push_back({.num_slices = 0,
                        .encoding = Encoding::kFingerprints16,
                        .num_blocks = 4,
                        .fingerprint_bits = kernels::kMaxWideBits});
  geometries.push_back({.num_slices = 0,
                        .encoding = Encoding::kFingerprints8,
                        .num_blocks = 4,
                        .fingerprint_bits = kernels::kMaxNarrowBits});
  return geometries;
}

// How many copies of a key a block holds before it is promoted.
uint64_t CopiesToTheEdge(const Geometry& geometry) {
  if (geometry.encoding == Encoding::kFingerprints16) return kernels::kWideSlots;
  if (geometry.encoding == Encoding::kFingerprints8) return kernels::kMaxKeysPerBinWord;
  return tests::MostCopies(tests::ShapeOf(geometry));
}

TEST_CASE("of threads that race with one absent key exactly one is told new",
          "[engine][concurrent][threads]") {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kKeys = 3000;
  // Few non-members' bits: a key that others cover would be new to no thread.
  const Encoding encoding = AnyEncoding();
  ConcurrentFilter filter = Made({.capacity = 100'000, .target_fpr = 1e-5, .encoding = encoding});
  const size_t batch = GENERATE(size_t{0}, 10, 500);  // 0: key by key
  std::array<std::atomic<int>, kKeys> told{};
  tests::InThreads(kThreads, [&](uint64_t) {
    const std::vector<uint64_t> keys = tests::MemberKeys(kKeys, 7);
    if (batch == 0) {
      for (size_t i = 0; i < kKeys; ++i) told[i] += filter.InsertIfAbsent(keys[i]) ? 1 : 0;
      return;
    }
    for (size_t first = 0; first < kKeys; first += batch) {
      std::vector<uint64_t> inserted(CountingFilter::BitmapWords(batch));
      filter.InsertIfAbsent(std::span(keys).subspan(first, batch), inserted);
      for (size_t i = 0; i < batch; ++i) told[first + i] += tests::BitAt(inserted, i) ? 1 : 0;
    }
  });
  uint64_t num_new = 0;
  for (size_t i = 0; i < kKeys; ++i) {
    if (told[i] > 1) FAIL("key " << i << " was new to " << told[i]);
    num_new += static_cast<uint64_t>(told[i]);
  }
  CHECK(num_new == filter.num_keys());
  CHECK(num_new >= kKeys - 5);
}

TEST_CASE("a key that is in is never missed while others come and go around it",
          "[engine][concurrent][threads]") {
  // So few blocks that everything happens in the block of every key: counters rise and fall, blocks
  // are promoted and come back.
  struct Writer {
    uint64_t num_keys;
    uint64_t copies;
    uint64_t rounds;
  };
  Writer writer = GENERATE(Writer{20, 1, 300}, Writer{400, 1, 150}, Writer{1, 12, 10'000});
  const Geometry geometry = GENERATE(from_range(CrowdedGeometries()));
  if (geometry.encoding != Encoding::kPlanes && writer.copies > 1) {  // as twelve copies are
    writer.copies = CopiesToTheEdge(geometry);
    writer.rounds = 2000;
  }
  const uint64_t num_rounds = tests::Scaled(writer.rounds);
  ConcurrentFilter filter(std::move(CountingFilter::CreateWithGeometry(geometry, {})).value());
  const std::vector<uint64_t> staying = tests::MemberKeys(40, 1);
  filter.Insert(staying);
  const std::vector<std::byte> before = filter.Serialize();
  std::atomic<int> num_writing{2};
  std::atomic<uint64_t> num_missed{0};
  std::atomic<uint64_t> num_refused{0};
  tests::InThreads(4, [&](uint64_t t) {
    if (t < 2) {
      std::vector<uint64_t> own;
      for (uint64_t c = 0; c < writer.copies; ++c) {
        for (const uint64_t key : tests::MemberKeys(writer.num_keys, 100 + t)) own.push_back(key);
      }
      for (uint64_t round = 0; round < num_rounds; ++round) {
        filter.Insert(own);
        num_refused += filter.Erase(own).num_refused;
      }
      --num_writing;
      return;
    }
    std::vector<uint64_t> answers(CountingFilter::BitmapWords(staying.size()));
    std::vector<uint64_t> counts(staying.size());
    while (num_writing > 0) {
      num_missed += staying.size() - filter.Query(staying, answers);
      for (const uint64_t key : staying) num_missed += filter.MayContain(key) ? 0 : 1;
      filter.CountEstimates(staying, counts);
      for (const uint64_t count : counts) num_missed += count == 0 ? 1 : 0;
    }
  });
  CHECK(num_missed == 0);
  CHECK(num_refused == 0);
  CHECK((filter.Serialize() == before));
  CHECK(filter.num_keys() == staying.size());
  CHECK(filter.Erase(staying).num_erased == staying.size());
  CHECK(filter.MeasureFill().fill_ratio == 0);
  CHECK(filter.GetStats().side_table_bytes == 0);
}

TEST_CASE("batches of many threads add up to the bytes of one thread",
          "[engine][concurrent][threads]") {
  const uint32_t executor_threads = GENERATE(0U, 2U);
  const Encoding encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16,
                                     Encoding::kFingerprints8, Encoding::kAutomatic);
  CountingConfig config{.capacity = 60'000, .target_fpr = 0.01, .encoding = encoding};
  CountingFilter want = std::move(CountingFilter::Create(config)).value();
  if (executor_threads > 0) config.executor = Executor::Create(executor_threads).value();
  ConcurrentFilter got = Made(config);
  constexpr uint64_t kThreads = 3;
  const auto keys_of = [](uint64_t t) { return tests::MemberKeys(20'000, t); };
  tests::InThreads(kThreads, [&](uint64_t t) {
    const std::vector<uint64_t> keys = keys_of(t);
    got.Insert(keys);
    got.Insert(std::span(keys).first(1000));
    got.Erase(std::span(keys).last(5000));
    for (size_t i = 0; i < 50; ++i) got.Insert(keys[i]);
    for (size_t i = 0; i < 50; ++i) got.Erase(keys[i]);
  });
  for (uint64_t t = 0; t < kThreads; ++t) {
    const std::vector<uint64_t> keys = keys_of(t);
    want.Insert(keys);
    want.Insert(std::span(keys).first(1000));
    want.Erase(std::span(keys).last(5000));
  }
  CHECK((got.Serialize() == want.Serialize()));
  CHECK(got.num_keys() == want.num_keys());
  CHECK((std::move(got).TakeExclusive().Serialize() == want.Serialize()));
}

TEST_CASE("a concurrent filter counts the erases it refused", "[engine][concurrent]") {
  ConcurrentFilter filter = Made({.capacity = 1000, .target_fpr = 1e-4, .encoding = AnyEncoding()});
  filter.Insert(uint64_t{1});
  CHECK_FALSE(filter.Erase(uint64_t{2}));
  CHECK(filter.Erase(std::vector<uint64_t>{1, 3, 4}) == EraseOutcome{1, 2});
  std::vector<uint64_t> erased(1, ~uint64_t{0});
  CHECK(filter.Erase(std::vector<uint64_t>{5}, erased) == EraseOutcome{0, 1});
  CHECK(erased[0] == 0);
  CHECK(filter.GetStats().num_refused_erases == 4);
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("bitmaps of another size end the program", "[engine][concurrent][death]") {
  ConcurrentFilter filter = Made({.capacity = 1000});
  const std::vector<uint64_t> keys(65);
  std::vector<uint64_t> bitmap(1);
  const std::string want = "bitmap of another size";
  const auto says = [&](const std::function<void()>& body) {
    return tests::AbortMessage(body).find(want) != std::string::npos;
  };
  CHECK(says([&] { filter.InsertIfAbsent(keys, bitmap); }));
  CHECK(says([&] { filter.Erase(keys, bitmap); }));
  CHECK(says([&] { filter.Query(keys, bitmap); }));
}

#ifndef NDEBUG
TEST_CASE("an exclusive operation beside another one ends a debug build",
          "[engine][concurrent][death]") {
  const bool is_limit = GENERATE(false, true);
  const std::string message = tests::AbortMessage([is_limit] {
    ConcurrentFilter filter = Made({.capacity = 1000, .encoding = Encoding::kFingerprints8});
    std::atomic<bool> is_done{false};
    std::thread reader([&] {  // not a writer, which might crash before it is noticed
      const std::vector<uint64_t> keys = tests::MemberKeys(10'000, 1);
      std::vector<uint64_t> answers(CountingFilter::BitmapWords(keys.size()));
      while (!is_done) filter.Query(keys, answers);
    });
    for (int i = 0; i < 1'000'000; ++i) {
      if (is_limit) {
        (void)filter.LimitSideMemory(0);
      } else {
        filter.Clear();
      }
    }
    is_done = true;
    reader.join();
  });
  CHECK(message.find("exclusive operation") != std::string::npos);
}
#endif

TEST_CASE("a filter saved while others write is a whole filter with what was in before",
          "[engine][concurrent][threads]") {
  const auto [encoding, num_slices] =
      GENERATE(table<Encoding, uint32_t>({{Encoding::kPlanes, 0},
                                          {Encoding::kRuns, 4},
                                          {Encoding::kRuns, 5},
                                          {Encoding::kRuns, 8},
                                          {Encoding::kRuns, 10},
                                          {Encoding::kFingerprints16, 0},
                                          {Encoding::kFingerprints8, 0}}));
  const CountingConfig config{
      .capacity = 20'000, .target_fpr = 0.02, .num_slices = num_slices, .encoding = encoding};
  ConcurrentFilter filter = Made(config);
  const std::vector<uint64_t> staying = tests::MemberKeys(5000, 1);
  filter.Insert(staying);
  std::atomic<bool> is_done{false};
  std::thread writer([&] {
    const std::vector<uint64_t> own = tests::MemberKeys(3000, 2);
    const std::vector<uint64_t> hot(300, 77);  // promoted, and back
    while (!is_done) {
      filter.Insert(own);
      filter.Insert(hot);
      filter.Erase(hot);
      filter.Erase(own);
    }
  });
  std::vector<std::vector<std::byte>> snapshots;
  uint64_t num_odd = 0;
  for (int i = 0; i < 20; ++i) {
    snapshots.push_back(filter.Serialize());
    const Stats stats = filter.GetStats();
    num_odd += stats.num_keys < staying.size() || stats.num_keys > staying.size() + 3300 ? 1 : 0;
    (void)filter.num_keys();
  }
  is_done = true;
  writer.join();
  CHECK(num_odd == 0);
  for (const std::vector<std::byte>& bytes : snapshots) {
    // Loading audits every block: one torn between two keys would be refused.
    const Result<CountingFilter> loaded = CountingFilter::Deserialize(bytes);
    REQUIRE(loaded.ok());
    std::vector<uint64_t> answers(CountingFilter::BitmapWords(staying.size()));
    CHECK(loaded->Query(staying, answers) == staying.size());
    CHECK(loaded->capacity() == config.capacity);
  }
}

TEST_CASE("a concurrent filter is saved and loaded as a counting filter", "[engine][concurrent]") {
  const tests::ScratchFolder folder;
  const auto path = folder.path() / "filter";
  ConcurrentFilter filter = Made({.capacity = 5000, .target_fpr = 0.02, .encoding = AnyEncoding()});
  filter.Insert(tests::MemberKeys(5000, 3));
  REQUIRE(filter.Save(path).ok());
  Result<ConcurrentFilter> loaded = ConcurrentFilter::Load(path);
  REQUIRE(loaded.ok());
  CHECK(loaded->num_keys() == 5000);
  CHECK(loaded->target_fpr() == 0.02);
  CHECK((loaded->Serialize() == filter.Serialize()));
  const auto missing = ConcurrentFilter::Load(folder.path() / "none");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == ErrorCode::kIo);
}

TEST_CASE("a concurrent filter that cannot be saved says so and stays as it is",
          "[engine][concurrent]") {
  const tests::ScratchFolder folder;
  ConcurrentFilter filter = Made({.capacity = 1000});
  filter.Insert(tests::MemberKeys(10, 1));
  const Status saved = filter.Save(folder.path() / "no" / "folder");
  REQUIRE_FALSE(saved.ok());
  CHECK(saved.error().code == ErrorCode::kIo);
  CHECK(filter.num_keys() == 10);
}

TEST_CASE("merge and clear of a concurrent filter leave the right number of keys",
          "[engine][concurrent]") {
  const CountingConfig config{.capacity = 30'000, .encoding = AnyEncoding()};
  ConcurrentFilter filter = Made(config);
  CountingFilter other = std::move(CountingFilter::Create(config)).value();
  filter.Insert(tests::MemberKeys(1000, 1));
  other.Insert(tests::MemberKeys(500, 2));
  REQUIRE(filter.Merge(other).ok());
  CHECK(filter.num_keys() == 1500);
  filter.Insert(tests::MemberKeys(10, 3));
  CHECK(filter.Erase(tests::MemberKeys(500, 2)).num_erased == 500);
  CHECK(filter.num_keys() == 1010);
  CHECK(filter.GetStats().num_keys == 1010);
  CountingFilter unlike = std::move(CountingFilter::Create({.capacity = 10})).value();
  CHECK_FALSE(filter.Merge(unlike).ok());
  CHECK(filter.num_keys() == 1010);
  filter.Clear();
  CHECK(filter.num_keys() == 0);
  CHECK((filter.Serialize() == std::move(CountingFilter::Create(config)).value().Serialize()));
}

TEST_CASE("a filter goes into concurrent use and back with all it holds", "[engine][concurrent]") {
  CountingFilter filter =
      std::move(CountingFilter::Create({.capacity = 30'000, .encoding = AnyEncoding()})).value();
  filter.Insert(tests::MemberKeys(1000, 1));
  filter.Erase(uint64_t{12345});
  const uint64_t num_refused = filter.GetStats().num_refused_erases;
  const std::vector<std::byte> bytes = filter.Serialize();
  ConcurrentFilter shared(std::move(filter));
  CHECK(shared.num_keys() == 1000);
  CHECK(shared.capacity() == 30'000);
  shared.Insert(uint64_t{5});
  CHECK(shared.Erase(uint64_t{5}));
  filter = std::move(shared).TakeExclusive();
  CHECK((filter.Serialize() == bytes));
  CHECK(filter.GetStats().num_refused_erases == num_refused);
  Result<ConcurrentFilter> again = ConcurrentFilter::Adopt(std::move(filter));
  REQUIRE(again.ok());
  CHECK(again->num_keys() == 1000);
  CHECK((again->Serialize() == bytes));
}

}  // namespace
}  // namespace trommel
