// FakeStore: region servers with rows in memory, which fail, are slow or silent as a test says.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_FAKE_STORE_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_FAKE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "trommel/index/region_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"

namespace trommel::index::tests {

// How a server answers its next lookup.
enum class Behaviour : uint8_t {
  kInline,    // rightly, from within Lookup
  kOnThread,  // rightly, from another thread, after a moment
  kFails,     // with kIo, "disk N failed", N being the server
  kDisowns,   // "not mine" for everything, with the rows all the same
  kSilent,    // rightly, but only when ReleaseSilent is called
};

class FakeStore : public RegionStore {
 public:
  // Each server holds the ranges that the table gives it.
  explicit FakeStore(const RegionTable& table) : table_(table) {}
  // Answers what is still silent.
  ~FakeStore() override;

  void Lookup(LookupRequest request, Completion completion) override;

  // Puts a row where the table says.
  void Put(Row row);
  // From now on the servers hold what this table says, rows included.
  void Move(const RegionTable& table);
  // The server returns this row in each answer, whatever was asked.
  void AddStray(uint32_t server, Row row);
  // How the server answers its next `times` lookups, after those that were set before.
  void SetNext(uint32_t server, Behaviour behaviour, size_t times = 1);
  // How the server answers when no other behaviour is set: kInline at first.
  void SetAlways(uint32_t server, Behaviour behaviour);
  // Called in each Lookup, before it is answered.
  void OnLookup(std::function<void(const LookupRequest&)> hook) { hook_ = std::move(hook); }
  // Answers all lookups that silent servers owe. Returns how many.
  size_t ReleaseSilent();

  // The lookups so far.
  std::vector<LookupRequest> lookups() const;
  size_t CountLookups(uint32_t server) const;

 private:
  Behaviour Next(uint32_t server);
  LookupAnswer Answer(const LookupRequest& request, bool disowns) const;

  mutable std::mutex mutex_;  // over all below but the hook
  RegionTable table_;
  std::map<std::string, Row> rows_;
  std::map<uint32_t, std::vector<Row>> strays_;
  std::map<uint32_t, std::vector<Behaviour>> next_;
  std::map<uint32_t, Behaviour> always_;
  std::vector<LookupRequest> lookups_;
  std::vector<std::pair<LookupRequest, Completion>> silent_;
  std::vector<std::thread> threads_;
  std::function<void(const LookupRequest&)> hook_;
};

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_FAKE_STORE_H_
