// Filters over attributes on disk: what is written is read, and any other bytes are refused.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/src/attributes/attribute_format.h"
#include "golden/snapshots.h"
#include "support/attribute_forge.h"
#include "support/catch.h"
#include "support/damage.h"
#include "support/sample_filters.h"
#include "support/scratch_folder.h"
#include "support/targets.h"
#include "support/tuple_rows.h"
#include "trommel/window_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string LoadingError(const Bytes& bytes, ErrorCode code = ErrorCode::kCorrupt) {
  const Result<AttributeFilter> filter = AttributeFilter::Deserialize(bytes);
  if (filter.ok()) return "read";
  CHECK(filter.error().code == code);
  return filter.error().message;
}

SetRecord RecordOf(const Bytes& bytes, size_t set_idx) {
  return Get<SetRecord>(bytes, kHeaderBytes + set_idx * sizeof(SetRecord));
}

}  // namespace

TEST_CASE("a filter over attributes comes back from a file as it was",
          "[engine][attributes][attribute_filter][snapshot]") {
  const ScratchFolder folder;
  const std::vector<AttributeMask> cuts = {0b0110, 0b1001};
  Result<AttributeFilter> made =
      AttributeFilter::Create({.sets = *AttributeSets::Create(4, cuts),
                               .names = {"a", "b", std::string(255, 'c'), "\xc3\xa4"},
                               .capacity = 40,
                               .digest = {.kind = DigestKind::kXxh3, .seed = 7},
                               .encoding = Encoding::kPlanes});
  REQUIRE(made.ok());
  const std::vector<TupleRow> rows = RandomRows(300, std::vector<uint64_t>{0, 3, 0, 20}, 1);
  const TupleColumns columns(rows);
  made->Insert(columns.view());
  REQUIRE(made->Save(folder / "tuples").ok());
  Result<AttributeFilter> loaded = AttributeFilter::Load(folder / "tuples");
  REQUIRE(loaded.ok());
  CHECK(loaded->sets() == made->sets());
  CHECK(std::ranges::equal(loaded->names(), made->names()));
  CHECK(loaded->digest_policy() == made->digest_policy());
  CHECK(loaded->num_tuples() == 300);
  CHECK(loaded->num_bytes() == made->num_bytes());
  CHECK(loaded->PartsOf(0b1111) == made->PartsOf(0b1111));
  CHECK(loaded->Serialize() == made->Serialize());
  // It goes on as the other one.
  const std::vector<TupleRow> more = RandomRows(300, std::vector<uint64_t>{0, 3, 0, 20}, 9);
  for (AttributeFilter* filter : {&*loaded, &*made}) {
    CHECK(filter->Erase(TupleColumns(std::span(rows).first(100)).view()).num_refused == 0);
    CHECK(filter->Insert(TupleColumns(more).view()).num_refused == 0);
  }
  CHECK(loaded->Serialize() == made->Serialize());
  loaded->Clear();
  CHECK(loaded->Insert(columns.view()).num_refused == 0);
}

