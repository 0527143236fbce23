// The sample files of engine/docs/FORMAT.md: made here, byte for byte, and asked what
// engine/docs/samples/answers.txt says of them. The independent reader beside them must agree.
//
// TROMMEL_WRITE_SAMPLES=1 trommel_tests "[samples]" writes them anew: for a new sample only, since
// no released file may change.
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/digest_keys.h"
#include "support/digests.h"
#include "support/file_forge.h"
#include "support/held_filter.h"
#include "support/paths.h"
#include "support/sample_filters.h"
#include "support/scratch_folder.h"
#include "support/targets.h"
#include "trommel/any_filter.h"
#include "trommel/attribute_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/metadata.h"
#include "trommel/scalable_filter.h"
#include "trommel/tuples.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::Bytes;

const std::filesystem::path kSamples =
    std::filesystem::path(tests::kSourceFolder) / "engine/docs/samples";

// Of the samples that do not have another. Files say which digest they have, so these stay as they
// were made, whatever is the default.
const DigestPolicy kSampleDigest{.kind = DigestKind::kXxh64};

// A key as answers.txt spells it.
struct SampleKey {
  std::string kind;  // text, bytes, u64, i32, digest, tuple
  std::string name;
};
using SampleKeys = std::vector<SampleKey>;

uint64_t NumberOf(std::string_view text, int base = 10) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

