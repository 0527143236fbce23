#include "bench/machine/roofline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <latch>
#include <limits>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/machine/huge_array.h"
#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

constexpr size_t kLine = 64;
constexpr std::array<size_t, 9> kDistances = {0, 8, 16, 32, 48, 64, 96, 128, 256};
constexpr size_t kOpsPerPass = 200'000;
constexpr size_t kMinPasses = 3;

constexpr size_t kWordsPerLine = kLine / sizeof(uint64_t);

// An array and the lines that an operation accesses there. Held by value in the loops below: read
// through a pointer, its fields would be loaded again after every store, and the loop would take
// twice as long.
struct Region {
  // Part part_idx of num_parts equal ones, which share no line.
  Region(const Touch& touch, HugeArray<uint64_t>& array, uint32_t part_idx, uint32_t num_parts)
      : words(array.data() + part_idx * (touch.bytes / kLine / num_parts) * kWordsPerLine),
        num_starts(touch.bytes / kLine / num_parts - touch.lines + 1) {}

  // The first word of the lines that random number chooses.
  uint64_t* Start(uint32_t random) const {
    return words + (random * num_starts >> 32) * kWordsPerLine;
  }

  uint64_t* words;
  uint64_t num_starts;
};

// Random numbers for a pass and the prefetches beyond its end. Made outside the clock and read in
// order, as a filter reads its digests.
void Refill(std::vector<uint32_t>& randoms, std::mt19937_64& engine) {
  randoms.resize(kOpsPerPass + kDistances.back());
  for (uint32_t& random : randoms) random = static_cast<uint32_t>(engine() >> 32);
}

template <bool kUpdate, uint32_t kLines>
void Prefetch(const Region region, uint32_t random) {
  const uint64_t* word = region.Start(random);
  for (uint32_t line = 0; line < kLines; ++line) {
    __builtin_prefetch(word + line * kWordsPerLine, kUpdate ? 1 : 0);
  }
}

template <bool kUpdate, uint32_t kLines>
uint64_t Visit(const Region region, uint32_t random) {
  uint64_t sum = 0;
  uint64_t* word = region.Start(random);
  for (uint32_t line = 0; line < kLines; ++line) {
    if constexpr (kUpdate) {
      word[line * kWordsPerLine] += random;
    } else {
      sum += word[line * kWordsPerLine];
    }
  }
  return sum;
}

// The numbers of lines are constants: loop bounds known only at run time make a pass a third
// slower. kSecond is 0 for a shape of one touch.
template <bool kUpdate, uint32_t kFirst, uint32_t kSecond>
uint64_t Pass(const Region first, const Region second, const uint32_t* randoms, size_t distance) {
  uint64_t sum = 0;
  for (size_t op = 0; op < kOpsPerPass; ++op) {
    if (distance != 0) {
      const uint32_t ahead = randoms[op + distance];
      Prefetch<kUpdate, kFirst>(first, ahead);
      if constexpr (kSecond != 0) Prefetch<kUpdate, kSecond>(second, ahead);
    }
    sum += Visit<kUpdate, kFirst>(first, randoms[op]);
    if constexpr (kSecond != 0) sum += Visit<kUpdate, kSecond>(second, randoms[op]);
  }
  return sum;
}

using PassFunction = uint64_t (*)(Region, Region, const uint32_t*, size_t);

// The pass for 1 to kMaxLines lines in the first touch and 0 to kMaxLines in the second.
template <bool kUpdate>
PassFunction ChoosePass(uint32_t first_lines, uint32_t second_lines) {
  constexpr uint32_t kWidth = kMaxLines + 1;
  constexpr auto kTable = []<uint32_t... kIdx>(std::integer_sequence<uint32_t, kIdx...>) {
    return std::array<PassFunction, sizeof...(kIdx)>{
        Pass<kUpdate, 1 + kIdx / kWidth, kIdx % kWidth>...};
  }
  (std::make_integer_sequence<uint32_t, kMaxLines * kWidth>());
  return kTable[(first_lines - 1) * kWidth + second_lines];
}

// figure(thread_idx, start) of each thread. All begin together: a call waits at `start` when it is
// ready.
template <class Figure>
std::vector<double> OnThreads(uint32_t num_threads, const Figure& figure) {
  std::vector<double> figures(num_threads);
  std::latch start(num_threads);
  std::vector<std::jthread> threads;
  for (uint32_t i = 1; i < num_threads; ++i) {
    threads.emplace_back([&figures, &figure, &start, i] { figures[i] = figure(i, start); });
  }
  figures[0] = figure(0, start);
  threads.clear();  // joins them
  return figures;
}

