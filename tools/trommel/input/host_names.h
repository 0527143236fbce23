// The names in a line of a hosts file, or of a list of domains to block.
#ifndef TROMMEL_TOOLS_HOST_NAMES_H_
#define TROMMEL_TOOLS_HOST_NAMES_H_

#include <string_view>
#include <vector>

#include "trommel/result.h"

namespace trommel::tool {

// Appends the line's names to `names`, as views into it:
//
//   0.0.0.0 ads.example [more.example ...]   hosts(5): an address and names
//   ||ads.example^                           a rule of ad blockers for a whole domain
//   ads.example                              a list of names
//
// What follows a '#' at the beginning or behind a space is a comment; so is a line that begins with
// '!' or '['. Rules of other kinds have no name: none is appended. Fails with kInvalidArgument for
// lines of other kinds.
Status AddHostNames(std::string_view line, std::vector<std::string_view>& names);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_HOST_NAMES_H_
