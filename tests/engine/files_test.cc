// What holds of files of every type: they come back, they have one form, and whatever is cut,
// changed, left out, put in or forged is refused by an error that names what and where. What only
// one type's sections can break is in forged_contents_test.cc.
#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "engine/src/files/filter_files.h"
#include "support/catch.h"
#include "support/damage.h"
#include "support/every_file.h"
#include "support/every_type.h"
#include "support/sanitized.h"
#include "support/scratch_folder.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

// The error of loading; nothing if it loads.
Error ErrorOf(const NamedFile& file, std::span<const std::byte> bytes) {
  const Result<Bytes> loaded = file.load(bytes, 0);
  if (loaded.ok()) return {ErrorCode::kIo, "loaded"};
  return loaded.error();
}

void CheckRefused(const NamedFile& file, const Bytes& bytes, ErrorCode code,
                  const std::string& message) {
  const Error error = ErrorOf(file, bytes);
  CHECK(error.code == code);
  CHECK_THAT(error.message, ContainsSubstring(message));
}

constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;
constexpr ErrorCode kVersion = ErrorCode::kVersion;

}  // namespace

TEST_CASE("a file of every type comes back as it was", "[engine][files]") {
  std::set<std::string> seen;
  for (const NamedFile& file : EveryFile()) {
    CAPTURE(file.name);
    const Result<Bytes> again = file.load(file.bytes, 0);
    if (!again.ok()) FAIL(again.error().message);
    CHECK((*again == file.bytes));
    const FileForge forge(file.bytes);
    CHECK((forge.Seal() == file.bytes));
    for (const auto& section : forge.sections) {
      seen.insert(std::to_string(forge.header.type) + " " + std::string(NameOf(section.record)));
    }
  }
  // Every row of every table, but metadata and the directory of an index, is in one of them; where
  // stores of a kind are all alike, in one type: counting, or attributes.
  for (const FileType type : {FileType::kCounting, FileType::kScalable, FileType::kWindow,
                              FileType::kAttributes, FileType::kColumn}) {
    for (const SectionRow& row : SectionsOf(type)) {
      if (row.name == "metadata") continue;
      const std::string in_type =
          std::to_string(static_cast<uint32_t>(type)) + " " + std::string(row.name);
      CAPTURE(in_type);
      CHECK((seen.contains(in_type) || seen.contains("1 " + std::string(row.name)) ||
             seen.contains("6 " + std::string(row.name))));
    }
  }
}

TEST_CASE("a file of any type with any byte changed or cut is refused", "[engine][files][long]") {
  for (const NamedFile& file : EveryFile()) {
    CAPTURE(file.name);
    CheckDamageIsRefused(file.bytes,
                         [&](std::span<const std::byte> bytes) { return file.load(bytes, 0); },
                         {.step = TROMMEL_TESTS_SANITIZED ? 241 : 61});
    const FileForge forge(file.bytes);
    for (const auto& section : forge.sections) {  // and at every section's borders
      for (const uint64_t at :
           {section.record.offset, section.record.offset + section.record.num_bytes}) {
        CHECK(ErrorOf(file, std::span(file.bytes).first(at)).code == kCorrupt);
      }
    }
  }
}

TEST_CASE("a forged header is refused, and what is wrong is named", "[engine][files]") {
  struct Forgery {
    uint64_t at;
    uint64_t num_bytes;
    uint64_t value;
    ErrorCode code;
    const char* message;
  };
  const std::vector<Forgery> forgeries = {
      {0, 1, 0x88, kCorrupt, "not a Trommel file (bad magic)"},
      {4, 1, '\n', kCorrupt, "byte 4: line ends were translated"},
      {6, 1, 0, kCorrupt, "byte 6: line ends were translated"},
      {8, 4, 0, kVersion, "file of container version 0; this library reads 1"},
      {8, 4, 2, kVersion, "file of container version 2; this library reads 1"},
      {12, 4, 256, kVersion, "made by a version before 0.1: build it again"},
      {12, 4, 128, kCorrupt, "byte 12: the header is not 64 bytes long"},
      {16, 4, 0, kVersion, "file of a later version: at byte 16 the type is 0"},
      {16, 4, 5, kVersion, "at byte 16 the type is 5"},
      {16, 4, 9, kVersion, "at byte 16 the type is 9"},
      {20, 4, 4, kVersion, "at byte 20 the digest kind is 4; this library reads 0 (xxh64)"},
      {32, 8, 63, kCorrupt, "its header says 63"},
      {32, 8, ~uint64_t{0}, kCorrupt, "truncated?"},
      {40, 4, 0, kCorrupt, "byte 40: 0 sections"},
      {40, 4, 0xffffffff, kCorrupt, "byte 40: 4294967295 sections in a file of"},
      {44, 4, 1, kCorrupt, "byte 44: reserved bytes are not zero"},
  };
  for (const NamedFile& file : EveryFile()) {
    CAPTURE(file.name);
    CHECK((Resealed(file.bytes) == file.bytes));
    for (const Forgery& forgery : forgeries) {
      CAPTURE(forgery.at, forgery.value);
      Bytes bytes = file.bytes;
      std::memcpy(bytes.data() + forgery.at, &forgery.value, forgery.num_bytes);
      CheckRefused(file, Resealed(bytes), forgery.code, forgery.message);
    }
  }
}

