#include "engine/src/growing/segment_values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "kernels/dense_block.h"

namespace trommel {
namespace {

using kernels::DenseBlock;
using kernels::DenseLayout;
using kernels::kMaxDenseSlots;

// Values from their intervals and remainders. The first value of an interval is interval x 2^p / n,
// rounded up. Here it is one or two less, which is as good: remainders tell apart more values than an
// interval has.
class Intervals {
 public:
  Intervals(uint32_t p, uint64_t num_intervals, uint32_t remainder_bits)
      : shift_(63 - p),
        width_((uint64_t{1} << 63) / num_intervals),
        mask_((uint64_t{1} << remainder_bits) - 1) {}

  // Bits of `key` above the remainder do not matter.
  uint64_t ValueOf(uint64_t interval, uint64_t key) const {
    const uint64_t first = interval * width_ >> shift_;
    return first + ((key - first) & mask_);
  }

 private:
  uint32_t shift_;
  uint64_t width_;
  uint64_t mask_;
};
static_assert(kernels::kSpareValues >= 3 && kernels::kMaxValueBits <= 44,
              "the first value is more than two less: width_ is off by less than 1, and an interval's "
              "number is below 2^19");

// Keys of one bin are in no order.
void SortNearly(uint64_t* begin, uint64_t* end) {
  for (uint64_t* at = begin + 1; at < end; ++at) {
    const uint64_t value = *at;
    uint64_t* to = at;
    for (; to > begin && to[-1] > value; --to) *to = to[-1];
    *to = value;
  }
}

struct Entry {
  uint64_t block_idx;
  uint32_t key;
};

}  // namespace

void AppendValues(const Segment& segment, uint64_t prefix, uint32_t value_bits, ShardValues& to) {
  const DenseRange& range = segment.range();
  const DenseLayout layout = range.layout();
  const uint32_t p = value_bits - segment.prefix_bits();
  const Intervals intervals(p, segment.num_blocks() * layout.shape.bins, layout.bits);
  const uint64_t first_value = prefix << p;

  // A pass over lines costs less than a look for each bin that is cut.
  std::vector<Entry> entries;
  entries.reserve(range.lines().num_entries());
  range.lines().ForEach(
      [&](uint64_t block_idx, uint32_t key) { entries.push_back({block_idx, key}); });
  std::ranges::sort(entries, {}, &Entry::block_idx);
  auto entry = entries.begin();
  auto hidden = range.hidden().begin();

  const size_t begin = to.values.size();
  to.values.resize(begin + segment.num_blocks() * layout.shape.slots + entries.size() +
                   range.hidden().size());
  uint64_t* at = to.values.data() + begin;
  std::vector<ValueCount> further;  // of a block
  for (uint64_t b = 0; b < segment.num_blocks(); ++b) {
    const DenseBlock block(layout, range.BlockAt(b));
    std::array<uint32_t, kMaxDenseSlots> keys;
    const uint32_t num_keys = block.Keys(keys);
    const uint64_t first_interval = b * layout.shape.bins;
    const auto value_of = [&](uint32_t key) {
      return first_value + intervals.ValueOf(first_interval + (key >> layout.bits), key);
    };
    uint64_t* const of_block = at;
    for (uint32_t i = 0; i < num_keys; ++i) *at++ = value_of(keys[i]);
    if (block.is_cut() || block.is_counted()) {
      further.clear();
      const auto count = [&](uint64_t value, uint64_t num_further) {
        if (num_further > 0) further.push_back({value, num_further});
      };
      for (uint32_t i = 0; i < num_keys && block.is_counted(); ++i) {
        count(of_block[i], range.counts().OfSlot(b, i));
      }
      for (; entry != entries.end() && entry->block_idx == b; ++entry) {
        *at++ = value_of(entry->key);
        if (block.is_counted()) count(at[-1], range.counts().OfKey(b, entry->key));
      }
      for (; hidden != range.hidden().end() && hidden->first >> DenseRange::kMaxKeyBits == b;
           ++hidden) {
        const uint64_t key = hidden->first & ((uint64_t{1} << DenseRange::kMaxKeyBits) - 1);
        *at++ = value_of(static_cast<uint32_t>(key));
        count(at[-1], hidden->second - 1);
      }
      std::ranges::sort(further, {}, &ValueCount::value);
      to.further.insert(to.further.end(), further.begin(), further.end());
    }
    SortNearly(of_block, at);
  }
  to.values.resize(static_cast<size_t>(at - to.values.data()));
}

ValueRange RangeOf(const ShardValues& values, uint64_t prefix, uint32_t num_bits,
                   uint32_t value_bits) {
  const uint64_t first = prefix << (value_bits - num_bits);
  const uint64_t end = (prefix + 1) << (value_bits - num_bits);
  const auto from = std::ranges::lower_bound(values.values, first);
  const auto further = std::ranges::lower_bound(values.further, first, {}, &ValueCount::value);
  return {{from, std::ranges::lower_bound(values.values, end)},
          {further, std::ranges::lower_bound(values.further, end, {}, &ValueCount::value)}};
}

std::optional<DenseLimit> SegmentLimit(uint64_t num_bytes, uint64_t num_blocks) {
  if (num_bytes < DenseRange::LeastSideBytes(num_blocks)) return std::nullopt;
  return DenseRange::LimitWithin(num_bytes, num_blocks, DenseLines::LeastLines(num_blocks));
}

namespace {

// Fills the range of a segment's blocks, which are zeros.
void FillRange(const Segment& segment, uint32_t p, const ValueRange& contents, DenseRange& range) {
  const DenseLayout layout = range.layout();
  const uint64_t num_blocks = segment.num_blocks();
  const uint64_t mask = (uint64_t{1} << p) - 1;
  const uint32_t remainder_mask = (1U << layout.bits) - 1;
  auto further = contents.further.begin();
  std::vector<uint32_t> keys;
  const auto end = contents.values.end();
  for (auto at = contents.values.begin(); at != end;) {
    const uint64_t block_idx = (*at & mask) * num_blocks >> p;
    keys.clear();
    for (; at != end; ++at) {
      const uint64_t value = *at & mask;
      const uint64_t scaled = value * num_blocks;
      if (scaled >> p != block_idx) break;
      const uint64_t bin = (scaled & mask) * layout.shape.bins >> p;  // kernels::BlockAndBinOf
      keys.push_back(static_cast<uint32_t>(bin) << layout.bits |
                     (static_cast<uint32_t>(value) & remainder_mask));
    }
    auto further_end = further;
    while (further_end != contents.further.end() &&
           segment.PlaceOf(further_end->value & mask, p).block_idx == block_idx) {
      ++further_end;
    }
    if (keys.size() <= layout.shape.slots && further == further_end) {
      DenseBlock::Of(layout, keys).Store(segment.blocks() +
                                         block_idx * kernels::kFingerprintBlockWords);
      continue;
    }
    BlockContents of_block;
    for (const uint32_t key : keys) AddTo(of_block, key, 1);
    for (; further != further_end; ++further) {
      AddTo(of_block, segment.PlaceOf(further->value & mask, p).key, further->count);
    }
    range.Fill(block_idx, of_block);
  }
}

}  // namespace

std::optional<Segment> MakeSegment(const GrowthLevel& level, uint32_t value_bits,
                                   const ValueRange& contents, uint64_t side_limit_bytes,
                                   GrowingMemory& memory) noexcept {
  const uint64_t num_bytes = Segment::BytesFor(level.num_blocks);
  std::byte* bytes = memory.AllocateSegment(num_bytes);
  if (bytes == nullptr) return std::nullopt;
  const Segment segment(bytes, level);
  const auto refuse = [&] {
    memory.FreeSegment(bytes, num_bytes);
    return std::nullopt;
  };
  try {
    std::memset(bytes + kernels::kSegmentHeader, 0, num_bytes - kernels::kSegmentHeader);
    Result<DenseRange> made =
        DenseRange::Create(level.layout, segment.blocks(), level.num_blocks,
                           DenseLines::LeastLines(level.num_blocks));
    if (!made) return refuse();
    segment.header().range = new DenseRange(*std::move(made));
    DenseRange& range = segment.range();
    FillRange(segment, value_bits - level.prefix_bits, contents, range);
    if (side_limit_bytes != 0) {
      const auto limit = SegmentLimit(side_limit_bytes, level.num_blocks);
      if (!limit) return refuse();
      Result<DenseRange::SideMemory> side = range.WithLimit(limit);
      if (!side) return refuse();
      range.Take(*std::move(side));
    }
    range.SetReaders({.versions = segment.versions(), .periods = &memory.periods()});
    return segment;
  } catch (const std::bad_alloc&) {
    return refuse();
  }
}

}  // namespace trommel
