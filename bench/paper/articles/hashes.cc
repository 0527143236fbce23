// The hashes that are compared: their cost, and the false-positive rate, which does not depend on
// the choice.
#ifdef TROMMEL_WITH_FARMHASH
#include <farmhash.h>
#endif
#ifdef TROMMEL_WITH_MURMURHASH
#include <murmurhash.h>
#endif

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/paper/articles/articles.h"
#include "bench/paper/report/random.h"
#include "bench/sides/fpr_bounds.h"
#include "bench/text/figures.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel::paper {
namespace {

// Ours by their policies, others as a caller's digests.
struct HashSide {
  std::string name;
  void (*digests)(std::span<const std::string_view> keys, std::span<uint64_t> digests);
};

void Xxh64(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  DigestPolicy{.kind = DigestKind::kXxh64}.Digests(keys, digests);
}

void Xxh3(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  DigestPolicy{.kind = DigestKind::kXxh3}.Digests(keys, digests);
}

// Neither time nor rates depend on the key.
void SipHash(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  static constexpr std::array<std::byte, DigestKey::kNumBytes> kKey = {};
  DigestPolicy::Keyed(DigestKey(kKey)).Digests(keys, digests);
}

#ifdef TROMMEL_WITH_FARMHASH
void FarmHash(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  for (size_t i = 0; i < keys.size(); ++i) {
    digests[i] = util::Hash64(keys[i].data(), keys[i].size());
  }
}
#endif

#ifdef TROMMEL_WITH_MURMURHASH
void MurmurHash(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  for (size_t i = 0; i < keys.size(); ++i) {
    uint64_t both[2];
    lmmh_x64_128(keys[i].data(), static_cast<unsigned>(keys[i].size()), 0, both);
    digests[i] = both[0];
  }
}
#endif

// XXH64 first, then XXH3, SipHash-1-3 (ours for keys chosen by untrusted parties), then FarmHash
// and MurmurHash3 if their libraries were there at build time.
const std::vector<HashSide>& HashSides() {
  static const std::vector<HashSide> sides = {
      {"XXH64", Xxh64},
      {"XXH3", Xxh3},
      {"SipHash-1-3", SipHash},
#ifdef TROMMEL_WITH_FARMHASH
      {"FarmHash64", FarmHash},
#endif
#ifdef TROMMEL_WITH_MURMURHASH
      {"MurmurHash3", MurmurHash},
#endif
  };
  return sides;
}

// A sentence about those left out, "" if there are none.
std::string MissingHashes() {
  std::string missing;
#ifndef TROMMEL_WITH_FARMHASH
  missing += "FarmHash was not installed at build time (Debian: libfarmhash-dev). ";
#endif
#ifndef TROMMEL_WITH_MURMURHASH
  missing += "MurmurHash was not installed at build time (Debian: libmurmurhash-dev). ";
#endif
  return missing;
}

// Keys of one batch, contiguous in memory.
struct KeyBatch {
  std::string bytes;
  std::vector<std::string_view> views;
};

using MakeKey = std::string (*)(uint64_t index);

std::string CountingKey(uint64_t index) {
  return bench::Printed("user%012llu", static_cast<unsigned long long>(index));
}

// Made of syllables, some with a number: 8 to 30 characters.
std::string DomainKey(uint64_t index) {
  static constexpr std::array<const char*, 16> kParts = {
      "news", "shop", "cloud", "mail", "img",  "api",  "cdn",  "web",
      "play", "data", "go",    "my",   "best", "home", "blog", "net"};
  static constexpr std::array<const char*, 4> kEnds = {".com", ".org", ".net", ".co.uk"};
  uint64_t rest = index;
  std::string key;
  do {
    key += kParts[rest % kParts.size()];
    rest /= kParts.size();
  } while (rest > 1000);
  if (rest != 0) key += std::to_string(rest);
  return key + kEnds[bench::KeyAt(index) % kEnds.size()];
}

template <class Make>
KeyBatch MakeKeys(uint64_t first, size_t count, const Make& make) {
  KeyBatch batch;
  std::vector<size_t> begins;
  for (size_t i = 0; i < count; ++i) {
    begins.push_back(batch.bytes.size());
    batch.bytes += make(first + i);
  }
  begins.push_back(batch.bytes.size());
  for (size_t i = 0; i < count; ++i) {
    batch.views.push_back(
        std::string_view(batch.bytes).substr(begins[i], begins[i + 1] - begins[i]));
  }
  return batch;
}

constexpr size_t kBatch = 1 << 14;

template <class Visit>
void ForEachKeyBatch(MakeKey make, uint64_t first, uint64_t count, const HashSide& side,
                     const Visit& visit) {
  std::vector<uint64_t> digests;
  for (uint64_t done = 0; done < count; done += kBatch) {
    const size_t size = static_cast<size_t>(std::min<uint64_t>(kBatch, count - done));
    const KeyBatch batch = MakeKeys(first + done, size, make);
    digests.resize(size);
    side.digests(batch.views, digests);
    visit(Keys::Digests(digests));
  }
}

Row RateOf(const Options& options, const HashSide& side, const char* keys, MakeKey make) {
  const uint64_t num_keys = options.quick ? 20'000 : 500'000;
  const uint64_t num_non_members = options.quick ? 100'000 : 3'000'000;
  const uint64_t first = options.seed * 1'000'000'000;
  auto filter = CountingFilter::Create({.capacity = num_keys, .target_fpr = 0.01}).value();
  ForEachKeyBatch(make, first, num_keys, side, [&](Keys batch) { filter.Insert(batch); });
  uint64_t num_false = 0;
  std::array<uint64_t, CountingFilter::BitmapWords(kBatch)> bitmap;
  ForEachKeyBatch(make, first + num_keys, num_non_members, side, [&](Keys batch) {
    num_false +=
        filter.Query(batch, std::span(bitmap).first(CountingFilter::BitmapWords(batch.size())));
  });
  Row row{.what = side.name + ", " + keys, .unit = Unit::kShare};
  const double exact = PredictedFpr(filter.geometry(), num_keys);
  row.exact = exact;
  row.measured = static_cast<double>(num_false) / static_cast<double>(num_non_members);
  row.allowed =
      SigmaRange(exact, bench::BlockFprSigma(filter.geometry(), num_keys, num_non_members));
  return row;
}

Table CostTable(const Options& options, const std::string& title, const KeyBatch& keys) {
  const uint32_t num_rounds = options.quick ? 3 : 15;
  const uint32_t num_repeats = options.quick ? 1 : 20;
  const std::vector<HashSide>& sides = HashSides();
  std::vector<uint64_t> digests(keys.views.size());
  std::vector<std::function<void()>> ways;
  for (const HashSide& side : sides) {
    ways.emplace_back([&] {
      for (uint32_t i = 0; i < num_repeats; ++i) side.digests(keys.views, digests);
    });
  }
  const auto times = bench::TimeInRounds(ways, num_repeats * digests.size(), num_rounds);
  Table table{.title = title, .axis = Axis::kLinear};
  for (size_t s = 0; s < sides.size(); ++s) {
    Row row{.what = sides[s].name, .unit = Unit::kNs, .measured = bench::Median(times[s])};
    const bench::Ratio ratio = bench::PairedRatio(times[s], times[0]);
    if (s > 0) {
      row.note =
          bench::Printed("%.2f [%.2f..%.2f] of XXH64's time", ratio.median, ratio.min, ratio.max);
    }
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace

Table HashRates(const Options& options) {
  Table table{.title = "Rate of one counting filter (1 %) with each hash"};
  table.text =
      "A rate depends on positions, slices and keys, not on the hash, if it mixes all of its bits: "
      "all must be within the same range of chance. " +
      MissingHashes();
  for (const HashSide& side : HashSides()) {
    table.rows.push_back(RateOf(options, side, "keys that count upwards", CountingKey));
    table.rows.push_back(RateOf(options, side, "keys like domains", DomainKey));
  }
  return table;
}

Report HashReport(const Options& options) {
  Report report{
      .name = "hash_bench",
      .source = "the choice of a hash: XXH64, XXH3, SipHash, and others as a caller's digests",
      .tables = {HashRates(options)}};
  for (const size_t length : {8, 16, 32, 64, 256}) {
    RandomStream random(options.seed, 70 + length);
    const KeyBatch keys = MakeKeys(0, kBatch, [&](uint64_t /*index*/) {
      std::string key(length, ' ');
      for (char& letter : key) letter = static_cast<char>('a' + random.Below(26));
      return key;
    });
    report.tables.push_back(CostTable(
        options, "ns per key of " + std::to_string(length) + " bytes, batches of 16 Ki, in cache",
        keys));
  }
  // Their lengths cannot be learned: there are more keys than a branch predictor remembers.
  RandomStream random(options.seed, 70);
  report.tables.push_back(
      CostTable(options, "ns per key of 4 to 64 bytes in random order, 256 Ki keys",
                MakeKeys(0, size_t{1} << 18, [&](uint64_t index) {
                  return std::string(4 + random.Below(61), static_cast<char>(index));
                })));
  report.tables.push_back(CostTable(options, "ns per key like a domain (8 to 25 bytes)",
                                    MakeKeys(options.seed << 20, kBatch, DomainKey)));
  return report;
}

}  // namespace trommel::paper
