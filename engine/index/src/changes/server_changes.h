// ServerChanges: servers that fail and come back.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CHANGES_SERVER_CHANGES_H_
#define TROMMEL_ENGINE_INDEX_SRC_CHANGES_SERVER_CHANGES_H_

#include <cstdint>
#include <mutex>

#include "engine/index/src/changes/change_context.h"
#include "trommel/result.h"

namespace trommel::index {

// Thread safety: any thread may call anything at any time. The calling thread must be in no gate
// and hold no pin. Requires server < number of servers.
class ServerChanges {
 public:
  explicit ServerChanges(const ChangeContext& context) : context_(context) {}

  // The server is lost: its lookups and writes fail from now on. Its regions stay candidates, so
  // that queries report them as not answered. Waits for calls of its store under way.
  void Stop(uint32_t server);
  // The server comes back, perhaps without writes that were not synced. Operations that began
  // before it was lost can no longer commit; its regions are unbuilt before anything uses its
  // store. If its database cannot be opened, fails, and the server stays lost. Has no effect on a
  // server that runs.
  Status Start(uint32_t server);

 private:
  const ChangeContext context_;
  std::mutex turn_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CHANGES_SERVER_CHANGES_H_
