#include "bench/paper/cbfm_times.h"

#include <cmath>

#include "bench/paper/paired_time.h"
#include "trommel/matrix/literal_matrix.h"

namespace trommel::paper {
namespace {

// A structure and what to call it.
struct TimedSide {
  std::string name;
  const TupleIndex* index;
};

// Literal ones of as many cells, holding the same tuples. They take some microseconds a tuple.
Structure MakeLiteral(const CbfmExperiment& experiment, std::string_view like,
                      const std::string& name) {
  const Structure& model = experiment.sides()[experiment.SideNamed(like)];
  const std::vector<uint64_t> positions(3, model.geometry->blocks.front().positions.front());
  Structure made{name, model.sets, std::nullopt, nullptr};
  made.index = std::make_unique<matrix::LiteralMatrix>(
      matrix::LiteralMatrix::Create(model.sets, positions, kCbfmHashes).value());
  experiment.workload().InsertInto(*made.index);
  return made;
}

struct Timing {
  std::vector<TimedSide> sides;
  std::vector<bench::Figures> ns;  // [side]

  const bench::Figures& Of(std::string_view name) const {
    size_t side = 0;
    while (sides[side].name != name) ++side;
    return ns[side];
  }
};

Timing TimeQuestions(const std::vector<TimedSide>& sides, const bench::TupleQuestions& questions,
                     uint32_t num_rounds) {
  const Tuples tuples = questions.digests.view();
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(tuples.size));
  Timing timing;
  std::vector<std::function<void()>> ways;
  for (const TimedSide& side : sides) {
    if (!side.index->CanAnswer(questions.asked)) continue;
    timing.sides.push_back(side);
    ways.emplace_back([&maybe, &tuples, &questions, index = side.index] {
      index->Query(questions.asked, tuples, maybe);
    });
  }
  timing.ns = TimeInTurns(ways, tuples.size, num_rounds);
  return timing;
}

Row RatioRow(const Timing& timing, const std::string& over, const std::string& under,
             const std::string& kind) {
  const bench::Ratio ratio = bench::PairedRatio(timing.Of(over), timing.Of(under));
  Row row{.what = kind + over + " / " + under};
  row.measured = ratio.median;
  row.note = FigureText(ratio.min, Unit::kNumber) + " to " + FigureText(ratio.max, Unit::kNumber) +
             " over the rounds.";
  return row;
}

// "2 to 3 times": half a unit more is let pass, for times.
void JudgeTwoToThree(Row& row) {
  row.paper = 2.5;
  const bool is_so = *row.measured >= 1.5 && *row.measured <= 3.5;
  row.given = is_so ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
}

}  // namespace

Table CbfmTimes(const Options& options, const CbfmExperiment& experiment) {
  Table table{.title = "Fig. 10: ns a question"};
  table.text =
      "One thread, batches, medians over rounds; ratios are taken in each round. Paper: CBFM takes "
      "2 to 3 times as long as BFM, MDBF and CBF (shown as 2.5). \"Literal\" walks as Algorithms 1 "
      "to "
      "3 do. Positives are tuples that are in, negatives are strangers of new values.";
  table.axis = Axis::kLinear;
  table.instead = "AttributeFilter";
  const Structure literal_bfm = MakeLiteral(experiment, "BFM", "literal BFM");
  const Structure literal_one = MakeLiteral(experiment, "CBFM, one cut", "literal CBFM, one cut");
  const Structure literal_two = MakeLiteral(experiment, "CBFM, two cuts", "literal CBFM, two cuts");
  std::vector<TimedSide> sides;
  for (const Structure& side : experiment.sides()) sides.push_back({side.name, side.index.get()});
  for (const Structure* side : {&literal_bfm, &literal_one, &literal_two}) {
    sides.push_back({side->name, side->index.get()});
  }
  const size_t count = options.quick ? 2'000 : 200'000;
  const uint32_t num_rounds = options.quick ? 1 : 7;
  for (const AttributeMask asked : {kWhole, kKeptPair}) {
    for (const bool positive : {false, true}) {
      const auto questions = positive ? experiment.workload().Members(asked, count, 501)
                                      : experiment.workload().Strangers(asked, 0, count, 502);
      const Timing timing = TimeQuestions(sides, questions, num_rounds);
      const std::string kind = std::string(asked == kWhole ? "whole, " : "{1,2}, ") +
                               (positive ? "positives: " : "negatives: ");
      const double filter = bench::Median(timing.Of("AttributeFilter"));
      for (size_t side = 0; side < timing.sides.size(); ++side) {
        Row row{.what = kind + timing.sides[side].name, .unit = Unit::kNs};
        row.measured = bench::Median(timing.ns[side]);
        row.instead = filter;
        if (*row.measured < 0.1) row.note = "Every block is full: \"maybe present\", unasked.";
        table.rows.push_back(row);
      }
      if (asked == kWhole) {
        for (const std::string cuts : {", one cut", ", two cuts"}) {
          Row literal = RatioRow(timing, "literal CBFM" + cuts, "literal BFM", kind);
          JudgeTwoToThree(literal);
          table.rows.push_back(literal);
        }
        for (const char* other : {"BFM", "MDBF", "CBF"}) {
          Row ours = RatioRow(timing, "CBFM, two cuts", other, kind);
          JudgeTwoToThree(ours);
          if (ours.given == Verdict::kDoesNotReproduce) ours.given = Verdict::kSoundForm;
          table.rows.push_back(ours);
        }
      }
      table.rows.push_back(RatioRow(timing, "AttributeFilter", "CBFM, two cuts", kind));
      table.rows.push_back(RatioRow(timing, "AttributeFilter", "literal CBFM, two cuts", kind));
    }
  }
  return table;
}

}  // namespace trommel::paper
