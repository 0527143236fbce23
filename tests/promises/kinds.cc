// The kinds of filters that promises are proved for: what each promises, and how a small one is
// made.
#include <algorithm>
#include <ostream>

#include "promises/specimen.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/least_named.h"
#include "support/sanitized.h"
#include "support/shapes.h"
#include "support/window_slots.h"
#include "trommel/attribute_filter.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel::tests {
namespace {

const DigestPolicy kCallersDigests = {.kind = DigestKind::kCaller};

enum TypeColumn : uint8_t {
  kCounting,
  kConcurrent,
  kDoubling,
  kWindow,
  kPlainWindow,  // not erasable
  kAttributes,
  kNumColumns
};

// A promise, and for each type why it does not make it. A missing entry does not compile.
struct PromiseRow {
  template <class... Text>
  constexpr PromiseRow(Promise row_promise, std::string_view row_name, const Text&... texts)
      : promise(row_promise), name(row_name), why_not{std::string_view(texts)...} {
    static_assert(sizeof...(Text) == kNumColumns, "an entry for every type");
  }
  Promise promise;
  std::string_view name;
  std::array<std::string_view, kNumColumns> why_not;
};

constexpr std::string_view kExclusive = "for ConcurrentFilter::TakeExclusive";
constexpr std::string_view kSize = "its size follows its keys";
constexpr std::string_view kTimes = "keys have times";
constexpr std::string_view kPlain = "made without it";
constexpr std::string_view kSets = "a tuple is in several sets";
constexpr std::string_view kEnds = "without memory it ends the program";

constexpr PromiseRow kPromiseRows[kNumPromises] = {
    {Promise::kInsertIfAbsent, "InsertIfAbsent", "", "", "", "", "", kSets},
    {Promise::kSelect, "Select", "", "", "", "", "", kSets},
    {Promise::kErase, "Erase", "", "", "", "", kPlain, ""},
    {Promise::kExactEraseAll, "EraseAll just as Erase", "", "", "", "", kPlain, kSets},
    {Promise::kSideLimit, "LimitSideMemory", "", "", "", "", "", kSets},
    {Promise::kLimitIsExact, "bytes within a limit", "", "", kSize, "", "", kSets},
    {Promise::kNoAllocation, "no allocation within a limit", "", "", kSize, "", "", kSets},
    {Promise::kAnyOrder, "any order of keys", "", "", kSize, "", "", kSize},
    {Promise::kNoTrace, "no trace of what went", "", "", kSize, "", "", kSize},
    {Promise::kWriters, "several writers", "ConcurrentFilter has them", "", "", "", "", ""},
    {Promise::kMerge, "Merge", "", kExclusive, "", "", "", kSets},
    {Promise::kLeanErase, "Erase without memory", "", "", kEnds, kEnds, kPlain, kSets},
    {Promise::kSafeMerge, "Merge without memory", "", kExclusive, "", kEnds, kEnds, kSets},
    {Promise::kSubtract, "Subtract", "", kExclusive, kSize, kTimes, kTimes, kSets},
    {Promise::kFold, "Fold", "", kExclusive, kSize, kTimes, kTimes, kSize}};

std::array<std::string_view, kNumPromises> WhyNotOf(TypeColumn type) {
  std::array<std::string_view, kNumPromises> why_not;
  for (const PromiseRow& row : kPromiseRows) {
    why_not[static_cast<size_t>(row.promise)] = row.why_not[type];
  }
  return why_not;
}

struct SmallShape {
  Encoding encoding;
  uint32_t num_slices;
  size_t keys_per_block;  // at which many blocks are promoted
  uint64_t times_least;
};
constexpr SmallShape kSmallShapes[] = {
    {Encoding::kPlanes, 8, 70, 3},        {Encoding::kRuns, 4, 62, 3},
    {Encoding::kRuns, 5, 36, 3},          {Encoding::kRuns, 8, 31, 3},
    {Encoding::kRuns, 10, 36, 3},         {Encoding::kDense, 0, 47, 2},
    {Encoding::kFingerprints16, 0, 34, 3}};
constexpr uint64_t kSmallBlocks = 256;

CountingFilter MakeCounting(const SmallShape& shape) {
  const Geometry geometry = HasFingerprints(shape.encoding)
                                ? FingerprintsOf(shape.encoding, kSmallBlocks, 2)
                                : Geometry{.num_slices = shape.num_slices,
                                           .encoding = shape.encoding,
                                           .shard_bits = 2,
                                           .num_blocks = kSmallBlocks};
  return CountingFilter::CreateWithGeometry(geometry, kCallersDigests).value();
}

std::string NameOf(const SmallShape& shape) {
  std::string name(EncodingName(shape.encoding));
  if (shape.num_slices > 0) name += " of " + std::to_string(shape.num_slices);
  return name;
}

// Kinds whose own code others have, too. Under sanitizers, where a kind takes half a minute, they
// are left out.
bool IsAnotherEncoding(const FilterKind& kind) {
  if (kind.type == "attributes") return kind.blocks != "blocks";
  return kind.blocks == "runs of 4" || kind.blocks == "runs of 8";
}

std::vector<FilterKind> MakeKinds() {
  std::vector<FilterKind> kinds;
  for (const SmallShape& shape : kSmallShapes) {
    FilterKind kind{.type = "counting",
                    .blocks = NameOf(shape),
                    .why_not = WhyNotOf(kCounting),
                    .make = [shape] { return SpecimenOf(MakeCounting(shape)); },
                    .has_fingerprints = shape.num_slices == 0,
                    .crowd = shape.keys_per_block * kSmallBlocks,
                    .times_least = shape.times_least};
    if (shape.num_slices == 0) kind.Lacks(Promise::kLeanErase, kEnds);
    if (shape.encoding == Encoding::kFingerprints16) kind.Lacks(Promise::kSafeMerge, kEnds);
    kinds.push_back(kind);
    if (shape.encoding == Encoding::kRuns && shape.num_slices != 5) continue;
    kind.type = "concurrent";
    kind.why_not = WhyNotOf(kConcurrent);
    if (shape.num_slices == 0) kind.Lacks(Promise::kLeanErase, kEnds);
    kind.make = [shape] { return SpecimenOf(ConcurrentFilter(MakeCounting(shape))); };
    kinds.push_back(kind);
  }
  const ScalableConfig doubling{.digest = kCallersDigests};
  kinds.push_back(
      {.type = "doubling",
       .blocks = "one of its 64 parts",
       .why_not = WhyNotOf(kDoubling),
       .make = [doubling] { return SpecimenOf(ScalableFilter::Create(doubling).value()); },
       .crowd = 6000,
       .zero_bits = 6,
       .times_least = 8});
  for (const double rate : {kRateOfSlots16, kRateOfSlots24}) {
    for (const bool is_erasable : {true, false}) {
      const WindowConfig config{.window = 800,
                                .num_buckets = 8,
                                .capacity = 3000,
                                .target_fpr = rate,
                                .digest = kCallersDigests,
                                .is_erasable = is_erasable};
      kinds.push_back(
          {.type = is_erasable ? "window" : "window, not erasable",
           .blocks = rate == kRateOfSlots16 ? "slots of 16" : "slots of 24",
           .why_not = WhyNotOf(is_erasable ? kWindow : kPlainWindow),
           .make = [config] { return SpecimenOf(WindowFilter::Create(config).value()); },
           .crowd = 4000,
           .times_least = 3});
    }
  }
  // Of whole digests, and with blocks from the beginning.
  for (const uint64_t capacity : {300, 1000}) {
    const AttributeConfig config{.sets = AttributeSets::Create(3).value(),
                                 .capacity = capacity,
                                 .target_fpr = 0.02,
                                 .digest = kCallersDigests};
    kinds.push_back(
        {.type = "attributes",
         .blocks = capacity == 300 ? "digests" : "blocks",
         .why_not = WhyNotOf(kAttributes),
         .make = [config] { return SpecimenOf(AttributeFilter::Create(config).value()); },
         .crowd = 2500});
  }
  if (TROMMEL_TESTS_SANITIZED) std::erase_if(kinds, IsAnotherEncoding);
  return kinds;
}

}  // namespace

