// The command `trommel`.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "tools/trommel/command_list.h"
#include "tools/trommel/output/program.h"
#include "tools/trommel/output/report.h"
#include "trommel/targets.h"

namespace trommel::tool {
namespace {

int UseTarget(const std::string& target) {
  Status usable = CheckTargetEnvironment();
  if (usable.ok() && !target.empty()) usable = ForceTarget(target);
  return usable.ok() ? int{kDone} : Fail(kUsageError, usable.error().message);
}

int Main(int argc, char** argv) {
  Settings settings;
  if (argc > 0 && std::string_view(argv[0]).find('/') != std::string_view::npos) {
    settings.program = argv[0];  // it need not be on the PATH
  }
  settings.typed = TypedCommand("trommel", {argv + std::min(argc, 1), argv + argc});
  return MakeCommandLine(settings, argc > 1 ? argv[1] : "")
      ->Run({argv + std::min(argc, 1), argv + argc}, [&] {
        HoldNotes(settings.json);
        return UseTarget(settings.target);
      });
}

}  // namespace
}  // namespace trommel::tool

int main(int argc, char** argv) {
  return trommel::tool::RunProgram("trommel", [&] { return trommel::tool::Main(argc, argv); });
}
