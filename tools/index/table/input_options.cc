// How rows are read.
#include "tools/index/table/input_options.h"

#include <fmt/core.h>

#include "tools/trommel/options/value_options.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {

void AddTableInput(Command& command, TableInput& input) {
  command.Text("-k,--key", input.columns.key, "LIST",
               "Columns whose cells are the row's key; of several, it is shown and typed a=1,b=2");
  command.Repeatable("--set-valued", input.columns.set_valued, "LIST[:SEPARATOR]",
                     "Columns whose cells are sets: tags,uses or 'tags:;' (separator: a comma; "
                     "spaces around values are removed)");
  command.Repeatable("--null", input.columns.nulls, "TEXT",
                     "A cell with this text is null, as an empty one is");
  command.Flag("--crlf", input.strip_cr, "Lines end with a carriage return and a newline");
  constexpr uint64_t kMostRows = 1'000'000;
  AddNumber(command, "--batch", 1, kMostRows, "ROWS",
            fmt::format("Rows per write (default {})", FormatCount(input.batch_rows)),
            [&input](uint64_t rows) { input.batch_rows = rows; });
}

}  // namespace trommel::tool
