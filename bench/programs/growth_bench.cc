// A ScalableFilter from empty to its largest size: no key missed, the rate beside the model, what a
// key takes, and the longest pause of an update. How to read it: README.md.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/sides/demand.h"
#include "bench/sides/fpr_bounds.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/text/svg.h"
#include "trommel/outcomes.h"
#include "trommel/scalable_filter.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: growth_bench [--keys=1G] [--rate=N] [--calls=batches|keys] [--threads=1] [--svg=FILE]\n"
    "  --keys     to insert: at most 2^40\n"
    "  --rate     the target is 1 / N (100)\n"
    "  --calls    insert 4,096 keys per call, or one\n"
    "  --threads  that insert at the same time\n"
    "  --svg      also draw the memory per key\n";

constexpr uint64_t kFirstSize = 10'000;
constexpr double kStep = 1.189207115002721;  // 2^(1/4)
constexpr uint64_t kNumAsked = uint64_t{1} << 18;
constexpr size_t kCallKeys = 4'096;

struct Size {
  uint64_t num_keys = 0;
  double bits_per_key = 0;
  double model_bits = 0;  // without what lines and records take beyond their least number
  double rate = 0;
  double model_rate = 0;
  uint64_t num_missed = 0;
  double ns_per_key = 0;  // CPU time of one thread; of several wall time
  double longest_us = 0;  // wall time of a call
  uint64_t num_long = 0;  // of more than 5 ms
};

using Clock = std::chrono::steady_clock;

double MicrosSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Inserts every num_threads-th of the keys [begin, end) from the thread's own on.
struct Inserting {
  ScalableFilter& filter;
  size_t num_threads;
  size_t call_keys;

  void Run(uint64_t begin, uint64_t end, size_t thread, Size& size) const {
    std::vector<uint64_t> digests;
    for (uint64_t i = begin + thread; i < end;) {
      digests.clear();
      for (; i < end && digests.size() < call_keys; i += num_threads) digests.push_back(KeyAt(i));
      const auto start = Clock::now();
      if (call_keys == 1) {
        filter.Insert(Key::Digest(digests[0]));
      } else {
        filter.Insert(Keys::Digests(digests));
      }
      const double us = MicrosSince(start);
      size.longest_us = std::max(size.longest_us, us);
      size.num_long += us > 5'000 ? 1 : 0;
    }
  }
};

void Insert(const Inserting& inserting, uint64_t begin, uint64_t end, Size& size) {
  const double cpu_start = CpuSeconds();
  const auto start = Clock::now();
  std::vector<Size> of_threads(inserting.num_threads);
  std::vector<std::thread> threads;
  for (size_t t = 1; t < inserting.num_threads; ++t) {
    threads.emplace_back([&, t] { inserting.Run(begin, end, t, of_threads[t]); });
  }
  inserting.Run(begin, end, 0, of_threads[0]);
  for (std::thread& thread : threads) thread.join();
  const double us =
      inserting.num_threads == 1 ? 1e6 * (CpuSeconds() - cpu_start) : MicrosSince(start);
  size.ns_per_key = 1e3 * us / static_cast<double>(end - begin);
  for (const Size& of_thread : of_threads) {
    size.longest_us = std::max(size.longest_us, of_thread.longest_us);
    size.num_long += of_thread.num_long;
  }
}

// Asks for members drawn from all that are in, and for as many others.
void Ask(const ScalableFilter& filter, Size& size) {
  std::vector<uint64_t> bits(BitmapWords(kNumAsked));
  std::vector<uint64_t> digests(kNumAsked);
  for (uint64_t i = 0; i < kNumAsked; ++i) {
    digests[i] = KeyAt(kFirstMember + KeyAt(i + size.num_keys) % size.num_keys);
  }
  size.num_missed = kNumAsked - filter.Query(Keys::Digests(digests), bits);
  for (uint64_t i = 0; i < kNumAsked; ++i) digests[i] = KeyAt(kFirstNonMember + i);
  size.rate = static_cast<double>(filter.Query(Keys::Digests(digests), bits)) /
              static_cast<double>(kNumAsked);
  const GrowthForecast forecast = filter.ForecastAt(size.num_keys);
  size.model_rate = forecast.predicted_fpr;
  const auto num_keys = static_cast<double>(size.num_keys);
  size.bits_per_key = 8 * static_cast<double>(filter.GetStats().num_bytes) / num_keys;
  size.model_bits = 8 * static_cast<double>(forecast.num_bytes) / num_keys;
}

