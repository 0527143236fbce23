// RegionStore: its destructor, in one place.
#include "trommel/index/region_store.h"

namespace trommel::index {

RegionStore::~RegionStore() = default;

}  // namespace trommel::index
