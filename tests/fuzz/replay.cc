// Runs a fuzz target without libFuzzer: first over the files and folders named on the command line,
// then over `--mutations=N` random inputs derived from them. Any compiler, same body, same seed
// every time (`--seed=S` for another). A failing body ends the program; the input is then in
// `--keep=FILE`. So does one that takes more than 10 s, or more than 1 GiB with all before it.
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Input = std::vector<uint8_t>;

constexpr unsigned kMostSeconds = 10;
constexpr long kMostMebibytes = 1024;
#ifdef __APPLE__
constexpr long kMaxRssUnits = 1 << 20;  // bytes
#else
constexpr long kMaxRssUnits = 1 << 10;  // KiB
#endif

struct Options {
  uint64_t num_mutations = 0;
  uint64_t seed = 1;
  std::string keep;
  std::vector<Input> seeds;
};

void ReadSeed(const std::filesystem::path& path, std::vector<Input>& seeds) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "replay: cannot read %s\n", path.c_str());
    std::exit(3);
  }
  seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const std::string value(arg.substr(arg.find('=') + 1));
    if (arg.starts_with("--mutations=")) {
      options.num_mutations = std::stoull(value);
    } else if (arg.starts_with("--seed=")) {
      options.seed = std::stoull(value);
    } else if (arg.starts_with("--keep=")) {
      options.keep = value;
    } else if (std::filesystem::is_directory(arg)) {
      for (const auto& entry : std::filesystem::directory_iterator(arg)) {
        ReadSeed(entry.path(), options.seeds);
      }
    } else {
      ReadSeed(arg, options.seeds);
    }
  }
  return options;
}

void Run(const Input& input, const std::string& keep) {
  if (!keep.empty()) {
    std::ofstream file(keep, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
  }
  alarm(kMostSeconds);  // its signal ends the program
  LLVMFuzzerTestOneInput(input.data(), input.size());
  alarm(0);
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) != 0 || usage.ru_maxrss / kMaxRssUnits <= kMostMebibytes)
    return;
  std::fprintf(stderr, "replay: an input of %zu bytes took more than %ld MiB\n", input.size(),
               kMostMebibytes);
  std::abort();
}

// One to four small edits: the kinds of damage that files suffer.
void Mutate(Input& input, std::mt19937_64& random) {
  static constexpr uint8_t kTelling[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  for (uint64_t edit = 1 + random() % 4; edit != 0; --edit) {
    const size_t at = input.empty() ? 0 : random() % input.size();
    const auto here = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (input.empty() ? 4 : random() % 6) {
      case 0:
        input[at] = static_cast<uint8_t>(input[at] ^ (1u << (random() % 8)));
        break;
      case 1:
        input[at] = kTelling[random() % std::size(kTelling)];
        break;
      case 2:
        input.resize(at);
        break;
      case 3:
        input.erase(here, here + 1 + static_cast<std::ptrdiff_t>(random() % (input.size() - at)));
        break;
      case 4:
        input.insert(here, 1 + random() % 16, static_cast<uint8_t>(random()));
        break;
      default:
        input[at] = static_cast<uint8_t>(random());
        break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options = Parse(argc, argv);
  for (const Input& seed : options.seeds) Run(seed, options.keep);
  if (options.seeds.empty()) options.seeds.emplace_back();

  std::mt19937_64 random(options.seed);
  Input input;
  for (uint64_t i = 0; i < options.num_mutations; ++i) {
    // Every few edits start afresh from a seed, so that inputs neither stay put nor drift away.
    if (i % 8 == 0) input = options.seeds[random() % options.seeds.size()];
    Mutate(input, random);
    Run(input, options.keep);
  }
  std::printf("%zu seeds and %llu mutations passed\n", options.seeds.size(),
              static_cast<unsigned long long>(options.num_mutations));
}
