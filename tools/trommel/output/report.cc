// Reports and errors as text.
#include "tools/trommel/output/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

const char* program_name = "trommel";
bool holds_notes = false;
std::vector<std::string> held_notes;

void WriteLine(std::string_view kind, std::string_view message) {
  fmt::memory_buffer line;  // a short line needs no memory, of which there may be none left
  fmt::format_to(std::back_inserter(line), "{}: {}{}\n", program_name, kind, message);
  WriteToStderr({line.data(), line.size()});
}

}  // namespace

void Report::Add(std::string_view name, Json value, std::string_view label, std::string text) {
  AddField(name, std::move(value));
  if (!label.empty()) lines_.push_back({std::string(label), std::move(text)});
}

void Report::AddUnlessZero(std::string_view name, uint64_t count, std::string_view label) {
  Add(name, count, count == 0 ? "" : label, FormatCount(count));
}

void Report::AddField(std::string_view name, Json value) {
  const auto same = std::ranges::find(fields_, name, &std::pair<std::string, Json>::first);
  if (same == fields_.end()) {
    fields_.emplace_back(name, std::move(value));
  } else {
    same->second = std::move(value);
  }
}

void Report::AddLine(std::string line) { lines_.push_back({"", std::move(line)}); }

Json Report::ToJson() const {
  Json object = Json::Object();
  for (const auto& [name, value] : fields_) object.Add(name, value);
  return object;
}

Status Report::Print(bool json, std::FILE* stream) const {
  std::string text;
  if (json) {
    Json object = ToJson();
    if (!held_notes.empty()) object.Add("notes", Json::Array(held_notes));
    text = object.text() + "\n";
  } else {
    size_t label_width = 0;
    for (const Line& line : lines_) label_width = std::max(label_width, line.label.size());
    for (const Line& line : lines_) {
      text += line.label.empty() ? fmt::format("{}\n", line.text)
                                 : fmt::format("{:<{}}  {}\n", line.label, label_width, line.text);
    }
  }
  return WriteText(text, stream);
}

Status WriteText(std::string_view text, std::FILE* stream) {
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0) {
    return Ok();
  }
  return Error{ErrorCode::kIo, fmt::format("cannot write output: {}", std::strerror(errno))};
}

void WriteToStderr(std::string_view text) noexcept {
  [[maybe_unused]] const size_t ignored = std::fwrite(text.data(), 1, text.size(), stderr);
}

void NameProgram(const char* name) noexcept { program_name = name; }

const char* ProgramName() noexcept { return program_name; }

void HoldNotes(bool holds) noexcept { holds_notes = holds; }

void PrintNote(std::string_view message) {
  if (holds_notes) {
    held_notes.emplace_back(message);
  } else {
    WriteLine("note: ", message);
  }
}

int Fail(ExitCode code, std::string_view message) {
  if (NotedInterrupt() != 0) return code;
  for (const std::string& note : held_notes) WriteLine("note: ", note);
  WriteLine("", message);
  return code;
}

int FailOnRequest(const Error& error) {
  if (error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kUnsupported) {
    return Fail(kUsageError, error.message);
  }
  return FailOnInput(error);
}

int FailOnInput(const Error& error) {
  return Fail(error.code == ErrorCode::kNotFlushed ? kChanged : kBadInput, error.message);
}

int Finish(const Report& report, bool json, ExitCode code, std::FILE* stream) {
  if (Status printed = report.Print(json, stream); !printed.ok()) {
    return FailOnInput(printed.error());
  }
  return code;
}

int FinishChange(const std::string& path, bool json, const std::function<Status()>& save,
                 const std::function<ExitCode(Report&)>& describe) {
  HoldInterrupts hold;
  if (NotedInterrupt() != 0) return kBadInput;  // the last moment: main ends the program by it
  std::signal(SIGPIPE, SIG_IGN);
  const Status saved = save();
  if (saved.ok() || saved.error().code == ErrorCode::kNotFlushed) hold.DropForGood();
  if (!saved.ok()) return FailOnRequest(saved.error());
  std::string why;
  try {
    Report report;
    const ExitCode code = describe(report);
    const Status printed = report.Print(json, stdout);
    if (printed.ok()) return code;
    why = printed.error().message;
  } catch (const std::bad_alloc&) {
    why = "out of memory";
  } catch (const std::exception& error) {
    why = error.what();
  }
  fmt::memory_buffer message;  // see WriteLine
  fmt::format_to(std::back_inserter(message),
                 "{} was changed, but the report of it was not written: {}", path, why);
  return Fail(kChanged, {message.data(), message.size()});
}

std::string Quoted(std::string_view text) {
  constexpr size_t kMaxShown = 40;
  std::string quoted = "'";
  for (const char c : text.substr(0, kMaxShown)) {
    if (c >= ' ' && c <= '~') {
      quoted += c;
    } else {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return quoted + (text.size() > kMaxShown ? "...'" : "'");
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/%@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  // $'...' knows escapes, so that the word stays on one line; '...' knows none.
  const bool has_escapes = std::ranges::any_of(text, is_control);
  std::string word = has_escapes ? "$'" : "'";
  for (const char c : text) {
    if (is_control(c)) {
      word += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else if (has_escapes && (c == '\'' || c == '\\')) {
      word += '\\';
      word += c;
    } else {
      word += c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1);
    }
  }
  return word + '\'';
}

std::string NamingOptions(std::string message) {
  constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"memory_limit_bytes", "--memory-limit"},
      {"memory_bytes", "--memory"},
      {"num_values", "--values"},
      {"first_capacity", "-n"},
      {"max_capacity", "--max-capacity"},
      {"capacity", "-n"},
      {"target_fpr", "-p"},
      {"num_buckets", "--buckets"},
      {"num_slices", "--slices"},
  });
  for (const auto& [field, option] : kNames) {
    for (size_t at = 0; (at = message.find(field, at)) != std::string::npos; at += option.size()) {
      const bool is_option = at > 0 && (message[at - 1] == '-' || message[at - 1] == '_');
      if (!is_option) message.replace(at, field.size(), option);
    }
  }
  return message;
}

}  // namespace trommel::tool