bool AgreesWithModel(const Size& size) {
  // And a key or two where nearly none is expected.
  return std::abs(size.rate - size.model_rate) <=
         kMaxSigmas * BinomialSigma(size.model_rate, kNumAsked) +
             2 / static_cast<double>(kNumAsked);
}

// Thick: all bits. Gray: those of the model, blocks and digests alone.
std::string CurveSvg(const std::vector<Size>& sizes, double target) {
  SvgAxis keys{.name = Printed("keys; a filter of %.4g %% that grows", 100 * target),
               .least = kFirstSize,
               .most = static_cast<double>(sizes.back().num_keys),
               .is_logarithmic = true,
               .ticks = {},
               .label = [](double tick) { return CountName(static_cast<uint64_t>(tick)); }};
  for (double tick = kFirstSize; tick <= keys.most; tick *= 10) keys.ticks.push_back(tick);
  SvgAxis bits{.name = "bits per key, in all (thick) and of blocks and digests",
               .least = 0,
               .most = 8,
               .is_logarithmic = false,
               .ticks = {},
               .label = [](double tick) { return Printed("%.0f", tick); }};
  SvgCurve model{.name = {}, .style = "stroke=\"#aaaaaa\" stroke-width=\"2\"", .points = {}};
  SvgCurve all{.name = {}, .style = "stroke=\"#0072b2\" stroke-width=\"3\"", .points = {}};
  for (const Size& size : sizes) {
    bits.most = std::max(bits.most, std::ceil(size.bits_per_key / 8) * 8);
    model.points.emplace_back(size.num_keys, size.model_bits);
    all.points.emplace_back(size.num_keys, size.bits_per_key);
  }
  for (double tick = 0; tick <= bits.most; tick += 8) bits.ticks.push_back(tick);
  return LineChartSvg(keys, bits, {model, all});
}

int Main(int argc, char** argv) {
  uint64_t num_keys = 1'000'000'000;
  uint64_t one_in = 100;
  uint64_t num_threads = 1;
  size_t calls = 0;
  std::string svg;
  if (!ReadArguments(
          argc, argv,
          {CountArgument("--keys", num_keys, uint64_t{1} << 40), CountArgument("--rate", one_in),
           WordArgument("--calls", {"batches", "keys"}, calls),
           CountArgument("--threads", num_threads, 256), TextArgument("--svg", svg)},
          kUsage)) {
    return 2;
  }
  const double target = 1 / static_cast<double>(one_in);
  ScalableFilter filter = ValueOrExit(ScalableFilter::Create({.target_fpr = target}));
  const Inserting inserting{filter, num_threads, calls == 0 ? kCallKeys : 1};
  std::printf("%14s %10s %10s %10s %10s %8s %8s %12s %6s\n", "keys", "bits", "blocks", "rate, %",
              "model, %", "missed", "ns/key", "longest, us", ">5 ms");
  std::vector<Size> sizes;
  double mean_bits = 0;  // from 10^7 keys on
  uint64_t num_means = 0;
  for (double wanted = std::min<double>(kFirstSize, static_cast<double>(num_keys));;
       wanted *= kStep) {
    Size size;
    size.num_keys = std::min(static_cast<uint64_t>(wanted), num_keys);
    Insert(inserting, sizes.empty() ? 0 : sizes.back().num_keys, size.num_keys, size);
    Ask(filter, size);
    std::printf("%14llu %10.2f %10.2f %10.5f %10.5f %8llu %8.1f %12.0f %6llu\n",
                static_cast<unsigned long long>(size.num_keys), size.bits_per_key, size.model_bits,
                100 * size.rate, 100 * size.model_rate,
                static_cast<unsigned long long>(size.num_missed), size.ns_per_key, size.longest_us,
                static_cast<unsigned long long>(size.num_long));
    std::fflush(stdout);
    sizes.push_back(size);
    Demand(size.num_missed == 0, "missed a member");
    Demand(AgreesWithModel(size), "the rate is not the model's");
    if (size.num_keys >= 10'000'000) {
      mean_bits += size.bits_per_key;
      ++num_means;
    }
    if (size.num_keys == num_keys) break;
  }
  if (num_means > 0) {
    std::printf("mean of sizes from 10M keys on: %.2f bits per key\n",
                mean_bits / static_cast<double>(num_means));
  }
  if (!svg.empty()) {
    std::ofstream file(svg);
    file << CurveSvg(sizes, target);
    if (!file.flush()) Quit("growth_bench: cannot write " + svg, 3);
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
