// The structures that the paper on cut Bloom filter matrices compares, and AttributeFilter, all
// behind one interface, with the model of what they answer to strangers.
#ifndef TROMMEL_BENCH_PAPER_CBFM_STRUCTURES_H_
#define TROMMEL_BENCH_PAPER_CBFM_STRUCTURES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/paper/range.h"
#include "bench/tuple_workload.h"
#include "trommel/attribute_filter.h"
#include "trommel/matrix/geometry.h"
#include "trommel/matrix/sizing.h"
#include "trommel/tuple_index.h"

namespace trommel::paper {

inline constexpr uint32_t kCbfmHashes = 6;              // of the experiments
inline constexpr uint64_t kCbfmMegabyte = 8 * 1048576;  // in cells of one bit
inline constexpr uint64_t kCbfmCells = 16 * kCbfmMegabyte;
inline constexpr uint64_t kCbfmTuples = 10'000'000;  // fits the one rate that is printed

// Of three attributes, as bits. The experiments' {1,2}, counted from 0, stays allowed.
inline constexpr AttributeMask kWhole = 0b111;
inline constexpr AttributeMask kKeptPair = 0b110;
inline constexpr AttributeMask kCutPair = 0b011;    // cut by one cut and by two
inline constexpr AttributeMask kSecondCut = 0b101;  // cut by two

AttributeSets OneCut();   // {0,1}
AttributeSets TwoCuts();  // {0,1} and {0,2}, the tables' 0x3 and 0x5

struct Structure {
  std::string name;
  AttributeSets sets;
  std::optional<matrix::MatrixGeometry> geometry;  // none: an AttributeFilter
  std::unique_ptr<TupleIndex> index;

  const AttributeFilter* filter() const {
    return geometry ? nullptr : static_cast<const AttributeFilter*>(index.get());
  }
  // What a question is split into by definition, whatever is saturated. A joint block counts as the
  // whole tuple.
  std::vector<AttributeMask> PartsOf(AttributeMask asked) const;
};

// These end the program when sizing or memory fails.
Structure MakeMatrix(std::string name, const matrix::Request& request);
Structure MakeAttributeFilter(std::string name, const AttributeConfig& config);
Structure MakeAttributeFilter(std::string name, const AttributeSets& sets, uint64_t capacity,
                              double target_fpr);

// What to ask of an AttributeFilter whose sets are to have this rate when `capacity` tuples are in:
// it keeps four fifths of what it is asked for to grow with.
double TargetForRate(double rate);

struct NamedRequest {
  std::string name;
  matrix::Request request;
};
// SBF, MDBF, CMDBF, BFM, CBF, CBFM with one cut and with two, of three attributes, each with so
// many cells.
std::vector<NamedRequest> PublishedRequests(uint64_t num_cells);

// The share of strangers (TupleWorkload::Strangers) that are answered "maybe present" when
// num_tuples tuples without repeated values are in; and how far a measurement may lie from it. For
// an AttributeFilter the tuples must be in.
//
// A cell of a block is marked with chance f = 1 - (1 - 1/M)^(kn); where a value of the question is
// that of some tuple, this tuple has marked one of the cells that the value leaves, too. Rates of a
// question's parts multiply. A Cartesian join asked for some attributes looks at L cells a hash, of
// which one must be marked: 1 - (1 - f)^L in place of f.
double ModelledRate(const Structure& structure, AttributeMask asked, double alpha,
                    uint64_t num_tuples);
Range ModelledRange(const Structure& structure, AttributeMask asked, double alpha,
                    uint64_t num_tuples, uint64_t num_questions);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_STRUCTURES_H_
