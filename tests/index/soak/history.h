// The exact model: which contents each row had, and when.
#ifndef TROMMEL_TESTS_INDEX_SOAK_HISTORY_H_
#define TROMMEL_TESTS_INDEX_SOAK_HISTORY_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "index/soak/rows.h"

namespace trommel::index::soak {

// The writes of each row in their order, with the times at which they began and ended.
//
//   time          ------------------------------------------------------>
//   writes        |- a -|      |- b (failed) -|   |--- c ---|
//   query                                     |-------|
//   may be seen   a (if b was not done), b, c
//
// A write that failed may have been done or not, and has been settled when it returns.
//
// Thread safety: any thread may call anything at any time, except that the writes of one row come
// one after the other, and Resolve comes while no write and query is under way.
class History {
 public:
  using Time = uint64_t;

  History() : rows_(kNumWriters * kRowsPerWriter) {}

  // A new time, after all others.
  Time Now() { return ++clock_; }

  // A write begins, and ends; is_done: it was acknowledged.
  void Begin(uint32_t writer, const std::vector<Change>& changes);
  void End(uint32_t writer, const std::vector<Change>& changes, bool is_done);

  // Writes the contents that the row may have had at some time from `begin` to `end`, at least one.
  void ContentsBetween(RowName name, Time begin, Time end, std::vector<Content>* contents) const;
  // The row was read, and has this content now. Returns false if it cannot have it.
  bool Resolve(RowName name, Content content);
  // Returns the content of a row without a write since Resolve.
  Content At(RowName name) const;

 private:
  struct Event {
    Time begin;
    Time end;  // kNever: under way
    Content content;
    bool is_done;  // else it was done or not
  };
  static constexpr Time kNever = ~Time{0};

  struct Log {
    mutable std::mutex mutex;
    Content first = 0;  // before all events
    std::vector<Event> events;
  };
  const Log& LogOf(RowName name) const { return rows_[name.writer * kRowsPerWriter + name.slot]; }
  Log& LogOf(RowName name) { return rows_[name.writer * kRowsPerWriter + name.slot]; }

  std::vector<Log> rows_;
  std::atomic<Time> clock_{0};
};

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_HISTORY_H_
