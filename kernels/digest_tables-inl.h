// Queries of tables of whole digests (growing_layout.h), while nothing changes. Included once per
// target.
#if defined(TROMMEL_KERNELS_DIGEST_TABLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_DIGEST_TABLES_INL_H_
#undef TROMMEL_KERNELS_DIGEST_TABLES_INL_H_
#else
#define TROMMEL_KERNELS_DIGEST_TABLES_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/growing_layout.h"
#include "kernels/presence_words.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE bool HasString(const uint64_t* HWY_RESTRICT line, uint64_t string) {
#if HWY_TARGET == HWY_SCALAR || TROMMEL_ATOMIC_WORDS
  bool is_in = false;
  for (size_t w = 0; w < kTableLineWords; ++w) {
    is_in |= __atomic_load_n(line + w, __ATOMIC_RELAXED) == string;
  }
  return is_in;
#else
  const hn::CappedTag<uint64_t, kTableLineWords> d;
  const auto wanted = hn::Set(d, string);
  auto found = hn::Eq(hn::Load(d, line), wanted);
  for (size_t w = hn::Lanes(d); w < kTableLineWords; w += hn::Lanes(d)) {
    found = hn::Or(found, hn::Eq(hn::Load(d, line + w), wanted));
  }
  return !hn::AllFalse(d, found);
#endif
}

// From its home on: up to a line that has the string, or a free word.
HWY_INLINE bool IsInTable(const uint64_t* table, uint64_t home, uint64_t string) {
  const uint64_t num_lines = __atomic_load_n(table + 1, __ATOMIC_RELAXED);
  uint64_t line_idx = home;
  for (uint64_t i = 0; i < num_lines; ++i) {
    const uint64_t* line = TableLine(table, line_idx);
    if (HasString(line, string)) return true;
    if (__atomic_load_n(line + kTableLineWords - 1, __ATOMIC_RELAXED) == 0) return false;
    line_idx = line_idx + 1 == num_lines ? 0 : line_idx + 1;
  }
  return false;
}

// Whether keys are in is not branched on, where their homes decide.
size_t QueryDigestTables(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                         const uint64_t* tables, uint64_t* HWY_RESTRICT shown,
                         uint32_t* HWY_RESTRICT unsure) {
  constexpr size_t kDistance = 16;
  struct Search {
    const uint64_t* table;  // null: the shard has segments
    uint64_t home;
  };
  // An empty line, of shards without a table.
  alignas(64) static constexpr uint64_t kNoStrings[2 * kTableLineWords] = {0, 1};
  Search ring[kDistance];
  const auto fetch = [&](size_t i) HWY_ATTR {
    const uint64_t word = __atomic_load_n(tables + ShardOf(digests[i]), __ATOMIC_ACQUIRE);
    const uint64_t* table =
        reinterpret_cast<const uint64_t*>(static_cast<uintptr_t>(word & ~kTableBit));
    if (HWY_UNLIKELY(table == nullptr && word != 0)) table = kNoStrings;
    Search& search = ring[i % kDistance];
    search = {table, 0};
    if (HWY_UNLIKELY(table == nullptr)) return;
    search.home = TableHome(WholeString(BitsInShard(digests[i])),
                            __atomic_load_n(table + 1, __ATOMIC_RELAXED));
    hwy::Prefetch(TableLine(table, search.home));
  };
  for (size_t i = 0; i < HWY_MIN(num_digests, kDistance); ++i) fetch(i);
  size_t num_unsure = 0;
  uint64_t word = 0;  // answers of the current 64 keys, the first in the lowest bit
  for (size_t i = 0; i < num_digests; ++i) {
    const Search search = ring[i % kDistance];
    if (HWY_LIKELY(i + kDistance < num_digests)) fetch(i + kDistance);
    bool is_in = false;
    if (HWY_UNLIKELY(search.table == nullptr)) {
      unsure[num_unsure++] = static_cast<uint32_t>(i);
    } else {
      const uint64_t string = WholeString(BitsInShard(digests[i]));
      const uint64_t* line = TableLine(search.table, search.home);
      is_in = HasString(line, string);
      const bool is_full = __atomic_load_n(line + kTableLineWords - 1, __ATOMIC_RELAXED) != 0;
      if (HWY_UNLIKELY(is_full & !is_in)) is_in = IsInTable(search.table, search.home, string);
    }
    word |= static_cast<uint64_t>(is_in) << (i % 64);
    if (i % 64 == 63) {
      shown[i / 64] = word;
      word = 0;
    }
  }
  if (num_digests % 64 != 0) shown[num_digests / 64] = word;
  return num_unsure;
}

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
