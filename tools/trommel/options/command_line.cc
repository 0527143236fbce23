// The command line by CLI11, and its help pages with the descriptions wrapped.
#include "tools/trommel/options/command_line.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// What messages call an option: its long name, or its only one.
std::string NameOf(const std::string& names) {
  const size_t dashes = names.find("--");
  return dashes == std::string::npos ? names : names.substr(dashes);
}

void Take(const std::string& name, const std::string& text,
          const std::function<Status(const std::string&)>& parse) {
  const Status parsed = parse(text);
  if (!parsed.ok()) throw CLI::ValidationError(name, parsed.error().message);
}

// An empty text is that of a shell's variable that is not set.
std::string NotEmpty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

// The subcommand that was chosen; the command itself where none was.
const CLI::App* Chosen(const CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

OptionText TextOf(CLI::Option* option) {
  OptionText text;
  text.is_argument = option->get_positional();
  text.names = Split(option->get_name(text.is_argument, true), ',');
  text.value = option->get_option_text();
  if (text.value.empty()) {
    const std::string type = option->get_type_name();  // with what validators say after a colon
    text.value = type.substr(0, type.find(':'));
  }
  text.help = option->get_description();
  text.group = option->get_group();
  text.is_required = option->get_required();
  text.takes_many = option->get_items_expected_max() > 1;
  try {
    text.choices = Split(option->get_validator(0)->get_name(), ',');
  } catch (const CLI::OptionNotFound&) {
    // any value may be legal
  }
  return text;
}

// Pages have these columns: those of a terminal.
constexpr size_t kColumns = 80;

// The first clause of a text: what it is for, without the conditions.
std::string FirstClause(const std::string& text) {
  size_t end = text.size();
  for (const char* mark : {". ", ": ", "; ", " (", ", a ", ", and ", ", as ", ", beyond ",
                           ", exactly ", ", for ", ", of at ", ", then ", ", which "}) {
    end = std::min(end, text.find(mark));
  }
  return text.substr(0, end);
}

std::string FirstLine(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.ends_with('.')) line.pop_back();
  return line;
}

std::string ShortOption(const OptionText& option) {
  constexpr size_t kLeft = 26;
  std::string left = fmt::format("  {}", fmt::join(option.names, ","));
  if (!option.value.empty()) left += " " + option.value;
  if (option.is_argument && option.takes_many) left += "...";
  left.resize(std::max(left.size() + 2, kLeft), ' ');
  const std::string needed = option.is_required && !option.is_argument ? " (required)" : "";
  return Beside(left, FirstClause(option.help) + needed);
}

// CLI11's pages, but that descriptions of options are wrapped, that a list of subcommands has a
// line for each, and that the first page is short: its last lines name the options of all
// subcommands. A subcommand that has examples has a short page, too, which fits a screen: examples,
// and a clause for each option; the whole page is that of `help`.
class HelpPage : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (app->get_parent() == nullptr) {
      return app->get_description() + "\n" + make_usage(app, name) + make_subcommands(app, mode) +
             "\n" + make_footer(app);
    }
    if (mode != CLI::AppFormatMode::All && !app->get_footer().empty()) return ShortPage(app, name);
    std::string page = CLI::Formatter::make_help(app, name, CLI::AppFormatMode::Normal);
    for (size_t at; (at = page.find("\n\n\n")) != std::string::npos;) page.erase(at, 1);
    return page.substr(0, page.find_last_not_of('\n') + 1) + '\n';
  }

  std::string make_footer(const CLI::App* app) const override {
    if (app->get_parent() == nullptr) return CLI::Formatter::make_footer(app);
    return app->get_footer().empty() ? "" : "\nExamples:\n" + Examples(app);
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::string summary = FirstLine(command->get_description());
    size_t longest = 8;
    for (const CLI::App* const other : command->get_parent()->get_subcommands(nullptr)) {
      longest = std::max(longest, other->get_name().size());
    }
    const size_t most = kColumns - longest - 3;
    if (summary.size() > most) summary.resize(summary.find_last_of(",:", most));
    return fmt::format("  {:<{}}{}\n", command->get_name(), longest + 1, summary);
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return Wrapped(CLI::Formatter::make_option_desc(option), kColumns - get_column_width());
  }

 private:
  static std::string Examples(const CLI::App* app) {
    return fmt::format("  {}\n", fmt::join(Split(app->get_footer(), '\n'), "\n  "));
  }

  std::string ShortPage(const CLI::App* app, const std::string& name) const {
    std::string page =
        Wrapped(FirstLine(app->get_description()) + ".", kColumns) + "\n\n" + Examples(app);
    std::string usage = make_usage(app, name);
    page += usage.substr(0, usage.find_last_not_of('\n') + 1) + "\n";
    std::vector<std::pair<std::string, std::string>> groups = {{"", ""}};
    for (CLI::Option* const option : const_cast<CLI::App*>(app)->get_options({})) {
      const OptionText text = TextOf(option);
      if (text.names.back() == "--help") continue;
      const std::string heading = text.is_argument ? "" : text.group + ":\n";
      auto group = std::ranges::find(groups, heading, &std::pair<std::string, std::string>::first);
      if (group == groups.end()) group = groups.insert(group, {heading, ""});
      group->second += ShortOption(text);
    }
    for (const auto& [heading, options] : groups) page += heading + options;
    if (!app->get_subcommands(nullptr).empty()) {
      page += make_subcommands(app, CLI::AppFormatMode::Normal);
    }
    return page + fmt::format("\nAll about them: {} help{}\n", name.substr(0, name.find(' ')),
                              name.substr(name.find(' ')));
  }
};

