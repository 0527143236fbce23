// SaveOptions::point_in_time: what a file has of a filter that threads change meanwhile.
#include <atomic>
#include <cctype>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/every_type.h"
#include "support/scratch_folder.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/save_options.h"

namespace trommel {
namespace {

constexpr uint32_t kOrderBits = 12;
constexpr uint64_t kNumOrdered = uint64_t{1} << kOrderBits;

// Key i has a block of its own; neighbours are in different shards, and the later one's lock is the
// lower one or the higher one. A filter of so many blocks says exactly whether it is in.
uint64_t OrderedDigest(uint64_t i) {
  uint64_t block_idx = 0;
  for (uint32_t b = 0; b < kOrderBits; ++b) block_idx |= (i >> b & 1) << (kOrderBits - 1 - b);
  return block_idx << (64 - kOrderBits) | uint64_t{0x5a5a} << 32;
}

TEST_CASE("a filter saved at one moment has no key without the ones inserted before it",
          "[engine][concurrent][io][threads]") {
  const Geometry geometry = GENERATE(
      Geometry{.num_slices = 8, .shard_bits = 6, .num_blocks = kNumOrdered},
      Geometry{
          .num_slices = 5, .encoding = Encoding::kRuns, .shard_bits = 6, .num_blocks = kNumOrdered},
      Geometry{.num_slices = 0,
               .encoding = Encoding::kFingerprints16,
               .shard_bits = 6,
               .num_blocks = kNumOrdered,
               .fingerprint_bits = 16},
      Geometry{.num_slices = 0,
               .encoding = Encoding::kDense,
               .shard_bits = 6,
               .num_blocks = kNumOrdered,
               .fingerprint_bits = 8,
               .slots = 48});
  ConcurrentFilter filter(
      CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller}).value());
  std::atomic<bool> is_done{false};
  std::thread writer([&] {  // key i is in only while all before it are
    while (!is_done) {
      for (uint64_t i = 0; i < kNumOrdered; ++i) filter.Insert(Key::Digest(OrderedDigest(i)));
      for (uint64_t i = kNumOrdered; i-- > 0;) filter.Erase(Key::Digest(OrderedDigest(i)));
    }
  });
  const tests::ScratchFolder folder;
  uint64_t num_saved = 0;
  uint64_t num_partial = 0;
  uint64_t num_gaps = 0;
  uint64_t num_wrong_totals = 0;
  // Some saves must fall into the middle of the writer's rounds.
  for (; num_saved < 20 || (num_partial < 5 && num_saved < 2000); ++num_saved) {
    REQUIRE(filter.Save(folder / "filter", {.point_in_time = true}).ok());
    const CountingFilter saved = CountingFilter::Load(folder / "filter").value();
    uint64_t num_in = 0;
    bool has_gap = false;
    for (uint64_t i = 0; i < kNumOrdered; ++i) {
      const uint64_t count = saved.CountEstimate(Key::Digest(OrderedDigest(i)));
      has_gap = has_gap || (count > 0 && num_in < i);
      num_in += count;
    }
    num_gaps += uint64_t{has_gap};
    num_wrong_totals += uint64_t{saved.num_keys() != num_in};
    num_partial += uint64_t{num_in > 0 && num_in < kNumOrdered};
  }
  is_done = true;
  writer.join();
  CHECK(num_gaps == 0);
  CHECK(num_wrong_totals == 0);
  CHECK(num_partial >= 5);
}

TEST_CASE("a filter that cannot be saved at one moment says so and makes no file", "[engine][io]") {
  const tests::ScratchFolder folder;
  for (const tests::NamedFilter& one : tests::EveryType()) {
    if (one.filter->type() == FilterType::kCounting) continue;
    INFO(one.name);
    std::string name(FilterTypeName(one.filter->type()));  // that of its class, in small letters
    name[0] = static_cast<char>(std::toupper(name[0]));
    const Status saved = one.filter->Save(folder / "filter", {.point_in_time = true});
    REQUIRE_FALSE(saved.ok());
    CHECK(saved.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(saved.error().message, Catch::Matchers::ContainsSubstring(name + "Filter") &&
                                          Catch::Matchers::ContainsSubstring("point_in_time"));
    CHECK(folder.num_files() == 0);
  }
}

}  // namespace
}  // namespace trommel
