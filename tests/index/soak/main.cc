// The soak of the secondary index: trommel_index_soak
//
//   mixed FOLDER [CHANGES [SEED]] [--seconds N] [--seed N]
//       Writes, queries, changes of regions, servers and indexes, from several threads, with
//       restarts, compared with an exact model.
//   kills FOLDER [COUNT [SEED]] [--seconds N] [--seed N]
//       Starts a process that does all this but for queries, kills it (SIGKILL) at some moment,
//       opens what is left and checks it; COUNT times.
//   work FOLDER [--seed N]
//       What `kills` starts.
//
// Exit status: 0 all is right, 1 something is wrong, 2 wrong usage.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "index/soak/modes.h"

namespace trommel::index::soak {
namespace {

struct Arguments {
  std::string mode;
  std::string folder;
  std::optional<uint64_t> number;
  uint64_t seconds = 0;
  uint64_t seed = 1;
};

std::optional<uint64_t> NumberOf(const std::string& text) {
  char* end = nullptr;
  const uint64_t number = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || text[0] == '-') return std::nullopt;
  return number;
}

std::optional<Arguments> Parse(const std::vector<std::string>& args) {
  if (args.size() < 2) return std::nullopt;
  Arguments arguments;
  arguments.mode = args[0];
  arguments.folder = args[1];
  for (size_t i = 2; i < args.size(); ++i) {
    const bool is_option = args[i] == "--seconds" || args[i] == "--seed";
    if (is_option && i + 1 == args.size()) return std::nullopt;
    const std::optional<uint64_t> number = NumberOf(args[is_option ? i + 1 : i]);
    if (!number) return std::nullopt;
    if (is_option) {
      (args[i++] == "--seed" ? arguments.seed : arguments.seconds) = *number;
    } else if (!arguments.number) {
      arguments.number = number;
    } else {
      arguments.seed = *number;
    }
  }
  return arguments;
}

int Run(const char* program, const Arguments& arguments) {
  if (arguments.mode == "mixed") {
    return RunMixed(arguments.folder, {arguments.number.value_or(1'000'000), arguments.seconds},
                    arguments.seed);
  }
  if (arguments.mode == "kills") {
    return RunKills(program, arguments.folder, {arguments.number.value_or(40), arguments.seconds},
                    arguments.seed);
  }
  if (arguments.mode == "work") return RunWork(arguments.folder, arguments.seed);
  return 2;
}

}  // namespace
}  // namespace trommel::index::soak

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto arguments = trommel::index::soak::Parse(args);
  const int status = arguments ? trommel::index::soak::Run(argv[0], *arguments) : 2;
  if (status == 2) {
    std::fprintf(
        stderr,
        "usage: trommel_index_soak mixed FOLDER [CHANGES [SEED]] [--seconds N] [--seed N]\n"
        "       trommel_index_soak kills FOLDER [COUNT [SEED]] [--seconds N] [--seed N]\n");
  }
  return status;
}