TEST_CASE("a forged directory is refused, and what is wrong is named", "[engine][files]") {
  using Edit = std::function<void(SectionRecord&)>;
  struct Forgery {
    Edit edit;
    ErrorCode code;
    const char* message;
  };
  const std::vector<Forgery> forgeries = {
      {[](SectionRecord& r) { r.name[0] = 'A'; }, kCorrupt, "a section's name has other"},
      {[](SectionRecord& r) { r.name = {}; }, kCorrupt, "a section's name has other"},
      {[](SectionRecord& r) { r.name[15] = 'x'; }, kCorrupt, "a section's name has other"},
      {[](SectionRecord& r) { r.name[0] = 'z', r.flags &= kPagedFlag; }, kVersion,
       "which this library does not know"},
      {[](SectionRecord& r) { r.flags |= 4; }, kVersion, "the flags of section '"},
      {[](SectionRecord& r) { r.flags ^= kSkippableFlag; }, kCorrupt, "has flags or a store"},
      {[](SectionRecord& r) { r.store = r.store == 0 ? 1 : 0; }, kCorrupt, "has flags or a store"},
      {[](SectionRecord& r) { r.offset += 4096; }, kCorrupt, "where its place is byte"},
      {[](SectionRecord& r) { r.offset -= 64; }, kCorrupt, "where its place is byte"},
      {[](SectionRecord& r) { r.offset = ~uint64_t{0}; }, kCorrupt, "where its place is byte"},
      {[](SectionRecord& r) { r.num_bytes = 0; }, kCorrupt, "has 0 bytes at byte"},
      {[](SectionRecord& r) { r.num_bytes = ~uint64_t{0}; }, kCorrupt, "before the directory"},
      {[](SectionRecord& r) { r.checksum += 1; }, kCorrupt, "does not match its checksum"},
  };
  for (const NamedFile& file : EveryFile()) {
    CAPTURE(file.name);
    const FileForge forge(file.bytes);
    for (size_t i = 0; i < std::min<size_t>(forge.sections.size(), 12); ++i) {
      const uint64_t at = file.bytes.size() - (forge.sections.size() - i) * sizeof(SectionRecord);
      CAPTURE(std::string(NameOf(forge.sections[i].record)));
      for (size_t f = 0; f < forgeries.size(); ++f) {
        CAPTURE(f);
        Bytes bytes = file.bytes;
        auto record = Get<SectionRecord>(bytes, at);
        forgeries[f].edit(record);
        Put(bytes, at, record);
        CheckRefused(file, Resealed(bytes), forgeries[f].code, forgeries[f].message);
      }
    }
  }
}

TEST_CASE("a file with other sections is refused or is another file", "[engine][files]") {
  for (const NamedFile& file : EveryFile()) {
    const FileForge good(file.bytes);
    for (size_t i = 0; i < std::min<size_t>(good.sections.size(), 12); ++i) {
      const SectionRecord record = good.sections[i].record;
      CAPTURE(file.name, std::string(NameOf(record)), record.store);
      // Or it is another file, in its only form.
      const auto refused = [&](const FileForge& forge) {
        const Bytes bytes = forge.Seal();
        const Result<Bytes> loaded = file.load(bytes, 0);
        return loaded.ok() ? *loaded == bytes : loaded.error().code == kCorrupt;
      };
      FileForge without = good;
      without.sections.erase(without.sections.begin() + static_cast<std::ptrdiff_t>(i));
      if (!without.sections.empty()) CHECK(refused(without));
      FileForge twice = good;
      twice.sections.insert(twice.sections.begin() + static_cast<std::ptrdiff_t>(i),
                            good.sections[i]);
      CHECK(refused(twice));
      FileForge longer = good;
      longer.sections[i].bytes.resize(record.num_bytes + 64);
      CHECK(refused(longer));
      FileForge shorter = good;
      shorter.sections[i].bytes.resize(record.num_bytes - 1);
      CHECK(refused(shorter));
      FileForge moved = good;
      if (i > 0) {
        std::swap(moved.sections[i], moved.sections[i - 1]);
        CheckRefused(file, moved.Seal(), kCorrupt, "is not behind those that stand before it");
      }
      FileForge elsewhere = good;
      if (record.store != 0) {
        elsewhere.sections[i].record.store += 1000;
        CHECK(refused(elsewhere));
      }
    }
    // What the type's table has, but not such a filter.
    for (const SectionRow& row : SectionsOf(static_cast<FileType>(good.header.type))) {
      if (row.name == "metadata") continue;
      const uint32_t store = row.is_of_store ? 1 : 0;
      if (good.Find(row.name, store) != good.sections.size()) continue;
      CAPTURE(file.name, std::string(row.name));
      bool is_refused = true;
      for (size_t i = 0; i <= good.sections.size(); ++i) {  // one of them is its place
        FileForge more = good;
        more.Insert(i, row.name, store, row.flags, Bytes(row.entry_bytes));
        is_refused = is_refused && ErrorOf(file, more.Seal()).code == kCorrupt;
      }
      CHECK(is_refused);
    }
  }
}

