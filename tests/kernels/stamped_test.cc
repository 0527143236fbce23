// Stamped blocks: every target leaves the bytes and the answers of a model that looks at one slot
// after the other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/stamped_layout.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::FirstDifference;
using tests::Guarded;

enum class StampedUpdate { kInsert, kRefresh, kInsertIfAbsent, kErase };
constexpr StampedUpdate kUpdates[] = {StampedUpdate::kInsert, StampedUpdate::kRefresh,
                                      StampedUpdate::kInsertIfAbsent, StampedUpdate::kErase};

const StampedKernels& KernelsOf(const StampedShape& shape) {
  return shape == kStampedShape16 ? ActiveKernels().stamped16 : ActiveKernels().stamped24;
}

// The moment of a call.
struct CallMoment {
  uint64_t bucket = 0;
  uint64_t first_live = 0;
  uint64_t first_kept = 0;
};

constexpr uint64_t kFirstBucket = 1000;
// What is live of six buckets; the clock is one bucket ahead of what may be overwritten.
constexpr CallMoment kNow = {kFirstBucket + 9, kFirstBucket + 4, kFirstBucket + 3};

// Blocks as slots.
struct StampedModel {
  StampedModel(const StampedShape& of, uint64_t blocks)
      : shape(of), num_blocks(blocks), slots(blocks * of.num_slots), groups(blocks / 64 + 1) {
    for (StampedGroup& group : groups) group = {0, kFirstBucket, 0, 0};
  }

  struct Found {
    StampedSlot* block;
    StampedSlot* slot;  // with the fingerprint; null: none
    StampedGroup* group;
    uint32_t fingerprint;
    bool is_overflowing;
    bool is_copied;
  };
  Found Find(uint64_t digest) {
    const FingerprintPlace place = FingerprintPlaceOf(digest, num_blocks);
    StampedGroup& group = groups[place.block_idx / 64];
    StampedSlot* block = slots.data() + place.block_idx * shape.num_slots;
    const uint32_t fingerprint = StampedFingerprint(place.rest, shape.fingerprint_bits);
    StampedSlot* slot = std::find_if(block, block + shape.num_slots, [&](const StampedSlot& s) {
      return s.fingerprint == fingerprint;
    });
    if (slot == block + shape.num_slots) slot = nullptr;
    return {block,
            slot,
            &group,
            fingerprint,
            (group.overflow >> place.block_idx % 64 & 1) != 0,
            (group.copied >> place.block_idx % 64 & 1) != 0};
  }

  OneFate Apply(StampedUpdate update, const CallMoment& moment, uint64_t digest) {
    const Found found = Find(digest);
    const auto bucket_of = [&](const StampedSlot& s) {
      return found.group->first_bucket + s.stamp;
    };
    if (update == StampedUpdate::kErase) {
      if (found.is_overflowing || found.is_copied) return OneFate::kSpill;
      if (found.slot == nullptr || bucket_of(*found.slot) != moment.bucket) {
        return OneFate::kUnchanged;
      }
      *found.slot = {};
      return OneFate::kDone;
    }
    if (update == StampedUpdate::kInsertIfAbsent && found.slot != nullptr &&
        bucket_of(*found.slot) >= moment.first_live) {
      return OneFate::kUnchanged;
    }
    const uint64_t stamp = moment.bucket - found.group->first_bucket;
    if (found.is_overflowing || stamp > shape.max_stamp) return OneFate::kSpill;
    if (found.slot != nullptr && bucket_of(*found.slot) >= moment.first_kept) {
      if (update != StampedUpdate::kRefresh) return OneFate::kSpill;
      found.slot->stamp = std::max(found.slot->stamp, static_cast<uint32_t>(stamp));
      return OneFate::kDone;
    }
    // The first that is free or old; slots of 24 bits, whose stamps lie apart, take a free one
    // first.
    StampedSlot* into = found.slot;
    for (const bool takes_old : {shape == kStampedShape16, true}) {
      for (size_t i = 0; into == nullptr && i < shape.num_slots; ++i) {
        StampedSlot& slot = found.block[i];
        const bool is_old = bucket_of(slot) < moment.first_kept;
        if (slot.fingerprint == 0 || (takes_old && is_old)) into = &slot;
      }
    }
    if (into == nullptr) return OneFate::kStop;
    *into = {found.fingerprint, static_cast<uint32_t>(stamp)};
    return OneFate::kDone;
  }

