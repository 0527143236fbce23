// Writes the man pages and completions of `trommel`: trommel_manual FOLDER DATE. Packages carry
// what it writes; it is not installed itself.
#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "tools/packages/manual/completions.h"
#include "tools/packages/manual/man_pages.h"
#include "tools/trommel/command_list.h"
#include "trommel/version.h"

namespace {

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) std::fputs(fmt::format("trommel_manual: cannot write {}\n", path).c_str(), stderr);
  return static_cast<bool>(file);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace trommel::tool;
  if (argc != 3) {
    std::fputs("trommel_manual: needs a folder and a date\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  Settings settings;
  const CommandText command = MakeCommandLine(settings)->Describe();
  bool is_written = Write(folder + "/trommel.bash", BashCompletion(command)) &&
                    Write(folder + "/_trommel", ZshCompletion(command));
  for (const ManPage& page : ManPages(command, Topics(), trommel::LinkedVersion(), argv[2])) {
    is_written = is_written && Write(folder + "/" + page.name, page.text);
  }
  return is_written ? 0 : 3;
}
