// What only the sections of one type can break, with all places and checksums right: each forgery
// is refused, and the error says which rule is broken.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/files/store_sections.h"
#include "support/catch.h"
#include "support/every_file.h"
#include "support/file_forge.h"
#include "support/shapes.h"
#include "support/window_files.h"
#include "support/window_slots.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

// Numbers in sections of a good file are replaced.
constexpr uint64_t kMany = ~uint64_t{0};

// A number of so many bytes at a place of a section.
struct Forgery {
  const char* section;
  uint32_t store;
  uint64_t at;  // in the section
  uint64_t num_bytes;
  uint64_t value;
  const char* message;
};

std::string ErrorOf(const Bytes& bytes) {
  const Result<Bytes> loaded = LoadFilter(bytes, 0);
  return loaded.ok() ? "loaded" : loaded.error().message;
}

Bytes Forged(const Bytes& good, const Forgery& forgery) {
  FileForge forge(good);
  Bytes& bytes = forge.At(forgery.section, forgery.store).bytes;
  REQUIRE(forgery.at + forgery.num_bytes <= bytes.size());
  std::memcpy(bytes.data() + forgery.at, &forgery.value, forgery.num_bytes);
  return forge.Seal();
}

// Each forgery is refused, and the error says what is to be said.
void CheckAll(const Bytes& good, const std::vector<Forgery>& forgeries) {
  REQUIRE(ErrorOf(good) == "loaded");
  for (const Forgery& forgery : forgeries) {
    CAPTURE(forgery.section, forgery.store, forgery.at, forgery.value);
    CHECK_THAT(ErrorOf(Forged(good, forgery)), Catch::Matchers::ContainsSubstring(forgery.message));
  }
}

}  // namespace

TEST_CASE("forged numbers of a store are refused", "[engine][files][hostile]") {
  CheckAll(CrowdedFilter({.num_slices = 8, .num_blocks = 3}).Serialize(),
           {{"numbers", 1, 0, 4, 4, "the encoding is 4; this library reads 0 (planes), 1 (runs)"},
            {"numbers", 1, 0, 4, 255, "the encoding is 255"},
            {"numbers", 1, 0, 4, 256, "the encoding is 256"},
            {"numbers", 1, 0, 4, 1, "section 'blocks' of store 1 is missing"},
            {"numbers", 1, 4, 4, 9, "num_slices"},
            {"numbers", 1, 4, 4, 16, "num_slices"},
            {"numbers", 1, 8, 4, 1, "fingerprint_bits"},
            {"numbers", 1, 12, 4, 31, "shard_bits"},
            {"numbers", 1, 12, 4, 1, "must be a multiple of 2"},
            {"numbers", 1, 16, 8, 0, "num_blocks"},
            {"numbers", 1, 16, 8, 4, "has 96 bytes, where 128 are wanted"},
            {"numbers", 1, 16, 8, kMany, "num_blocks"},
            {"numbers", 1, 24, 8, 1, "no possible request"},
            {"numbers", 1, 24, 8, kMany, "no possible request"},
            {"numbers", 1, 32, 8, uint64_t{1} << 63, "no possible request"}});
  CheckAll(CrowdedFilter(FingerprintsOf(Encoding::kDense, 66)).Serialize(),
           {{"numbers", 1, 0, 4, 2, "num_slices is 48"},
            {"numbers", 1, 4, 4, 5, "slots is 5"},
            {"numbers", 1, 8, 4, 9, "fingerprint_bits"}});
}

