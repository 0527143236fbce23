// Both scripts find the subcommand that is being typed by a table of all of them, then offer what
// was declared for it. Options of the first page hold for all subcommands. `help` takes
// subcommands.
#include "tools/packages/manual/completions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

namespace trommel::tool {
namespace {

// What the words of help pages mean: values of these names are files or folders.
bool IsFile(std::string_view value) {
  constexpr std::array<std::string_view, 5> kFiles = {"FILE", "[FILE]", "FILES", "FILTER", "PATH"};
  return std::ranges::find(kFiles, value) != kFiles.end();
}

void ForEach(const CommandText& command, const std::function<void(const CommandText&)>& visit) {
  visit(command);
  for (const CommandText& each : command.subcommands) ForEach(each, visit);
}

std::string Words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string LastWord(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

std::vector<std::string> SubcommandsOf(const CommandText& command) {
  std::vector<std::string> names;
  for (const CommandText& each : command.subcommands) names.push_back(LastWord(each.name));
  return names;
}

// The options of a subcommand: its own, and those of the first page that it does not declare
// itself.
std::vector<OptionText> OptionsOf(const CommandText& command, const CommandText& first) {
  std::vector<OptionText> options = command.options;
  if (&command == &first) return options;
  for (const OptionText& option : first.options) {
    const bool is_own = std::ranges::any_of(command.options, [&](const OptionText& own) {
      return own.names.back() == option.names.back();
    });
    if (!is_own && option.names.back() != "--version") options.push_back(option);
  }
  return options;
}

// The patterns of a `case` that match these names after the subcommand's, or the subcommands'
// names.
std::string SubcommandPatterns(const CommandText& command) {
  std::string patterns;
  ForEach(command, [&](const CommandText& each) {
    if (&each == &command || LastWord(each.name) == "help") return;
    patterns += (patterns.empty() ? "'" : " | '") + each.name + "'";
  });
  return patterns;
}

// The first clause of a help text: a list of completions has a line for each.
std::string Clause(const std::string& help) {
  size_t end = help.size();
  for (const std::string_view stop : {". ", "; ", ": ", " ("}) end = std::min(end, help.find(stop));
  return help.substr(0, end);
}

// Inside single quotes, in the brackets of zsh's _arguments.
std::string ZshText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

// What _arguments is told of an option's value, or of an argument.
std::string ZshValue(const OptionText& option) {
  const std::string& name = option.is_argument ? option.names[0] : option.value;
  std::string action = " ";
  if (IsFile(name)) action = "_files";
  if (!option.choices.empty()) {
    const std::string words = Words(option.choices);
    action = option.value == "LIST" ? "_values -s , LIST " + words : "(" + words + ")";
  }
  std::string value = fmt::format(":{}:{}", ZshText(name), action);
  if (option.value.starts_with('[')) value.insert(0, ":");
  return value;
}

std::string ZshSpecs(const OptionText& option) {
  if (option.is_argument) {
    return fmt::format("        '{}{}'\n", option.takes_many ? "*" : "", ZshValue(option));
  }
  const bool repeats = option.takes_many;
  const std::string excluded = repeats ? "*" : fmt::format("({})", Words(option.names));
  std::string specs;
  for (const std::string& name : option.names) {
    const char* const joint = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    specs +=
        fmt::format("        '{}{}{}[{}]{}'\n", excluded, name, joint, ZshText(Clause(option.help)),
                    option.value.empty() ? "" : ZshValue(option));
  }
  return specs;
}

}  // namespace

std::string BashCompletion(const CommandText& command) {
  const std::string& name = command.name;
  std::string values;
  std::string words;
  ForEach(command, [&](const CommandText& each) {
    std::vector<std::string> offered = SubcommandsOf(each);
    bool takes_files = false;
    for (const OptionText& option : OptionsOf(each, command)) {
      if (option.is_argument) {
        takes_files = takes_files || IsFile(option.names[0]);
        continue;
      }
      offered.insert(offered.end(), option.names.begin(), option.names.end());
      if (option.value.empty()) continue;
      std::string patterns;
      for (const std::string& each_name : option.names) {
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : " | ", each.name, each_name);
      }
      std::string reply;
      if (IsFile(option.value)) reply = " files=yes";
      if (!option.choices.empty()) reply = fmt::format(" words='{}'", Words(option.choices));
      values += fmt::format("    {}){} ;;\n", patterns, reply);
    }
    words += fmt::format("      '{}') words='{}'{} ;;\n", each.name, Words(offered),
                         takes_files ? " files=yes" : "");
  });
  std::string topics;
  ForEach(command, [&](const CommandText& each) {
    if (each.subcommands.empty()) return;
    topics += fmt::format("      '{}') words='{}' ;;\n", each.name, Words(SubcommandsOf(each)));
  });
  return fmt::format(
      R"(# Completion of {0} in bash. Made from the declarations of the command's options.
_{0}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} command={0} is_help='' words='' files='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
      '{0} help') is_help=yes ;;
      {1})
        command+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  # --option=value comes as three words.
  local previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  if [[ $cur == = ]]; then
    cur=''
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if [[ -n $is_help ]]; then
    case $command in
{2}    esac
  else
    case "$command $previous" in
{3}    *)
      case $command in
{4}      esac
      [[ $cur == -* ]] && files=''
      [[ $cur == -* || -z $files ]] || words='' ;;
    esac
  fi
  COMPREPLY=()
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}}
complete -F _{0} {0}
)",
      name, SubcommandPatterns(command), topics, values, words);
}

std::string ZshCompletion(const CommandText& command) {
  const std::string& name = command.name;
  std::string cases;
  std::string topics;
  ForEach(command, [&](const CommandText& each) {
    std::string specs;
    for (const OptionText& option : OptionsOf(each, command)) {
      if (option.is_argument && option.names[0] == "SUBCOMMAND") continue;
      specs += ZshSpecs(option);
    }
    cases += fmt::format("    '{}')\n      specs=(\n{}      ) ;;\n", each.name, specs);
    if (each.subcommands.empty()) return;
    std::string list;
    for (const CommandText& sub : each.subcommands) {
      const std::string summary = sub.description.substr(0, sub.description.find('\n'));
      list += fmt::format("        '{}:{}'\n", LastWord(sub.name), ZshText(summary));
    }
    topics += fmt::format("    '{}')\n      subcommands=(\n{}      ) ;;\n", each.name, list);
  });
  return fmt::format(R"(#compdef {0}
# Completion of {0} in zsh. Made from the declarations of the command's options.
_{0}() {{
  local command={0} is_help='' i last=1
  local -a specs subcommands
  for ((i = 2; i < CURRENT; ++i)); do
    case "$command ${{words[i]}}" in
      '{0} help') is_help=yes last=$i ;;
      {1})
        command+=" ${{words[i]}}" last=$i ;;
    esac
  done
  case $command in
{2}  esac
  if [[ -n $is_help ]] || (( $#subcommands )) && [[ $PREFIX != -* ]]; then
    (( $#subcommands )) && _describe -t commands subcommand subcommands
    return
  fi
  case $command in
{3}  esac
  shift $((last - 1)) words
  (( CURRENT -= last - 1 ))
  _arguments -s -S : $specs
}}
_{0} "$@"
)",
                     name, SubcommandPatterns(command), topics, cases);
}

}  // namespace trommel::tool