TEST_CASE("a loaded filter over attributes grows within the limit it was loaded with",
          "[engine][attributes][attribute_filter][snapshot]") {
  const AttributeFilter sample = AttributeSample();
  const Bytes bytes = sample.Serialize();
  const uint64_t limit = sample.num_bytes();
  CHECK(LoadingError(bytes) == "read");
  Result<AttributeFilter> tight = AttributeFilter::Deserialize(bytes, limit);
  REQUIRE(tight.ok());
  const TupleColumns rows(RandomRows(500, std::vector<uint64_t>{0, 0}, 3));
  CHECK(tight->Insert(rows.view()).refusal == GrowthRefusal::kMemoryLimit);
  Result<AttributeFilter> wide = AttributeFilter::Deserialize(bytes, 100 * limit);
  REQUIRE(wide.ok());
  CHECK(wide->Insert(rows.view()).refusal != GrowthRefusal::kMemoryLimit);
  const Result<AttributeFilter> low = AttributeFilter::Deserialize(bytes, 9999);
  REQUIRE_FALSE(low.ok());
  CHECK(low.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(low.error().message, ContainsSubstring("2 sets of attributes need ") &&
                                      ContainsSubstring("more than the limit of 9,999 bytes"));
}

TEST_CASE("the sample over attributes never changes, on any target",
          "[engine][attributes][attribute_filter][snapshot][golden]") {
  ForEachRunnableTarget([] {
    const Bytes bytes = AttributeSample().Serialize();
    CHECK(bytes.size() == golden::kAttributeSnapshot.num_bytes);
    CHECK(Checksum::Of(bytes) == golden::kAttributeSnapshot.hash);
  });
}

TEST_CASE("a damaged snapshot over attributes is refused",
          "[engine][attributes][attribute_filter][snapshot][long]") {
  CheckDamageIsRefused(AttributeSample().Serialize(),
                       [](auto bytes) { return AttributeFilter::Deserialize(bytes); },
                       {.step = 251});
}

TEST_CASE("a snapshot over attributes whose checksums were made right is refused nevertheless",
          "[engine][attributes][attribute_filter][snapshot]") {
  const Bytes good = AttributeSample().Serialize();
  const auto with_header = [&good](auto edit) {
    return LoadingError(WithAttributeHeader(good, edit));
  };
  CHECK(with_header([](AttributeHeader&) {}) == "read");
  CHECK_THAT(with_header([](AttributeHeader& h) { h.zeros[19] = 1; }),
             ContainsSubstring("reserved bytes"));
  CHECK_THAT(with_header([](AttributeHeader& h) { h.num_attributes = 17; }),
             ContainsSubstring("17 attributes"));
  CHECK_THAT(with_header([](AttributeHeader& h) { h.num_attributes = 0; }),
             ContainsSubstring("0 attributes"));
  CHECK_THAT(with_header([](AttributeHeader& h) { h.num_cuts = 100'000; }),
             ContainsSubstring("100000 cuts"));
  CHECK_THAT(with_header([](AttributeHeader& h) { h.num_sets = ~uint64_t{0}; }),
             ContainsSubstring("sets of 2 attributes"));
  CHECK_THAT(with_header([](AttributeHeader& h) { h.num_sets = 3; }), ContainsSubstring("front"));
  CHECK_THAT(with_header([](AttributeHeader& h) { h.front_bytes = ~uint64_t{0}; }),
             ContainsSubstring("front"));
  CHECK_THAT(with_header([](AttributeHeader& h) { h.front_bytes += 1; }),
             ContainsSubstring("bytes behind the last name"));
  CHECK_THAT(with_header([](AttributeHeader& h) { h.front_bytes -= 1; }),
             ContainsSubstring("names end too early"));
  CHECK_THAT(with_header([](AttributeHeader& h) { h.num_tuples += 1; }),
             ContainsSubstring("the filter of {0}") && ContainsSubstring("it holds 50 tuples"));
  CHECK_THAT(LoadingError(WithAttributeHeader(good, [](AttributeHeader& h) { h.start.type = 2; }),
                          ErrorCode::kMismatch),
             ContainsSubstring("a scalable filter's snapshot, not an attribute filter's"));

  const auto with_record = [&good](size_t set_idx, auto edit) {
    return LoadingError(WithSetRecord(good, set_idx, edit));
  };
  CHECK_THAT(with_record(0, [](SetRecord& r) { r.set = 2; }), ContainsSubstring("allowed set {0}"));
  CHECK_THAT(with_record(1, [](SetRecord& r) { r.set |= uint64_t{1} << 32; }),
             ContainsSubstring("set {1}"));
  CHECK_THAT(with_record(1, [](SetRecord& r) { r.offset -= 4096; }), ContainsSubstring("place"));
  CHECK_THAT(with_record(1, [](SetRecord& r) { r.num_bytes = ~uint64_t{0}; }),
             ContainsSubstring("place"));
  CHECK_THAT(with_record(1, [](SetRecord& r) { r.num_bytes -= 64; }),
             ContainsSubstring("goes on behind its last filter"));

  // Cuts and names, which stand behind the table.
  const uint64_t cut_at = kHeaderBytes + 2 * sizeof(SetRecord);
  const auto with_bytes = [&good](uint64_t at, auto value) {
    Bytes bytes = good;
    Put(bytes, at, value);
    ResealAttributes(bytes);
    return LoadingError(bytes);
  };
  CHECK_THAT(with_bytes(cut_at, uint32_t{1}), ContainsSubstring("cut {0}"));
  CHECK_THAT(with_bytes(cut_at, uint32_t{0}), ContainsSubstring("empty"));
  CHECK_THAT(with_bytes(cut_at, uint32_t{7}), ContainsSubstring("beyond"));
  CHECK_THAT(with_bytes(cut_at + 4, uint8_t{200}), ContainsSubstring("names end too early"));
  Bytes twins = AttributeFilter::Create({.sets = *AttributeSets::Create(2),
                                         .names = {"a", "b"},
                                         .capacity = 1,
                                         .target_fpr = 1e-5})
                    ->Serialize();
  CHECK(LoadingError(twins) == "read");
  Put(twins, kHeaderBytes + 3 * sizeof(SetRecord) + 3, 'a');
  ResealAttributes(twins);
  CHECK_THAT(LoadingError(twins), ContainsSubstring("two attributes are named \"a\""));
  // Padding before the first filter.
  CHECK_THAT(with_bytes(4000, uint8_t{1}), ContainsSubstring("padding is not zero"));
}

AttributeFilter FilterOf(const AttributeSets& sets) {
  AttributeFilter filter =
      std::move(AttributeFilter::Create({.sets = sets, .capacity = 10, .target_fpr = 1e-5}))
          .value();
  const std::vector<TupleRow> rows =
      RandomRows(20, std::vector<uint64_t>(sets.num_attributes(), 3), 5);
  filter.Insert(TupleColumns(rows).view());
  return filter;
}

TEST_CASE("filters of a limit, of a list and of 64 attributes come back from their files",
          "[engine][attributes][attribute_filter][snapshot]") {
  const std::vector<AttributeMask> cuts = {0b011};
  const std::vector<AttributeMask> list = {~AttributeMask{0}, AttributeMask{0b101} << 61};
  const std::vector<AttributeMask> few = {0b111, 0b100};
  const auto version_of = [](const Bytes& bytes) { return Get<SnapshotStart>(bytes, 0).version; };
  for (const AttributeSets& sets :
       {*AttributeSets::AtMost(3, 2, cuts), *AttributeSets::AtMost(17, 1),
        *AttributeSets::Keep(64, list), *AttributeSets::Keep(3, few)}) {
    INFO(sets.num_attributes() << " attributes, " << sets.allowed().size() << " sets");
    const AttributeFilter filter = FilterOf(sets);
    const Bytes bytes = filter.Serialize();
    CHECK(version_of(bytes) == 2);
    const Result<AttributeFilter> loaded = AttributeFilter::Deserialize(bytes);
    REQUIRE(loaded.ok());
    CHECK(loaded->sets() == sets);
    CHECK(loaded->PartsOf(sets.full()) == filter.PartsOf(sets.full()));
    CHECK(loaded->Serialize() == bytes);
  }
  // A limit that limits nothing is none.
  CHECK(version_of(FilterOf(*AttributeSets::AtMost(3, 3, cuts)).Serialize()) == 1);
}

TEST_CASE("a snapshot of a limit or a list that was forged is refused",
          "[engine][attributes][attribute_filter][snapshot]") {
  const std::vector<AttributeMask> cuts = {0b011};
  const std::vector<AttributeMask> few = {0b111, 0b100};
  const Bytes limited = FilterOf(*AttributeSets::AtMost(3, 2, cuts)).Serialize();
  const Bytes listed = FilterOf(*AttributeSets::Keep(3, few)).Serialize();
  const auto with = [](const Bytes& good, auto edit, ErrorCode code = ErrorCode::kCorrupt) {
    return LoadingError(WithAttributeHeader(good, edit), code);
  };
  CHECK(with(limited, [](AttributeHeader&) {}) == "read");
  CHECK_THAT(with(
                 limited, [](AttributeHeader& h) { h.is_list = 2; }, ErrorCode::kVersion),
             ContainsSubstring("the form of the sets is 2"));
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.is_list = 1; }),
             ContainsSubstring("1 cuts of a list"));
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.max_together = 0; }),
             ContainsSubstring("0 attributes together, of 3"));
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.max_together = 4; }),
             ContainsSubstring("4 attributes together, of 3"));
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.max_together = 3; }),
             ContainsSubstring("another version"));
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.max_together = 1; }),
             ContainsSubstring("the cuts do not ascend"));
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.num_attributes = 65; }),
             ContainsSubstring("65 attributes; there are 1 to 64"));
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.num_attributes = 64; }),
             ContainsSubstring("a front of"));
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.num_sets = kMaxAttributeSets + 1; }),
             ContainsSubstring("65537 sets"));
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.num_cuts = ~uint32_t{0}; }),
             ContainsSubstring("a front of"));
  // A header of version 1 has no limit.
  CHECK_THAT(with(limited, [](AttributeHeader& h) { h.start.version = 1; }),
             ContainsSubstring("reserved bytes"));
  CHECK_THAT(with(listed, [](AttributeHeader& h) { h.max_together = 2; }),
             ContainsSubstring("another limit"));
  CHECK_THAT(with(listed, [](AttributeHeader& h) { h.is_list = 0; }),
             ContainsSubstring("2 sets, where there should be 7"));
  CHECK_THAT(with(listed, [](AttributeHeader& h) { h.num_attributes = 4; }),
             ContainsSubstring("a front of"));

  const auto with_set = [&listed](size_t set_idx, AttributeMask set) {
    return LoadingError(WithSetRecord(listed, set_idx, [set](SetRecord& r) { r.set = set; }));
  };
  CHECK_THAT(with_set(0, 0), ContainsSubstring("a listed set is empty"));
  CHECK_THAT(with_set(0, 0b111), ContainsSubstring("sets, where there should be 1"));
  CHECK_THAT(with_set(1, 0b011), ContainsSubstring("another limit"));
  CHECK_THAT(with_set(1, 0b1111), ContainsSubstring("beyond the last one, 2"));
  CHECK_THAT(with_set(1, 0b110), ContainsSubstring("attribute 0 is in no listed set"));

  // A version that this type does not have, and a type that has no version 2.
  CHECK_THAT(with(
                 limited, [](AttributeHeader& h) { h.start.version = 3; }, ErrorCode::kVersion),
             ContainsSubstring("version 3"));
  CHECK_THAT(with(
                 limited, [](AttributeHeader& h) { h.start.type = 5; }, ErrorCode::kVersion),
             ContainsSubstring("the type is 5 (classic filter)"));
}

