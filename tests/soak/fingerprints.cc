// The soak of fingerprints: trommel_fingerprints_soak OPERATIONS SEED
//
// Random programs on filters of fingerprints of each shape, each beside an exact model, until so
// many keys were inserted, erased and queried. Filters are small and their digests few, so that
// blocks overflow, return and hold copies all the time; between batches filters are merged,
// subtracted, folded, grown, saved and loaded. Exit status: 0 no difference, 1 one, with the seed
// and step that lead to it, 2 wrong usage.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Random = std::mt19937_64;

struct Difference {
  std::string what;
};

void Require(bool holds, const char* what) {
  if (!holds) throw Difference{what};
}

// A pool of digests, and how often the strings that a filter keeps of them are in it. Digests with
// equal strings are one class. Written from the definition of a string (FORMAT.md, sections 5.5
// and 5.7).
class Model {
 public:
  Model(const Geometry& geometry, std::vector<uint64_t> digests) : digests_(std::move(digests)) {
    classes_.assign(digests_.size(), 0);
    counts_.assign(1, 0);
    MoveTo(geometry);
  }

  // To another size: equal strings stay equal, and others may become so.
  void MoveTo(const Geometry& geometry) {
    std::unordered_map<uint64_t, uint32_t> class_of;
    std::vector<uint32_t> classes(digests_.size());
    std::vector<bool> is_moved(counts_.size());
    std::vector<uint64_t> counts;
    for (size_t i = 0; i < digests_.size(); ++i) {
      const auto [entry, is_new] = class_of.try_emplace(StringOf(digests_[i], geometry),
                                                        static_cast<uint32_t>(counts.size()));
      if (is_new) counts.push_back(0);
      classes[i] = entry->second;
      if (is_moved[classes_[i]]) continue;
      is_moved[classes_[i]] = true;
      counts[entry->second] += counts_[classes_[i]];
    }
    classes_ = std::move(classes);
    counts_ = std::move(counts);
  }

  size_t size() const { return digests_.size(); }
  uint64_t DigestAt(size_t i) const { return digests_[i]; }
  uint64_t& CountAt(size_t i) { return counts_[classes_[i]]; }

  // One digest for each key that is in, copies included.
  std::vector<uint64_t> AllKeys() const {
    std::vector<uint64_t> left = counts_;
    std::vector<uint64_t> keys;
    for (size_t i = 0; i < digests_.size(); ++i) {
      keys.insert(keys.end(), std::exchange(left[classes_[i]], 0), digests_[i]);
    }
    return keys;
  }

 private:
  static uint64_t StringOf(uint64_t digest, const Geometry& geometry) {
    __extension__ using Wide = unsigned __int128;
    const Wide num_strings = Wide{geometry.num_blocks} * geometry.num_values();
    const auto string = static_cast<uint64_t>(digest * num_strings >> 64);
    if (geometry.encoding == Encoding::kFingerprints16) {
      if (string % 256 == 0) return string + 1;
      if (string % 256 == 255) return string - 1;
    }
    return string;
  }

  std::vector<uint64_t> digests_;
  std::vector<uint32_t> classes_;
  std::vector<uint64_t> counts_;
};

class Program {
 public:
  explicit Program(uint64_t seed) : random_(seed), filter_(Empty(SomeGeometry())) {
    std::vector<uint64_t> digests(1 + random_() % (1 + 100 * filter_.geometry().num_blocks));
    const bool has_crowd = random_() % 3 == 0;  // a tenth of the digests in few blocks
    for (uint64_t& digest : digests) {
      digest = has_crowd && random_() % 10 == 0 ? random_() >> 12 : random_();
    }
    model_ = Model(filter_.geometry(), std::move(digests));
    // As many keys on average as live in the filter: from few up to many times its capacity.
    most_keys_ = (1 + random_() % 60) * filter_.geometry().num_blocks;
  }

  void Step() {
    ++step_;
    PickBatch();
    const uint64_t choice = random_() % 16;
    if (filter_.num_keys() + keys_.size() > 2 * most_keys_) {
      Erase();
    } else if (choice < 5) {
      Insert();
    } else if (choice < 7) {
      InsertIfAbsent();
    } else if (choice < 12) {
      Erase();
    } else {
      OneByOne();
    }
    Require(filter_.num_keys() == num_keys_, "num_keys");
    PickBatch();
    Query();
    if (random_() % 64 == 0) Combine();
    if (random_() % 128 == 0) Resize();
    if (random_() % 256 == 0) Reload();
  }

