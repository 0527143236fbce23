// Hostile files. An input is one of two things:
//   a file, if it begins as files do, of any type: read as it is, and again with all checksums made
//   right; else a script: byte 0 chooses a good file, each 4 bytes after it are one edit to its
//   sections, of which a file is made anew.
// Scripts get past magic, places and checksums at once, so that the checks behind are reached.
// What is read must be a whole filter: it writes the same bytes again, and works. The limit of
// memory is the least that SECURITY.md promises to every file: so that numbers which take more are
// met, and found where this runs with limits of time and memory (tools/fuzz, replay.cc).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "support/file_forge.h"
#include "support/sample_filters.h"
#include "trommel/any_filter.h"
#include "trommel/column_map.h"
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

void Exercise(CountingFilter& filter, const Bytes& bytes) {
  Demand(filter.Serialize() == bytes, "what was read is written again, byte for byte");
  Demand(filter.GetStats().num_bytes <= kMemoryLimit, "the memory limit is kept");
  const std::vector<uint64_t> digests = {0, ~uint64_t{0}, 0x9e3779b97f4a7c15, 1, 1, 1};
  const Keys keys = Keys::Digests(digests);
  filter.Insert(keys);
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(digests.size()));
  Demand(filter.Query(keys, bitmap) == digests.size(), "what was inserted is present");
  Demand(filter.Erase(keys).num_refused == 0, "what was inserted can be erased");
  Demand(filter.Serialize() == bytes, "erase undoes insert");

  const Result<CountingFilter> twin = CountingFilter::Deserialize(bytes);
  Demand(twin.ok(), "what was read once is read again");
  if (filter.num_keys() > ~uint64_t{0} / 4) return;
  Demand(filter.Merge(*twin).ok(), "a filter merges with its twin");
  Demand(filter.num_keys() == 2 * twin->num_keys(), "merging adds");
  Demand(filter.Subtract(*twin).ok(), "and its twin can be taken away");
  Demand(filter.Serialize() == bytes, "subtract undoes merge");
}

// What all types can do.
template <class Filter>
void Exercise(Filter& filter, const Bytes& bytes) {
  Demand(filter.Serialize() == bytes, "what was read is written again, byte for byte");
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
  Demand(filter.Serialize() == bytes, "what was read is written again, byte for byte");
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

// The file without metadata and sections that are left out: what its filter is saved as.
Bytes OwnBytes(const Bytes& bytes) {
  ForgedFile file(bytes);
  std::erase_if(file.sections, [](const ForgedSection& section) {
    return section.name == "metadata" || (section.flags & forge::kSkippable) != 0;
  });
  return file.Build();
}

// A file that begins so is of a column of a map.
bool IsColumn(const Bytes& bytes) { return bytes.size() >= 64 && Get<uint32_t>(bytes, 16) == 7; }

Result<Bytes> ReadColumn(const Bytes& bytes) {
  ColumnMap map = ColumnMap::Create(
                      {.capacity = 64, .num_columns = 1, .num_blocks = 64, .fingerprint_bits = 10})
                      .value();
  if (const Status status = map.LoadColumn(0, bytes); !status.ok()) return status.error();
  return map.SerializeColumn(0);
}

bool Read(const Bytes& bytes) {
  if (IsColumn(bytes)) {
    const Result<Bytes> column = ReadColumn(bytes);
    Demand(!column.ok() || *column == OwnBytes(bytes), "a column is written again");
    return column.ok();
  }
  Result<AnyFilter> filter = DeserializeAny(bytes, kMemoryLimit);
  if (filter) {
    const Bytes own = OwnBytes(bytes);
    std::visit([&own](auto& one) { Exercise(one, own); }, *filter);
  } else {
    Demand(!filter.error().message.empty(), "an error says what is wrong");
  }
  return filter.ok();
}

// One edit of a part of the file; what it does to a file of another shape is as good.
void Edit(ForgedFile& file, std::span<const uint8_t, 4> edit) {
  const size_t index = edit[0] % (file.sections.size() + 1);
  const uint8_t value = edit[3];
  if (index == file.sections.size()) {  // a field of the header that a file states for itself
    Put(std::span(file.header), 8 + 4 * (edit[1] % 6), uint32_t{value});
    return;
  }
  ForgedSection& section = file.sections[index];
  const auto bytes = std::span(section.bytes);
  const size_t at = bytes.empty() ? 0 : edit[1] * size_t{value % 16 + 1U} % bytes.size();
  switch (edit[2] % 9) {
    case 0:
      if (!bytes.empty()) bytes[at] ^= std::byte{1} << (value % 8);
      return;
    case 1:
      if (!bytes.empty()) bytes[edit[1] % bytes.size()] = std::byte{value};
      return;
    case 2:  // a number: a count, a sum, a block
      if (at / 8 * 8 + 8 <= bytes.size()) {
        Put(bytes, at / 8 * 8, Get<uint64_t>(bytes, at / 8 * 8) + value - 128);
      }
      return;
    case 3:
      if (edit[1] % 16 * 4 + 4U <= bytes.size()) {
        Put(bytes, edit[1] % 16 * 4, uint32_t{1} << (value % 32));
      }
      return;
    case 4:
      section.bytes.resize(std::clamp<uint64_t>(bytes.size() + value, 128, 1 << 16) - 128);
      return;
    case 5:
      section.store = value % 4;
      return;
    case 6:
      section.flags ^= 1U << (value % 3);
      return;
    case 7:  // another section's bytes, or name
      if (edit[1] % 2 == 0) {
        section.bytes = file.sections[value % file.sections.size()].bytes;
      } else {
        section.name = file.sections[value % file.sections.size()].name;
      }
      return;
    default:
      file.sections.insert(file.sections.begin() + static_cast<std::ptrdiff_t>(index),
                           {"later", value % 4U, edit[1] % 4U, Bytes(value)});
      return;
  }
}

const std::vector<Bytes>& GoodFiles() {
  static const std::vector<Bytes> files = [] {
    std::vector<Bytes> all;
    for (const Sample& sample : SampleFilters()) all.push_back(sample.filter.Serialize());
    all.push_back(AttributeSample().Serialize());
    return all;
  }();
  return files;
}

void RunScript(std::span<const uint8_t> script) {
  const std::vector<Bytes>& good = GoodFiles();
  ForgedFile file(good[script[0] % good.size()]);
  for (auto rest = script.subspan(1); rest.size() >= 4; rest = rest.subspan(4)) {
    if (file.sections.size() < 64) Edit(file, rest.first<4>());
  }
  Bytes bytes = file.Build();
  const bool is_sealed = script[0] < 0xf0;
  if (!is_sealed) bytes[script.size() * 97 % bytes.size()] ^= std::byte{1};
  const bool was_read = Read(bytes);
  Demand(script.size() >= 5 || was_read == is_sealed, "a good file is read, and no damaged one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  if (data[0] == 0x89) {
    const auto given = std::as_bytes(std::span(data, size));
    Bytes bytes(given.begin(), given.end());
    Read(bytes);
    Reseal(bytes);
    Read(bytes);
  } else {
    RunScript(std::span(data, size));
  }
  return 0;
}
