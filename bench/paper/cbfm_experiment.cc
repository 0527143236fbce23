#include "bench/paper/cbfm_experiment.h"

namespace trommel::paper {
namespace {

constexpr double kFilterRate = 0.0022;  // as the matrix has it for 10 M tuples in 16 MB

uint64_t NumTuples(const Options& options) {
  if (options.tuples != 0) return options.tuples;
  return options.quick ? 20'000 : kCbfmTuples;
}

// So many that cells are as full as 10 M tuples make 16 MB.
uint64_t CellsFor(uint64_t num_tuples) {
  return static_cast<uint64_t>(static_cast<double>(kCbfmCells) * static_cast<double>(num_tuples) /
                               static_cast<double>(kCbfmTuples));
}

}  // namespace

CbfmExperiment::CbfmExperiment(const Options& options)
    : workload_(3, NumTuples(options), options.seed),
      num_cells_(CellsFor(NumTuples(options))),
      num_questions_(options.quick ? 10'000 : 400'000) {
  for (const NamedRequest& named : PublishedRequests(num_cells_)) {
    sides_.push_back(MakeMatrix(named.name, named.request));
  }
  sides_.push_back(MakeAttributeFilter("AttributeFilter", TwoCuts(), workload_.num_tuples(),
                                       TargetForRate(kFilterRate)));
  std::vector<TupleIndex*> indices;
  for (const Structure& side : sides_) indices.push_back(side.index.get());
  workload_.InsertInto(indices);
  points_.resize(sides_.size() * kNumAskedSets * (kAlphaSteps + 1));
  for (size_t asked_idx = 0; asked_idx < kNumAskedSets; ++asked_idx) {
    const AttributeMask asked = kAskedSets[asked_idx];
    for (size_t step = 0; step <= kAlphaSteps; ++step) {
      const double alpha = static_cast<double>(step) / kAlphaSteps;
      const auto strangers =
          workload_.Strangers(asked, alpha, num_questions_, 100 * (asked_idx + 1) + step);
      for (size_t side = 0; side < sides_.size(); ++side) {
        const Structure& structure = sides_[side];
        if (!structure.index->CanAnswer(asked)) continue;
        CbfmPoint& point = points_[(side * kNumAskedSets + asked_idx) * (kAlphaSteps + 1) + step];
        point.answers =
            bench::AskStrangers(*structure.index, workload_, strangers, structure.PartsOf(asked));
        point.model = ModelledRate(structure, asked, alpha, workload_.num_tuples());
        point.allowed =
            ModelledRange(structure, asked, alpha, workload_.num_tuples(), num_questions_);
      }
    }
  }
}

size_t CbfmExperiment::SideNamed(std::string_view name) const {
  size_t side = 0;
  while (sides_[side].name != name) ++side;
  return side;
}

}  // namespace trommel::paper
