#include "trommel/outcomes.h"

namespace trommel {

std::string_view GrowthRefusalText(GrowthRefusal refusal) noexcept {
  switch (refusal) {
    case GrowthRefusal::kNone:
      return "";
    case GrowthRefusal::kLargestCapacity:
      return "it has reached its largest capacity";
    case GrowthRefusal::kMemoryLimit:
      return "another generation would exceed its memory limit";
    case GrowthRefusal::kOutOfMemory:
      return "the system refused memory for another generation";
  }
  return "unknown";
}

}  // namespace trommel
