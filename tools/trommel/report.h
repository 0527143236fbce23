// Report: what a subcommand has to say, collected once and printed as text for people or as one
// JSON object for programs. Fail: the one line of an error.
#ifndef TROMMEL_TOOLS_REPORT_H_
#define TROMMEL_TOOLS_REPORT_H_

#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/exit_codes.h"
#include "trommel/result.h"

namespace trommel::tool {

using Json = nlohmann::ordered_json;

class Report {
 public:
  // A figure for both: field `name` of the JSON object, and the line "label  text".
  void Add(std::string_view name, Json value, std::string_view label, std::string text);
  // A figure for programs only; a whole line for people only.
  void AddField(std::string_view name, Json value);
  void AddLine(std::string line);

  // Prints it to `stream`, as one line of JSON if `json`. Fails with kIo when it cannot be written.
  Status Print(bool json, std::FILE* stream) const;

 private:
  struct Line {
    std::string label;
    std::string text;
  };

  Json fields_ = Json::object();
  std::vector<Line> lines_;
};

// Writes `text` to `stream` and flushes it. Fails with kIo.
Status WriteText(std::string_view text, std::FILE* stream);

// `text` as JSON, whatever bytes it has: file names need not be UTF-8.
std::string JsonText(const Json& json);

// Writes `text` to standard error. A standard error that is closed or full is no reason to fail:
// the exit code still tells.
void WriteToStderr(std::string_view text) noexcept;

// Prints "trommel: message" to standard error and returns `code`. Says nothing when the failure is
// an interrupt.
int Fail(ExitCode code, std::string_view message);

// The same for what the library says: what the user asked for in vain is a usage error, what is
// wrong with files and keys is bad input. A lack of memory is bad input in both, whether it is the
// system's or the user's own limit: with more memory, the same request would be served. kNotFlushed
// is kChanged.
int FailOnRequest(const Error& error);  // the user's numbers were wrong
int FailOnInput(const Error& error);    // a file or a key was wrong

// Prints the report to standard output and returns `code`, or fails.
int Finish(const Report& report, bool json, ExitCode code, std::FILE* stream = stdout);

// The same for a command that changes the file `path`. `save` does that; where it fails, so does
// this. `describe` fills the report and returns the code. Where it throws or the report cannot be
// printed, says that the file was changed and returns kChanged. A signal that comes before or while
// the file is saved ends the program only if the file was not changed; a closed pipe is an error
// like a full disk.
int FinishChange(const std::string& path, bool json, const std::function<Status()>& save,
                 const std::function<ExitCode(Report&)>& describe);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_REPORT_H_
