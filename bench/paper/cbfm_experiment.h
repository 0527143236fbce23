// What figures 7a and 7b are made of: every structure filled with the same tuples and asked the
// same questions.
#ifndef TROMMEL_BENCH_PAPER_CBFM_EXPERIMENT_H_
#define TROMMEL_BENCH_PAPER_CBFM_EXPERIMENT_H_

#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "bench/paper/cbfm_structures.h"
#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

inline constexpr int kAlphaSteps = 10;

// The sets that questions give.
inline constexpr AttributeMask kAskedSets[] = {kWhole, kKeptPair, kCutPair};
inline constexpr size_t kNumAskedSets = std::size(kAskedSets);

struct CbfmPoint {
  bench::StrangerAnswers answers;  // none asked: it cannot answer
  double model = 0;
  Range allowed;
};

class CbfmExperiment {
 public:
  // Fills and asks: a minute for 10 M tuples. Memory of the structures is scaled so that cells are
  // as full as 10 M tuples make 16 MB.
  explicit CbfmExperiment(const Options& options);

  // Those of PublishedRequests, and an AttributeFilter with both cuts as the last.
  const std::vector<Structure>& sides() const { return sides_; }
  size_t SideNamed(std::string_view name) const;
  const bench::TupleWorkload& workload() const { return workload_; }
  uint64_t num_cells() const { return num_cells_; }
  size_t num_questions() const { return num_questions_; }  // a point

  // Strangers whose values are random tuples' with chance step / kAlphaSteps.
  const CbfmPoint& At(size_t side, size_t asked_idx, size_t step) const {
    return points_[(side * kNumAskedSets + asked_idx) * (kAlphaSteps + 1) + step];
  }

 private:
  bench::TupleWorkload workload_;
  uint64_t num_cells_;
  size_t num_questions_;
  std::vector<Structure> sides_;
  std::vector<CbfmPoint> points_;
};

// Which numbers of tuples and cuts fit the rate that is printed.
Table CbfmReadings(const CbfmExperiment& experiment, uint64_t seed);
// False positives that no memory takes away, apart from those of hashes.
Table CbfmCombinations(const CbfmExperiment& experiment);

inline constexpr double kPrintedPairRate = 0.0021;

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CBFM_EXPERIMENT_H_