// "bytes 300": the bytes 0, 1, 2 .. mod 251, 300 of them.
std::string BytesOfKey(const SampleKey& key) {
  if (key.kind == "text") return key.name;
  std::string bytes(NumberOf(key.name), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  return bytes;
}

// Calls use(Key).
template <class Use>
auto WithKey(const SampleKey& key, const Use& use) {
  if (key.kind == "u64") return use(Key(NumberOf(key.name)));
  if (key.kind == "i32") return use(Key::Int32(static_cast<uint32_t>(NumberOf(key.name))));
  if (key.kind == "digest") return use(Key::Digest(NumberOf(key.name, 16)));
  return use(Key(std::string_view(BytesOfKey(key))));
}

// "0=alice,2=dns": the values of attributes 0 and 2.
uint64_t CountOfTuple(const AttributeFilter& filter, const std::string& name) {
  TupleDigests digests(filter.sets().num_attributes());
  AttributeMask asked = 0;
  std::istringstream fields(name);
  for (std::string field; std::getline(fields, field, ',');) {
    const auto attribute = static_cast<uint32_t>(NumberOf(field.substr(0, field.find('='))));
    asked |= AttributeMask{1} << attribute;
    digests.Set(attribute, std::vector<std::string>{field.substr(field.find('=') + 1)},
                filter.digest_policy());
  }
  uint64_t count = 0;
  filter.CountEstimates(asked, digests.view(), std::span(&count, 1));
  return count;
}

uint64_t CountOf(const AnyFilter& any, const SampleKey& key) {
  if (const auto* of_tuples = any.As<AttributeFilter>()) return CountOfTuple(*of_tuples, key.name);
  return WithKey(key, [&any](Key k) { return any.CountEstimate(k); });
}

struct FormatSample {
  std::string name;
  tests::HeldFilter filter;
  SampleKeys asked;
  DigestKey digest_key = {};
  std::string metadata = {};
};

SampleKeys Numbered(const std::string& kind, const std::string& prefix, uint64_t first,
                    uint64_t num_keys) {
  SampleKeys keys;
  for (uint64_t i = first; i < first + num_keys; ++i) {
    keys.push_back({kind, prefix + std::to_string(i)});
  }
  return keys;
}

SampleKeys operator+(SampleKeys keys, const SampleKeys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

template <class Filter>
void InsertAll(Filter& filter, const SampleKeys& keys) {
  for (const SampleKey& key : keys) WithKey(key, [&filter](Key k) { filter.Insert(k); });
}

SampleKeys DigestsInBlocks(uint64_t num_blocks) {
  SampleKeys keys;
  for (uint64_t b = 0; b < num_blocks; ++b) {
    for (const uint32_t number : {0U, 1U, 2U, 5U, 100U, 1000U}) {
      std::ostringstream digest;
      digest << std::hex << tests::DigestInBlock(b, num_blocks, number);
      keys.push_back({"digest", digest.str()});
    }
  }
  return keys;
}

void AddCounting(std::vector<FormatSample>& samples) {
  const SampleKeys absent = Numbered("text", "absent-", 0, 20);
  samples.push_back(
      {"counting-empty",
       tests::MakeFilter({.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 1},
                         kSampleDigest),
       Numbered("text", "key-", 0, 2)});

  auto planes = tests::MakeFilter({.num_slices = 8, .num_blocks = 3}, kSampleDigest);
  const SampleKeys texts = Numbered("text", "key-", 0, 20);
  InsertAll(planes, texts);
  for (int i = 0; i < 11; ++i) planes.Insert("key-0");  // more than 8 times: promoted
  samples.push_back({"counting-planes8", std::move(planes), texts + absent});

  // Keys of every length at which a digest changes its way, and integers of both sizes.
  SampleKeys mixed = Numbered("u64", "", 12340, 6) + Numbered("i32", "", 12340, 6);
  for (const int size : {0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1024, 1025, 3000}) {
    mixed.push_back({"bytes", std::to_string(size)});
  }
  auto seeded = tests::MakeFilter({.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 3},
                                  {.kind = DigestKind::kXxh64, .seed = 42});
  InsertAll(seeded, mixed);
  samples.push_back({"counting-seeded", std::move(seeded), mixed + Numbered("u64", "", 0, 20)});

  auto brim = tests::MakeFilter({.num_slices = 8, .num_blocks = 1}, {.kind = DigestKind::kCaller});
  brim.Insert(Keys::Digests(tests::Repeated(tests::EveryPositionOnce(), 8)));
  samples.push_back({"counting-brim", std::move(brim), {{"digest", "0"}, {"digest", "f8000000"}}});

  for (const auto& [slices, keys] : {std::pair(4U, 63U), {5U, 37U}, {8U, 31U}, {10U, 37U}}) {
    samples.push_back({"counting-runs" + std::to_string(slices), tests::RunSample(slices, keys),
                       DigestsInBlocks(10)});
  }

  auto keyed = std::move(CountingFilter::Create({.capacity = 60,
                                                 .target_fpr = 0.01,
                                                 .digest = tests::KeyedPolicy(),
                                                 .num_slices = 5}))
                   .value();
  InsertAll(keyed, texts + mixed);
  samples.push_back({"counting-keyed", std::move(keyed), texts + mixed + absent, tests::KeyFrom()});
}

// The least digest of that block whose key within the block begins with these 16 bits.
uint64_t DigestOfFingerprint(uint64_t block_idx, uint64_t num_blocks, uint32_t top_bits) {
  __extension__ using Wide = unsigned __int128;
  const Wide prefix = Wide{block_idx} << 64 | Wide{top_bits} << 48;
  return static_cast<uint64_t>((prefix + num_blocks - 1) / num_blocks);
}

// Inserts keys and asks for each, and for one beside it.
class FingerprintSample {
 public:
  FingerprintSample(std::string name, const Geometry& geometry, const DigestPolicy& policy)
      : name_(std::move(name)), filter_(tests::MakeFilter(geometry, policy)) {}

  // Keys with the top bits first, first + step .. in one block.
  void Insert(uint64_t block_idx, uint32_t num_distinct, size_t copies, uint32_t first,
              uint32_t step) {
    for (uint32_t i = 0; i < num_distinct; ++i) {
      const uint32_t top_bits = first + i * step;
      const SampleKey key = KeyOf(block_idx, top_bits);
      const std::vector<uint64_t> digests(copies, NumberOf(key.name, 16));
      filter_.Insert(Keys::Digests(digests));
      if (i % 5 == 0) Ask(block_idx, top_bits + step / 2);
      asked_.push_back(key);
    }
  }
  void Ask(uint64_t block_idx, uint32_t top_bits) { asked_.push_back(KeyOf(block_idx, top_bits)); }

  CountingFilter& filter() { return filter_; }
  FormatSample Finish(const SampleKeys& more) && {
    return {std::move(name_), std::move(filter_), std::move(asked_) + more};
  }

 private:
  SampleKey KeyOf(uint64_t block_idx, uint32_t top_bits) const {
    std::ostringstream digest;
    digest << std::hex
           << DigestOfFingerprint(block_idx, filter_.geometry().num_blocks, top_bits & 0xffff);
    return {"digest", digest.str()};
  }

  std::string name_;
  CountingFilter filter_;
  SampleKeys asked_;
};

void AddFingerprints(std::vector<FormatSample>& samples) {
  // An overflow line of 18 entries, in the order of blocks: 9 of block 1, none of block 2, which
  // wants 14, 9 of block 3, none of block 4. Block 64 has the second line.
  FingerprintSample wide("counting-fingerprints16",
                         {.num_slices = 0,
                          .encoding = Encoding::kFingerprints16,
                          .num_blocks = 65,
                          .fingerprint_bits = 16},
                         {.kind = DigestKind::kCaller});
  wide.Insert(0, 4, 8, 0x1000, 0x3000);  // 32 keys: full
  wide.Insert(1, 40, 1, 0x0123, 0x0600);
  wide.Insert(2, 45, 1, 0x0246, 0x0500);
  wide.Insert(3, 40, 1, 0x0369, 0x0611);
  wide.Insert(4, 11, 3, 0x048c, 0x1500);
  wide.Insert(5, 1, 100'000, 0xbeef, 2);
  wide.Insert(6, 2, 1, 0x0000, 0x00ff);  // 0x0000 becomes 0x0001, 0x00ff becomes 0x00fe
  wide.Ask(6, 0x0001);
  wide.Ask(6, 0x00fe);
  wide.Insert(64, 33, 1, 0x0100, 0x0700);
  samples.push_back(std::move(wide).Finish({}));

  // Grown once, so one bit less than 8; its number of blocks is then 10.
  FingerprintSample dense("counting-dense",
                          {.num_slices = 0,
                           .encoding = Encoding::kDense,
                           .num_blocks = 5,
                           .fingerprint_bits = 8,
                           .slots = 48},
                          kSampleDigest);
  const SampleKeys texts = Numbered("text", "key-", 0, 60);
  InsertAll(dense.filter(), texts);
  dense.filter().Insert("key-0");
  dense.Insert(0, 120, 1, 0x0000, 0x0150);  // more than a block shows: cut
  dense.Insert(1, 3, 300, 0x0800, 0x0a00);  // few keys, often: all shown, further copies counted
  dense.Insert(2, 60, 20'000, 0x0100, 0x0300);  // copies of keys above the cut, too
  const bool has_grown = dense.filter().Grow().ok();
  REQUIRE(has_grown);
  samples.push_back(std::move(dense).Finish(texts + Numbered("text", "absent-", 0, 20)));

  // Keys of 23 bits, beside which a word has 9 bits for copies.
  FingerprintSample words("counting-dense-long",
                          {.num_slices = 0,
                           .encoding = Encoding::kDense,
                           .num_blocks = 3,
                           .fingerprint_bits = 16,
                           .slots = 26},
                          {.kind = DigestKind::kCaller});
  words.Insert(0, 60, 1, 0x0000, 0x0444);  // cut
  words.Insert(1, 3, 511, 0x0800, 0x0a00);
  words.Insert(1, 3, 512, 0x4800, 0x0a00);  // 510 and 511 further copies: the latter do not fit
  samples.push_back(std::move(words).Finish({}));
}

std::string HexOf(uint64_t digest) {
  std::ostringstream text;
  text << std::hex << digest;
  return text.str();
}

void AddScalable(std::vector<FormatSample>& samples) {
  // Part 5 has doubled once, with keys before and after; part 6 keeps digests.
  auto doubling =
      std::move(ScalableFilter::Create({.max_capacity = 1'000'000, .digest = kSampleDigest}))
          .value();
  std::vector<uint64_t> digests;
  for (uint64_t i = 0; i < 2'800; ++i) {
    digests.push_back(uint64_t{5} << 58 | i * 0x9e3779b97f4a7c15 >> 6);
  }
  doubling.Insert(Keys::Digests(digests));
  for (uint64_t i = 0; i < 20; ++i) digests.push_back(uint64_t{6} << 58 | i << 40 | i);
  for (int copies = 0; copies < 6; ++copies) {
    doubling.Insert(Keys::Digests(std::span(digests).last(21)));
  }
  SampleKeys names;
  for (size_t i = 0; i < digests.size(); i += i < 2'780 ? 100 : 1) {
    names.push_back({"digest", HexOf(digests[i])});
  }
  for (uint64_t i = 0; i < 20; ++i) {
    names.push_back({"digest", HexOf(uint64_t{i % 8} << 58 | i * 0x123456789abcdef >> 6)});
  }
  samples.push_back({"scalable-growing", std::move(doubling), std::move(names)});
}

// Twenty attributes: value v of attribute a is "a-v". Tuples that differ in attribute 5 alone are
// told apart by the set of all.
FormatSample ListSample() {
  constexpr uint32_t kAttributes = 20;
  constexpr AttributeMask kEnds = AttributeMask{1} << 19 | 1;
  const std::vector<AttributeMask> kept = {(AttributeMask{1} << kAttributes) - 1, kEnds,
                                           AttributeMask{1} << 17};
  auto filter = std::move(AttributeFilter::Create(
                              {.sets = std::move(AttributeSets::Keep(kAttributes, kept)).value(),
                               .capacity = 30,
                               .digest = kSampleDigest}))
                    .value();
  const auto value = [](uint32_t attribute, int number) {
    return std::to_string(attribute) + "-" + std::to_string(number);
  };
  TupleDigests rows(kAttributes);
  SampleKeys asked;
  for (int all = 0; all < 4; ++all) {  // the last one was not inserted
    std::string name;
    for (uint32_t a = 0; a < kAttributes; ++a) {
      name += (a == 0 ? "" : ",") + std::to_string(a) + "=" + value(a, a == 5 ? all : all / 2);
    }
    asked.push_back({"tuple", name});
  }
  for (uint32_t a = 0; a < kAttributes; ++a) {
    std::vector<std::string> column;
    for (int all = 0; all < 3; ++all) column.push_back(value(a, a == 5 ? all : all / 2));
    rows.Set(a, column, kSampleDigest);
  }
  filter.Insert(rows.view());
  for (const char* name :
       {"0=0-0,19=19-0", "0=0-0,19=19-1", "0=0-1,19=19-1", "17=17-0", "17=17-1", "17=17-2",
        "0=0-0,17=17-0,19=19-0", "0=0-0,17=17-2,19=19-0", "0=0-0,17=17-1", "3=3-9"}) {
    asked.push_back({"tuple", name});
  }
  return {"attributes-list", tests::HeldFilter(std::move(filter)), asked};
}

void AddOthers(std::vector<FormatSample>& samples) {
  // One block: the 32 slots are full, the line has keys, and the side table copies. Keys 0 to 9
  // have left it, and bucket 6 (times 150 to 174) is empty.
  auto slots =
      std::move(WindowFilter::Create(
                    {.window = 100, .num_buckets = 4, .capacity = 12, .digest = kSampleDigest}))
          .value();
  for (const auto& [time, first] : {std::pair(60, 0), {101, 10}, {125, 20}, {199, 30}}) {
    slots.Advance(static_cast<uint64_t>(time));
    InsertAll(slots, Numbered("text", "key-", static_cast<uint64_t>(first), 14));
  }
  slots.Insert("key-12", 130);
  slots.Insert("key-12");
  samples.push_back({"window-slots", std::move(slots), Numbered("text", "key-", 0, 60)});

  const std::vector<AttributeMask> cuts = {0b011, 0b101};
  auto attributes =
      std::move(AttributeFilter::Create({.sets = std::move(AttributeSets::Create(3, cuts)).value(),
                                         .names = {"user", "domain", "port"},
                                         .capacity = 30,
                                         .digest = kSampleDigest}))
          .value();
  TupleDigests rows(3);
  rows.Set(0, std::vector<std::string>{"alice", "bob", "carol"}, kSampleDigest);
  rows.Set(1, std::vector<std::string>{"example.org", "example.net", "example.org"}, kSampleDigest);
  rows.Set(2, std::vector<std::string>{"443", "53", "53"}, kSampleDigest);
  attributes.Insert(rows.view());
  SampleKeys tuples;
  for (const char* name :
       {"0=alice", "0=dave", "1=example.org", "1=example.com", "2=53", "2=80",
        "1=example.org,2=443", "1=example.net,2=443", "1=example.org,2=53", "0=alice,2=443",
        "0=bob,2=443", "0=dave,2=443", "0=alice,1=example.org,2=443", "0=bob,1=example.net,2=443",
        "0=bob,1=example.org,2=53"}) {
    tuples.push_back({"tuple", name});
  }
  samples.push_back({"attributes", tests::HeldFilter(std::move(attributes)), tuples});

  const std::vector<AttributeMask> one_cut = {0b011};
  auto limited = std::move(AttributeFilter::Create(
                               {.sets = std::move(AttributeSets::AtMost(3, 2, one_cut)).value(),
                                .names = {"user", "domain", "port"},
                                .capacity = 30,
                                .digest = kSampleDigest}))
                     .value();
  limited.Insert(rows.view());
  samples.push_back({"attributes-limit", tests::HeldFilter(std::move(limited)), tuples});
  samples.push_back(ListSample());

  // Blocks from the beginning for the users, digests of the few ports.
  const std::vector<AttributeMask> apart = {0b11};
  auto sized =
      std::move(AttributeFilter::Create({.sets = std::move(AttributeSets::Create(2, apart)).value(),
                                         .names = {"user", "port"},
                                         .capacity = 5000,
                                         .num_values = {5000, 20},
                                         .digest = kSampleDigest}))
          .value();
  TupleDigests logins(2);
  logins.Set(0, std::vector<std::string>{"alice", "bob", "carol", "alice"}, kSampleDigest);
  logins.Set(1, std::vector<std::string>{"443", "53", "53", "22"}, kSampleDigest);
  sized.Insert(logins.view());
  SampleKeys asked;
  for (const char* name : {"0=alice", "0=bob", "0=dave", "1=53", "1=443", "1=80", "0=alice,1=443",
                           "0=carol,1=53", "0=dave,1=53"}) {
    asked.push_back({"tuple", name});
  }
  samples.push_back({"attributes-blocks", tests::HeldFilter(std::move(sized)), asked});
}

std::vector<FormatSample> FormatSamples() {
  std::vector<FormatSample> samples;
  AddCounting(samples);
  AddFingerprints(samples);
  AddScalable(samples);
  AddOthers(samples);
  samples.push_back(
      {.name = "counting-metadata",
       .filter = tests::HeldFilter(tests::MakeFilter(
           {.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 1}, kSampleDigest)),
       .asked = Numbered("text", "key-", 0, 2),
       .metadata = "kept beside the filter"});
  return samples;
}

std::string AnswersOf(const AnyFilter& filter, const FormatSample& sample) {
  std::string lines;
  for (const SampleKey& key : sample.asked) {
    lines += sample.name + ' ' + key.kind + ' ' + key.name + ' ' +
             std::to_string(CountOf(filter, key)) + '\n';
  }
  return lines;
}

std::filesystem::path PathOf(const FormatSample& sample) {
  return kSamples / (sample.name + ".trommel");
}

TEST_CASE("the samples of FORMAT.md are what the library writes, on any target",
          "[engine][files][samples]") {
  const bool writes = std::getenv("TROMMEL_WRITE_SAMPLES") != nullptr;
  tests::ForEachRunnableTarget([&] {
    for (const FormatSample& sample : FormatSamples()) {
      if (writes || !sample.metadata.empty()) continue;
      INFO("sample: " << sample.name);
      CHECK((sample.filter->Serialize() == tests::ReadFile(PathOf(sample))));
    }
  });
  const tests::ScratchFolder folder;
  std::string answers;
  for (const FormatSample& sample : FormatSamples()) {
    INFO("sample: " << sample.name);
    const Bytes made = sample.filter->Serialize();
    answers += AnswersOf(*sample.filter, sample);
    const Bytes metadata = tests::BytesOfText(sample.metadata);
    const SaveOptions options{.metadata = metadata};
    if (writes) REQUIRE(sample.filter->Save(PathOf(sample), options).ok());
    REQUIRE(sample.filter->Save(folder / "sample", options).ok());
    const Bytes file = tests::ReadFile(PathOf(sample));
    CHECK((file == tests::ReadFile(folder / "sample")));
    CHECK(metadata.empty() == (file == made));
    CHECK(LoadMetadata(PathOf(sample)).value() == metadata);

    const Result<AnyFilterPtr> loaded = AnyFilter::Load(PathOf(sample), 0, sample.digest_key);
    REQUIRE(loaded.ok());
    CHECK(((*loaded)->Serialize() == made));
    CHECK(AnswersOf(**loaded, sample) == AnswersOf(*sample.filter, sample));
  }
  const Bytes answer_bytes = tests::BytesOfText(answers);
  if (writes) tests::WriteFile(kSamples / "answers.txt", answer_bytes);
  CHECK((tests::ReadFile(kSamples / "answers.txt") == answer_bytes));
}

}  // namespace
}  // namespace trommel