const std::vector<FilterKind>& AllKinds() {
  static const std::vector<FilterKind> kKinds = MakeKinds();
  return kKinds;
}

std::vector<FilterKind> KindsThatKeep(std::initializer_list<Promise> promises) {
  std::vector<FilterKind> kinds = AllKinds();
  std::erase_if(kinds, [&](const FilterKind& kind) {
    return !std::ranges::all_of(promises, [&](Promise promise) { return kind.Keeps(promise); });
  });
  return kinds;
}

std::string_view NameOf(Promise promise) {
  return std::ranges::find(kPromiseRows, promise, &PromiseRow::promise)->name;
}

std::ostream& operator<<(std::ostream& out, const FilterKind& kind) {
  return out << kind.type << ", " << kind.blocks;
}

std::unique_ptr<Specimen> FilterKind::MakeLimited(uint64_t times) const {
  std::unique_ptr<Specimen> specimen = make();
  REQUIRE(specimen->LimitSideMemory(times * times_least * LeastNamed(specimen->LimitSideMemory(1)))
              .ok());
  return specimen;
}

KeyList FilterKind::Crowd(std::mt19937_64& random) const {
  KeyList keys(crowd);
  for (size_t i = 0; i < crowd; ++i) {
    keys[i] = random() >> zero_bits;
    if (i % 10 == 3) keys[i] >>= 7;              // into a few of its blocks
    if (i % 10 == 4) keys[i] = keys[i - 1] ^ 1;  // which little or nothing tells apart
  }
  return keys;
}

KeyList DrawnOften(size_t num_keys, KeySpan pool, std::mt19937_64& random) {
  KeyList keys(num_keys);
  const size_t num_hot = std::min<size_t>(pool.size(), 600);
  for (uint64_t& key : keys) key = pool[random() % (random() % 2 == 0 ? num_hot : pool.size())];
  if (num_keys > 0 && random() % 10 == 0) std::ranges::fill(keys, keys.front());
  return keys;
}

KeyList ChosenKeys(KeySpan keys, KeySpan bits) {
  KeyList chosen;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (BitAt(bits, i)) chosen.push_back(keys[i]);
  }
  return chosen;
}

KeyList SetBits(size_t num_keys) { return KeyList(BitmapWords(num_keys), ~uint64_t{0}); }

}  // namespace trommel::tests
