// Structures that answer queries about any of a tuple's attributes, as sides of a comparison: the
// published matrices in the same memory, one of them walked literally, and AttributeFilter.
#ifndef TROMMEL_BENCH_SIDES_ATTRIBUTE_SIDES_H_
#define TROMMEL_BENCH_SIDES_ATTRIBUTE_SIDES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/src/matrix/literal_matrix.h"
#include "trommel/matrix/matrix.h"
#include "trommel/tuple_index.h"

namespace trommel::bench {

enum AttributeSide : uint8_t {
  kMdbfSide,
  kBfmSide,
  kOneCutSide,   // CBFM without {0,1}
  kTwoCutsSide,  // CBFM without {0,1} and {0,2}
  kLiteralSide,  // the same, by the algorithms of the paper
  kFilterSide,   // AttributeFilter with both cuts, every set at the rate of the matrix's pair
  kNumAttributeSides
};

// In the order of AttributeSide.
std::vector<std::string> AttributeSideNames();

inline constexpr uint32_t kSideHashes = 6;

// The cells in which the pair of CBFM with two cuts has the published rate: 16 MB for 10 M tuples.
uint64_t SideCellsFor(uint64_t num_tuples);

// Three attributes without the combinations that this side cuts.
AttributeSets SideSets(AttributeSide side);
// For sides that are matrices, except for the literal one.
matrix::Matrix MakeSideMatrix(AttributeSide side, uint64_t num_cells);
matrix::LiteralMatrix MakeLiteralSide(uint64_t num_cells);
// Empty. Ends the program when sizing or memory fails.
std::unique_ptr<TupleIndex> MakeAttributeSide(AttributeSide side, uint64_t num_tuples);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_ATTRIBUTE_SIDES_H_
