// A small file of every type, encoding and kind of section, and how it is loaded and saved again.
#ifndef TROMMEL_TESTS_SUPPORT_EVERY_FILE_H_
#define TROMMEL_TESTS_SUPPORT_EVERY_FILE_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/every_type.h"
#include "support/file_forge.h"
#include "support/random_keys.h"
#include "support/shapes.h"
#include "support/tuple_rows.h"
#include "support/window_files.h"
#include "trommel/any_filter.h"
#include "trommel/column_map.h"

namespace trommel::tests {

// What was loaded, saved again.
using LoadFile = std::function<Result<Bytes>(std::span<const std::byte>, uint64_t limit_bytes)>;

struct NamedFile {
  std::string name;
  Bytes bytes;
  LoadFile load;
};

inline Result<Bytes> LoadFilter(std::span<const std::byte> bytes, uint64_t limit_bytes) {
  const Result<AnyFilterPtr> filter = AnyFilter::Deserialize(bytes, limit_bytes);
  if (!filter.ok()) return filter.error();
  return (*filter)->Serialize();
}

inline ColumnMap MapOfColumns() {
  ColumnMap map = ColumnMap::Create({.capacity = 300, .num_columns = 3}).value();
  (void)map.OpenColumn(0).value();
  return map;
}

// What is refused leaves the column closed, and the map as it was.
inline Result<Bytes> LoadColumn(std::span<const std::byte> bytes, uint64_t /*limit_bytes*/) {
  ColumnMap map = MapOfColumns();
  if (Status loaded = map.LoadColumn(1, bytes); !loaded.ok()) {
    if (map.IsOpen(1) || map.GetStats().num_pairs != 0) {
      std::fputs("a refused column is loaded\n", stderr);  // of fuzzing, too
      std::abort();
    }
    return loaded.error();
  }
  return map.SerializeColumn(1);
}

// Blocks that are full, marked, spilled and cut, with side tables.
inline CountingFilter CrowdedFilter(const Geometry& geometry) {
  CountingFilter filter = MakeFilter(geometry, {.kind = DigestKind::kCaller});
  std::vector<uint64_t> digests(geometry.num_blocks * 34);
  for (uint64_t i = 0; i < digests.size(); ++i) digests[i] = i * i * 0x9e3779b97f4a7c15U;
  filter.Insert(Keys::Digests(digests));
  filter.Insert(Keys::Digests(std::span(digests).first(geometry.num_blocks)));
  for (int i = 0; i < 300; ++i) filter.Insert(Key::Digest(digests[7]));
  return filter;
}

// Shard 0 has blocks, shard 1 digests, both with further copies; the others are empty.
inline ScalableFilter GrowingOfTwoShards() {
  ScalableFilter filter = ScalableFilter::Create({}).value();
  std::vector<uint64_t> digests = MemberKeys(1600, 1);
  for (uint64_t& digest : digests) digest >>= 6;
  filter.Insert(Keys::Digests(digests));
  for (size_t i = 0; i < 30; ++i) digests[i] |= uint64_t{1} << 58;
  for (int i = 0; i < 7; ++i) filter.Insert(Keys::Digests(std::span(digests).first(40)));
  return filter;
}

inline AttributeFilter AttributesOf(const AttributeSets& sets) {
  AttributeFilter filter =
      AttributeFilter::Create({.sets = sets, .capacity = 10, .target_fpr = 1e-5}).value();
  const std::vector<TupleRow> rows =
      RandomRows(20, std::vector<uint64_t>(sets.num_attributes(), 3), 5);
  filter.Insert(TupleColumns(rows).view());
  return filter;
}

inline std::vector<NamedFile> EveryFile() {
  std::vector<NamedFile> files;
  const auto add = [&](std::string name, Bytes bytes) {
    files.push_back({std::move(name), std::move(bytes), &LoadFilter});
  };
  for (const NamedFilter& one : EveryType()) add(one.name, one.filter->Serialize());
  add("crowded planes", CrowdedFilter({.num_slices = 8, .num_blocks = 3}).Serialize());
  add("crowded runs",
      CrowdedFilter({.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 5}).Serialize());
  for (const Encoding encoding : {Encoding::kFingerprints16, Encoding::kDense}) {
    add("crowded " + std::string(EncodingName(encoding)),
        CrowdedFilter(FingerprintsOf(encoding, 66)).Serialize());
  }
  for (const NamedFilter& one : CrowdedWindows()) add(one.name, one.filter->Serialize());
  add("doubling of two shards", GrowingOfTwoShards().Serialize());
  const std::vector<AttributeMask> cuts = {0b011};
  const std::vector<AttributeMask> list = {0b111, 0b100};
  add("attributes of a limit", AttributesOf(*AttributeSets::AtMost(3, 2, cuts)).Serialize());
  add("attributes of a list", AttributesOf(*AttributeSets::Keep(3, list)).Serialize());
  ColumnMap map = MapOfColumns();
  files.push_back({"column without keys", map.SerializeColumn(0), &LoadColumn});
  map.Insert(0, MemberKeys(300, 1));
  map.Insert(0, MemberKeys(40, 1));
  files.push_back({"column", map.SerializeColumn(0), &LoadColumn});
  return files;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_EVERY_FILE_H_
