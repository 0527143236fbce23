// Sets of attributes as people write them: names with commas between.
#ifndef TROMMEL_TOOLS_COLUMN_NAMES_H_
#define TROMMEL_TOOLS_COLUMN_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/attribute_plan.h"
#include "trommel/attribute_sets.h"
#include "trommel/result.h"

namespace trommel::tool {

// Fails with kInvalidArgument for no names, for more than a filter can have, and as CheckEachName
// does. The other functions require names that passed.
Status CheckNames(std::span<const std::string> names);

// Fails with kInvalidArgument for a name that is empty, longer than a filter's can be, there twice,
// or has a comma, so that it could not be named in a list. `places` says which columns they are,
// from 0 (empty: in this order).
Status CheckEachName(std::span<const std::string> names, std::span<const size_t> places = {});

// "src_ip,domain" as its two names. An empty text has none, an empty name is a name.
std::vector<std::string> SplitNames(std::string_view text);

// "'src', 'dst'", of at most 20.
std::string ListOf(std::span<const std::string> names);

// The position of the name. Fails with kInvalidArgument: "no WHAT named 'scr'; there are 'src',
// 'dst'".
Result<size_t> FindNamed(std::string_view what, std::string_view name,
                         std::span<const std::string> names);

// The set of the attributes in the list. Fails with kInvalidArgument for an empty list, a name that
// is not there or is there twice.
Result<AttributeMask> ParseSet(std::string_view text, std::span<const std::string> names);

// "src_ip,domain", ascending by attribute.
std::string SetText(AttributeMask set, std::span<const std::string> names);

// The library's message with its sets by name: "cut {0,2}" becomes "cut src_ip,domain". Braces with
// anything but attributes that there are stay.
std::string NamingSets(std::string_view message, std::span<const std::string> names);

// A set and how often it is queried: "src_ip,domain=3", or "src_ip" for 1. Fails with
// kInvalidArgument as ParseSet does, and for a share that is no number above 0.
Result<QueryShare> ParseShare(std::string_view text, std::span<const std::string> names);

// How many different values each attribute has, from "src_ip=1000" and the like; none where none
// is given, and `others` where some are. Fails with kInvalidArgument.
Result<std::vector<uint64_t>> ParseValues(std::span<const std::string> texts,
                                          std::span<const std::string> names, uint64_t others);

// The sets that cuts and a limit leave (0: no limit). Fails with kInvalidArgument, naming the cut,
// as ParseSet and AttributeSets::AtMost do.
Result<AttributeSets> ParseCuts(std::span<const std::string> cuts,
                                std::span<const std::string> names, uint64_t max_together = 0);

// The sets that are listed. Fails with kInvalidArgument, naming the list, as ParseSet and
// AttributeSets::Keep do.
Result<AttributeSets> ParseKept(std::span<const std::string> kept,
                                std::span<const std::string> names);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_COLUMN_NAMES_H_
