// The time of queries about attributes: the index computation alone, whole queries of every side,
// and two threads, each in paired rounds. How to read the outcome: README.md.
#ifndef TROMMEL_BENCH_TRIALS_ATTRIBUTE_TRIAL_H_
#define TROMMEL_BENCH_TRIALS_ATTRIBUTE_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/sides/attribute_sides.h"
#include "bench/text/figures.h"

namespace trommel::bench {

struct AttributeTrialRequest {
  uint64_t num_tuples = 0;  // memory is scaled so that cells are as full as 10 M make 16 MB
  size_t num_queries = 0;   // per batch; ten times as many for several threads
  uint64_t rounds = 1;
  uint32_t num_threads = 2;
  uint64_t seed = 1;
};

struct AttributeTrialOutcome {
  std::string wrong;              // the first wrong answer; empty: there was none
  std::vector<TrialRow> indices;  // ns per query: {literal, planned}
  // ns per query, of each AttributeSide; no figures where all blocks of the query are full, so that
  // nothing is read.
  std::vector<TrialRow> queries;
  // ns per query, a call for each: of each SingleSide.
  std::vector<TrialRow> singles;
  std::vector<TrialRow> updates;  // of the filter, ns per tuple: {insert, erase}
  std::vector<TrialRow> threads;  // wall ns per query or line: {one, several}
  std::vector<uint64_t> bytes;    // of each AttributeSide
};

AttributeTrialOutcome RunAttributeTrial(const AttributeTrialRequest& request);

inline const std::vector<std::string> kIndexSides = {"literal", "planned"};
inline const std::vector<RatioColumn> kIndexRatios = {{"literal / planned", 0, 1}};
inline const std::vector<RatioColumn> kAttributeRatios = {
    {"1 cut / BFM", kOneCutSide, kBfmSide},
    {"2 cuts / BFM", kTwoCutsSide, kBfmSide},
    {"1 cut / MDBF", kOneCutSide, kMdbfSide},
    {"2 cuts / MDBF", kTwoCutsSide, kMdbfSide},
    {"filter / 2 cuts", kFilterSide, kTwoCutsSide},
    {"filter / literal", kFilterSide, kLiteralSide}};

// The matrix has no call for one tuple: it takes a batch of one.
enum SingleSide : uint8_t { kSingleMatrix, kSingleBatch, kSingleFilter };
inline const std::vector<std::string> kSingleSides = {"CBFM 2 cuts", "filter, batch of one",
                                                      "filter, MayContain"};
inline const std::vector<RatioColumn> kSingleRatios = {
    {"batch of one / 2 cuts", kSingleBatch, kSingleMatrix},
    {"MayContain / 2 cuts", kSingleFilter, kSingleMatrix}};

// One line per target, met or not.
std::string JudgeAttributes(const AttributeTrialOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_ATTRIBUTE_TRIAL_H_