  // All keys out again: nothing may be left.
  void Finish() {
    const std::vector<uint64_t> keys = model_.AllKeys();
    Require(filter_.Serialize() == Filled(keys).Serialize(), "bytes at the end");
    Require(filter_.Erase(Keys::Digests(keys)).num_refused == 0, "a key that is in was refused");
    Require(filter_.Serialize() == Empty(filter_.geometry()).Serialize(), "bytes when empty");
    Require(filter_.GetStats().side_table_bytes == 0, "side table when empty");
  }

  uint64_t num_operations() const { return num_operations_; }
  uint64_t step() const { return step_; }

 private:
  static CountingFilter Empty(const Geometry& geometry) {
    return *CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller});
  }
  CountingFilter Filled(std::span<const uint64_t> digests) const {
    CountingFilter filter = Empty(filter_.geometry());
    filter.Insert(Keys::Digests(digests));
    return filter;
  }

  Geometry SomeGeometry() {
    const uint64_t most = uint64_t{1} << random_() % 9;
    Geometry geometry{.num_slices = 0,
                      .encoding = Encoding::kFingerprints16,
                      .num_blocks = 1 + random_() % most,
                      .fingerprint_bits = 16};
    if (random_() % 4 != 0) {
      constexpr uint32_t kSlots[] = {51, 48, 43, 40, 38, 35, 32, 26, 22, 20};
      geometry.encoding = Encoding::kDense;
      geometry.slots = kSlots[random_() % std::size(kSlots)];
      geometry.fingerprint_bits = geometry.max_dense_bits();
    }
    if (random_() % 3 == 0) {
      geometry.shard_bits = 1;
      geometry.num_blocks = 128 * (1 + random_() % 3);
    }
    if (random_() % 4 == 0) geometry.fingerprint_bits -= static_cast<uint32_t>(random_() % 6);
    return geometry;
  }

  void PickBatch() {
    indices_.resize(1 + random_() % (random_() % 4 == 0 ? 4'000 : 200));
    const bool is_hot = random_() % 16 == 0;
    for (size_t& index : indices_) index = random_() % model_.size();
    if (is_hot) std::ranges::fill(indices_, indices_.front());
    keys_.resize(indices_.size());
    std::ranges::transform(indices_, keys_.begin(), [&](size_t i) { return model_.DigestAt(i); });
    bits_.assign(CountingFilter::BitmapWords(keys_.size()), ~uint64_t{0});
    num_operations_ += keys_.size();
  }
  bool BitAt(size_t i) const { return (bits_[i / 64] >> (i % 64) & 1) != 0; }

  // What the model says of one key's update; `is_done` is what the filter said.
  void Inserted(size_t i) { model_.CountAt(indices_[i]) += 1, ++num_keys_; }
  void InsertedIfAbsent(size_t i, bool is_done) {
    Require(is_done == (model_.CountAt(indices_[i]) == 0), "insert_if_absent");
    if (is_done) Inserted(i);
  }
  void Erased(size_t i, bool is_done) {
    uint64_t& count = model_.CountAt(indices_[i]);
    Require(is_done == (count > 0), "erase");
    if (is_done) --count, --num_keys_;
  }

  void Insert() {
    filter_.Insert(Keys::Digests(keys_));
    for (size_t i = 0; i < keys_.size(); ++i) Inserted(i);
  }
  void InsertIfAbsent() {
    filter_.InsertIfAbsent(Keys::Digests(keys_), bits_);
    for (size_t i = 0; i < keys_.size(); ++i) InsertedIfAbsent(i, BitAt(i));
  }
  void Erase() {
    filter_.Erase(Keys::Digests(keys_), bits_);
    for (size_t i = 0; i < keys_.size(); ++i) Erased(i, BitAt(i));
  }
  void OneByOne() {
    for (size_t i = 0; i < keys_.size(); ++i) {
      const Key key = Key::Digest(keys_[i]);
      switch (random_() % 3) {
        case 0:
          filter_.Insert(key);
          Inserted(i);
          break;
        case 1:
          InsertedIfAbsent(i, filter_.InsertIfAbsent(key));
          break;
        default:
          Erased(i, filter_.Erase(key));
      }
      Require(filter_.MayContain(key) == (model_.CountAt(indices_[i]) > 0), "one query");
    }
  }

  void Query() {
    const size_t num_found = filter_.Query(Keys::Digests(keys_), bits_);
    counts_.resize(keys_.size());
    filter_.CountEstimates(Keys::Digests(keys_), counts_);
    selected_.resize(keys_.size());
    const size_t num_selected =
        filter_.Select(Keys::Digests(keys_), Answer::kMaybePresent, selected_);
    Require(num_found == num_selected, "the number of keys found");
    size_t next = 0;
    for (size_t i = 0; i < keys_.size(); ++i) {
      const uint64_t count = model_.CountAt(indices_[i]);
      Require(BitAt(i) == (count > 0), "query");
      Require(counts_[i] == count, "count");
      if (count > 0) Require(next < num_selected && selected_[next++] == i, "selection");
    }
  }

  void Combine() {
    PickBatch();
    const CountingFilter other = Filled(keys_);
    Require(filter_.Merge(other).ok(), "merge");
    for (size_t i = 0; i < keys_.size(); ++i) Inserted(i);
    // What cannot be subtracted changes nothing; some other merged before may have been erased.
    PickBatch();
    const CountingFilter some = Filled(keys_);
    std::vector<size_t> taken;
    bool is_contained = true;
    for (size_t i = 0; i < keys_.size() && is_contained; ++i) {
      uint64_t& count = model_.CountAt(indices_[i]);
      is_contained = count > 0;
      if (is_contained) --count, taken.push_back(i);
    }
    Require(filter_.Subtract(some).ok() == is_contained, "subtract");
    if (is_contained) {
      num_keys_ -= keys_.size();
    } else {
      for (const size_t i : taken) ++model_.CountAt(indices_[i]);
    }
  }

  void Resize() {
    const bool is_growing = filter_.geometry().num_blocks < 600 && random_() % 2 == 0;
    const Status resized = is_growing ? filter_.Grow() : filter_.Fold();
    if (resized.ok()) model_.MoveTo(filter_.geometry());
  }

  void Reload() {
    const std::vector<std::byte> bytes = filter_.Serialize();
    Require(bytes == Filled(model_.AllKeys()).Serialize(), "bytes");
    Result<CountingFilter> loaded = CountingFilter::Deserialize(bytes);
    Require(loaded.ok(), "load");
    filter_ = *std::move(loaded);
  }

  Random random_;
  CountingFilter filter_;
  Model model_{filter_.geometry(), {}};
  uint64_t most_keys_ = 0;
  uint64_t num_keys_ = 0;
  uint64_t step_ = 0;
  uint64_t num_operations_ = 0;
  std::vector<size_t> indices_;
  std::vector<uint64_t> keys_;
  std::vector<uint64_t> bits_;
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> selected_;
};

int Run(uint64_t num_operations, uint64_t first_seed) {
  const bool shows_progress = isatty(STDERR_FILENO) != 0;
  uint64_t done = 0;
  uint64_t seed = first_seed;
  for (; done < num_operations; ++seed) {
    Program program(seed);
    try {
      for (int step = 0; step < 2'000 && done + program.num_operations() < num_operations; ++step) {
        program.Step();
      }
      program.Finish();
    } catch (const Difference& difference) {
      std::fprintf(stderr, "trommel_fingerprints_soak: seed %llu, step %llu: %s differs\n",
                   static_cast<unsigned long long>(seed),
                   static_cast<unsigned long long>(program.step()), difference.what.c_str());
      return 1;
    }
    done += program.num_operations();
    if (shows_progress) {
      std::fprintf(stderr, "\r%llu operations", static_cast<unsigned long long>(done));
    }
  }
  std::printf("%s%llu operations in %llu programs: no difference\n", shows_progress ? "\r" : "",
              static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(seed - first_seed));
  return 0;
}

}  // namespace
}  // namespace trommel

int main(int argc, char** argv) {
  char* end = nullptr;
  const uint64_t num_operations = argc == 3 ? std::strtoull(argv[1], &end, 10) : 0;
  if (num_operations == 0 || *end != '\0') {
    std::fputs("usage: trommel_fingerprints_soak OPERATIONS SEED\n", stderr);
    return 2;
  }
  return trommel::Run(num_operations, std::strtoull(argv[2], nullptr, 10));
}
