// What a sweep takes where nothing was said, and what it refuses.
#include "bench/sweep/sweep_options.h"

#include "bench/sweep/made_card.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

std::string Refusal(const SweepOptions& options) {
  const Result<SweepOptions> completed = CompleteOptions(options, MadeCard());
  REQUIRE_FALSE(completed.ok());
  return completed.error().message;
}

TEST_CASE("sizes reach from L1 to memory", "[bench][sweep_options]") {
  const Result<SweepOptions> options = CompleteOptions({}, MadeCard());
  REQUIRE(options.ok());
  CHECK(options->sizes == std::vector<uint64_t>{5'000, 100'000, 3'000'000, 30'000'000});
  CHECK(options->threads == std::vector<uint32_t>{1, 2, 4, 6});
  CHECK(options->targets == MadeCard().runnable_targets);
  CHECK(options->seconds_per_figure == 1);
  MachineCard large = MadeCard();
  large.caches.back().num_bytes = uint64_t{100} << 20;
  CHECK(CompleteOptions({}, large)->sizes.back() == 100'000'000);
  CHECK(CompleteOptions({.quick = true}, large)->sizes.back() == 30'000'000);
  CHECK(CompleteOptions({.quick = true}, large)->seconds_per_figure < 1);
  MachineCard small = MadeCard();
  small.memory_bytes = uint64_t{64} << 20;
  CHECK(CompleteOptions({}, small)->sizes.back() == 3'000'000);
}

TEST_CASE("sizes and threads ascend, each once", "[bench][sweep_options]") {
  SweepOptions queried;
  queried.sizes = {5'000'000, 1000, 5'000'000};
  queried.threads = {2, 1, 2};
  const Result<SweepOptions> options = CompleteOptions(queried, MadeCard());
  REQUIRE(options.ok());
  CHECK(options->sizes == std::vector<uint64_t>{1000, 5'000'000});
  CHECK(options->threads == std::vector<uint32_t>{1, 2});
}

TEST_CASE("the base size is 30 M keys, or the next smaller one", "[bench][sweep_options]") {
  CHECK(BaseSize({1000, 30'000'000, 100'000'000}) == 30'000'000);
  CHECK(BaseSize({1000, 29'000'000, 100'000'000}) == 29'000'000);
  CHECK(BaseSize({100'000'000}) == 100'000'000);
}

TEST_CASE("what cannot be measured is refused, with its value", "[bench][sweep_options]") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(Refusal({.sizes = {0}}), ContainsSubstring("0 keys"));
  CHECK_THAT(Refusal({.sizes = {999}}), ContainsSubstring("1000"));
  CHECK_THAT(Refusal({.sizes = {5'000'000'000}}), ContainsSubstring("MiB"));
  CHECK_THAT(Refusal({.threads = {0}}), ContainsSubstring("0 threads"));
  CHECK_THAT(Refusal({.threads = {5000}}), ContainsSubstring("5000 threads"));
  CHECK_THAT(Refusal({.targets = {"Z80"}}), ContainsSubstring("'Z80'"));
  CHECK_THAT(Refusal({.targets = {"Z80"}}), ContainsSubstring("AVX2 SSE4 SCALAR"));
  CHECK_THAT(Refusal({.seconds_per_figure = -1}), ContainsSubstring("above 0"));
  const SweepOptions too_large = {.sizes = {5'000'000'000}};
  CHECK(CompleteOptions(too_large, MadeCard()).error().code == ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace trommel::bench
