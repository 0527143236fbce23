// Puts of keys that the caller's table may have already.
#include "trommel/upsert.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/c/src/batch.h"
#include "engine/c/src/failures.h"
#include "engine/c/src/filter.h"
#include "engine/c/src/structs.h"
#include "trommel/c.h"
#include "trommel/keys.h"

namespace trommel::c_abi {
namespace {

// Calls the caller's function. What it gets wrong is a Failure, as for any argument.
std::vector<uint32_t> ExistingOf(trommel_exist exist, void* context,
                                 std::span<const uint32_t> asked) {
  std::vector<uint32_t> existing(asked.size());
  int64_t num_existing = -1;
  const int32_t status = exist(context, asked.data(), static_cast<int64_t>(asked.size()),
                               existing.data(), &num_existing);
  if (status != 0) Throw(TROMMEL_IO, "the table failed with " + std::to_string(status));
  if (num_existing < 0 || static_cast<uint64_t>(num_existing) > asked.size()) {
    ThrowInvalid("exist set num_existing to " + std::to_string(num_existing) +
                 "; it must be between 0 and " + std::to_string(asked.size()) + " (num_asked)");
  }
  existing.resize(static_cast<size_t>(num_existing));
  for (const uint32_t i : existing) {
    if (!std::ranges::binary_search(asked, i)) {
      ThrowInvalid("exist wrote " + std::to_string(i) +
                   ", which is not in `asked`; it must write indices of the batch, not positions "
                   "in `asked`");
    }
  }
  return existing;
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the function below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_upsert(trommel_filter* filter, const trommel_keys* keys, trommel_exist exist,
                            void* context, uint64_t* inserted, int64_t num_words,
                            trommel_outcome* outcome, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_filter& target = Required(filter, "filter");
    if (exist == nullptr) ThrowInvalid("exist is NULL");
    if (outcome != nullptr) SizeOf(outcome, "outcome");
    const Batch batch(keys, PolicyOf(target), target.executor.get());
    if (batch.size() > UINT32_MAX) ThrowInvalid("more keys than 32-bit indices can name");
    const std::span bitmap = batch.Bitmap(inserted, num_words, "inserted");
    const auto ask = [&](std::span<const uint32_t> asked) -> Result<std::vector<uint32_t>> {
      return ExistingOf(exist, context, asked);
    };
    const auto upsert = [&](auto& typed) {
      return ValueOf(batch.WithKeys([&](Keys all) { return Upsert(typed, all, ask, bitmap); }));
    };
    UpsertOutcome of;
    if (auto* counting = target.any->As<CountingFilter>()) {
      of = upsert(*counting);
    } else if (auto* concurrent = target.any->As<ConcurrentFilter>()) {
      of = upsert(*concurrent);
    } else if (auto* scalable = target.any->As<ScalableFilter>()) {
      of = upsert(*scalable);
    } else {
      ThrowUnsupported(target, "are not for keys that a table has once");
    }
    trommel_outcome total = {};
    total.num_done = of.num_inserted;
    total.num_refused = of.num_refused;
    total.refusal = static_cast<int32_t>(of.refusal);
    if (outcome != nullptr) Write(outcome, total, "outcome");
  });
}
