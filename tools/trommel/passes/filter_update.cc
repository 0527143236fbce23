// A filter file that a command changes.
#include "tools/trommel/passes/filter_update.h"

#include <utility>

#include "tools/trommel/filters/key_file.h"
#include "tools/trommel/output/interrupt.h"

namespace trommel::tool {

Result<FilterUpdate> FilterUpdate::Begin(const UpdateOptions& options, const KeyInput& input,
                                         const Settings& settings, Load* load) {
  const Result<DigestKey> key = ReadGivenKey(options.key_file);
  if (!key.ok()) return key.error();
  Result<FilterOutput> output = FilterOutput::ClaimUpdate(
      options.filter, options.output, input.AllInputs(options.key_file), settings.quiet);
  if (!output.ok()) return output.error();
  Result<FilterFile> file = load(options.filter, *key, options.memory_limit_bytes);
  if (!file.ok()) return file.error();
  NoteInterrupts();  // not before: loading may take seconds, and an interrupt may end it
  return FilterUpdate(*std::move(output), *std::move(file));
}

FilterUpdate::FilterUpdate(FilterOutput output, FilterFile file)
    : output_(std::move(output)), file_(std::move(file)) {}

int FilterUpdate::Finish(bool json, const std::function<ExitCode(Report&)>& describe) {
  const auto save = [this] { return output_.Save(file_); };
  return FinishChange(output_.path(), json, save, [&](Report& report) {
    report.Add("filter", output_.path(), "written", output_.path());
    return describe(report);
  });
}

}  // namespace trommel::tool