// The median of the best distance. Passes of all distances alternate, so that noise affects all.
double BestNs(PassFunction pass, const Region first, const Region second, uint32_t seed,
              double seconds, std::latch& all_ready) {
  std::array<std::vector<double>, kDistances.size()> ns;
  std::mt19937_64 engine(seed);
  std::vector<uint32_t> randoms;
  Refill(randoms, engine);
  [[maybe_unused]] volatile uint64_t sink = pass(first, second, randoms.data(), 64);
  all_ready.arrive_and_wait();
  const double start = CpuSeconds();
  for (size_t round = 0; round < kMinPasses || CpuSeconds() - start < seconds; ++round) {
    for (size_t d = 0; d < kDistances.size(); ++d) {
      Refill(randoms, engine);
      const double pass_start = CpuSeconds();
      sink = pass(first, second, randoms.data(), kDistances[d]);
      ns[d].push_back((CpuSeconds() - pass_start) * 1e9 / kOpsPerPass);
    }
  }
  double best = std::numeric_limits<double>::infinity();
  for (const auto& figures : ns) best = std::min(best, Median(figures));
  return best;
}

template <bool kUpdate>
double RandomNs(std::span<const Touch> shape, double seconds, uint32_t num_threads) {
  const uint32_t num_parts = kUpdate ? num_threads : 1;
  const auto fits = [&](const Touch& t) {
    return t.lines > 0 && t.lines <= kMaxLines && t.bytes / kLine / num_parts >= t.lines;
  };
  if (num_threads == 0 || shape.empty() || shape.size() > 2 || !std::ranges::all_of(shape, fits)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<HugeArray<uint64_t>> arrays;
  for (const Touch& touch : shape) arrays.emplace_back(touch.bytes / sizeof(uint64_t));
  const PassFunction pass =
      ChoosePass<kUpdate>(shape.front().lines, shape.size() == 2 ? shape.back().lines : 0);
  const auto ns = OnThreads(num_threads, [&](uint32_t thread_idx, std::latch& start) {
    const uint32_t part_idx = kUpdate ? thread_idx : 0;
    const Region first(shape.front(), arrays.front(), part_idx, num_parts);
    const Region second(shape.back(), arrays.back(), part_idx, num_parts);
    return BestNs(pass, first, second, 1 + thread_idx, seconds, start);
  });
  double ops_per_ns = 0;
  for (const double each : ns) ops_per_ns += 1 / each;
  return 1 / ops_per_ns;
}

}  // namespace

double RandomReadNs(std::span<const Touch> shape, double seconds, uint32_t num_threads) {
  return RandomNs<false>(shape, seconds, num_threads);
}

double RandomUpdateNs(std::span<const Touch> shape, double seconds, uint32_t num_threads) {
  return RandomNs<true>(shape, seconds, num_threads);
}

double RandomReadNs(uint64_t footprint_bytes, uint32_t lines_per_op, double seconds) {
  const Touch touch{footprint_bytes, lines_per_op};
  return RandomReadNs(std::span(&touch, 1), seconds);
}

double RandomUpdateNs(uint64_t footprint_bytes, uint32_t lines_per_op, double seconds) {
  const Touch touch{footprint_bytes, lines_per_op};
  return RandomUpdateNs(std::span(&touch, 1), seconds);
}

double StreamGbPerS(uint64_t footprint_bytes, double seconds, uint32_t num_threads) {
  if (num_threads == 0) return std::numeric_limits<double>::quiet_NaN();
  const size_t part = std::max<size_t>(footprint_bytes / 2 / num_threads, kLine);
  HugeArray<unsigned char> from(part * num_threads);
  HugeArray<unsigned char> to(part * num_threads);
  // Small copies are repeated so that a pass is long beside the clock's resolution.
  const size_t copies = std::max<size_t>(1, (size_t{16} << 20) / part);
  const auto rates = OnThreads(num_threads, [&](uint32_t thread_idx, std::latch& all_ready) {
    unsigned char* source = from.data() + thread_idx * part;
    unsigned char* copy = to.data() + thread_idx * part;
    std::vector<double> figures;
    all_ready.arrive_and_wait();
    const double start = CpuSeconds();
    for (size_t pass = 0; pass < kMinPasses || CpuSeconds() - start < seconds; ++pass) {
      const double pass_start = CpuSeconds();
      for (size_t i = 0; i < copies; ++i) {
        source[i % part] = static_cast<unsigned char>(pass);  // each copy differs from the last
        std::memcpy(copy, source, part);
        [[maybe_unused]] volatile unsigned char sink = copy[i % part];
      }
      figures.push_back(2e-9 * static_cast<double>(part * copies) / (CpuSeconds() - pass_start));
    }
    return Median(figures);
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

}  // namespace trommel::bench