TEST_CASE("sections of a later version are left out or refused by name", "[engine][files]") {
  for (const NamedFile& file : EveryFile()) {
    CAPTURE(file.name);
    const FileForge good(file.bytes);
    for (const size_t idx : {size_t{0}, good.sections.size() / 2, good.sections.size()}) {
      for (const uint32_t paged : {0U, kPagedFlag}) {
        CAPTURE(idx, paged);
        FileForge later = good;
        later.Insert(idx, "new_2", 3, kSkippableFlag | paged, Bytes(77, std::byte{5}));
        const Bytes bytes = later.Seal();
        const Result<Bytes> loaded = file.load(bytes, 0);
        if (!loaded.ok()) FAIL(loaded.error().message);
        CHECK((*loaded == file.bytes));
        // Left out, but checked.
        Bytes damaged = bytes;
        const auto run = std::search_n(damaged.begin(), damaged.end(), 77, std::byte{5});
        REQUIRE(run != damaged.end());
        *run = std::byte{6};
        CheckRefused(file, damaged, kCorrupt, "section 'new_2' of store 3 (77 bytes) does not");
        FileForge unknown = good;
        unknown.Insert(idx, "new_2", 3, paged, Bytes(77, std::byte{5}));
        CheckRefused(file, unknown.Seal(), kVersion,
                     "section 'new_2' of store 3, which this library does not know");
      }
    }
  }
}

TEST_CASE("padding that is not zero is refused whatever the checksums", "[engine][files]") {
  for (const NamedFile& file : EveryFile()) {
    CAPTURE(file.name);
    const FileForge good(file.bytes);
    uint64_t end = sizeof(FileHeader);
    std::vector<uint64_t> places;
    for (const auto& section : good.sections) {
      if (section.record.offset > end)
        places.insert(places.end(), {end, section.record.offset - 1});
      end = section.record.offset + section.record.num_bytes;
    }
    if (end % 64 != 0) places.push_back(end);
    REQUIRE_FALSE(places.empty());
    for (const uint64_t at : places) {
      Bytes bytes = file.bytes;
      bytes[at] = std::byte{1};
      CheckRefused(file, bytes, kCorrupt,
                   "corrupt file at byte " + std::to_string(at) + ": padding is not zero");
    }
  }
}

TEST_CASE("a file of another type is refused by the names of both", "[engine][files]") {
  const ScratchFolder folder;
  const auto name_of = [](uint32_t type) -> std::string {
    if (type == 7) return "a column of a map";
    const std::string name(FilterTypeName(static_cast<FilterType>(type)));
    return (name[0] == 'a' ? "an " : "a ") + name + " filter";
  };
  const std::vector<NamedFilter> filters = EveryType();
  for (const NamedFile& file : EveryFile()) {
    CAPTURE(file.name);
    const uint32_t type = FileForge(file.bytes).header.type;
    const auto check = [&](uint32_t other, const auto& loaded) {
      if (type == other) return;
      REQUIRE_FALSE(loaded.ok());
      CHECK(loaded.error().code == ErrorCode::kMismatch);
      CHECK_THAT(loaded.error().message,
                 ContainsSubstring("the file of " + name_of(type) + ", not of " + name_of(other)));
    };
    for (const NamedFilter& one : filters) {
      OnType(*one.filter, [&](const auto& filter) {
        using Filter = std::remove_cvref_t<decltype(filter)>;
        check(static_cast<uint32_t>(one.filter->type()), Filter::Deserialize(file.bytes));
      });
    }
    if (type == 7) {
      CHECK(TypeOfBytes(file.bytes).error().code == ErrorCode::kMismatch);
      CHECK_THAT(AnyFilter::Deserialize(file.bytes).error().message,
                 ContainsSubstring("a column of a map"));
    } else {
      check(7, LoadColumn(file.bytes, 0));
      CHECK(static_cast<uint32_t>(TypeOfBytes(file.bytes).value()) == type);
      CHECK(TypeOfBytes(std::span(file.bytes).first(file.bytes.size() - 1)).error().code ==
            kCorrupt);
    }
  }
}

