// Files are canonical: whatever number a forger writes into a header or table, with all checksums
// right, either is refused or comes back from the loaded filter in the same place.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/attributes/attribute_format.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/scalable/doubling_snapshot.h"
#include "engine/src/snapshots/fingerprint_snapshot.h"
#include "engine/src/snapshots/multi_store_format.h"
#include "support/attribute_forge.h"
#include "support/catch.h"
#include "support/every_type.h"
#include "support/multi_store_forge.h"
#include "trommel/any_filter.h"

namespace trommel::tests {
namespace {

constexpr uint64_t kMemoryLimit = uint64_t{16} << 20;

// The snapshot within a file that has header and table of its own.
struct Front {
  std::string name;
  uint64_t begin;      // of the snapshot, in the file
  uint64_t num_bytes;  // of the snapshot
  uint64_t front_bytes;
  std::function<void(Bytes&)> reseal;  // of the snapshot's bytes
};

void SealHeader(Bytes& bytes) {
  const uint64_t sum = HeaderChecksum(std::span(bytes).first<kHeaderBytes>());
  Put(bytes, kHeaderChecksumAt, sum);
}

void SealDoubling(Bytes& bytes) {
  const auto table = std::span(bytes).subspan(kHeaderBytes, sizeof(ShardTable));
  Put(bytes, offsetof(DoublingHeader, table_checksum), Checksum::Of(table));
  SealHeader(bytes);
}

void AddMultiStore(const Bytes& file, const std::string& name, uint64_t begin, uint64_t num_bytes,
                   std::vector<Front>& fronts) {
  const auto header = Get<MultiStoreHeader>(file, begin);
  const uint64_t table_bytes = header.num_members * sizeof(MemberRecord);
  fronts.push_back({name, begin, num_bytes, kHeaderBytes + table_bytes, &ResealMultiStore});
  for (uint64_t i = 0; i < header.num_members; ++i) {
    const auto record = Get<MemberRecord>(file, begin + kHeaderBytes + i * sizeof(MemberRecord));
    fronts.push_back({name + ", member " + std::to_string(i), begin + record.offset,
                      record.num_bytes, kHeaderBytes, &SealHeader});
  }
}

std::vector<Front> FrontsOf(const std::string& name, const Bytes& file) {
  std::vector<Front> fronts;
  const auto start = Get<SnapshotStart>(file, 0);
  const auto type = static_cast<SnapshotType>(start.type);
  if (start.version == kSecondVersion && type != SnapshotType::kAttributeFilter) {
    const bool is_scalable = type == SnapshotType::kScalableFilter;
    const uint64_t table_bytes = is_scalable ? sizeof(ShardTable) : 0;
    fronts.push_back({name, 0, file.size(), kHeaderBytes + table_bytes,
                      is_scalable ? &SealDoubling : &SealHeader});
    return fronts;
  }
  switch (type) {
    case SnapshotType::kCountingFilter:
      fronts.push_back({name, 0, file.size(), kHeaderBytes, &SealHeader});
      break;
    case SnapshotType::kAttributeFilter: {
      const auto header = Get<AttributeHeader>(file, 0);
      fronts.push_back(
          {name, 0, file.size(), kHeaderBytes + header.front_bytes, &ResealAttributes});
      for (uint64_t s = 0; s < header.num_sets; ++s) {
        const auto record = Get<SetRecord>(file, kHeaderBytes + s * sizeof(SetRecord));
        AddMultiStore(file, name + ", set " + std::to_string(s), record.offset, record.num_bytes,
                      fronts);
      }
      break;
    }
    default:
      AddMultiStore(file, name, 0, file.size(), fronts);
  }
  return fronts;
}

// What a forger may write where `value` stands: ends of ranges, neighbours, flipped bits, and
// doubles that compare oddly.
std::vector<uint64_t> Forgeries(uint64_t value) {
  constexpr uint64_t kHigh = uint64_t{1} << 32;
  using Double = std::numeric_limits<double>;
  std::vector<uint64_t> forgeries = {
      0,
      1,
      2,
      ~uint64_t{0},
      ~value,
      value + 1,
      value - 1,
      value + kHigh,
      value - kHigh,
      2 * value,
      value / 2,
      std::bit_cast<uint64_t>(-0.0),
      std::bit_cast<uint64_t>(0.5),
      std::bit_cast<uint64_t>(Double::quiet_NaN()),
      std::bit_cast<uint64_t>(Double::infinity()),
      std::bit_cast<uint64_t>(Double::denorm_min()),
  };
  for (int bit = 0; bit < 64; ++bit) forgeries.push_back(value ^ uint64_t{1} << bit);
  std::erase(forgeries, value);
  return forgeries;
}

// The forgeries of a front that come back different, by name.
std::string StrangeReturns(const Bytes& file, const Front& front, uint64_t& num_loaded) {
  std::string strange;
  for (uint64_t at = 0; at < front.front_bytes; at += 8) {
    const uint64_t word_at = std::min(at, front.front_bytes - 8);  // the last one may overlap
    const auto value = Get<uint64_t>(file, front.begin + word_at);
    for (const uint64_t forgery : Forgeries(value)) {
      const auto begin = file.begin() + static_cast<std::ptrdiff_t>(front.begin);
      Bytes part(begin, begin + static_cast<std::ptrdiff_t>(front.num_bytes));
      Put(part, word_at, forgery);
      front.reseal(part);
      Bytes forged = file;
      std::ranges::copy(part, forged.begin() + static_cast<std::ptrdiff_t>(front.begin));
      const Result<AnyFilter> loaded = DeserializeAny(forged, kMemoryLimit);
      if (!loaded.ok()) continue;
      ++num_loaded;
      if (SerializeAny(*loaded) == forged) continue;
      strange += front.name + ": byte " + std::to_string(word_at) + ": " + std::to_string(forgery) +
                 " for " + std::to_string(value) + "\n";
    }
  }
  return strange;
}

}  // namespace

TEST_CASE("what a header says comes back, or is refused", "[engine][snapshot][hostile][long]") {
  std::vector<NamedFilter> filters = EveryType();
  for (Sample& sample : SampleFilters()) {
    filters.push_back({"counting, " + sample.name, AnyFilter(std::move(sample.filter))});
  }
  for (const NamedFilter& one : filters) {
    const Bytes file = SerializeAny(one.filter);
    uint64_t num_loaded = 0;
    for (const Front& front : FrontsOf(one.name, file)) {
      CHECK(StrangeReturns(file, front, num_loaded) == "");
    }
    INFO(one.name);
    CHECK(num_loaded >= 64);  // a seed at least: the forger's checksums are right
  }
}

}  // namespace trommel::tests