  OneFate Query(uint64_t first_live, uint64_t digest) {
    const Found found = Find(digest);
    if (found.slot != nullptr && found.group->first_bucket + found.slot->stamp >= first_live) {
      return OneFate::kDone;
    }
    return found.is_overflowing ? OneFate::kSpill : OneFate::kUnchanged;
  }

  std::vector<uint32_t> Words() const {
    std::vector<uint32_t> words(num_blocks * kFingerprintBlockWords);
    for (uint64_t b = 0; b < num_blocks; ++b) {
      for (size_t i = 0; i < shape.num_slots; ++i) {
        StoreSlot(shape, slots[b * shape.num_slots + i], i,
                  words.data() + b * kFingerprintBlockWords);
      }
    }
    return words;
  }

  StampedShape shape;
  uint64_t num_blocks;
  std::vector<StampedSlot> slots;
  std::vector<StampedGroup> groups;
};

// The same for kernels.
struct StampedFilter {
  StampedFilter(const StampedModel& model, const CallMoment& moment)
      : words(model.num_blocks * kFingerprintBlockWords),
        groups(model.groups),
        view{words.data(),  model.num_blocks,  groups.data(),
             moment.bucket, moment.first_live, moment.first_kept} {
    const auto filled = model.Words();
    std::copy(filled.begin(), filled.end(), words.data());
  }

  Guarded<uint32_t> words;
  std::vector<StampedGroup> groups;
  StampedBlocks view;
};

// Blocks of all fills, with slots of all ages; some groups cannot express the bucket.
StampedModel MixedStamps(const StampedShape& shape, uint64_t num_blocks,
                         const std::vector<uint64_t>& digests, std::mt19937_64& random) {
  StampedModel model(shape, num_blocks);
  for (StampedGroup& group : model.groups) {
    group.version = 2 * (random() % 1000);
    group.first_bucket = kFirstBucket + 3 - random() % 4;
    if (random() % 8 == 0) group.first_bucket -= shape.max_stamp;
    group.overflow = random() & random() & random() & random();
    group.copied = random() & random() & random();
  }
  for (size_t i = 0; i < digests.size(); i += 2) {
    const auto found = model.Find(digests[i]);
    if (found.slot != nullptr) continue;
    StampedSlot& slot = found.block[random() % shape.num_slots];
    slot = {found.fingerprint, static_cast<uint32_t>(random() % (random() % 2 == 0 ? 12 : 4))};
  }
  return model;
}

OneFate ApplyKernel(const StampedKernels& kernels, StampedUpdate update, uint64_t digest,
                    const StampedBlocks& blocks) {
  if (update == StampedUpdate::kInsert) return kernels.insert_one(digest, blocks);
  if (update == StampedUpdate::kRefresh) return kernels.refresh_one(digest, blocks);
  if (update == StampedUpdate::kErase) return kernels.erase_one(digest, blocks);
  return kernels.insert_if_absent_one(digest, blocks);
}

