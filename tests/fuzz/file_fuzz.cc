// Hostile files. An input is one of two things:
//   a file, if it begins as files do, of any type but a directory: read as it is, and again with
//   all checksums made right; else a script: byte 0 chooses a good file, each 4 bytes after it are
//   one edit to it.
// Scripts get past the magic, places and checksums at once, so that the checks behind are reached.
// What is read must be a whole filter: it writes the same bytes again, and works. The limit of
// memory is the least that SECURITY.md promises to every file: so that numbers which take more are
// met, and found where this runs with limits of time and memory (tools/fuzz, replay.cc).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/src/files/section_tables.h"
#include "support/every_file.h"
#include "support/every_type.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"

namespace {

using namespace trommel;         // NOLINT(google-build-using-namespace)
using namespace trommel::tests;  // NOLINT(google-build-using-namespace)

constexpr uint64_t kMemoryLimit = uint64_t{64} << 20;

void Demand(bool holds, const char* invariant) {
  if (holds) return;
  std::fprintf(stderr, "file_fuzz: violated: %s\n", invariant);
  std::abort();
}

// Has the file metadata, or sections that are left out?
bool HasMore(const Bytes& bytes) {
  const FileForge file(bytes);
  return std::ranges::any_of(file.sections, [&](const FileForge::Section& section) {
    const auto table = SectionsOf(static_cast<FileType>(file.header.type));
    const size_t rank = RankOf(table, NameOf(section.record));
    return rank == 0 || rank == table.size();
  });
}

void Exercise(CountingFilter& filter, const Bytes& bytes) {
  const Bytes written = filter.Serialize();
  Demand(HasMore(bytes) || written == bytes, "what was read is written again, byte for byte");
  Demand(filter.GetStats().num_bytes <= kMemoryLimit, "the memory limit is kept");
  const std::vector<uint64_t> digests = {0, ~uint64_t{0}, 0x9e3779b97f4a7c15, 1, 1, 1};
  const Keys keys = Keys::Digests(digests);
  filter.Insert(keys);
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(digests.size()));
  Demand(filter.Query(keys, bitmap) == digests.size(), "what was inserted is present");
  Demand(filter.Erase(keys).num_refused == 0, "what was inserted can be erased");
  Demand(filter.Serialize() == written, "erase undoes insert");

  const Result<CountingFilter> twin = CountingFilter::Deserialize(bytes);
  Demand(twin.ok(), "what was read once is read again");
  if (filter.num_keys() > uint64_t{1} << 61) return;  // Merge refuses more than 2^62 together
  Demand(filter.Merge(*twin).ok(), "a filter merges with its twin");
  Demand(filter.num_keys() == 2 * twin->num_keys(), "merging adds");
  Demand(filter.Subtract(*twin).ok(), "and its twin can be taken away");
  Demand(filter.Serialize() == written, "subtract undoes merge");
}

// What all types can do.
template <class Filter>
void Exercise(Filter& filter, const Bytes& bytes) {
  const Bytes written = filter.Serialize();
  Demand(HasMore(bytes) || written == bytes, "what was read is written again, byte for byte");
  Demand(Filter::Deserialize(bytes).ok(), "what was read once is read again");
  (void)filter.GetStats();
  const std::vector<uint64_t> digests = {0, ~uint64_t{0}, 0x9e3779b97f4a7c15, 1};
  const Keys keys = Keys::Digests(digests);
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(digests.size()));
  filter.InsertIfAbsent(keys, bitmap);
  if constexpr (std::is_same_v<Filter, ScalableFilter>) return;  // it may have no room to grow
  Demand(filter.Query(keys, bitmap) == digests.size(), "what was inserted is present");
}

