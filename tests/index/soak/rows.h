// The rows of the soak: a row is a function of its key and of a number, its content; so an exact
// model is an array of contents, and a process that was killed can be checked by replaying its
// operations.
#ifndef TROMMEL_TESTS_INDEX_SOAK_ROWS_H_
#define TROMMEL_TESTS_INDEX_SOAK_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "trommel/index/cluster.h"
#include "trommel/index/schema.h"

namespace trommel::index::soak {

inline constexpr uint32_t kNumWriters = 3;       // each has rows of its own
inline constexpr uint32_t kRowsPerWriter = 700;  // at most, at one time
inline constexpr uint32_t kNumIndexed = 4;       // the first attributes

// What a row holds; 0: there is no such row.
using Content = uint32_t;

inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

ClusterConfig SoakConfig(Structure structure);
std::string KeyOf(uint32_t writer, uint32_t slot);
// Requires content != 0.
std::vector<Values> AttributesOf(uint32_t writer, uint32_t slot, Content content);

// One write of a writer, all of it from the seed and its number: 1 to 5 rows.
struct Change {
  uint32_t slot;
  Content content;  // 0: deleted
};
std::vector<Change> ChangesOf(uint64_t seed, uint32_t writer, uint64_t number);
std::vector<Mutation> MutationsOf(uint32_t writer, const std::vector<Change>& changes);

// The contents of one writer's rows.
class Model {
 public:
  Model() : contents_(kRowsPerWriter) {}
  void Apply(const std::vector<Change>& changes) {
    for (const Change& change : changes) contents_[change.slot] = change.content;
  }
  Content At(uint32_t slot) const { return contents_[slot]; }
  void Set(uint32_t slot, Content content) { contents_[slot] = content; }

 private:
  std::vector<Content> contents_;
};

// Compares all rows with the models, asks for every row by each of its indexed values, and verifies
// the cluster. Returns what is wrong, one line each; none: all is right.
std::vector<std::string> Check(Cluster& cluster, const std::vector<Model>& models);
// Deletes all rows and checks that nothing is left: no row, no entry, no pair.
std::vector<std::string> DrainAndCheck(Cluster& cluster);

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_ROWS_H_
