// Keys of several columns: the tuple of values of a key (trommel/tuples.h), and the text that
// people type.
//
//   values   "1,2"              "x\0y"                 "3"
//   key       31 2c 32  00 01    78  00 ff  79  00 01   33
//   text      a=1\,2,b=x\x00y,c=3
#ifndef TROMMEL_TOOLS_TUPLE_KEY_H_
#define TROMMEL_TOOLS_TUPLE_KEY_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/result.h"

namespace trommel::tool {

// Returns the values whose key this is; none if it is the key of no tuple of so many values.
// Requires num_values > 0.
std::optional<std::vector<std::string>> DecodeTuple(std::string_view key, size_t num_values);

// Returns "a=1,b=2": a comma, an equals sign and a backslash of names and values have a backslash
// before them, control characters and bytes that are not UTF-8 are \xNN. Requires a name per value.
std::string TupleText(std::span<const std::string> names, std::span<const std::string> values);
// Returns the values of a text as TupleText writes it, for the same names in the same order. Any
// byte may be written \xNN, and an equals sign of a value as it is. Fails with kInvalidArgument,
// with the position of what is wrong, counted in bytes from 1.
Result<std::vector<std::string>> ParseTuple(std::string_view text,
                                            std::span<const std::string> names);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_TUPLE_KEY_H_
