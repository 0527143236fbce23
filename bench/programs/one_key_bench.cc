// One key per call: filters by the integer, with Prefetch, and in batches of 8 to 65,536, beside a
// split-block Bloom filter that is inlined into its loop, and beside sets. With --beside=PROGRAM
// that program, this one of another version, measures the same in the same rounds. How to read it:
// README.md.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#if __has_include(<boost/unordered/unordered_flat_set.hpp>)
#include <boost/unordered/unordered_flat_set.hpp>
#define TROMMEL_HAS_FLAT_SET 1
#endif

#include "bench/machine/clock.h"
#include "bench/sides/demand.h"
#include "bench/sides/inlined_bloom.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/column_map.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/targets.h"
#include "trommel/window_filter.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: one_key_bench [--keys=10k,1M,30M] [--rounds=9] [--rows=TEXT] [--beside=PROGRAM]\n"
    "  --keys    sizes to compare at, in turn (at least 10k)\n"
    "  --rounds  paired measurements of each figure, after one that does not count\n"
    "  --rows    only what has this text, which begins with a filter's name: \"fp16 query\"\n"
    "  --beside  one_key_bench of another version, whose figures are the column \"before\"\n";
constexpr uint64_t kMinKeys = 10'000;
constexpr size_t kBatchSizes[] = {8, 16, 32, 64, 256, 2048, 65'536};
constexpr size_t kAhead = 16;  // keys between Prefetch and use
constexpr size_t kStringBytes = 20;

struct Options {
  std::vector<uint64_t> keys = {10'000, 1'000'000, 30'000'000};
  uint64_t rounds = 9;
  std::string rows;
  std::string beside;
  bool serves = false;
};

// Keys of one population, some at a time and then the next ones.
class Pool {
 public:
  Pool(uint64_t first_index, uint64_t num_keys, size_t at_once)
      : keys_(num_keys), at_once_(std::min<size_t>(at_once, num_keys)) {
    for (uint64_t i = 0; i < num_keys; ++i) keys_[i] = KeyAt(first_index + i);
  }
  std::span<const uint64_t> Next() {
    if (next_ + at_once_ > keys_.size()) next_ = 0;
    next_ += at_once_;
    return std::span(keys_).subspan(next_ - at_once_, at_once_);
  }

 private:
  std::vector<uint64_t> keys_;
  size_t at_once_;
  size_t next_ = 0;
};

struct Pools {
  explicit Pools(uint64_t num_keys)
      : at_once(std::clamp<size_t>(num_keys / 5, 2048, 65'536 * 8)),
        num_members(num_keys - at_once),
        absent(kFirstNonMember, 8 * at_once, at_once),
        members(kFirstMember, std::min<uint64_t>(num_members, 8 * at_once), at_once),
        guests(kFirstGuest, 8 * at_once, at_once) {}

  size_t at_once;
  uint64_t num_members;  // of filters when they are queried
  Pool absent;
  Pool members;
  Pool guests;
};

// A figure of a row: ns per key. Nothing is timed but the operation.
struct Row {
  std::string name;
  bool is_query;
  std::function<double()> measure;
};

// Keeps an answer from being left out.
void Use(uint64_t answer) { asm volatile("" : : "r"(answer) : "memory"); }

template <class Work>
double NsOf(std::span<const uint64_t> keys, const Work& work) {
  return CpuNsPerKey(keys.size(), [&] { Use(work(keys)); });
}

// Calls work(key) for each key.
template <class Work>
uint64_t Each(std::span<const uint64_t> keys, const Work& work) {
  uint64_t sum = 0;
  for (const uint64_t key : keys) sum += static_cast<uint64_t>(work(key));
  return sum;
}

// Calls work(key) for each key, which was prefetched kAhead keys before.
template <class Filter, class Work>
uint64_t EachFetched(const Filter& filter, std::span<const uint64_t> keys, const Work& work) {
  std::array<uint64_t, kAhead> digests;
  for (size_t i = 0; i < kAhead; ++i) digests[i] = filter.Prefetch(keys[i]).integer();
  uint64_t sum = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    uint64_t& digest = digests[i % kAhead];
    sum += static_cast<uint64_t>(work(Key::Digest(digest)));
    if (i + kAhead < keys.size()) digest = filter.Prefetch(keys[i + kAhead]).integer();
  }
  return sum;
}

using Bits = std::span<uint64_t>;
using BatchCall = std::function<uint64_t(Keys, Bits)>;

// Calls work(keys, bits) for each batch.
uint64_t EachBatch(std::span<const uint64_t> keys, size_t size, const BatchCall& work) {
  std::vector<uint64_t> bits(CountingFilter::BitmapWords(size));
  uint64_t sum = 0;
  for (size_t i = 0; i + size <= keys.size(); i += size) {
    sum += work(Keys(keys.subspan(i, size)), bits);
  }
  return sum;
}

class Table {
 public:
  Table(uint64_t num_keys, const Options& options)
      : num_keys_(num_keys), options_(options), pools_(num_keys) {}

  std::vector<Row>& rows() { return rows_; }

  void AddAll();

 private:
  bool IsWanted(const std::string& subject) const {
    const std::string_view text = options_.rows;
    return text.empty() || subject.find(text.substr(0, text.find(' '))) != std::string::npos;
  }
  void Add(std::string name, bool is_query, std::function<double()> measure) {
    if (name.find(options_.rows) == std::string::npos) return;
    rows_.push_back({std::move(name), is_query, std::move(measure)});
  }
  template <class Fill>
  void FillMembers(const Fill& fill) {
    ForEachBatch(kFirstMember, pools_.num_members, [&](Batch batch) { fill(batch.keys); });
  }

  // Rows of queries, insertions and erasures of one key by these functions.
  template <class Find, class Insert, class Erase>
  void AddOneKey(const std::string& name, const Find& find, const Insert& insert,
                 const Erase& erase);
  // Rows of batches of each size; one indirect call for each batch.
  void AddBatches(const std::string& name, const BatchCall& query, const BatchCall& insert,
                  const BatchCall& erase);
  template <class Filter>
  void AddFilter(const std::string& name, Filter made);
  template <class Set>
  void AddSet(const std::string& name);

  uint64_t num_keys_;
  const Options& options_;
  Pools pools_;
  std::vector<Row> rows_;
};

template <class Find, class Insert, class Erase>
void Table::AddOneKey(const std::string& name, const Find& find, const Insert& insert,
                      const Erase& erase) {
  Add(name + " query absent, one key", true, [this, find] {
    return NsOf(pools_.absent.Next(), [&](auto keys) { return Each(keys, find); });
  });
  Add(name + " query member, one key", true, [this, find] {
    return NsOf(pools_.members.Next(), [&](auto keys) { return Each(keys, find); });
  });
  Add(name + " insert, one key", false, [this, insert, erase] {
    const auto guests = pools_.guests.Next();
    const double ns = NsOf(guests, [&](auto keys) { return Each(keys, insert); });
    Each(guests, erase);
    return ns;
  });
  Add(name + " erase, one key", false, [this, insert, erase] {
    const auto guests = pools_.guests.Next();
    Each(guests, insert);
    return NsOf(guests, [&](auto keys) { return Each(keys, erase); });
  });
}

void Table::AddBatches(const std::string& name, const BatchCall& query, const BatchCall& insert,
                       const BatchCall& erase) {
  for (const size_t size : kBatchSizes) {
    if (size > pools_.at_once) continue;
    const std::string batch = ", batch of " + std::to_string(size);
    const auto in_batches = [size](const BatchCall& work) {
      return [size, work](auto keys) { return EachBatch(keys, size, work); };
    };
    Add(name + " query absent" + batch, true,
        [this, ask = in_batches(query)] { return NsOf(pools_.absent.Next(), ask); });
    Add(name + " insert" + batch, false, [this, in = in_batches(insert), out = in_batches(erase)] {
      const auto guests = pools_.guests.Next();
      const double ns = NsOf(guests, in);
      out(guests);
      return ns;
    });
    Add(name + " erase" + batch, false, [this, in = in_batches(insert), out = in_batches(erase)] {
      const auto guests = pools_.guests.Next();
      in(guests);
      return NsOf(guests, out);
    });
  }
}

template <class Filter>
void Table::AddFilter(const std::string& name, Filter made) {
  const auto filter = std::make_shared<Filter>(std::move(made));
  FillMembers([&](std::span<const uint64_t> keys) { filter->Insert(keys); });
  const auto find = [filter](Key key) { return filter->MayContain(key); };
  const auto insert = [filter](Key key) { return filter->Insert(key); };
  const auto erase = [filter](Key key) { return filter->Erase(key); };
  AddOneKey(
      name, [filter](uint64_t key) { return filter->MayContain(key); },
      [filter](uint64_t key) { return filter->Insert(key); },
      [filter](uint64_t key) { return filter->Erase(key); });
  Add(name + " count, one key", true, [this, filter] {
    return NsOf(pools_.members.Next(), [&](auto keys) {
      return Each(keys, [&](uint64_t key) { return filter->CountEstimate(key); });
    });
  });
  Add(name + " query absent, a string", true, [this, filter] {
    const auto keys = pools_.absent.Next();
    std::vector<char> text(keys.size() * kStringBytes);
    for (size_t i = 0; i < keys.size(); ++i) {
      std::snprintf(&text[i * kStringBytes], kStringBytes, "%019llx",
                    static_cast<unsigned long long>(keys[i]));
    }
    return NsOf(keys, [&](auto some) {
      uint64_t sum = 0;
      for (size_t i = 0; i < some.size(); ++i) {
        sum +=
            uint64_t{filter->MayContain(std::string_view(&text[i * kStringBytes], kStringBytes))};
      }
      return sum;
    });
  });
  Add(name + " query absent, Prefetch", true, [this, filter, find] {
    return NsOf(pools_.absent.Next(), [&](auto keys) { return EachFetched(*filter, keys, find); });
  });
  Add(name + " insert, Prefetch", false, [this, filter, insert] {
    const auto guests = pools_.guests.Next();
    const double ns = NsOf(guests, [&](auto keys) { return EachFetched(*filter, keys, insert); });
    filter->Erase(guests);
    return ns;
  });
  Add(name + " erase, Prefetch", false, [this, filter, erase] {
    const auto guests = pools_.guests.Next();
    filter->Insert(guests);
    return NsOf(guests, [&](auto keys) { return EachFetched(*filter, keys, erase); });
  });
  AddBatches(
      name, [filter](Keys keys, Bits bits) { return filter->Query(keys, bits); },
      [filter](Keys keys, Bits) { return filter->Insert(keys).num_inserted; },
      [filter](Keys keys, Bits) { return filter->Erase(keys).num_erased; });
  if constexpr (std::same_as<Filter, ConcurrentFilter>) {
    Add(name + " query absent, one key beside a writer", true, [this, filter, find] {
      const auto guests = pools_.guests.Next();
      std::atomic<bool> is_done = false;
      std::thread writer([&] {
        while (!is_done) {
          filter->Insert(guests);
          filter->Erase(guests);
        }
      });
      const double ns = NsOf(pools_.absent.Next(), [&](auto keys) {
        return Each(keys, [&](uint64_t key) { return filter->MayContain(key); });
      });
      is_done = true;
      writer.join();
      return ns;
    });
  }
}

template <class Set>
void Table::AddSet(const std::string& name) {
  if (!IsWanted(name)) return;
  const auto set = std::make_shared<Set>();
  set->reserve(num_keys_);
  FillMembers([&](std::span<const uint64_t> keys) { set->insert(keys.begin(), keys.end()); });
  AddOneKey(
      name, [set](uint64_t key) { return set->contains(key); },
      [set](uint64_t key) { return set->insert(key).second; },
      [set](uint64_t key) { return set->erase(key); });
}

void Table::AddAll() {
  struct Kind {
    const char* name;
    Encoding encoding;
    double fpr;  // as encodings_bench
  };
  for (const Kind& kind :
       {Kind{"fp16", Encoding::kFingerprints16, 0.0004}, Kind{"dense", Encoding::kDense, 0.003},
        Kind{"runs", Encoding::kRuns, 0.0061}, Kind{"planes", Encoding::kPlanes, 0.0061}}) {
    const CountingConfig config{
        .capacity = num_keys_, .target_fpr = kind.fpr, .encoding = kind.encoding};
    const std::string shared = std::string("shared-") + kind.name;
    if (IsWanted(kind.name)) {
      AddFilter(kind.name, ValueOrExit(CountingFilter::Create(config)));
    }
    if (IsWanted(shared)) AddFilter(shared, ValueOrExit(ConcurrentFilter::Create(config)));
  }
  if (IsWanted("scalable")) {
    AddFilter("scalable", ValueOrExit(ScalableFilter::Create({.first_capacity = num_keys_ / 8})));
  }
  if (IsWanted("window")) {
    const auto window = std::make_shared<WindowFilter>(ValueOrExit(
        WindowFilter::Create({.window = 8, .num_buckets = 8, .capacity = num_keys_ / 8 * 9})));
    FillMembers([&](std::span<const uint64_t> keys) { window->Insert(keys); });
    AddOneKey(
        "window", [window](uint64_t key) { return window->MayContain(key); },
        [window](uint64_t key) { return window->Insert(key); },
        [window](uint64_t key) { return window->Erase(key, window->now()); });
  }
  if (IsWanted("map")) {
    const auto map = std::make_shared<ColumnMap>(
        ValueOrExit(ColumnMap::Create({.capacity = num_keys_, .num_columns = 16})));
    Demand(map->OpenColumn(0).ok(), "a column is not opened");
    FillMembers([&](std::span<const uint64_t> keys) { map->Insert(0, keys); });
    AddOneKey(
        "map", [map](uint64_t key) { return map->MayContain(0, key); },
        [map](uint64_t key) { return map->Insert(0, key); },
        [map](uint64_t key) { return map->Erase(0, key); });
  }
  AddSet<std::unordered_set<uint64_t>>("std::unordered_set");
#ifdef TROMMEL_HAS_FLAT_SET
  AddSet<boost::unordered_flat_set<uint64_t>>("boost::unordered_flat_set");
#endif
}

// The same program of another version, which measures rows when it is asked to.
class Other {
 public:
  Other(const std::string& program, uint64_t num_keys, const std::string& rows) {
    int asks[2];
    int answers[2];
    Demand(pipe(asks) == 0 && pipe(answers) == 0, "no pipe to the other program");
    child_ = fork();
    if (child_ == 0) {
      dup2(asks[0], STDIN_FILENO);
      dup2(answers[1], STDOUT_FILENO);
      for (const int fd : {asks[0], asks[1], answers[0], answers[1]}) close(fd);
      const std::string keys = "--keys=" + std::to_string(num_keys);
      const std::string only = "--rows=" + rows;
      execl(program.c_str(), program.c_str(), keys.c_str(), "--serve=yes",
            rows.empty() ? nullptr : only.c_str(), nullptr);
      std::perror(program.c_str());
      std::_Exit(3);
    }
    close(asks[0]);
    close(answers[1]);
    asks_ = fdopen(asks[1], "w");
    answers_ = fdopen(answers[0], "r");
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  ~Other() {
    std::fclose(asks_);
    std::fclose(answers_);
    waitpid(child_, nullptr, 0);
  }

  double Measure(size_t row) {
    std::fprintf(asks_, "%zu\n", row);
    std::fflush(asks_);
    double ns = 0;
    Demand(std::fscanf(answers_, "%lf", &ns) == 1, "the other program does not answer");
    return ns;
  }

 private:
  pid_t child_;
  FILE* asks_;
  FILE* answers_;
};

void Serve(std::vector<Row>& rows) {
  size_t row = 0;
  while (std::scanf("%zu", &row) == 1 && row < rows.size()) {
    std::printf("%.6f\n", rows[row].measure());
    std::fflush(stdout);
  }
}

// Beside Bloom's loops, which hold the same keys.
void Compare(uint64_t num_keys, const Options& options) {
  Table table(num_keys, options);
  table.AddAll();
  std::vector<Row>& rows = table.rows();
  if (options.serves) return Serve(rows);
  std::unique_ptr<Other> other;
  if (!options.beside.empty()) {
    other = std::make_unique<Other>(options.beside, num_keys, options.rows);
  }
  InlinedBloom bloom(num_keys);
  Pools pools(num_keys);
  ForEachBatch(kFirstMember, pools.num_members, [&](Batch batch) { bloom.Insert(batch.keys); });

  enum : uint8_t { kNow, kBefore, kBloom, kNumSides };
  std::vector<TrialRow> figures;
  for (const Row& row : rows) figures.push_back({row.name, std::vector<Figures>(kNumSides)});
  for (uint64_t round = 0; round <= options.rounds; ++round) {
    for (size_t r = 0; r < rows.size(); ++r) {
      // Each first in every other round.
      double ns[kNumSides] = {};
      const bool is_other_first = round % 2 == 1 && other != nullptr;
      if (is_other_first) ns[kBefore] = other->Measure(r);
      ns[kNow] = rows[r].measure();
      if (!is_other_first && other != nullptr) ns[kBefore] = other->Measure(r);
      if (InlinedBloom::IsRunnable()) {
        ns[kBloom] = rows[r].is_query ? NsOf(pools.absent.Next(),
                                             [&](auto keys) { return bloom.CountFound(keys); })
                                      : NsOf(pools.members.Next(), [&](auto keys) {
                                          bloom.Insert(keys);
                                          return uint64_t{0};
                                        });
      }
      for (size_t s = 0; s < kNumSides && round > 0; ++s) {
        if (ns[s] != 0) figures[r].sides[s].push_back(ns[s]);
      }
    }
  }
  const std::string title =
      Printed("\n%s keys, one thread, target %s, ns per key", CountName(num_keys).c_str(),
              std::string(ActiveTarget()).c_str());
  const std::string text =
      FormatTrial(title, {"now", "before", "bloom"},
                  {{"now / before", kNow, kBefore}, {"now / bloom", kNow, kBloom}}, figures);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  Options options;
  const auto read_serve = [&options](std::string_view value) {
    options.serves = value == "yes";
    return options.serves;
  };
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--keys", options.keys, kMinKeys),
                      CountArgument("--rounds", options.rounds),
                      TextArgument("--rows", options.rows),
                      TextArgument("--beside", options.beside),
                      {"--serve", read_serve}},
                     kUsage)) {
    return 2;
  }
  for (const uint64_t num_keys : options.keys) Compare(num_keys, options);
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
