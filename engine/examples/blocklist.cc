// A blocklist that is replaced while requests are being answered.
//
//   blocklist [FILE]      FILE: one name per line, "#" begins a comment
//
// Request threads share one immutable filter by a pointer. When the file changes, a new filter is
// built aside and takes the pointer's place; the old one is destroyed when its last request ends. A
// request never waits for a build, and never sees half a list. Names that the filter does not know
// are certainly not blocked; the few others are looked up in the exact list on disk.
#include <trommel/trommel.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

class Blocklist {
 public:
  // Builds a filter from the file and publishes it. On failure the published one stays.
  trommel::Status Load(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) return trommel::Error{trommel::ErrorCode::kIo, "cannot read " + path.string()};
    std::vector<std::string> names;
    for (std::string line; std::getline(file, line);) {
      if (!line.empty() && line[0] != '#') names.push_back(std::move(line));
    }
    auto created = trommel::CountingFilter::Create({.capacity = names.size() + 1,
                                                    .target_fpr = 0.001,
                                                    .encoding = trommel::Encoding::kAutomatic});
    if (!created) return created.error();
    created->Insert(names);
    auto loaded = std::make_shared<const trommel::CountingFilter>(std::move(*created));
    const std::lock_guard lock(mutex_);
    filter_ = std::move(loaded);
    return trommel::Ok();
  }

  // One pointer for as many names as a request has: they are checked against one list.
  std::shared_ptr<const trommel::CountingFilter> Current() const {
    const std::lock_guard lock(mutex_);  // held for a copy of a pointer only
    return filter_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const trommel::CountingFilter> filter_;
};

void WriteList(const std::filesystem::path& path, int first, int last) {
  std::ofstream file(path);
  file << "# made by the example\n";
  for (int i = first; i < last; ++i) file << "host-" << i << ".example\n";
}

}  // namespace

int main(int argc, char** argv) {
  Blocklist blocklist;
  if (argc > 1) {
    if (const trommel::Status loaded = blocklist.Load(argv[1]); !loaded) {
      std::fprintf(stderr, "blocklist: %s\n", loaded.error().message.c_str());
      return 3;
    }
    const auto filter = blocklist.Current();
    std::printf("%s: %llu names in %llu bytes\n", argv[1],
                static_cast<unsigned long long>(filter->num_keys()),
                static_cast<unsigned long long>(filter->GetStats().num_bytes));
    return 0;
  }

  // Without a file: names 0 to 9,999 first, then 1,000 to 10,999, while two threads query names
  // that are in both lists.
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("trommel-blocklist-" + std::to_string(getpid()) + ".txt");
  WriteList(path, 0, 10'000);
  if (!blocklist.Load(path).ok()) return 3;
  std::atomic<bool> done = false;
  std::atomic<uint64_t> num_queries = 0;
  std::atomic<uint64_t> num_missed = 0;
  std::vector<std::thread> requests;
  for (int t = 0; t < 2; ++t) {
    requests.emplace_back([&] {
      for (int i = 1'000; !done || num_queries < 20'000; i = i == 9'999 ? 1'000 : i + 1) {
        const auto filter = blocklist.Current();
        num_missed += !filter->MayContain("host-" + std::to_string(i) + ".example");
        ++num_queries;
      }
    });
  }
  for (int reload = 0; reload < 10; ++reload) {
    WriteList(path, reload % 2 == 0 ? 1'000 : 0, reload % 2 == 0 ? 11'000 : 10'000);
    if (!blocklist.Load(path).ok()) return 3;
  }
  done = true;
  for (std::thread& request : requests) request.join();
  std::filesystem::remove(path);

  std::printf("11 lists, %llu queries beside the reloads, %llu blocked names missed\n",
              static_cast<unsigned long long>(num_queries.load()),
              static_cast<unsigned long long>(num_missed.load()));
  return num_missed == 0 ? 0 : 1;
}