CommandText TextOf(CLI::App* app, const std::string& parent) {
  CommandText text;
  text.name = parent + app->get_name();
  text.group = app->get_group();
  text.description = app->get_description();
  for (CLI::Option* const option : app->get_options({})) text.options.push_back(TextOf(option));
  if (app->get_parent() != nullptr) text.examples = Split(app->get_footer(), '\n');
  for (CLI::App* const command : app->get_subcommands([](CLI::App*) { return true; })) {
    text.subcommands.push_back(TextOf(command, text.name + " "));
  }
  return text;
}

}  // namespace

std::string TypedCommand(std::string_view program, std::span<char* const> arguments) {
  std::string typed(program);
  for (const std::string_view argument : arguments) typed += ' ' + ShellWord(argument);
  return typed;
}

Option Option::Required() const { return Option(option_->required()); }
Option Option::Needs(Option other) const { return Option(option_->needs(other.option_)); }
Option Option::Excludes(Option other) const { return Option(option_->excludes(other.option_)); }
Option Option::Group(const std::string& group) const { return Option(option_->group(group)); }
Option Option::Help(const std::string& help) const { return Option(option_->description(help)); }

Option Option::OneOf(const std::vector<std::string>& values,
                     const std::map<std::string, std::string>& reasons) const {
  const auto find = [values, reasons](const std::string& text) {
    if (std::ranges::find(values, text) != values.end()) return std::string();
    const auto reason = reasons.find(text);
    return fmt::format("must be one of {}; got {}{}", fmt::join(values, ", "), Quoted(text),
                       reason == reasons.end() ? "" : ": " + reason->second);
  };
  constexpr size_t kMostShown = 60;  // columns; more would not fit the line of the help page
  const std::string list = fmt::format("{}", fmt::join(values, ","));
  // The name is what Describe reads, of the first validator.
  return Option(option_->transform(
      CLI::Validator(find, list.size() + 2 <= kMostShown ? "{" + list + "}" : "", list)));
}

Command Command::AddSubcommand(const std::string& name, const std::string& description) {
  app_->require_subcommand(1);
  CLI::App* const added = app_->add_subcommand(name, description)->group(group_);
  added->footer(std::string());  // the first page's alone
  return {added, actions_};
}

bool AddSubcommands(Command& parent, std::span<const Subcommand> subcommands,
                    std::string_view first, const Settings& settings) {
  const auto chosen = std::ranges::find(subcommands, first, &Subcommand::name);
  const bool all = chosen == subcommands.end();
  for (const Subcommand& each : subcommands) {
    if (each.group != nullptr) parent.StartGroup(each.group);
    if (all || &each == &*chosen) each.add(parent, settings);
  }
  return all;
}

Option Command::Flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

Option Command::Text(const std::string& names, std::string& value, const std::string& type,
                     const std::string& help) {
  return Option(app_->add_option(names, value, help)->type_name(type)->check(NotEmpty));
}

// CLI11 would take an empty text for none.
Option Command::Text(const std::string& names, std::optional<std::string>& value,
                     const std::string& type, const std::string& help) {
  return Parsed(names, type, help, [&value](const std::string& text) {
    value = text;
    return Ok();
  });
}

Option Command::Parsed(const std::string& names, const std::string& type, const std::string& help,
                       const std::function<Status(const std::string&)>& parse) {
  const auto take = [name = NameOf(names), parse](const std::string& text) {
    Take(name, text, parse);
  };
  return Option(app_->add_option_function<std::string>(names, take, help)->type_name(type));
}

Option Command::ParsedList(const std::string& names, const std::string& help,
                           const std::function<Status(const std::string&)>& parse) {
  const auto take = [name = NameOf(names), parse](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) Take(name, text, parse);
  };
  return Option(app_->add_option_function<std::vector<std::string>>(names, take, help)
                    ->delimiter(',')
                    ->type_name("LIST"));
}