TEST_CASE("a snapshot over attributes must hold filters as attribute filters make them",
          "[engine][attributes][attribute_filter][snapshot]") {
  const Bytes good = AttributeSample().Serialize();
  const SetRecord first = RecordOf(good, 0);
  const SetRecord second = RecordOf(good, 1);
  REQUIRE(second.offset + second.num_bytes == good.size());
  // The last one in the file is exchanged.
  const auto with_last = [&](const Bytes& filter) {
    Bytes bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(second.offset));
    bytes.insert(bytes.end(), filter.begin(), filter.end());
    bytes = WithSetRecord(bytes, 1, [&](SetRecord& r) { r.num_bytes = filter.size(); });
    return WithAttributeHeader(bytes, [&](AttributeHeader& h) { h.file_bytes = bytes.size(); });
  };
  const auto of_kind = [](ScalableConfig config, uint64_t num_keys) {
    ScalableFilter filter = std::move(ScalableFilter::Create(config)).value();
    std::vector<uint64_t> digests(num_keys, 0x123456789abcdef);
    filter.Insert(Keys::Digests(digests));
    return filter.Serialize();
  };
  const ScalableConfig usual{.first_capacity = 30,
                             .target_fpr = 1e-5,
                             .mode = GrowthMode::kGenerations,
                             .digest = {.kind = DigestKind::kCaller}};
  CHECK(LoadingError(with_last(of_kind(usual, 50))) == "read");
  CHECK_THAT(LoadingError(with_last(of_kind(usual, 49))), ContainsSubstring("it holds 49 tuples"));
  ScalableConfig other = usual;
  other.digest = {};
  CHECK_THAT(LoadingError(with_last(of_kind(other, 50))), ContainsSubstring("not an attribute"));
  other = usual;
  other.max_capacity = 40;
  CHECK_THAT(LoadingError(with_last(of_kind(other, 50))), ContainsSubstring("not an attribute"));
  other = usual;
  other.growth = 3;
  CHECK_THAT(LoadingError(with_last(of_kind(other, 50))), ContainsSubstring("not an attribute"));

  const auto window = WindowFilter::Create({.window = 1, .num_buckets = 1, .capacity = 1}).value();
  CHECK_THAT(LoadingError(with_last(window.Serialize()), ErrorCode::kMismatch),
             ContainsSubstring("the filter of {1}") && ContainsSubstring("window filter"));
  // Of the two, neither may be a whole snapshot over attributes itself.
  CHECK_THAT(LoadingError(with_last(good), ErrorCode::kMismatch),
             ContainsSubstring("attribute filter"));
  CHECK(first.offset == 4096);
}

}  // namespace trommel::tests