void CheckUpdate(StampedUpdate update, const std::vector<uint64_t>& digests, size_t begin,
                 StampedModel model) {
  const StampedKernels& kernels = KernelsOf(model.shape);
  StampedFilter filter(model, kNow);
  StampedFilter one_by_one(model, kNow);
  std::vector<uint64_t> want_bits(digests.size() / 64 + 1);
  std::vector<uint64_t> bits(want_bits.size());
  while (begin <= digests.size()) {
    std::vector<uint32_t> want_spilled;
    size_t stop = begin;
    for (; stop < digests.size(); ++stop) {
      const OneFate fate = model.Apply(update, kNow, digests[stop]);
      REQUIRE(ApplyKernel(kernels, update, digests[stop], one_by_one.view) == fate);
      if (fate == OneFate::kStop) break;
      if (fate == OneFate::kSpill) want_spilled.push_back(static_cast<uint32_t>(stop));
      if (fate == OneFate::kDone && update >= StampedUpdate::kInsertIfAbsent) {
        want_bits[stop / 64] |= uint64_t{1} << stop % 64;
      }
    }
    Guarded<uint32_t> spilled(digests.size() - begin, 0, begin % 3);
    const DigestRange range{.begin = begin, .end = digests.size(), .fetch_end = digests.size()};
    UpdateProgress progress{};
    if (update <= StampedUpdate::kRefresh) {
      const auto kernel = update == StampedUpdate::kInsert ? kernels.insert : kernels.refresh;
      progress = kernel(digests.data(), range, filter.view, spilled.data());
    } else {
      const auto kernel =
          update == StampedUpdate::kErase ? kernels.erase : kernels.insert_if_absent;
      progress = kernel(digests.data(), range, filter.view, bits.data(), spilled.data());
    }
    REQUIRE(progress.end == stop);
    REQUIRE(spilled.GuardsIntact());
    std::vector<uint32_t> got_spilled = spilled.Copy();
    got_spilled.resize(progress.num_spilled);
    REQUIRE(FirstDifference(got_spilled, want_spilled) == "");
    begin = stop + 1;
  }
  REQUIRE(FirstDifference(bits, want_bits) == "");
  REQUIRE(FirstDifference(filter.words.Copy(), model.Words()) == "");
  REQUIRE(FirstDifference(one_by_one.words.Copy(), model.Words()) == "");
  REQUIRE(filter.words.GuardsIntact());
  for (size_t g = 0; g < model.groups.size(); ++g) {
    // Changes are whole, and nothing but the version is the kernel's to change.
    CHECK(filter.groups[g].version % 2 == 0);
    CHECK(filter.groups[g].version >= model.groups[g].version);
    CHECK(filter.groups[g].first_bucket == model.groups[g].first_bucket);
    CHECK(filter.groups[g].overflow == model.groups[g].overflow);
  }
}

TEST_CASE("updates of stamped blocks leave the bytes of the definition on every target",
          "[kernels][stamped]") {
  const StampedShape shape = GENERATE(kStampedShape16, kStampedShape24);
  std::mt19937_64 random(Catch::rngSeed());
  for (const size_t size : tests::EdgeSizes()) {
    const auto digests = tests::DrawnDigests(size, size / 2 + 1, random());
    for (const uint64_t num_blocks : {1, 3, 64, 100, 200}) {
      INFO(size << " keys, " << num_blocks << " blocks");
      const StampedModel mixed = MixedStamps(shape, num_blocks, digests, random);
      tests::ForEachRunnableTarget([&] {
        for (const StampedUpdate update : kUpdates) {
          CheckUpdate(update, digests, 0, StampedModel(shape, num_blocks));
          CheckUpdate(update, digests, size / 3, mixed);
        }
      });
    }
  }
}

