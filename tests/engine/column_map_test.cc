// ColumnMap against an exact model: pairs of place and column, each with its number of copies.
#include "trommel/column_map.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "kernels/map_layout.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/map_model.h"
#include "trommel/keys.h"

namespace trommel {
namespace {

using Row = std::vector<uint64_t>;

// The map, and what is in it.
class Modelled {
 public:
  explicit Modelled(const ColumnMapConfig& config) : map(*ColumnMap::Create(config)), model(map) {}

  void Insert(uint32_t column, const std::vector<uint64_t>& digests) {
    map.Insert(column, Keys::Digests(digests));
    for (const uint64_t digest : digests) model.Insert(column, digest);
  }
  // Which may be absent.
  void Erase(uint32_t column, const std::vector<uint64_t>& digests) {
    uint64_t num_erased = 0;
    for (const uint64_t digest : digests) num_erased += uint64_t{model.Erase(column, digest)};
    const EraseOutcome outcome = map.Erase(column, Keys::Digests(digests));
    REQUIRE(outcome.num_erased == num_erased);
    REQUIRE(outcome.num_refused == digests.size() - num_erased);
  }
  void Close(const std::vector<uint32_t>& columns) {
    map.CloseColumns(columns);
    for (const uint32_t column : columns) model.Close(column);
  }
  // Of these digests, in a batch and one by one.
  void Check(const std::vector<uint64_t>& digests) const {
    std::vector<uint64_t> rows(digests.size() * map.row_words(), 0x5555);
    map.Query(Keys::Digests(digests), rows);
    Row one(map.row_words());
    size_t num_wrong = 0;
    for (size_t i = 0; i < digests.size(); ++i) {
      const Row want = model.Want(digests[i]);
      const auto got = std::span(rows).subspan(i * map.row_words(), map.row_words());
      map.Query(Key::Digest(digests[i]), one);
      if (!std::ranges::equal(want, got) || want != one) ++num_wrong;
    }
    REQUIRE(num_wrong == 0);
    const MapStats stats = map.GetStats();
    REQUIRE(stats.num_pairs == model.num_pairs());
    REQUIRE(stats.num_interrupted_queries == 0);
  }

