// LookupServers: which server answers lookups, and about which ranges.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROWS_LOOKUP_SERVERS_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROWS_LOOKUP_SERVERS_H_

#include <cstdint>
#include <vector>

#include "trommel/index/schema.h"

namespace trommel::index {

class LookupServers {
 public:
  virtual ~LookupServers() = default;

  // Sets what the server holds: of all else it answers "not mine" from now on. So it does, too, of
  // what it has read for lookups that began before: ranges may have been taken from it meanwhile,
  // and their rows changed elsewhere or removed. Does not wait. Cannot fail: a lookup for which
  // there is no memory to be told so fails.
  virtual void SetHeld(uint32_t server, std::vector<KeyRange> ranges) noexcept = 0;
  // Sets whether the server answers; else lookups fail, also those that began before. Does not
  // wait.
  virtual void SetAnswering(uint32_t server, bool is_answering) = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROWS_LOOKUP_SERVERS_H_
