// Hostile snapshots. An input is one of two things:
//   a file, if it begins as snapshots do, of a filter of any type: read as it is, and again with
//   all checksums made right; else a script: byte 0 chooses a good snapshot, each 4 bytes after it
//   are one edit to it.
// Scripts get past the magic, sizes and checksums at once, so that the checks behind are reached.
// What is read must be a whole filter: it writes the same bytes again, and works. The limit of
// memory is the least that SECURITY.md promises to every file: so that numbers which take more are
// met, and found where this runs with limits of time and memory (tools/fuzz, replay.cc).
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "support/reseal.h"
#include "support/sample_filters.h"
#include "support/snapshot_forge.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"

namespace {

using namespace trommel;         // NOLINT(google-build-using-namespace)
using namespace trommel::tests;  // NOLINT(google-build-using-namespace)

constexpr uint64_t kMemoryLimit = uint64_t{64} << 20;

void Demand(bool holds, const char* invariant) {
  if (holds) return;
  std::fprintf(stderr, "snapshot_fuzz: violated: %s\n", invariant);
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
  if (filter.num_keys() > kMaxSnapshotKeys / 2) return;
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

bool Read(const Bytes& bytes) {
  Result<AnyFilter> filter = DeserializeAny(bytes, kMemoryLimit);
  if (filter) {
    std::visit([&bytes](auto& one) { Exercise(one, bytes); }, *filter);
  } else {
    Demand(!filter.error().message.empty(), "an error says what is wrong");
  }
  return filter.ok();
}

// Where a script's position points: into the header or a section, for padding would be most of it.
uint64_t Place(const SnapshotHeader& header, uint64_t position) {
  const uint64_t in_sections = header.presence.num_bytes + header.counts.num_bytes;
  uint64_t at = position % (sizeof(header) + in_sections + header.side_table.num_bytes);
  if (at < sizeof(header)) return at;
  at -= sizeof(header);
  for (const SectionRecord& section : {header.presence, header.counts, header.side_table}) {
    if (at < section.num_bytes) return section.offset + at;
    at -= section.num_bytes;
  }
  return 0;
}

// Turns one slice of a block around: its counts stay, their positions change. Often a valid filter.
void TurnSlice(const SnapshotHeader& header, Bytes& bytes, uint64_t slice_idx, int by) {
  const uint64_t block_idx = slice_idx / header.num_slices % header.num_blocks;
  const uint64_t s = slice_idx % header.num_slices;
  const auto turn = [&bytes, by](uint64_t at) {
    Put(bytes, at, std::rotl(Get<uint32_t>(bytes, at), by));
  };
  if (header.encoding == static_cast<uint32_t>(Encoding::kRuns)) {
    // Presence bits only: the rank of a run depends on them.
    const uint64_t block = header.counts.offset + block_idx * (header.num_slices > 8 ? 128 : 64);
    if (header.num_slices == 8) return turn(block + s * 4);
    return Put(bytes, block + s * 8, std::rotl(Get<uint64_t>(bytes, block + s * 8), by));
  }
  turn(header.presence.offset + (block_idx * header.num_slices + s) * 4);
  for (uint64_t p = 0; p < 3; ++p) {
    turn(header.counts.offset + ((block_idx * 3 + p) * header.num_slices + s) * 4);
  }
}

void Edit(const SnapshotHeader& header, Bytes& bytes, std::span<const uint8_t, 4> edit) {
  const uint64_t position = edit[0] | uint64_t{edit[1]} << 8;
  const uint8_t value = edit[3];
  const uint64_t at = Place(header, position);
  switch (edit[2] % 8) {
    case 0:
      if (at < bytes.size()) bytes[at] ^= std::byte{1} << (value % 8);
      return;
    case 1:
      if (at < bytes.size()) bytes[at] = std::byte{value};
      return;
    case 2:  // a number: some header field, counter or block index
      if (at / 8 * 8 + 8 <= bytes.size()) {
        Put(bytes, at / 8 * 8, Get<uint64_t>(bytes, at / 8 * 8) + value - 128);
      }
      return;
    case 3:
      if (at / 4 * 4 + 4 <= bytes.size()) Put(bytes, at / 4 * 4, uint32_t{1} << (value % 32));
      return;
    case 4:
      if (header.file_bytes <= bytes.size()) TurnSlice(header, bytes, position, value % 32);
      return;
    case 5:  // a padding byte, or any other
      bytes[(position << 4 | value) % bytes.size()] ^= std::byte{1};
      return;
    case 6:  // another length, of which the header may know
      bytes.resize(std::clamp<uint64_t>(bytes.size() + value, 129, 1 << 16) - 128);
      if (position % 2 == 0 && bytes.size() >= sizeof(header)) {
        Put(bytes, offsetof(SnapshotHeader, file_bytes), uint64_t{bytes.size()});
      }
      return;
    default:  // one counter up in the side table, and num_keys with it
      if (at + 1 <= bytes.size() && bytes.size() >= sizeof(header)) {
        bytes[at] = static_cast<std::byte>(std::to_integer<int>(bytes[at]) + 1);
        const uint64_t num_keys = Get<uint64_t>(bytes, offsetof(SnapshotHeader, num_keys));
        Put(bytes, offsetof(SnapshotHeader, num_keys), num_keys + value % 2);
      }
      return;
  }
}

const std::vector<Bytes>& GoodSnapshots() {
  static const std::vector<Bytes> snapshots = [] {
    std::vector<Bytes> all;
    for (const Sample& sample : SampleFilters()) all.push_back(sample.filter.Serialize());
    return all;
  }();
  return snapshots;
}

void RunScript(std::span<const uint8_t> script) {
  const std::vector<Bytes>& good = GoodSnapshots();
  Bytes bytes = good[script[0] % good.size()];
  const SnapshotHeader header = HeaderOf(bytes);
  for (auto rest = script.subspan(1); rest.size() >= 4; rest = rest.subspan(4)) {
    Edit(header, bytes, rest.first<4>());
  }
  const bool sealed = script[0] < 0xf0;
  if (sealed) Reseal(bytes);
  const bool was_read = Read(bytes);
  Demand(script.size() >= 5 || !sealed || was_read, "a good snapshot is read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  if (data[0] == kSnapshotMagic[0]) {
    const auto given = std::as_bytes(std::span(data, size));
    Bytes bytes(given.begin(), given.end());
    Read(bytes);
    ResealAny(bytes);
    Read(bytes);
  } else {
    RunScript(std::span(data, size));
  }
  return 0;
}