TEST_CASE("forged entries of promoted blocks are refused", "[engine][files][hostile]") {
  for (const Geometry& geometry :
       {Geometry{.num_slices = 8, .num_blocks = 3},
        Geometry{.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 5}}) {
    const Bytes good = CrowdedFilter(geometry).Serialize();
    FileForge forge(good);
    const Bytes& side = forge.At("side", 1).bytes;
    const auto width = Get<uint32_t>(side, 8);
    const bool has_runs = geometry.encoding == Encoding::kRuns;
    const char* const words = has_runs ? "blocks" : "counts";
    const uint64_t block_bytes = has_runs ? 64 : 96;
    const uint64_t promoted = Get<uint64_t>(side, 0);
    CheckAll(good, {{"side", 1, 0, 8, kMany, "names a block that does not exist"},
                    {"side", 1, 0, 8, geometry.num_blocks, "names a block that does not exist"},
                    {"side", 1, 8, 4, 3, "width is not 1, 2, 4 or 8"},
                    {"side", 1, 8, 4, 0, "width is not 1, 2, 4 or 8"},
                    {"side", 1, 8, 4, 16, "width is not 1, 2, 4 or 8"},
                    {"side", 1, 12, 4, 1, "reserved bytes are not zero"},
                    {"side", 1, 16, width, 0, "side"},
                    {"side", 1, 16, width, 77, "side"}});
    // All counters of a block by those of an empty one, and as wide as can be.
    FileForge emptied(good);
    Bytes& changed = emptied.At("side", 1).bytes;
    const uint64_t counters = uint64_t{geometry.num_slices} * geometry.slice_positions();
    std::fill_n(changed.begin() + 16, counters * width, std::byte{0});
    CHECK_THAT(ErrorOf(emptied.Seal()), ContainsSubstring("narrower") || ContainsSubstring("fits"));
    FileForge huge(good);
    Bytes wide(16 + counters * 8);
    Put(wide, 0, promoted);
    Put(wide, 8, 8U);
    for (uint64_t i = 0; i < counters; ++i) Put(wide, 16 + 8 * i, ~uint64_t{0} >> 1);
    huge.At("side", 1).bytes = wide;
    CHECK_THAT(ErrorOf(huge.Seal()), ContainsSubstring("counts over 2^63 - 1"));
    // The block is one that is not promoted.
    FileForge unmarked(good);
    Bytes& blocks = unmarked.At(words, 1).bytes;
    for (uint64_t b = 0; b < block_bytes; ++b) {
      blocks[promoted * block_bytes + b] = std::byte{0};
    }
    CHECK(ErrorOf(unmarked.Seal()) != "loaded");
    // Blocks that are marked without an entry, and entries that trade places.
    FileForge without(good);
    without.sections.pop_back();
    CHECK_THAT(ErrorOf(without.Seal()), ContainsSubstring("lacks a block that is marked"));
    const uint64_t entry_bytes = 16 + counters * width;
    if (side.size() >= 2 * entry_bytes && Get<uint32_t>(side, entry_bytes + 8) == width) {
      FileForge traded(good);
      Bytes& entries = traded.At("side", 1).bytes;
      std::swap_ranges(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(entry_bytes),
                       entries.begin() + static_cast<std::ptrdiff_t>(entry_bytes));
      CHECK_THAT(ErrorOf(traded.Seal()), ContainsSubstring("blocks do not ascend"));
    }
  }
}

TEST_CASE("a bad block is named by its place in the file", "[engine][files][hostile]") {
  const Bytes good =
      MakeFilter({.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 100}).Serialize();
  CHECK_THAT(ErrorOf(WithValue(good, "blocks", 1, 7 * 64 + 40, 1U)),
             ContainsSubstring("corrupt file at byte 4544: section 'blocks' of store 1: a block"));
}

TEST_CASE("forged hidden keys are refused", "[engine][files][hostile]") {
  {
    const Bytes good = CrowdedFilter(FingerprintsOf(Encoding::kFingerprints16, 66)).Serialize();
    CheckAll(good, {{"side", 1, 0, 8, 66, "blocks do not ascend, or do not exist"},
                    {"side", 1, 0, 8, 65, "section 'side' of store 1: "},
                    {"side", 1, 8, 4, 0, "no keys or too many"},
                    {"side", 1, 8, 4, 0xffffffff, "no keys or too many"},
                    {"side", 1, 12, 4, 1, "reserved bytes are not zero"},
                    {"side", 1, 16, 4, 0x10000, "hidden keys do not ascend"},
                    {"side", 1, 20, 4, 1, "hidden keys do not ascend"},
                    {"side", 1, 24, 8, 0, "have no count"},
                    {"side", 1, 24, 8, uint64_t{1} << 63, "have no count"},
                    {"blocks", 1, 48, 8, kMany, "store 1: a block"}});
    FileForge without(good);
    without.sections.pop_back();
    CHECK_THAT(ErrorOf(without.Seal()), ContainsSubstring("what its keys make"));
  }
  // The first entry's keys: 18 bits, then copies.
  CheckAll(CrowdedFilter(FingerprintsOf(Encoding::kDense, 66)).Serialize(),
           {{"side", 1, 0, 4, 66, "blocks do not ascend, or do not exist"},
            {"side", 1, 0, 4, 65, "section 'side' of store 1: "},
            {"side", 1, 4, 4, 0, "no keys or too many"},
            {"side", 1, 4, 4, 0xffffffff, "no keys or too many"},
            {"side", 1, 8, 4, 7, "have no copies"},
            {"side", 1, 8, 4, uint64_t{1} << 18 | 0x3ffff, "what its keys make"},
            {"blocks", 1, 48, 8, kMany, "store 1: a block"}});
}

