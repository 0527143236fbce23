#include <bitset>
#include <cmath>

#include "bench/paper/articles/articles.h"
#include "bench/paper/articles/bloom_model.h"
#include "bench/paper/report/random.h"
#include "bench/sides/fpr_bounds.h"
#include "trommel/counting_filter.h"

namespace trommel::paper {
namespace {

constexpr uint32_t kPositions = 10;  // of the worked example
constexpr uint32_t kHashes = 3;
using TenBits = std::bitset<kPositions>;

// The article's positions of its two keys.
constexpr uint32_t kAlice[] = {1, 3, 5};
constexpr uint32_t kBob[] = {8, 2, 3};

bool ShowsRandomKey(const TenBits& bits, RandomStream& random) {
  bool all = true;
  for (uint32_t i = 0; i < kHashes; ++i) all &= bits[random.Below(kPositions)];
  return all;
}

Table WorkedExample(const Options& options) {
  Table table{.title = "The worked example: m = 10 positions, k = 3 hashes, two keys"};
  table.text =
      "Alice's hashes fall on 1, 3, 5 and Bob's on 8, 2, 3. The article stops there; the rates "
      "follow from it.";
  TenBits bits;
  for (const uint32_t position : kAlice) bits.set(position);
  for (const uint32_t position : kBob) bits.set(position);
  Row set{.what = "positions set (3 is set twice)", .unit = Unit::kCount, .paper = 5, .exact = 5};
  set.measured = static_cast<double>(bits.count());
  set.allowed = Exactly(5);
  table.rows.push_back(set);

  const uint64_t num_trials = options.quick ? 200'000 : 20'000'000;
  RandomStream random(options.seed, 1);
  uint64_t num_shown = 0;
  uint64_t num_shown_any = 0;
  for (uint64_t i = 0; i < num_trials; ++i) num_shown += ShowsRandomKey(bits, random);
  for (uint64_t i = 0; i < num_trials; ++i) {
    TenBits any;
    for (uint32_t thrown = 0; thrown < 2 * kHashes; ++thrown) any.set(random.Below(kPositions));
    num_shown_any += ShowsRandomKey(any, random);
  }
  const auto share = [&](uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(num_trials);
  };
  Row these{.what = "a third key is \"maybe present\", these keys", .exact = 0.125};
  these.measured = share(num_shown);
  these.allowed = BinomialRange(0.125, num_trials);
  these.note = "(5 / 10)^3";
  table.rows.push_back(these);

  const double exact = ExactFpr(kPositions, kHashes, 2);
  Row any{.what = "a third key is \"maybe present\", any two keys", .exact = exact};
  any.formula = FprAt(kPositions / 2.0, kHashes);
  any.measured = share(num_shown_any);
  any.allowed = BinomialRange(exact, num_trials);
  any.note =
      "The formula (1 - e^(-kn/m))^k takes the mean fill for the fill: with 10 positions it is a "
      "fifth too low.";
  table.rows.push_back(any);
  return table;
}

Row RateRow(const Options& options, uint32_t num_hashes, classic::Hashing hashing) {
  const uint64_t num_keys = options.quick ? 20'000 : 1'000'000;
  Row row = BloomRate("k = " + std::to_string(num_hashes),
                      {.hashing = hashing,
                       .num_hashes = num_hashes,
                       .num_positions = 8 * num_keys,
                       .num_keys = num_keys,
                       .num_non_members = options.quick ? uint64_t{200'000} : 10'000'000},
                      RandomStream(options.seed, 2), RandomStream(options.seed, 3));
  row.unit = Unit::kShare;
  row.formula = FprAt(8, num_hashes);
  return row;
}

Table EightBits(const Options& options) {
  Table table{.title = "m / n = 8: \"the best rate is only about 2 %\""};
  for (const uint32_t num_hashes : {3U, 4U, 5U, 6U, 7U, 8U}) {
    Row row = RateRow(options, num_hashes, classic::Hashing::kMixed);
    if (num_hashes == 5 || num_hashes == 6) {
      row.paper = 0.02;
      row.tolerance = 0.1;  // "about"
    }
    table.rows.push_back(row);
  }
  Row pair = RateRow(options, 6, classic::Hashing::kDouble);
  pair.what += ", f1 + i f2";
  pair.note = "Hashes computed from two halves (double hashing): not modelled, close here.";
  pair.given = Verdict::kShown;
  table.rows.push_back(pair);
  Row best{.what = "k = 5.55, if that were possible", .unit = Unit::kShare, .paper = 0.02};
  best.formula = std::pow(0.5, 8 * std::log(2.0));
  best.tolerance = 0.1;
  best.note = "2^(-8 ln 2): the lowest rate at eight bits per key.";
  table.rows.push_back(best);
  return table;
}

Table MemoryOf100MAddresses() {
  Table table{.title = "100 M addresses of senders of spam"};
  Row hash{.what = "bytes of a hash table", .unit = Unit::kCount, .paper = 1.6e9};
  hash.formula = 1e8 * 8 / 0.5;
  hash.note = "8 bytes per address, half of the table empty.";
  Row bloom{
      .what = "bytes of a Bloom filter, 8 bits per key", .unit = Unit::kCount, .formula = 1e8};
  Row counting{.what = "bytes of a counting filter at 2 %", .unit = Unit::kCount};
  counting.formula =
      SizeFor({.capacity = 100'000'000, .target_fpr = 0.02}).value().bits_per_key * 1e8 / 8;
  counting.note =
      "CountingFilter, side table included: addresses can be erased from the list again.";
  table.rows = {hash, bloom, counting};
  return table;
}

Table ChunkStream(const Options& options) {
  const uint64_t num_chunks = options.quick ? 40'000 : 2'000'000;  // each is sent twice
  auto filter = CountingFilter::Create({.capacity = num_chunks, .target_fpr = 0.02}).value();
  Table table{.title = "The use: \"have I stored this chunk before?\""};
  table.text =
      "A stream of chunks, each sent twice, test-and-insert in one step (InsertIfAbsent) on a "
      "counting filter sized for the distinct chunks at 2 %.";
  uint64_t num_mistaken = 0;
  uint64_t num_missed = 0;
  std::vector<uint64_t> inserted;
  ForEachDigestBatch(RandomStream(options.seed, 4), num_chunks,
                     [&](const std::vector<uint64_t>& digests) {
                       inserted.resize(CountingFilter::BitmapWords(digests.size()));
                       const Keys keys = Keys::Digests(digests);
                       num_mistaken += digests.size() - filter.InsertIfAbsent(keys, inserted);
                       num_missed += filter.InsertIfAbsent(keys, inserted);
                     });
  // A chunk that is mistaken for a stored one is not inserted: the filter fills slightly more
  // slowly than the stream progresses.
  constexpr int kSteps = 400;
  const double step = static_cast<double>(num_chunks) / kSteps;
  double num_in = 0;
  double expected = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = num_in + step / 2;
    const double fpr = PredictedFpr(filter.geometry(), static_cast<uint64_t>(middle));
    expected += fpr * step;
    num_in += (1 - fpr) * step;
  }
  const double share = expected / static_cast<double>(num_chunks);
  Row mistaken{.what = "new chunks mistaken for stored ones", .unit = Unit::kShare, .exact = share};
  mistaken.measured = static_cast<double>(num_mistaken) / static_cast<double>(num_chunks);
  mistaken.allowed = BinomialRange(share, num_chunks,
                                   bench::BlockFprSigma(filter.geometry(), num_chunks, num_chunks));
  mistaken.note =
      "The rate of the full filter is at most 2 %; this is the mean over the whole stream.";
  Row missed{.what = "stored chunks not recognised", .unit = Unit::kCount, .paper = 0, .exact = 0};
  missed.measured = static_cast<double>(num_missed);
  missed.allowed = Exactly(0);
  table.rows = {mistaken, missed};
  return table;
}

}  // namespace

Report ChunkIndexReport(const Options& options) {
  return {.name = "reproduce_chunk_index",
          .source = "Using Bloom filters to make indexes more efficient (Dell EMC community, 2017)",
          .tables = {WorkedExample(options), EightBits(options), MemoryOf100MAddresses(),
                     ChunkStream(options)}};
}

}  // namespace trommel::paper
