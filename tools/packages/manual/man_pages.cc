// Pages in the macros of man(7), which both groff and mandoc read.
#include "tools/packages/manual/man_pages.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace trommel::tool {
namespace {

constexpr size_t kColumns = 78;  // of the source; mandoc -Tlint wants at most 80

// Words of text, filled into lines. No line begins with what roff would take for a macro.
std::string Paragraph(std::string_view text) {
  std::string lines;
  for (const char c : Wrapped(Roff(text), kColumns)) {
    if ((c == '.' || c == '\'') && (lines.empty() || lines.back() == '\n')) lines += "\\&";
    lines += c;
  }
  return lines + "\n";
}

std::string Bold(std::string_view text) { return fmt::format("\\fB{}\\fR", Roff(text)); }
std::string Italic(std::string_view text) { return fmt::format("\\fI{}\\fR", Roff(text)); }
std::string Section(std::string title) {
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".SH {}\n", Roff(title));
}

std::string PageName(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string Reference(const std::string& command) {
  return fmt::format("\\fB{}\\fR(1)", Roff(PageName(command)));
}

// The first line of the description, begun in lower case as whatis(1) shows it.
std::string Summary(const CommandText& command) {
  std::string line = command.description.substr(0, command.description.find('\n'));
  line = line.substr(0, line.find(". "));
  if (line.ends_with('.')) line.pop_back();
  if (line.size() > 1 && std::islower(static_cast<unsigned char>(line[1])) != 0) {
    line[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(line[0])));
  }
  return line;
}

std::string Joined(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string Synopsis(const CommandText& command) {
  std::string line = fmt::format(".SH SYNOPSIS\n{} [{}]", Bold(command.name), Italic("OPTIONS"));
  if (!command.subcommands.empty()) line += " " + Italic("SUBCOMMAND");
  for (const OptionText& option : command.options) {
    if (!option.is_argument) continue;
    const std::string name = Italic(option.names[0]) + (option.takes_many ? " ..." : "");
    line += option.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  return line + "\n";
}

std::string Term(const OptionText& option) {
  std::string term;
  for (const std::string& name : option.names) {
    term += (term.empty() ? "" : ", ") + (option.is_argument ? Italic(name) : Bold(name));
  }
  if (!option.value.empty()) term += " " + Italic(option.value);
  if (option.takes_many) term += " ...";
  if (option.is_required && !option.is_argument) term += " (required)";
  return term;
}

// The choices, if the text does not name each.
std::string ChoicesOf(const OptionText& option) {
  const bool are_named = std::ranges::all_of(option.choices, [&](const std::string& choice) {
    return option.help.find(choice) != std::string::npos;
  });
  if (are_named) return "";
  std::string line = "One of";
  for (const std::string& choice : option.choices) {
    line += (&choice == &option.choices.front() ? " " : ", ") + choice;
  }
  return ". " + line + ".";
}

std::string Entry(const std::string& term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}", term, Paragraph(text));
}

// Arguments, then options in the order of declaration, each group below its heading. --help, which
// every page would have, is on the first alone.
std::string Options(const CommandText& command, bool is_first_page) {
  const auto heading = [](const OptionText& option) {
    return option.is_argument ? "Arguments" : option.group;
  };
  std::vector<std::string> groups = {"Arguments"};
  for (const OptionText& option : command.options) {
    if (std::ranges::find(groups, heading(option)) == groups.end()) {
      groups.push_back(heading(option));
    }
  }
  std::string text;
  for (const std::string& group : groups) {
    std::string entries;
    for (const OptionText& option : command.options) {
      if (heading(option) != group) continue;
      if (!is_first_page && option.names.back() == "--help") continue;
      entries += Entry(Term(option), option.help + ChoicesOf(option));
    }
    if (entries.empty()) continue;
    const bool is_plain = group == "Options" || group == "Arguments";
    text += (is_plain ? Section(group) : fmt::format(".SH \"{}\"\n", Roff(group))) + entries;
  }
  return text;
}

std::string Subcommands(const CommandText& command) {
  std::string text;
  std::string group;
  for (const CommandText& each : command.subcommands) {
    if (each.group != group) {
      group = each.group;
      text += fmt::format(".SH \"{}\"\n", Roff(group));
    }
    text += fmt::format(".TP\n{}\n{}", Reference(each.name), Paragraph(Summary(each)));
  }
  return text;
}

std::string PageOf(const CommandText& command, const std::string& parent,
                   std::span<const Topic> topics, std::string_view version, std::string_view date) {
  std::string title = PageName(command.name);
  std::string page = ".\\\" Made from the declarations of the command's options.\n";
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  page += fmt::format(".TH {} 1 {} \"trommel {}\" \"User Commands\"\n", Roff(title), date, version);
  page += ".nh\n.ad l\n";  // options and figures are not hyphenated
  page += ".SH NAME\n" + Paragraph(PageName(command.name) + " - " + Summary(command));
  page += Synopsis(command);
  page += ".SH DESCRIPTION\n" + Paragraph(Joined(command.description));
  if (!command.examples.empty()) {
    page += ".SH EXAMPLES\n.nf\n";
    for (const std::string& example : command.examples) page += Roff(example) + "\n";
    page += ".fi\n";
  }
  page += Subcommands(command);
  page += Options(command, parent.empty());
  if (parent.empty()) {
    for (const Topic& topic : topics) {
      page += Section(std::string(topic.title));
      bool is_first = true;
      for (const Topic::Entry& entry : topic.entries) {
        if (!entry.term.empty()) page += Entry(Bold(entry.term), entry.text);
        if (entry.term.empty()) page += (is_first ? "" : ".PP\n") + Paragraph(entry.text);
        is_first = false;
      }
    }
    return page;
  }
  page += ".SH \"SEE ALSO\"\n";
  const std::string first = parent.substr(0, parent.find(' '));
  if (first != parent) page += Reference(parent) + ",\n";
  page += Reference(first) + ",\n";
  return page +
         Paragraph("which has options of all subcommands, the exit status, files and signals");
}

void AddPages(const CommandText& command, const std::string& parent, std::span<const Topic> topics,
              std::string_view version, std::string_view date, std::vector<ManPage>& pages) {
  pages.push_back({PageName(command.name) + ".1", PageOf(command, parent, topics, version, date)});
  for (const CommandText& each : command.subcommands) {
    AddPages(each, command.name, topics, version, date, pages);
  }
}

}  // namespace

std::string Roff(std::string_view text) {
  std::string escaped;
  bool is_typed = false;  // in a word that begins with a dash
  char previous = ' ';
  for (const char c : text) {
    if (c == ' ' || c == '\n') is_typed = false;
    const bool begins_word = previous == ' ' || previous == '(' || previous == '[';
    if (c == '-' && begins_word) is_typed = true;
    if (c == '-' && is_typed) {
      escaped += "\\-";
    } else if (c == '\\') {
      escaped += "\\e";
    } else if (c == '\'') {
      escaped += "\\(aq";
    } else if (c == '"') {
      escaped += "\\(dq";
    } else if (c == '`') {
      escaped += "\\(ga";
    } else if (c == '^') {
      escaped += "\\(ha";
    } else if (c == '~') {
      escaped += "\\(ti";
    } else {
      escaped += c;
    }
    previous = c;
  }
  return escaped;
}

std::vector<ManPage> ManPages(const CommandText& command, std::span<const Topic> topics,
                              std::string_view version, std::string_view date) {
  std::vector<ManPage> pages;
  AddPages(command, "", topics, version, date, pages);
  return pages;
}

}  // namespace trommel::tool