  ColumnMap map;
  tests::MapModel model;
};

struct Sizes {
  uint64_t capacity;
  uint32_t num_columns;
  uint32_t fingerprint_bits;
  size_t num_digests = 900;
};

TEST_CASE("a map answers exactly for its pairs of places and columns, and is empty in the end",
          "[engine][column_map][long]") {
  // Few bits, so that many keys share places; few blocks, so that most are full.
  const auto sizes = GENERATE(Sizes{2000, 10, 0}, Sizes{2000, 63, 3}, Sizes{500, 1023, 0},
                              Sizes{200, 1023, 2}, Sizes{2000, 5000, 0}, Sizes{300, 65'535, 8},
                              Sizes{100, 20, 10, 4000}, Sizes{100, 200, 16, 4000});
  Modelled model({.capacity = sizes.capacity,
                  .num_columns = sizes.num_columns,
                  .num_blocks = sizes.fingerprint_bits == 0 ? 0 : 64U,
                  .fingerprint_bits = sizes.fingerprint_bits});
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(sizes.num_digests);
  for (uint64_t& digest : digests) digest = random();
  std::vector<uint32_t> columns(sizes.num_columns);
  for (uint32_t c = 0; c < columns.size(); ++c) columns[c] = c;
  std::ranges::shuffle(columns, random);
  columns.resize(std::min<size_t>(columns.size(), 700));
  columns.back() = sizes.num_columns - 1;
  for (size_t i = 0; i + 1 < columns.size(); ++i) {
    if (columns[i] == columns.back()) columns[i] = 0;
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  for (const uint32_t c : columns) REQUIRE(model.map.OpenColumn(c));

  // Frequent digests are in most columns, the others in few.
  const auto draw = [&](size_t size) {
    std::vector<uint64_t> some;
    for (size_t i = 0; i < size; ++i) {
      const size_t range = random() % 3 == 0 ? 8 : random() % 2 == 0 ? 60 : digests.size();
      some.push_back(digests[random() % range]);
    }
    return some;
  };
  uint64_t most_hidden = 0;
  const auto draw_column = [&] { return columns[random() % columns.size()]; };
  for (int round = 0; round < 12; ++round) {
    const bool is_growing = round % 4 < 2;
    for (int step = 0; step < 300; ++step) {
      const size_t size = random() % 4 == 0 ? 1 : random() % 40;
      if (random() % 10 < (is_growing ? 8U : 3U)) {
        model.Insert(draw_column(), draw(size));
      } else {
        model.Erase(draw_column(), draw(size));
      }
    }
    model.Check(digests);
    most_hidden = std::max(most_hidden, model.map.GetStats().num_hidden_places);
    if (round % 3 == 2) {
      std::vector<uint32_t> closed{draw_column()};
      const uint32_t other = draw_column();
      if (other != closed[0]) closed.push_back(other);
      model.Close(closed);
      model.Check(digests);
      for (const uint32_t c : closed) REQUIRE(model.map.OpenColumn(c));
      model.Check(digests);
    }
  }
  REQUIRE(model.map.GetStats().num_places_elsewhere > 0);
  if (sizes.num_digests > 1000) REQUIRE(most_hidden > 64);  // several in some blocks

  while (!model.model.copies().empty()) {
    const auto& [place, of_place] = *model.model.copies().begin();
    const auto [column, count] = *of_place.begin();
    const auto digest = std::ranges::find_if(
        digests, [&, wanted = place](uint64_t d) { return model.model.PlaceOf(d) == wanted; });
    model.Erase(column, std::vector<uint64_t>(count, *digest));
    if (random() % 512 == 0) model.Check(digests);
  }
  model.Check(digests);
  const MapStats stats = model.map.GetStats();
  CHECK(stats.num_slots_in_use == 0);
  CHECK(stats.num_pairs_elsewhere == 0);
  CHECK(stats.num_places_elsewhere == 0);
}

TEST_CASE("a place is hidden only while its block has no free slot", "[engine][column_map]") {
  const uint32_t num_slots = 31;
  Modelled model({.capacity = 1, .num_columns = 1, .num_blocks = 64, .fingerprint_bits = 15});
  REQUIRE(model.map.geometry().slots_per_block() == num_slots);
  REQUIRE(model.map.OpenColumn(0));
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(64 * 45);
  for (uint64_t& digest : digests) digest = random();
  const auto check = [&] {
    std::map<uint64_t, uint64_t> places_of_block;
    for (const auto& [place, columns] : model.model.copies()) ++places_of_block[place >> 16];
    uint64_t num_hidden = 0;
    for (const auto& [block, num_places] : places_of_block) {
      num_hidden += num_places > num_slots ? num_places - num_slots : 0;
    }
    REQUIRE(model.map.GetStats().num_hidden_places == num_hidden);
    REQUIRE(model.map.GetStats().num_pairs_elsewhere == num_hidden);
    return num_hidden;
  };
  for (size_t i = 0; i < digests.size(); ++i) {
    model.Insert(0, {digests[i]});
    if (i % 50 == 0) check();
  }
  REQUIRE(check() > 500);
  model.Check(digests);
  std::ranges::shuffle(digests, random);
  for (size_t i = 0; i < digests.size(); ++i) {
    model.Erase(0, {digests[i]});
    if (i % 50 == 0) check();
  }
  REQUIRE(check() == 0);
}

TEST_CASE("misuse of a map's columns ends the program", "[engine][column_map]") {
  using Catch::Matchers::ContainsSubstring;
  ColumnMap map = ColumnMap::Create({.capacity = 100, .num_columns = 100}).value();
  const Row keys = {1, 2};
  Row answers(6);
  const std::pair<const char*, std::function<void()>> mistakes[] = {
      {"the column is closed", [&] { map.Insert(1, keys); }},
      {"the column is closed", [&] { map.Erase(1, keys[0]); }},
      {"the column is closed", [&] { (void)map.num_keys(1); }},
      {"the column is closed", [&] { (void)map.SerializeColumn(1); }},
      {"column is not below num_columns", [&] { (void)map.MayContain(100, keys[0]); }},
      {"column is not below num_columns", [&] { map.CloseColumn(100); }},
      {"column is not below num_columns", [&] { (void)map.SerializeColumn(1u << 31); }},
      {"answers of another size", [&] { map.Query(keys, std::span(answers).first(5)); }},
      {"an answer of another size", [&] { map.Query(keys[0], std::span(answers).first(1)); }},
      {"the answers overlap the keys",
       [&] { map.Query(std::span(answers).first(2), std::span(answers).subspan(1, 4)); }}};
  for (const auto& [message, mistake] : mistakes) {
    CHECK_THAT(tests::AbortMessage(mistake), ContainsSubstring(message));
  }
  map.CloseColumn(1);  // a closed one stays closed
  CHECK_FALSE(map.IsOpen(1));
}

TEST_CASE("a map is what it was created as, and moves", "[engine][column_map]") {
  const auto kind = GENERATE(DigestKind::kXxh3, DigestKind::kXxh64);
  const DigestPolicy digest{.kind = kind, .seed = 9};
  ColumnMap made = ColumnMap::Create(
                       {.capacity = 2000, .num_columns = 300, .target_fpr = 0.02, .digest = digest})
                       .value();
  REQUIRE(made.OpenColumn(299).ok());
  made.Insert(299, "key");
  ColumnMap map = std::move(made);
  CHECK(map.geometry() ==
        MapGeometryFor({.capacity = 2000, .num_columns = 300, .target_fpr = 0.02}));
  CHECK(map.digest_policy() == digest);
  CHECK(map.num_columns() == 300);
  CHECK(map.capacity() == 2000);
  CHECK(map.target_fpr() == 0.02);
  CHECK(map.row_words() == 5);
  CHECK(map.num_keys(299) == 1);
  CHECK(map.MayContain(299, "key"));
  CHECK(map.MayContain(299, Key::Digest(digest("key"))));
  CHECK_THAT(tests::AbortMessage([&] { (void)made.num_columns(); }),
             Catch::Matchers::ContainsSubstring("moved from"));
}

TEST_CASE("non-members have as many false columns as the model says",
          "[engine][column_map][long]") {
  const uint32_t num_columns = GENERATE(63, 1000, 10'000, 60'000);
  constexpr uint64_t kPairs = 60'000;
  ColumnMap map = ColumnMap::Create({.capacity = kPairs, .num_columns = num_columns}).value();
  for (uint32_t c = 0; c < num_columns; ++c) REQUIRE(map.OpenColumn(c));
  std::mt19937_64 random(Catch::rngSeed());
  for (uint64_t i = 0; i < kPairs; ++i) {
    map.Insert(static_cast<uint32_t>(random() % num_columns), Key::Digest(random()));
  }
  constexpr size_t kQueries = 30'000;
  double sum = 0;
  double squares = 0;
  Row row(map.row_words());
  for (size_t q = 0; q < kQueries; ++q) {
    map.Query(Key::Digest(random()), row);
    double count = 0;
    for (const uint64_t word : row) count += std::popcount(word);
    sum += count;
    squares += count * count;
  }
  const double mean = sum / kQueries;
  const double predicted = map.GetStats().predicted_false_columns;
  CAPTURE(mean, predicted);
  CHECK(predicted <= 0.004 * num_columns);
  CHECK(std::abs(mean - predicted) <
        6 * std::sqrt((squares / kQueries - mean * mean) / kQueries) + 1e-3 * predicted);
}

}  // namespace
}  // namespace trommel
