#include "bench/paper/claims_report.h"

#include "bench/paper/claims.h"
#include "bench/paper/listing_losses.h"

namespace trommel::paper {

Report ClaimsReport(const Options& options) {
  return {.name = "reproduce_claims",
          .source = "an article on the space efficiency of HBase's Bloom filters",
          .tables = {ListingLosses(options), HashClaim(options), ProbesClaim(options),
                     GrowthClaim(options), ExpiryClaim(options), LayersClaim(options)}};
}

}  // namespace trommel::paper
