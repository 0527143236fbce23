// A compound filter's bytes: what comes back, and what damage does.
#include <algorithm>
#include <cstring>

#include "engine/src/disk/checksum.h"
#include "support/catch.h"
#include "support/hbase_vectors.h"
#include "trommel/hbase/compound_filter.h"

namespace trommel::hbase {
namespace {

constexpr int kKeys = 400;

CompoundFilter SavedFilter(const FilterOptions& options) {
  auto writer = CompoundFilterWriter::Create(options).value();
  for (int i = 0; i < kKeys; ++i) {
    CHECK(writer.Append(VectorCell(options.type, 3 * i).name()).ok());
  }
  return std::move(writer).Finish();
}

// Members of a chunk, and all others, by the filter that was written.
struct Answers {
  size_t num_maybe = 0;
  size_t num_members_absent = 0;
  friend bool operator==(const Answers&, const Answers&) = default;
};
Answers AnswersOf(const CompoundFilter& filter, BloomType type) {
  Answers answers;
  for (int i = 0; i < 3 * kKeys; ++i) {
    const bool maybe = filter.MayContain(VectorCell(type, i).name());
    answers.num_maybe += maybe;
    answers.num_members_absent += i % 3 == 0 && !maybe;
  }
  return answers;
}

}  // namespace

TEST_CASE("what was serialized answers as before, for every type", "[engine][hbase]") {
  for (const auto type : {BloomType::kRow, BloomType::kRowCol, BloomType::kRowPrefixFixedLength}) {
    const CompoundFilter written =
        SavedFilter({.type = type, .prefix_length = 10, .chunk_bytes = 128});
    const auto bytes = written.Serialize();
    const CompoundFilter read = CompoundFilter::DeserializeOrPass(bytes);
    CHECK(read.damage().empty());
    CHECK(read.Serialize() == bytes);
    CHECK(read.type() == type);
    CHECK(read.prefix_length() == written.prefix_length());
    CHECK(read.num_keys() == written.num_keys());
    CHECK(read.LastKey() == written.LastKey());
    CHECK(AnswersOf(read, type) == AnswersOf(written, type));
  }
}

TEST_CASE("keys of a damaged chunk are maybe present, others answer as before", "[engine][hbase]") {
  const CompoundFilter written = SavedFilter({.chunk_bytes = 128});
  REQUIRE(written.num_chunks() == 4);
  auto bytes = written.Serialize();
  // In chunk 2, which is the last but one.
  const size_t at = bytes.size() - written.chunk(3).size() - 5;
  bytes[at] ^= std::byte{1};
  const CompoundFilter read = CompoundFilter::DeserializeOrPass(bytes);
  REQUIRE(read.damage().size() == 1);
  CHECK(read.damage()[0].code == ErrorCode::kCorrupt);
  CHECK(read.damage()[0].message ==
        "HBase filter: the checksum of chunk 2 does not fit: its keys are maybe present");
  CHECK(read.FprOfChunk(2) == 1);
  for (int i = 0; i < 3 * kKeys; ++i) {
    const VectorCell cell(BloomType::kRow, i);
    const bool is_hit = written.ChunkOf(cell.name()) == 2;
    CHECK(read.MayContain(cell.name()) == (is_hit || written.MayContain(cell.name())));
  }
}

TEST_CASE("a filter cut at any length loses no member, and says that it is cut",
          "[engine][hbase]") {
  for (const auto type : {BloomType::kRow, BloomType::kRowCol}) {
    const auto bytes = SavedFilter({.type = type, .chunk_bytes = 128}).Serialize();
    for (size_t size = 0; size < bytes.size(); ++size) {
      const CompoundFilter read = CompoundFilter::DeserializeOrPass(std::span(bytes).first(size));
      CHECK_FALSE(read.damage().empty());
      if (size % 17 == 0) CHECK(AnswersOf(read, type).num_members_absent == 0);
    }
    auto longer = bytes;
    longer.push_back(std::byte{0});
    CHECK(CompoundFilter::DeserializeOrPass(longer).damage().size() == 1);
  }
}

TEST_CASE("no flipped bit makes a member absent, and each is noticed", "[engine][hbase]") {
  const auto bytes = SavedFilter({.type = BloomType::kRowCol, .chunk_bytes = 128}).Serialize();
  for (size_t bit = 0; bit < 8 * bytes.size(); bit += bit < 8 * 300 ? 1 : 61) {
    auto flipped = bytes;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    const CompoundFilter read = CompoundFilter::DeserializeOrPass(flipped);
    CHECK_FALSE(read.damage().empty());
    if (bit % 5 == 0) CHECK(AnswersOf(read, BloomType::kRowCol).num_members_absent == 0);
  }
}

TEST_CASE("metadata that is damaged or forged under a right checksum passes every key",
          "[engine][hbase]") {
  const CompoundFilter written = SavedFilter({.type = BloomType::kRowCol, .chunk_bytes = 128});
  const auto bytes = written.Serialize();
  const size_t num_checked =
      written.Metadata().size() + written.LastKey().size() + 8 * written.num_chunks();
  const auto sealed = [&](size_t at, std::byte value) {
    auto forged = bytes;
    forged[at] = value;
    Checksum checksum;
    checksum.Add(std::span(forged).first(32));
    checksum.Add(std::span(forged).subspan(40, num_checked));
    const uint64_t value_of = checksum.Value();
    for (size_t i = 0; i < 8; ++i) forged[32 + i] = static_cast<std::byte>(value_of >> 8 * i);
    return CompoundFilter::DeserializeOrPass(forged);
  };
  // Each byte of the metadata and of the header before it, changed and sealed: whatever is refused
  // passes all keys, and what is accepted must not crash.
  for (size_t at = 0; at < 40 + written.Metadata().size(); ++at) {
    for (const auto value : {std::byte{0}, std::byte{0x7f}, std::byte{0xff}}) {
      const CompoundFilter read = sealed(at, value);
      static_cast<void>(AnswersOf(read, BloomType::kRowCol));
    }
  }
  CHECK(sealed(40, std::byte{9}).damage()[0].message.find("metadata of version") !=
        std::string::npos);
  const CompoundFilter other_hash = sealed(40 + 19, std::byte{2});
  CHECK(other_hash.damage()[0].message ==
        "HBase filter: hash type 2; only 1 (murmur) is implemented; every key is maybe present");
  CHECK(other_hash.MayContain({"never", "written"}));
  CHECK(other_hash.MayContainRow("never"));
}

TEST_CASE("long keys have lengths of several bytes in the index", "[engine][hbase]") {
  auto writer = CompoundFilterWriter::Create({.chunk_bytes = 128, .max_fold = 0}).value();
  std::string row(300, 'k');
  for (char c = 'a'; c <= 'z'; ++c) {
    row[0] = c;
    row[299] = static_cast<char>(0x80 + c);
    REQUIRE(writer.Append({row, {}}).ok());
  }
  const CompoundFilter written = std::move(writer).Finish();
  // The length of the first key, 300: -114 and two bytes.
  const std::string metadata = TextOfBytes(written.Metadata());
  CHECK(metadata.substr(53, 3) == std::string("\x8e\x01\x2c", 3));
  const CompoundFilter read = CompoundFilter::DeserializeOrPass(written.Serialize());
  CHECK(read.damage().empty());
  CHECK(read.MayContainRow(row));
}

}  // namespace trommel::hbase
