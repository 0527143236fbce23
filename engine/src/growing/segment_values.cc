#include "engine/src/growing/segment_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "kernels/dense_block.h"

namespace trommel {
namespace {

using kernels::DenseLayout;
using kernels::DenseWord;

// Values from their intervals and remainders. The first value of an interval is interval x 2^p / n,
// rounded up. Here it is one or two less, which is as good: remainders tell apart more values than
// an interval has.
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
static_assert(
    kernels::kSpareValues >= 3 && kernels::kMaxValueBits <= 44,
    "the first value is more than two less: width_ is off by less than 1, and an interval's "
    "number is below 2^19");

// Calls use.template operator()<kShape>() with the shape as a constant: where it is known, a block
// is read and written in a third of the time that DenseBlock takes.
template <class Use>
void WithShape(const kernels::DenseShape& shape, const Use& use) {
  [&]<size_t... kIdx>(std::index_sequence<kIdx...> /*shapes*/) {
    (void)((shape == kernels::kDenseShapes[kIdx]
                ? (use.template operator()<kernels::kDenseShapes[kIdx]>(), true)
                : false) ||
           ...);
  }
  (std::make_index_sequence<kernels::kNumDenseShapes>());
}

using Words = std::array<uint64_t, 8>;

// Where the unary string is, in the last two words.
template <kernels::DenseShape kShape>
struct StringOf {
  static constexpr uint32_t kFirst = kShape.unary_begin() - 384;
  static constexpr DenseWord kEmpty = ((DenseWord{1} << kShape.bins) - 1) << kFirst;
};

// Calls use(key) for each key in the slots of a block without counts.
template <kernels::DenseShape kShape, class Use>
void ForEachShown(const uint32_t* block, uint32_t bits, const Use& use) {
  using String = StringOf<kShape>;
  Words words;
  std::memcpy(words.data(), block, sizeof(words));
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  std::array<uint64_t, kernels::kMaxDensePlanes + 1> planes{};
  for (uint32_t i = 0; i < kShape.num_planes(); ++i) {
    const uint32_t first = kShape.plane_begin(i);
    planes[i] = words[first / 64] >> first % 64;
    if (first % 64 + kShape.slots > 64) planes[i] |= words[first / 64 + 1] << (64 - first % 64);
  }
  const bool is_cut = words[7] >> 63 != 0;
  const uint64_t w7 = words[7] & ~uint64_t{0} >> (is_cut ? 3 : 2);
  const DenseWord ends = ((DenseWord{w7} << 64 | words[6]) ^ String::kEmpty) >> String::kFirst;
  const auto high = static_cast<uint64_t>(ends >> 64);
  const auto low = static_cast<uint64_t>(ends);
  const auto below = [](uint64_t word) {
    return word == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(word);
  };
  uint32_t slot = 0;
  const auto visit = [&](uint64_t zeros, uint32_t first) {
    for (; zeros != 0; zeros &= zeros - 1, ++slot) {
      const uint32_t bin = first + static_cast<uint32_t>(std::countr_zero(zeros)) - slot;
      uint32_t key = bin << bits | bytes[slot];
      if constexpr (kShape.num_bytes() == 2) key |= uint32_t{bytes[kShape.slots + slot]} << 8;
      for (uint32_t i = 0; i < kShape.num_planes(); ++i) {
        key |= static_cast<uint32_t>(planes[i] >> slot & 1) << (8 * kShape.num_bytes() + i);
      }
      use(key);
    }
  };
  visit(~low & (high != 0 ? ~uint64_t{0} : below(low)), 0);
  visit(~high & below(high), 64);
}

// Writes a block that shows these keys, ascending by bin, of which none is cut.
template <kernels::DenseShape kShape>
void WriteShown(std::span<const uint32_t> keys, uint32_t bits, uint32_t* block) {
  using String = StringOf<kShape>;
  Words words{};
  auto* bytes = reinterpret_cast<uint8_t*>(words.data());
  std::array<uint64_t, kernels::kMaxDensePlanes + 1> planes{};
  uint64_t low = 0;  // the string's zeros
  uint64_t high = 0;
  const uint32_t mask = (1U << bits) - 1;
  for (uint32_t slot = 0; slot < keys.size(); ++slot) {
    const uint32_t remainder = keys[slot] & mask;
    bytes[slot] = static_cast<uint8_t>(remainder);
    if constexpr (kShape.num_bytes() == 2) {
      bytes[kShape.slots + slot] = static_cast<uint8_t>(remainder >> 8);
    }
    for (uint32_t i = 0; i < kShape.num_planes(); ++i) {
      planes[i] |= uint64_t{remainder >> (8 * kShape.num_bytes() + i) & 1} << slot;
    }
    const uint32_t at = slot + (keys[slot] >> bits);
    const uint64_t bit = uint64_t{1} << at % 64;
    low |= at < 64 ? bit : 0;
    high |= at < 64 ? 0 : bit;
  }
  for (uint32_t i = 0; i < kShape.num_planes(); ++i) {
    const uint32_t first = kShape.plane_begin(i);
    words[first / 64] |= planes[i] << first % 64;
    if (first % 64 + kShape.slots > 64) words[first / 64 + 1] |= planes[i] >> (64 - first % 64);
  }
  const DenseWord string = (DenseWord{1} << (keys.size() + kShape.bins)) - 1;
  const DenseWord last =
      ((string & ~(DenseWord{high} << 64 | low)) << String::kFirst) ^ String::kEmpty;
  words[6] |= static_cast<uint64_t>(last);
  words[7] |= static_cast<uint64_t>(last >> 64);
  std::memcpy(block, words.data(), sizeof(words));
}

struct Entry {
  uint64_t block_idx;
  uint32_t key;
};

// A pass over lines costs less than a look for each bin that is cut.
std::vector<Entry> EntriesByBlock(const DenseRange& range) {
  std::vector<Entry> entries;
  entries.reserve(range.lines().num_entries());
  range.lines().ForEach([&](uint64_t block_idx, uint32_t key) {
    entries.push_back({block_idx, key});
  });
  std::ranges::sort(entries, {}, &Entry::block_idx);
  return entries;
}

template <kernels::DenseShape kShape>
void AppendValuesOf(const Segment& segment, uint64_t first_value, uint32_t p, ShardValues& to) {
  const DenseRange& range = segment.range();
  const DenseLayout layout{kShape, range.layout().bits};
  const Intervals intervals(p, segment.num_blocks() * kShape.bins, layout.bits);
  const std::vector<Entry> entries = EntriesByBlock(range);
  auto entry = entries.begin();
  auto hidden = range.hidden().begin();

  const size_t begin = to.values.size();
  to.values.resize(begin + segment.num_blocks() * kShape.slots + entries.size() +
                   range.hidden().size());
  uint64_t* at = to.values.data() + begin;
  std::vector<ValueCount> further;  // of a block
  for (uint64_t b = 0; b < segment.num_blocks(); ++b) {
    const uint32_t* block = range.BlockAt(b);
    const uint64_t first_interval = b * kShape.bins;
    const auto append = [&](uint32_t key) {
      *at++ = first_value + intervals.ValueOf(first_interval + (key >> layout.bits), key);
    };
    uint64_t* const of_block = at;
    ForEachShown<kShape>(block, layout.bits, append);
    if (kernels::IsMarkedDense(block)) {
      const bool is_counted = kernels::IsCountedDense(block);
      further.clear();
      const auto count = [&](uint64_t value, uint64_t num_further) {
        if (num_further > 0) further.push_back({value, num_further});
      };
      const auto num_shown = static_cast<uint32_t>(at - of_block);
      for (uint32_t i = 0; i < num_shown && is_counted; ++i) {
        count(of_block[i], range.counts().OfSlot(b, i));
      }
      for (; entry != entries.end() && entry->block_idx == b; ++entry) {
        append(entry->key);
        if (is_counted) count(at[-1], range.counts().OfKey(b, entry->key));
      }
      for (; hidden != range.hidden().end() && hidden->first >> DenseRange::kMaxKeyBits == b;
           ++hidden) {
        const uint64_t key = hidden->first & ((uint64_t{1} << DenseRange::kMaxKeyBits) - 1);
        append(static_cast<uint32_t>(key));
        count(at[-1], hidden->second - 1);
      }
      std::ranges::sort(further, {}, &ValueCount::value);
      to.further.insert(to.further.end(), further.begin(), further.end());
    }
    SortNearly({of_block, at});  // keys of one bin are in no order
  }
  to.values.resize(static_cast<size_t>(at - to.values.data()));
}

}  // namespace

void SortNearly(std::span<uint64_t> values) {
  constexpr size_t kMostSteps = 64;
  size_t num_steps = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    const uint64_t value = values[i];
    size_t to = i;
    for (; to > 0 && values[to - 1] > value; --to) values[to] = values[to - 1];
    values[to] = value;
    num_steps += i - to;
    if (num_steps > kMostSteps * (i + kMostSteps)) return std::sort(values.begin(), values.end());
  }
}

