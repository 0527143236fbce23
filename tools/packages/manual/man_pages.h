// Man pages of a command, from the declarations of its command line: one page per subcommand.
#ifndef TROMMEL_TOOLS_MAN_PAGES_H_
#define TROMMEL_TOOLS_MAN_PAGES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/command_list.h"
#include "tools/trommel/options/command_line.h"

namespace trommel::tool {

struct ManPage {
  std::string name;  // of its file: "trommel-attr-build.1"
  std::string text;
};

// The pages of `command` and of all below it, in the order of declaration. `version` is "0.1.0",
// and `date`, "2026-11-26", stands at the foot of each page. The same arguments make the same
// bytes.
std::vector<ManPage> ManPages(const CommandText& command, std::span<const Topic> topics,
                              std::string_view version, std::string_view date);

// `text` for a line of roff: what is special there is escaped. In words that begin with a dash
// every dash is one to be typed.
std::string Roff(std::string_view text);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_MAN_PAGES_H_