TEST_CASE("queries of stamped blocks show, or list as unsure, what the definition does",
          "[kernels][stamped]") {
  const StampedShape shape = GENERATE(kStampedShape16, kStampedShape24);
  std::mt19937_64 random(Catch::rngSeed());
  for (const size_t size : tests::EdgeSizes()) {
    const auto digests = tests::DrawnDigests(size, size + 1, random());
    StampedModel model = MixedStamps(shape, size / 20 + 1, digests, random);
    for (const uint64_t first_live : {kFirstBucket, kNow.first_live, kFirstBucket + 300}) {
      std::vector<uint64_t> want((size + 63) / 64);
      std::vector<uint32_t> want_unsure;
      for (size_t i = 0; i < size; ++i) {
        const OneFate fate = model.Query(first_live, digests[i]);
        want[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << i % 64;
        if (fate == OneFate::kSpill) want_unsure.push_back(static_cast<uint32_t>(i));
      }
      tests::ForEachRunnableTarget([&] {
        const StampedKernels& kernels = KernelsOf(shape);
        const StampedFilter filter(model, {0, first_live, 0});
        for (const auto query : {kernels.query, kernels.query_at_once}) {
          Guarded<uint64_t> shown(want.size(), ~uint64_t{0});
          Guarded<uint32_t> unsure(size, 0, size % 3);
          const size_t num_unsure =
              query(digests.data(), size, filter.view, shown.data(), unsure.data());
          REQUIRE(FirstDifference(shown.Copy(), want) == "");
          REQUIRE(shown.GuardsIntact());
          REQUIRE(unsure.GuardsIntact());
          std::vector<uint32_t> got_unsure = unsure.Copy();
          got_unsure.resize(num_unsure);
          REQUIRE(FirstDifference(got_unsure, want_unsure) == "");
        }
        for (const uint64_t digest : digests) {
          REQUIRE(kernels.query_one(digest, filter.view) == model.Query(first_live, digest));
        }
      });
    }
  }
}

TEST_CASE("a query of a group that is being changed is unsure of what it does not find",
          "[kernels][stamped]") {
  const StampedShape shape = GENERATE(kStampedShape16, kStampedShape24);
  StampedModel model(shape, 64);
  model.groups[0].version = 7;
  const auto digests = tests::DrawnDigests(100, 200, Catch::rngSeed());
  REQUIRE(model.Apply(StampedUpdate::kInsert, kNow, digests[0]) == OneFate::kDone);
  tests::ForEachRunnableTarget([&] {
    const StampedFilter filter(model, kNow);
    uint64_t shown[2];
    uint32_t unsure[100];
    const size_t num_unsure =
        KernelsOf(shape).query(digests.data(), digests.size(), filter.view, shown, unsure);
    CHECK(KernelsOf(shape).query_one(digests[0], filter.view) == OneFate::kDone);
    for (size_t i = 0; i < digests.size(); ++i) {
      const bool is_listed = std::find(unsure, unsure + num_unsure, i) != unsure + num_unsure;
      REQUIRE(is_listed == ((shown[i / 64] >> i % 64 & 1) == 0));
    }
  });
}

TEST_CASE("a sweep frees what is old and lowers the other stamps on every target",
          "[kernels][stamped]") {
  const StampedShape shape = GENERATE(kStampedShape16, kStampedShape24);
  std::mt19937_64 random(Catch::rngSeed());
  for (const uint64_t shift : {0, 1, 3, 15, 16, 200, 255, 256, 1'000'000}) {
    StampedModel model(shape, 64);
    for (StampedSlot& slot : model.slots) {
      if (random() % 4 == 0) continue;
      slot = {1 + static_cast<uint32_t>(random() % ((1U << shape.fingerprint_bits) - 1)),
              static_cast<uint32_t>(random() % (shape.max_stamp + 1))};
    }
    StampedModel want = model;
    for (StampedSlot& slot : want.slots) {
      if (slot.fingerprint == 0) continue;
      if (slot.stamp < shift) {
        slot = {};
      } else {
        slot.stamp -= static_cast<uint32_t>(shift);
      }
    }
    tests::ForEachRunnableTarget([&] {
      StampedFilter filter(model, {});
      KernelsOf(shape).sweep(filter.words.data(), 64, shift);
      REQUIRE(FirstDifference(filter.words.Copy(), want.Words()) == "");
      REQUIRE(filter.words.GuardsIntact());
    });
  }
}

}  // namespace
}  // namespace trommel::kernels
