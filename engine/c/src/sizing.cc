// Sizing and digests: what needs no filter.
#include "trommel/sizing.h"

#include <cstdint>
#include <span>

#include "engine/c/src/batch.h"
#include "engine/c/src/failures.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/structs.h"
#include "trommel/c.h"
#include "trommel/digest.h"

namespace trommel::c_abi {
namespace {

Sizing SizingOf(const trommel_sizing_request* request) {
  const trommel_sizing_request given = Read(request, "request");
  return ValueOf(SizeFor({.capacity = given.capacity,
                          .target_fpr = RateOf(given.target_fpr),
                          .num_slices = given.num_slices,
                          .encoding = EncodingOf(given.encoding, Encoding::kRuns),
                          .power_of_two_blocks = given.power_of_two_blocks != 0,
                          .preference = PreferenceOf(given.preference)}));
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_size_for(const trommel_sizing_request* request, trommel_sizing* sizing,
                              trommel_error* error) {
  return Guarded(error, [&] {
    const Sizing found = SizingOf(request);
    trommel_sizing out = {};
    out.encoding = EncodingNumber(found.geometry.encoding);
    out.num_bytes = found.geometry.num_bytes();
    out.predicted_side_table_bytes = found.predicted_side_table_bytes;
    out.bits_per_key = found.bits_per_key;
    out.predicted_fpr = found.predicted_fpr;
    out.predicted_undecided_share = found.predicted_undecided_share;
    out.predicted_promoted_share = found.predicted_promoted_share;
    out.num_blocks = found.geometry.num_blocks;
    out.num_slices = found.geometry.num_slices;
    out.fingerprint_bits = found.geometry.fingerprint_bits;
    Write(sizing, out, "sizing");
  });
}

trommel_code trommel_predicted_fpr(const trommel_sizing_request* request, uint64_t num_keys,
                                   double* fpr, trommel_error* error) {
  return Guarded(error, [&] {
    double& out = Required(fpr, "fpr");
    out = PredictedFpr(SizingOf(request).geometry, num_keys);
  });
}

trommel_code trommel_digests(const trommel_digest_policy* policy, const trommel_keys* keys,
                             uint64_t* digests, int64_t num_digests, trommel_error* error) {
  return Guarded(error, [&] {
    const DigestPolicy chosen = PolicyOf(policy);
    const Batch batch(keys, chosen, nullptr);
    batch.Digests(0, batch.Output(digests, num_digests, batch.size(), "digests"));
  });
}
