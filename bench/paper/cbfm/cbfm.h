// The paper on cut Bloom filter matrices, table by table and figure by figure: the structures that
// it compares, and AttributeFilter, all behind one interface, with the model of their answers to
// non-members.
#ifndef TROMMEL_BENCH_PAPER_CBFM_CBFM_H_
#define TROMMEL_BENCH_PAPER_CBFM_CBFM_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/paper/report/program.h"
#include "bench/paper/report/report.h"
#include "bench/sides/tuple_workload.h"
#include "bench/text/figures.h"
#include "trommel/attribute_filter.h"
#include "trommel/matrix/geometry.h"
#include "trommel/matrix/sizing.h"
#include "trommel/result.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"

namespace trommel::paper {

// --- Structures ---

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
  // What a query is split into by definition, even where blocks are saturated. A joint block counts
  // as the whole tuple.
  std::vector<AttributeMask> PartsOf(AttributeMask queried) const;
};

// These end the program when sizing or memory fails.
Structure MakeMatrix(std::string name, const matrix::Request& request);
Structure MakeAttributeFilter(std::string name, const AttributeConfig& config);
Structure MakeAttributeFilter(std::string name, const AttributeSets& sets, uint64_t capacity,
                              double target_fpr);

// The target_fpr of an AttributeFilter whose sets are to have this rate when `capacity` tuples are
// in: it keeps four fifths of its target to grow with.
double TargetForRate(double rate);

// The bytes of one set's filter that has this rate when `capacity` projections are in; 0 for a rate
// of one half or more, for which no filter is needed.
double FilterBytes(uint64_t capacity, double rate);

struct NamedRequest {
  std::string name;
  matrix::Request request;
};
// SBF, MDBF, CMDBF, BFM, CBF, CBFM with one cut and with two, of three attributes, each with so
// many cells.
std::vector<NamedRequest> PublishedRequests(uint64_t num_cells);

// The share of non-members (TupleWorkload::NonMembers) that are answered "maybe present" when
// num_tuples tuples without repeated values are in; and the range that chance allows a measurement.
// For an AttributeFilter the tuples must be in.
//
// A cell of a block is marked with probability f = 1 - (1 - 1/M)^(kn); where a value of the query
// is that of some tuple, this tuple has also marked one of the cells that the value leaves. Rates
// of a query's parts multiply. A Cartesian join queried for some attributes reads L cells per hash,
// one of which must be marked: 1 - (1 - f)^L in place of f.
double ModelledRate(const Structure& structure, AttributeMask queried, double alpha,
                    uint64_t num_tuples);
Range ModelledRange(const Structure& structure, AttributeMask queried, double alpha,
                    uint64_t num_tuples, uint64_t num_queries);

// --- The report ---

Report CbfmReport(const Options& options);

// Table 2 (tuples in a megabyte), Table 3 (megabytes for a thousand tuples), and the rates that the
// megabytes of Table 3 give.
std::vector<Table> CbfmSizing(const Options& options);

// Figures 7a and 7b: every structure filled with the same tuples and given the same queries.
inline constexpr int kAlphaSteps = 10;
inline constexpr AttributeMask kQueriedSets[] = {kWhole, kKeptPair, kCutPair};
inline constexpr size_t kNumQueriedSets = std::size(kQueriedSets);
inline constexpr double kPrintedPairRate = 0.0021;

struct CbfmPoint {
  bench::NonMemberAnswers answers;  // no queries: it cannot answer
  double model = 0;
  Range allowed;
};

class CbfmExperiment {
 public:
  // Fills and queries: a minute for 10 M tuples. Memory of the structures is scaled so that cells
  // are as full as 10 M tuples make 16 MB.
  explicit CbfmExperiment(const Options& options);

  // Those of PublishedRequests, and an AttributeFilter with both cuts as the last.
  const std::vector<Structure>& sides() const { return sides_; }
  size_t SideNamed(std::string_view name) const;
  const bench::TupleWorkload& workload() const { return workload_; }
  uint64_t num_cells() const { return num_cells_; }
  size_t num_queries() const { return num_queries_; }  // per point

