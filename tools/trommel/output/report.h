// Report: the results of a subcommand, collected once and printed as text for people or as one JSON
// object for programs. Fail: the one line of an error.
#ifndef TROMMEL_TOOLS_REPORT_H_
#define TROMMEL_TOOLS_REPORT_H_

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/trommel/output/json.h"
#include "trommel/result.h"

namespace trommel::tool {

// What the exit codes mean, for every subcommand.
enum ExitCode : int {
  kDone = 0,
  // It ran, and the answer is no: nothing present, an invariant broken, a key missing or refused.
  kNegativeAnswer = 1,
  kUsageError = 2,  // the command line or the environment is wrong
  // A file or a key that cannot be read, keys that erase refuses, a file or output that cannot be
  // written, a file that another command is changing, or no memory: the system's, or what
  // --memory-limit leaves. A command that changes a file has not changed it.
  kBadInput = 3,
  // The file was changed, but then its report could not be written, or its folder not flushed. A
  // script must not run the command again. (A command that a signal ends has changed nothing.)
  kChanged = 4,
};

class Report {
 public:
  // A figure for both: field `name` of the JSON object, and, if there is a label, the line "label
  // text". A field of that name that is there already is replaced.
  void Add(std::string_view name, Json value, std::string_view label, std::string text);
  // A count, whose line is left out if it is 0.
  void AddUnlessZero(std::string_view name, uint64_t count, std::string_view label);
  // A figure for programs only; a whole line for people only.
  void AddField(std::string_view name, Json value);
  void AddLine(std::string line);

  // The fields, as one object.
  Json ToJson() const;

  // Prints it to `stream`, as one line of JSON if `json`. Fails with kIo when it cannot be written.
  Status Print(bool json, std::FILE* stream) const;

 private:
  struct Line {
    std::string label;
    std::string text;
  };

  std::vector<std::pair<std::string, Json>> fields_;
  std::vector<Line> lines_;
};

// Writes `text` to `stream` and flushes it. Fails with kIo.
Status WriteText(std::string_view text, std::FILE* stream);

// Writes `text` to standard error. A standard error that is closed or full is no reason to fail:
// the exit code still tells.
void WriteToStderr(std::string_view text) noexcept;

// What messages call the program: "trommel" until this is called. The name must live on.
void NameProgram(const char* name) noexcept;

const char* ProgramName() noexcept;

// Where reports are JSON: they have the notes as their field "notes", so that a program that reads
// one from standard error reads nothing else. If the command fails, Fail prints them.
void HoldNotes(bool holds) noexcept;

// Prints "trommel: note: message" to standard error: nothing failed.
void PrintNote(std::string_view message);

// Prints "trommel: message" to standard error and returns `code`. Prints nothing when the failure
// is an interrupt.
int Fail(ExitCode code, std::string_view message);

// The same for errors of the library: a request that cannot be met is a usage error, a bad file or
// key is bad input. A lack of memory is bad input in both, whether it is the system's or the user's
// own limit: with more memory, the same request would be served. kNotFlushed is kChanged.
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

// `text` in single quotes, fit for one line of an error message: unprintable bytes as \xNN, cut
// after 40 characters.
std::string Quoted(std::string_view text);

// `text` as one word of a shell's command, on one line: in quotes where it needs them.
std::string ShellWord(std::string_view text);

// The library's message with the command's options for the fields that it names: "capacity" becomes
// "-n".
std::string NamingOptions(std::string message);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_REPORT_H_