void AppendValues(const Segment& segment, uint64_t prefix, uint32_t value_bits, ShardValues& to) {
  const uint32_t p = value_bits - segment.prefix_bits();
  WithShape(segment.range().layout().shape, [&]<kernels::DenseShape kShape>() {
    AppendValuesOf<kShape>(segment, prefix << p, p, to);
  });
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
template <kernels::DenseShape kShape>
void FillRange(const Segment& segment, uint32_t p, const ValueRange& contents, DenseRange& range) {
  const uint32_t bits = range.layout().bits;
  const uint64_t num_blocks = segment.num_blocks();
  const uint64_t mask = (uint64_t{1} << p) - 1;
  const uint32_t remainder_mask = (1U << bits) - 1;
  auto further = contents.further.begin();
  std::vector<uint32_t> more;  // of a block, than it has slots
  const auto end = contents.values.end();
  for (auto at = contents.values.begin(); at != end;) {
    const uint64_t block_idx = (*at & mask) * num_blocks >> p;
    std::array<uint32_t, kShape.slots> keys;
    uint32_t num_keys = 0;
    more.clear();
    for (; at != end; ++at) {
      const uint64_t value = *at & mask;
      const uint64_t scaled = value * num_blocks;
      if (scaled >> p != block_idx) break;
      const uint64_t bin = (scaled & mask) * kShape.bins >> p;  // kernels::BlockAndBinOf
      const uint32_t key =
          static_cast<uint32_t>(bin) << bits | (static_cast<uint32_t>(value) & remainder_mask);
      if (num_keys < kShape.slots) {
        keys[num_keys++] = key;
      } else {
        more.push_back(key);
      }
    }
    auto further_end = further;
    while (further_end != contents.further.end() &&
           segment.PlaceOf(further_end->value & mask, p).block_idx == block_idx) {
      ++further_end;
    }
    const std::span shown(keys.data(), num_keys);
    if (more.empty() && further == further_end) {
      WriteShown<kShape>(shown, bits,
                         segment.blocks() + block_idx * kernels::kFingerprintBlockWords);
      continue;
    }
    BlockContents of_block;
    for (const uint32_t key : shown) AddTo(of_block, key, 1);
    for (const uint32_t key : more) AddTo(of_block, key, 1);
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
    Result<DenseRange> made = DenseRange::Create(level.layout, segment.blocks(), level.num_blocks,
                                                 DenseLines::LeastLines(level.num_blocks));
    if (!made) return refuse();
    segment.header().range = new DenseRange(*std::move(made));
    DenseRange& range = segment.range();
    WithShape(level.layout.shape, [&]<kernels::DenseShape kShape>() {
      FillRange<kShape>(segment, value_bits - level.prefix_bits, contents, range);
    });
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
