// What an outside user writes first: create, insert, query, erase; errors as values.
#include <trommel/any_filter.h>
#include <trommel/attribute_plan.h>
#include <trommel/column_map.h>
#include <trommel/hbase/compound_filter.h>
#include <trommel/matrix/matrix.h>
#include <trommel/sync/grace_periods.h>
#include <trommel/trommel.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

// The headers must bring none of our dependencies, nor what only our own build defines.
#if defined(HWY_COMPILE_ALL_ATTAINABLE) || defined(HWY_SHARED_DEFINE) || defined(HWY_MAJOR) || \
    defined(XXH_VERSION_MAJOR) || defined(XXH_INLINE_ALL)
#error "Trommel's headers or flags leak a dependency"
#endif

int main() {
  trommel::CountingConfig config;
  config.capacity = 1000;
  auto filter = trommel::CountingFilter::Create(config);
  if (!filter) {
    std::fprintf(stderr, "%s\n", filter.error().message.c_str());
    return 1;
  }
  std::vector<uint64_t> keys(1000);
  for (uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;
  filter->Insert(keys);
  filter->Insert(std::string_view("a string"));

  std::vector<uint64_t> answers(trommel::CountingFilter::BitmapWords(keys.size()));
  const size_t num_present = filter->Query(keys, answers);
  const trommel::EraseOutcome outcome = filter->Erase(keys);
  const bool same_version = trommel::LinkedVersion() == TROMMEL_VERSION_STRING;
  config.capacity = 0;
  const bool refused = !trommel::CountingFilter::Create(config).ok();

  std::printf("present %zu erased %llu left %llu version %s refused %s, ", num_present,
              static_cast<unsigned long long>(outcome.num_erased),
              static_cast<unsigned long long>(filter->num_keys()),
              same_version ? "same" : "differs", refused ? "yes" : "no");

  const auto executor = trommel::Executor::Create(2);
  if (executor) {
    std::printf("threads %u\n", (*executor)->num_threads());
  } else {
    const bool is_built_without =
        executor.error().message.find("built without executors") != std::string::npos;
    std::printf("%s\n", is_built_without ? "built without executors" : "no executor");
  }
}
