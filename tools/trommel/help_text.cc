// The help pages, with the descriptions of options wrapped.
#include "tools/trommel/help_text.h"

#include <algorithm>

namespace trommel::tool {

std::string HelpText::make_option_desc(const CLI::Option* option) const {
  constexpr size_t kColumns = 92;
  return Wrapped(CLI::Formatter::make_option_desc(option), kColumns - get_column_width());
}

std::string Wrapped(std::string_view text, size_t width) {
  std::string wrapped;
  size_t line_length = 0;
  while (!text.empty()) {
    const size_t word_length = std::min(text.find(' '), text.size());
    if (line_length > 0) {
      const bool fits = line_length + 1 + word_length <= width;
      wrapped += fits ? ' ' : '\n';
      line_length = fits ? line_length + 1 : 0;
    }
    wrapped += text.substr(0, word_length);
    line_length += word_length;
    text.remove_prefix(std::min(word_length + 1, text.size()));
  }
  return wrapped;
}

}  // namespace trommel::tool