TEST_CASE("forged shards of a filter that grows are refused",
          "[engine][files][scalable][hostile]") {
  const Bytes good = GrowingOfTwoShards().Serialize();
  FileForge forge(good);
  const uint64_t values_bytes = forge.At("values", 1).bytes.size();
  const auto size = Get<uint32_t>(forge.At("sizes", 1).bytes, 0);
  const auto word = Get<uint64_t>(forge.At("values", 1).bytes, 0);
  const auto digest = Get<uint64_t>(forge.At("digests", 2).bytes, 0);
  CheckAll(good, {{"growing", 0, 0, 4, 0, "values of 0 bits"},
                  {"growing", 0, 0, 4, 45, "values of 45 bits"},
                  {"growing", 0, 0, 4, 20, "values of 20 bits for 0 to 1000000000 keys"},
                  {"growing", 0, 4, 4, 2, "neither 1 shard nor 64"},
                  {"growing", 0, 8, 8, kMany, "values of 31 bits"},
                  {"growing", 0, 8, 8, 1'000'000'001, "values of 31 bits for 1000000001 to"},
                  {"growing", 0, 16, 8, 0, "values of 31 bits for 0 to 0 keys"},
                  {"growing", 0, 16, 8, kMany, "values of 31 bits"},
                  {"growing", 0, 24, 8, kMany, "max_capacity beyond"},
                  {"growing", 0, 32, 8, 0, "a rate that none can ask for"},
                  {"growing", 0, 32, 8, kMany, "a rate that none can ask for"},
                  {"further", 1, 0, 8, kMany, "a key with further copies is not there"},
                  {"further", 1, 0, 8, 0, "a key with further copies is not there"},
                  {"further", 1, 8, 8, 0, "a key has 0 further copies"},
                  {"further", 1, 8, 8, kMany, "counts over 2^63 - 1"},
                  {"sizes", 1, 0, 4, size + 1, "sizes of buckets that are not those of the values"},
                  {"sizes", 1, 0, 4, size - 1, "store 1"},
                  {"sizes", 1, 0, 4, 0xffffffff, "sizes of buckets that are not those"},
                  {"values", 1, 0, 8, word ^ 1 << 24, "keys of a shard do not ascend"},
                  {"values", 1, 8, 8, 0, "keys of a shard do not ascend"},
                  {"values", 1, values_bytes - 8, 8, kMany, "keys of a shard do not ascend"},
                  {"digests", 2, 0, 8, digest | 1, "a key with further copies is not there"},
                  {"digests", 2, 0, 8, kMany, "keys of a shard do not ascend"},
                  {"digests", 2, 8, 8, digest, "keys of a shard do not ascend"},
                  {"further", 2, 16, 8, 0, "keys with further copies do not ascend"},
                  {"further", 2, 0, 8, kMany, "a key with further copies is not there"},
                  {"further", 2, 8, 8, uint64_t{1} << 63, "counts over 2^63 - 1"}});
}

TEST_CASE("sections of a filter that grows that are cut, grown or exchanged are refused",
          "[engine][files][scalable][hostile]") {
  const Bytes good = GrowingOfTwoShards().Serialize();
  const auto error_of = [&](const auto& change) {
    FileForge forge(good);
    change(forge);
    return ErrorOf(forge.Seal());
  };
  constexpr const char* kWrongSizes = "sizes of buckets that are not those of the values";
  for (const char* name : {"sizes", "values"}) {
    CAPTURE(name);
    const uint64_t width = name[0] == 's' ? 4 : 8;
    CHECK_THAT(error_of([&](FileForge& forge) {
                 Bytes& bytes = forge.At(name, 1).bytes;
                 bytes.resize(bytes.size() - width);
               }),
               ContainsSubstring(kWrongSizes));
    CHECK_THAT(error_of([&](FileForge& forge) {
                 Bytes& bytes = forge.At(name, 1).bytes;
                 bytes.resize(bytes.size() + width);
               }),
               ContainsSubstring(kWrongSizes));
    CHECK_THAT(error_of([&](FileForge& forge) {
                 forge.sections.erase(forge.sections.begin() +
                                      static_cast<std::ptrdiff_t>(forge.Find(name, 1)));
               }),
               !Catch::Matchers::Equals("loaded"));
  }
  // A bit behind the last value: 1,601 have 25 bits each in the words.
  ScalableFilter filter = ScalableFilter::Create({}).value();
  std::vector<uint64_t> digests = MemberKeys(1'601, 1);
  for (uint64_t& digest : digests) digest >>= 6;
  filter.Insert(Keys::Digests(digests));
  FileForge odd(filter.Serialize());
  odd.At("values", 1).bytes.back() |= std::byte{0x80};
  CHECK_THAT(ErrorOf(odd.Seal()), ContainsSubstring(kWrongSizes));
  // A shard of digests and values.
  CHECK_THAT(
      error_of([](FileForge& forge) { forge.sections[forge.Find("digests", 2)].record.store = 1; }),
      !Catch::Matchers::Equals("loaded"));
  // The section that files had before.
  CHECK_THAT(error_of([](FileForge& forge) {
               auto& record = forge.At("growing").record;
               record.name = {};
               std::ranges::copy(std::string("doubling"), record.name.begin());
             }),
             ContainsSubstring("doubling"));
}

TEST_CASE("forged sets of attributes are refused", "[engine][files][attributes][hostile]") {
  const std::vector<AttributeMask> cuts = {0b011};
  const std::vector<AttributeMask> list = {0b111, 0b100};
  const Bytes limited = AttributesOf(*AttributeSets::AtMost(3, 2, cuts)).Serialize();
  CheckAll(limited, {{"attributes", 0, 0, 4, 0, "0 attributes, at most 2 together"},
                     {"attributes", 0, 0, 4, 65, "65 attributes, at most 2 together"},
                     {"attributes", 0, 0, 4, 4, "the names end too early"},
                     {"attributes", 0, 0, 4, 2, "bytes behind the last name"},
                     {"attributes", 0, 4, 4, 0, "3 attributes, at most 0 together"},
                     {"attributes", 0, 4, 4, 4, "3 attributes, at most 4 together"},
                     {"attributes", 0, 4, 4, 1, "the cuts do not ascend"},
                     {"attributes", 0, 8, 4, 2, "the form of the sets is 2"},
                     {"attributes", 0, 8, 4, 1, "3 attributes, at most 2 together"},
                     {"attributes", 0, 12, 4, 1, "3 attributes"},
                     {"attributes", 0, 16, 1, 200, "the names end too early"},
                     {"attributes", 0, 16, 1, 0, "the names end too early"},
                     {"sets", 0, 0, 8, 1, "section 'sets': "},
                     {"sets", 0, 0, 8, 0, "section 'sets': "},
                     {"sets", 0, 0, 8, 15, "section 'sets': "},
                     {"growing", 0, 40, 4, 45, "values of 45 bits"},
                     {"growing", 0, 44, 4, 2, "neither 1 shard nor 64"},
                     {"growing", 0, 80, 8, 0, ""},
                     {"further", 1, 8, 8, 77, "tuples, the first one"}});
  CheckAll(AttributesOf(*AttributeSets::Keep(3, list)).Serialize(),
           {{"attributes", 0, 4, 4, 3, "3 attributes, at most 3 together"},
            {"attributes", 0, 8, 4, 0, "3 attributes, at most 0 together"},
            {"sets", 0, 0, 8, 0, "a listed set is empty"},
            {"sets", 0, 0, 8, 0b111, "the sets do not ascend"},
            {"sets", 0, 8, 8, 0b1111, "beyond the last one, 2"},
            {"sets", 0, 8, 8, 0b110, "attribute 0 is in no listed set"}});
  // A set's filter by one with another number of tuples.
  const Bytes other = AttributesOf(*AttributeSets::AtMost(3, 2, cuts)).Serialize();
  AttributeFilter more = AttributeFilter::Deserialize(other).value();
  more.Insert(TupleColumns(RandomRows(1, std::vector<uint64_t>(3, 3), 77)).view());
  FileForge mixed(limited);
  const FileForge from(more.Serialize());
  for (auto& section : mixed.sections) {
    if (section.record.store != 1) continue;
    const size_t idx = from.Find(NameOf(section.record), 1);
    if (idx < from.sections.size()) section.bytes = from.sections[idx].bytes;
  }
  CHECK_THAT(ErrorOf(mixed.Seal()), ContainsSubstring("tuples, the first one 21"));
}

TEST_CASE("two attributes of one name are refused", "[engine][files][attributes][hostile]") {
  const Bytes twins = AttributeFilter::Create({.sets = *AttributeSets::Create(2),
                                               .names = {"a", "b"},
                                               .capacity = 1,
                                               .target_fpr = 1e-5})
                          ->Serialize();
  CHECK_THAT(ErrorOf(WithValue(twins, "attributes", 0, 19, 'a')),
             ContainsSubstring("two attributes are named \"a\""));
}

TEST_CASE("forged places of a column are refused", "[engine][files][column_map][hostile]") {
  ColumnMap map = MapOfColumns();
  map.Insert(0, MemberKeys(300, 1));
  const Bytes good = map.SerializeColumn(0);
  const auto error_of = [](const FileForge& forge) {
    const Result<Bytes> loaded = LoadColumn(forge.Seal(), 0);
    return loaded.ok() ? "loaded" : loaded.error().message;
  };
  const auto with_places = [&](std::initializer_list<unsigned char> places) {
    FileForge forge(good);
    Bytes& bytes = forge.At("places").bytes;
    bytes.clear();
    for (const unsigned char byte : places) bytes.push_back(std::byte{byte});
    return error_of(forge);
  };
  REQUIRE(error_of(FileForge(good)) == "loaded");
  CHECK(with_places({2}) == "loaded");
  CHECK_THAT(with_places({0}), ContainsSubstring("section 'places': a fingerprint of zero"));
  CHECK_THAT(with_places({0x82, 0}), ContainsSubstring("not a number in its only form"));
  CHECK_THAT(with_places({0x80}), ContainsSubstring("not a number in its only form"));
  CHECK_THAT(with_places({3}), ContainsSubstring("not a number of copies"));
  CHECK_THAT(with_places({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}),
             ContainsSubstring("a place behind the last block"));
  CHECK_THAT(with_places({3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}),
             ContainsSubstring("too many keys"));
  for (const auto& [at, message] :
       {std::pair{0, "num_blocks"}, {8, "fingerprint_bits"}, {12, "reserved bytes"}}) {
    FileForge forge(good);
    Bytes& bytes = forge.At("column").bytes;
    Put(bytes, static_cast<uint64_t>(at), Get<uint32_t>(bytes, static_cast<uint64_t>(at)) ^ 64);
    CHECK_THAT(error_of(forge), ContainsSubstring(message));
  }
  FileForge other(good);
  other.header.seed = 77;
  CHECK_THAT(error_of(other), ContainsSubstring("its seed or digest key differs"));
  other = FileForge(good);
  other.header.digest_kind = 0;
  CHECK_THAT(error_of(other), ContainsSubstring("digest kind is 0 there and 1 here"));
}

TEST_CASE("forged numbers of a window are refused", "[engine][files][window][hostile]") {
  CheckAll(CrowdedWindow(kRateOfSlots16).Serialize(),
           {{"window", 0, 0, 8, 0, "section 'window'"},
            {"window", 0, 0, 8, kMany, "section 'window' has"},
            {"window", 0, 8, 8, 0, "section 'window' has"},
            {"window", 0, 16, 4, 0, "num_buckets"},
            {"window", 0, 16, 4, 13, "more buckets than slots of 16 bits can have"},
            {"window", 0, 20, 4, 2, "is_erasable is neither 0 nor 1"},
            {"window", 0, 20, 4, 0, "what its keys make"},
            {"window", 0, 24, 8, 1'000'000, "a bucket's keys are not what the blocks hold"},
            {"window", 0, 24, 8, kMany, "a bucket's keys are not what the blocks hold"},
            {"numbers", 1, 0, 4, 1, "the encoding is 1; this library reads 2"},
            {"numbers", 1, 8, 4, 13, "the fingerprint's length is 13; this library reads 12"},
            {"numbers", 1, 8, 4, 16, "what its keys make"},
            {"numbers", 1, 24, 8, 0, "no possible request"},
            {"side", 1, 0, 8, kMany, "names a block that does not exist"},
            {"side", 1, 8, 8, uint64_t{1} << 40, "side"},
            {"side", 1, 16, 8, 0, "entries do not ascend, or have no count"},
            {"side", 1, 16, 8, kMany, "entries do not ascend, or have no count"},
            {"side", 1, 16, 8, kMany >> 1, "what"},
            {"side", 1, 24, 4, 1 << 12, "a fingerprint of another length"},
            {"side", 1, 24, 4, 0, "a fingerprint of another length"},
            {"side", 1, 28, 4, 1, "entries do not ascend, or have no count"}});
  CheckAll(CrowdedWindow(kRateOfSlots16, false).Serialize(),
           {{"window", 0, 24, 8, kMany, "more keys than can be counted"}});
}

}  // namespace trommel::tests