void Exercise(AttributeFilter& filter, const Bytes& bytes) {
  const Bytes written = filter.Serialize();
  Demand(HasMore(bytes) || written == bytes, "what was read is written again, byte for byte");
  Demand(AttributeFilter::Deserialize(bytes).ok(), "what was read once is read again");
  Demand(filter.num_bytes() == filter.GetStats().num_bytes, "its bytes are its sets'");
  const std::vector<uint64_t> digests = {0, ~uint64_t{0}, 0x9e3779b97f4a7c15, 1};
  Tuples tuples;
  tuples.columns.fill(digests.data());
  tuples.size = digests.size();
  if (filter.Insert(tuples).num_refused != 0) return;  // it may have no room to grow
  std::vector<uint64_t> bitmap(TupleIndex::BitmapWords(digests.size()));
  Demand(filter.Query(filter.sets().full(), tuples, bitmap) == digests.size(),
         "what was inserted is present");
  Demand(filter.Erase(tuples).num_refused == 0, "what was inserted can be erased");
}

// Whether a file begins as that of a column of a map.
bool IsColumn(const Bytes& bytes) {
  return bytes.size() >= sizeof(FileHeader) &&
         Get<FileHeader>(bytes, 0).type == static_cast<uint32_t>(FileType::kColumn);
}

bool Read(const Bytes& bytes) {
  if (IsColumn(bytes)) {
    const Result<Bytes> column = LoadColumn(bytes, kMemoryLimit);
    Demand(!column.ok() || HasMore(bytes) || *column == bytes, "a column is written again");
    return column.ok();
  }
  Result<AnyFilterPtr> filter = AnyFilter::Deserialize(bytes, kMemoryLimit);
  if (filter) {
    OnType(**filter, [&bytes](auto& one) { Exercise(one, bytes); });
  } else {
    Demand(!filter.error().message.empty(), "an error says what is wrong");
  }
  return filter.ok();
}

// Changes the file's sections, places or records.
void Edit(FileForge& file, std::span<const uint8_t, 4> edit) {
  FileForge::Section& section = file.sections[edit[0] % file.sections.size()];
  Bytes& bytes = section.bytes;
  // Small sections, and the beginnings of others, are met as often as the rest.
  const uint64_t position = edit[1] % 2 == 0 ? edit[1] / 2U : edit[1] * 2654435761U;
  const uint64_t at = bytes.empty() ? 0 : position % bytes.size();
  const uint8_t value = edit[3];
  switch (edit[2] % 8) {
    case 0:
      if (!bytes.empty()) bytes[at] ^= std::byte{1} << (value % 8);
      return;
    case 1:
      if (!bytes.empty()) bytes[at] = std::byte{value};
      return;
    case 2:  // a number: some field, counter or block index
      if (at / 8 * 8 + 8 <= bytes.size()) {
        Put(bytes, at / 8 * 8, Get<uint64_t>(bytes, at / 8 * 8) + value - 128);
      }
      return;
    case 3:
      if (at / 4 * 4 + 4 <= bytes.size()) Put(bytes, at / 4 * 4, uint32_t{1} << (value % 32));
      return;
    case 4:
      bytes.resize(bytes.size() + value - std::min<size_t>(bytes.size(), 128));
      return;
    case 5:
      std::swap(section, file.sections[value % file.sections.size()]);
      return;
    case 6:
      section.record.store += value;
      return;
    default:
      if (value % 2 == 0) {
        file.Insert(value % file.sections.size(), "new", value, value / 2 % 4,
                    Bytes(1 + position % 99));
      } else if (file.sections.size() > 1) {
        file.sections.erase(file.sections.begin() + value % file.sections.size());
      }
      return;
  }
}

void RunScript(std::span<const uint8_t> script) {
  static const std::vector<NamedFile> good = EveryFile();
  FileForge file(good[script[0] % good.size()].bytes);
  for (auto rest = script.subspan(1); rest.size() >= 4; rest = rest.subspan(4)) {
    Edit(file, rest.first<4>());
  }
  const bool was_read = Read(file.Seal());
  Demand(script.size() >= 5 || was_read, "a good file is read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  if (data[0] == kFileMagic[0]) {
    const auto given = std::as_bytes(std::span(data, size));
    const Bytes bytes(given.begin(), given.end());
    Read(bytes);
    Read(ResealedWhole(bytes));
  } else {
    RunScript(std::span(data, size));
  }
  return 0;
}