TEST_CASE("metadata of any length are a section of the file", "[engine][files][metadata]") {
  for (const NamedFilter& one : EveryType()) {
    CAPTURE(one.name);
    const Bytes without = one.filter->Serialize();
    CHECK(LoadMetadata(SpanSource(without)).value().empty());
    for (const size_t size : {size_t{1}, size_t{22}, kMaxMetadataBytes}) {
      const Bytes metadata(size, std::byte{0x5a});
      VectorSink sink;
      REQUIRE(one.filter->SaveTo(sink, metadata).ok());
      const Bytes bytes = sink.Take();
      CHECK((LoadMetadata(SpanSource(bytes)).value() == metadata));
      CHECK((LoadFilter(bytes, 0).value() == without));
      FileForge forge(bytes);
      REQUIRE(forge.Find("metadata") == 0);
      Bytes damaged = bytes;
      damaged[64] ^= std::byte{1};
      CHECK_THAT(LoadMetadata(SpanSource(damaged)).error().message,
                 ContainsSubstring("section 'metadata' ("));
      CHECK(LoadFilter(damaged, 0).error().code == kCorrupt);
      CHECK(LoadMetadata(SpanSource(std::span(bytes).first(bytes.size() - 1))).error().code ==
            kCorrupt);
      forge.At("metadata").bytes.resize(kMaxMetadataBytes + 1);
      CHECK(LoadFilter(forge.Seal(), 0).error().code == kCorrupt);
    }
    const Bytes much(kMaxMetadataBytes + 1);
    VectorSink sink;
    CHECK(one.filter->SaveTo(sink, much).error().code == ErrorCode::kInvalidArgument);
    CHECK(sink.bytes().empty());
  }
}

TEST_CASE("an error of a sink at any point is the error of saving", "[engine][files]") {
  // Takes so many bytes.
  class FullSink final : public ByteSink {
   public:
    explicit FullSink(uint64_t num_left) : num_left_(num_left) {}
    Status Append(std::span<const std::byte> bytes) override {
      if (bytes.size() > num_left_) return Error{ErrorCode::kIo, "the sink is full"};
      num_left_ -= bytes.size();
      return Ok();
    }
    Status Overwrite(uint64_t, std::span<const std::byte>) override {
      return num_left_ == 0 ? Status(Error{ErrorCode::kIo, "the sink is full"}) : Ok();
    }

   private:
    uint64_t num_left_;
  };
  for (const NamedFilter& one : EveryType()) {
    CAPTURE(one.name);
    const uint64_t num_bytes = one.filter->Serialize().size();
    for (uint64_t size = 0; size <= num_bytes; size += size < 200 ? 8 : num_bytes / 7) {
      FullSink sink(size);
      const Status saved = one.filter->SaveTo(sink, {});
      REQUIRE_FALSE(saved.ok());
      CHECK(saved.error().message == "the sink is full");
    }
  }
}

TEST_CASE("loading keeps to the limit of memory, and a file names itself in errors",
          "[engine][files]") {
  const ScratchFolder folder;
  for (const NamedFilter& one : EveryType()) {
    CAPTURE(one.name);
    const auto path = folder / "file";
    REQUIRE(one.filter->Save(path, {}).ok());
    const Result<AnyFilterPtr> refused = AnyFilter::Load(path, 100);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kOutOfMemory);
    CHECK_THAT(refused.error().message, ContainsSubstring(path.string() + ": ") &&
                                            ContainsSubstring("the limit of 100 bytes"));
    Bytes half = one.filter->Serialize();
    half.resize(half.size() / 2);
    WriteFile(path, half);
    const Error error = AnyFilter::Load(path).error();
    CHECK(error.code == kCorrupt);
    CHECK_THAT(error.message,
               ContainsSubstring(path.string() + ": ") &&
                   ContainsSubstring("file is " + GroupedText(half.size()) + " bytes"));
  }
  CHECK(AnyFilter::Load(folder / "nothing").error().code == ErrorCode::kIo);
  CHECK(LoadMetadata(folder / "nothing").error().code == ErrorCode::kIo);
}

}  // namespace trommel::tests
