// The rows of the soak: a row is a function of its key and of a number, its content; so an exact
// model is an array of contents, and a process that was killed can be checked by replaying its
// operations.
#ifndef TROMMEL_TESTS_INDEX_SOAK_ROWS_H_
#define TROMMEL_TESTS_INDEX_SOAK_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/soak/random.h"
#include "trommel/index/cluster.h"
#include "trommel/index/schema.h"

namespace trommel::index::soak {

inline constexpr uint32_t kNumWriters = 3;       // each has rows of its own
inline constexpr uint32_t kRowsPerWriter = 700;  // at most, at one time
inline constexpr uint32_t kNumAttributes = 5;
inline constexpr uint32_t kNumServers = 3;

// What a row holds; 0: there is no such row.
using Content = uint32_t;

// The row of a writer.
struct RowName {
  uint32_t writer = 0;
  uint32_t slot = 0;
};

ClusterConfig SoakConfig(Structure structure);
std::string KeyOf(RowName name);
// Returns the row that has the key, if one of the soak has.
std::optional<RowName> NameOf(std::string_view key);
// As rows are read: values sorted, each once. Requires content != 0.
std::vector<Values> AttributesOf(RowName name, Content content);
// Returns the content of a row that was read; 0 if it is none of the soak.
Content ContentOf(const Row& row);

// A value of an attribute, as a number.
struct Wanted {
  uint32_t attribute = 0;
  uint64_t number = 0;
};
Condition ConditionOf(const Wanted& wanted);
// Returns whether the row has the value; content 0 has none.
bool HasValue(RowName name, Content content, const Wanted& wanted);
// Returns the values of the row in this attribute; none for content 0.
std::vector<Wanted> ValuesOf(RowName name, Content content, uint32_t attribute);

// One write of a writer, all of it from the seed and its number: 1 to 5 rows.
struct Change {
  uint32_t slot;
  Content content;  // 0: deleted
};
// What the writers of one round or process write.
struct WriteMix {
  uint32_t num_slots = kRowsPerWriter;  // of each writer, that are written
  uint32_t deletes_of_12 = 4;           // of 12 changes, how many delete
};
std::vector<Change> ChangesOf(uint64_t seed, uint32_t writer, uint64_t number, const WriteMix& mix);
std::vector<Mutation> MutationsOf(uint32_t writer, const std::vector<Change>& changes);

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_ROWS_H_