  // Non-members whose values are random tuples' with probability step / kAlphaSteps.
  const CbfmPoint& At(size_t side, size_t queried_idx, size_t step) const {
    return points_[(side * kNumQueriedSets + queried_idx) * (kAlphaSteps + 1) + step];
  }

 private:
  bench::TupleWorkload workload_;
  uint64_t num_cells_;
  size_t num_queries_;
  std::vector<Structure> sides_;
  std::vector<CbfmPoint> points_;
};

// The functions below add their tables and charts to the report, or return the tables.

// Figures 7a and 7b: random 32-bit integers, and queries that share more and more values with what
// is in.
void CbfmSynthetic(const Options& options, const CbfmExperiment& experiment, Report& report);
// Which numbers of tuples and cuts fit the rate that is printed.
Table CbfmReadings(const CbfmExperiment& experiment, uint64_t seed);
// False positives that no memory removes, apart from those of hashes.
Table CbfmCombinations(const CbfmExperiment& experiment);

// Where tuples are as many as cells: the memory at which AttributeFilter reaches the rates that
// CBFM has in 16 MB, set by set, and the number of tuples from which on the matrix is smaller.
void CbfmCrossover(const Options& options, const CbfmExperiment& experiment, Report& report);

// Figures 8a and 8b: triples {source address, destination address, domain}, the earlier half
// inserted and the later half queried, against memory: of the file that is given, or made ones.
// Ends the program where the file cannot be read.
void CbfmTriples(const Options& options, Report& report);

// Figure 9: two attributes get more positions, the third fewer, in the same memory: what was
// measured, and all readings of the text by the model.
std::vector<Table> CbfmWeights(const Options& options, const CbfmExperiment& experiment);

// Figure 10: the time of a query of every structure, as published and as here.
Table CbfmTimes(const Options& options, const CbfmExperiment& experiment);
// The same for queries that come one at a time, and for batches that threads share.
Table CbfmTimesAlone(const Options& options, const CbfmExperiment& experiment);
Table CbfmTimesShared(const Options& options, const CbfmExperiment& experiment);

// What they consist of: the computation of indices alone, literal and planned.
Table CbfmIndices(const Options& options, const CbfmExperiment& experiment);
// What the matrix has not: insertions and erasures of an AttributeFilter.
Table CbfmUpdates(const Options& options);

// The median of the ratios in each round, and their range as its note.
Row RatioRow(std::string what, const bench::Figures& over, const bench::Figures& under);

// "2 to 3 times as long", shown as 2.5, of a measured ratio: agrees from 2 to 3, bounds included.
// Below 2, a structure of our kernels holds in sound form; as published it does not reproduce.
void JudgeTwoToThree(Row& row, bool is_ours);

// Figure 11: memory against the number of attributes, theory and built.
void CbfmMemory(const Options& options, Report& report);

// Figure 12: the time of a query against the number of attributes and of tuples.
void CbfmDimensions(const Options& options, Report& report);

// --- Triples, in the order of time ---

using Triple = std::array<uint32_t, 3>;  // numbers of values

struct TripleLog {
  std::vector<Triple> triples;  // of all rows, repetitions included
  std::array<std::vector<std::string>, 3> values;

  // The values of these triples, hashed.
  TupleDigests Digests(const std::vector<Triple>& some) const;
};

// Lines of tab-separated columns under a line of names, among them src_ip, dst_ip and domain. Fails
// with kIo where the file cannot be read, and with kInvalidArgument, naming the line, where a
// column or a cell is missing.
Result<TripleLog> ReadTriples(const std::string& path);

// Made-up rows of a network's log: sources, domains and servers of skewed frequency, each source
// with a taste of its own, each domain on one to three servers.
TripleLog MakeTriples(size_t num_rows, uint64_t seed);

// Different projections of triples onto a set, to be queried.
class TripleSet {
 public:
  TripleSet(AttributeMask set, const std::vector<Triple>& triples);
  bool Has(const Triple& triple) const;
  size_t size() const { return projections_.size(); }

 private:
  AttributeMask set_;
  std::vector<Triple> projections_;  // ascending
};

// The different projections of `triples` onto a set that are not among those of `known`: each by
// one triple.
std::vector<Triple> NewTriples(AttributeMask set, const std::vector<Triple>& triples,
                               const std::vector<Triple>& known);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_CBFM_H_