Option Command::Arguments(const std::string& name, std::vector<std::string>& values,
                          const std::string& help) {
  return Option(app_->add_option(name, values, help)->type_name("")->check(NotEmpty));
}

Option Command::Repeatable(const std::string& names, std::vector<std::string>& values,
                           const std::string& type, const std::string& help) {
  return Option(app_->add_option(names, values, help)
                    ->allow_extra_args(false)
                    ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                    ->type_name(type));
}

Option Command::OptionalText(const std::string& names, std::string& value,
                             const std::string& without, const std::string& type,
                             const std::string& help) {
  return Option(app_->add_option(names, value, help)
                    ->expected(0, 1)
                    ->default_str(without)
                    ->option_text("[" + type + "]"));
}

void Command::AtMostOne(const std::vector<Option>& options) {
  app_->final_callback([options] {
    std::string given;
    for (const Option& option : options) {
      if (option.option_->count() == 0) continue;
      const std::string name = option.option_->get_name();
      if (!given.empty()) throw CLI::ValidationError(given + " and " + name, "choose one of them");
      given = name;
    }
  });
}

void Command::WhenParsed(std::function<void()> call) {
  app_->parse_complete_callback(std::move(call));
}

Option Command::Find(const std::string& name) const { return Option(app_->get_option(name)); }
bool Command::IsGiven(const std::string& name) const { return app_->count(name) > 0; }

void Command::SetAction(std::function<int()> action) { (*actions_)[app_] = std::move(action); }

CommandLine::CommandLine(const std::string& description, const std::string& more,
                         const std::string& version, const std::string& name)
    : Command(new CLI::App(description, name), &all_actions_) {
  app_->formatter(std::make_shared<HelpPage>());
  app_->footer(more);
  app_->set_version_flag("-V,--version", version);
  app_->fallthrough();
}

CommandLine::~CommandLine() { delete app_; }

int CommandLine::Run(const std::vector<std::string>& arguments,
                     const std::function<int()>& prepare) {
  try {
    // CLI11 takes them from the end.
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    if (const int code = prepare(); code != kDone) return code;
    const auto action = all_actions_.find(Chosen(app_));
    return action == all_actions_.end() ? kDone : action->second();
  } catch (const UsageError& error) {
    return Fail(error.option + ": " + error.message);
  } catch (const CLI::Success& success) {
    std::ostringstream text;  // --help or --version
    app_->exit(success, text, text);
    const Status written = WriteText(text.str(), stdout);
    return written.ok() ? kDone : FailOnInput(written.error());
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> words = app_->remaining();
    const bool lacks_subcommand = !Chosen(app_)->get_subcommands(nullptr).empty();
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (words.empty() || (!lacks_subcommand && !is_extra)) return Fail(error.what());
    const char* const what = lacks_subcommand ? "unknown subcommand" : "unexpected argument";
    return Fail(fmt::format("{} {}", words.front().starts_with("-") ? "unknown option" : what,
                            Quoted(words.front())));
  }
}

int CommandLine::Fail(const std::string& message) const {
  std::string line = message;
  std::ranges::replace(line, '\n', ' ');
  std::string name;
  for (const CLI::App* app = Chosen(app_); app != nullptr; app = app->get_parent()) {
    name = app->get_name() + " " + name;
  }
  return tool::Fail(kUsageError, fmt::format("{} (see {}--help)", line, name));
}

Result<std::string> CommandLine::HelpOf(const std::vector<std::string>& words,
                                        HelpLength length) const {
  CLI::App* app = app_;
  std::string name = app->get_name();
  for (const std::string& word : words) {
    const auto named = app->get_subcommands([&](CLI::App* sub) { return sub->get_name() == word; });
    if (named.empty()) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("unknown subcommand {}", Quoted(word))};
    }
    app = named.front();
    name += " " + word;
  }
  return app->get_formatter()->make_help(
      app, name,
      length == HelpLength::kWhole ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal);
}

void CommandLine::AddExamples(const std::string& subcommand, const std::string& first,
                              const std::string& second) {
  CLI::App* app = app_;
  for (const std::string& word : Split(subcommand, ' ')) app = app->get_subcommand(word);
  app->footer(first + "\n" + second);
}

CommandText CommandLine::Describe() const { return TextOf(app_, ""); }

std::string Beside(const std::string& left, std::string_view text) {
  const std::string wrapped = Wrapped(text, kColumns - left.size());
  return fmt::format("{}{}\n", left,
                     fmt::join(Split(wrapped, '\n'), "\n" + std::string(left.size(), ' ')));
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
