// Man pages and completions say what the command line takes, all of it, and are well formed.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/packages/manual/completions.h"
#include "tools/packages/manual/man_pages.h"
#include "tools/trommel/command_list.h"

namespace trommel::tool {
namespace {

CommandText TrommelText() {
  Settings settings;
  return MakeCommandLine(settings)->Describe();
}

void ForEachCommand(const CommandText& command,
                    const std::function<void(const CommandText&)>& visit) {
  visit(command);
  for (const CommandText& each : command.subcommands) ForEachCommand(each, visit);
}

const CommandText& Sub(const CommandText& command, const std::string& name) {
  return *std::ranges::find(command.subcommands, command.name + " " + name, &CommandText::name);
}

const OptionText& Named(const CommandText& command, const std::string& name) {
  return *std::ranges::find_if(command.options, [&](const OptionText& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a command line is described as it was declared", "[tools][manual]") {
  const CommandText trommel = TrommelText();
  CHECK(trommel.name == "trommel");
  const CommandText& build = Sub(Sub(trommel, "attr"), "build");
  CHECK(build.name == "trommel attr build");
  const OptionText& output = Named(build, "--output");
  CHECK(output.names == std::vector<std::string>{"-o", "--output"});
  CHECK(output.value == "FILE");
  CHECK(output.is_required);
  CHECK_FALSE(output.takes_many);
  const OptionText& cut = Named(build, "--cut");
  CHECK(cut.takes_many);
  const OptionText& digest = Named(build, "--digest");
  CHECK(digest.choices == std::vector<std::string>{"xxh3", "xxh64", "siphash"});
  CHECK(digest.value == "NAME");
  const OptionText& files = Named(Sub(trommel, "query"), "FILES");
  CHECK(files.is_argument);
  CHECK(files.takes_many);
  CHECK(Named(trommel, "--quiet").value.empty());
  CHECK(Named(Sub(trommel, "bench"), "--json").value == "[FILE]");
}

TEST_CASE("each subcommand has a man page with all of its options", "[tools][manual]") {
  const CommandText trommel = TrommelText();
  const std::vector<ManPage> pages = ManPages(trommel, Topics(), "1.2.3", "2026-01-31");
  size_t idx = 0;
  ForEachCommand(trommel, [&](const CommandText& command) {
    REQUIRE(idx < pages.size());
    const ManPage& page = pages[idx++];
    std::string name = command.name;
    std::ranges::replace(name, ' ', '-');
    CHECK(page.name == name + ".1");
    CAPTURE(page.name);
    CHECK(Has(page.text, "1 2026-01-31 \"trommel 1.2.3\""));
    for (const OptionText& option : command.options) {
      const bool is_help = option.names.back() == "--help";
      for (const std::string& each : option.names) {
        CHECK(Has(page.text, (option.is_argument ? "\\fI" : "\\fB") + Roff(each) + "\\fR") ==
              (!is_help || idx == 1));
      }
      for (const std::string& choice : option.choices) CHECK(Has(page.text, choice));
    }
    for (const CommandText& sub : command.subcommands) {
      std::string reference = sub.name;
      std::ranges::replace(reference, ' ', '-');
      CHECK(Has(page.text, "\\fB" + reference + "\\fR(1)"));
    }
  });
  CHECK(idx == pages.size());
  CHECK(Has(pages[0].text, ".SH EXIT STATUS"));
  CHECK_FALSE(Has(pages[1].text, ".SH EXIT STATUS"));
  const std::vector<ManPage> again = ManPages(TrommelText(), Topics(), "1.2.3", "2026-01-31");
  for (size_t i = 0; i < pages.size(); ++i) CHECK(again[i].text == pages[i].text);
}

TEST_CASE("text becomes roff that says the same", "[tools][manual]") {
  CHECK(Roff("a-b -c --d-e (--f) x\\0 'y' \"z\"") ==
        "a-b \\-c \\-\\-d\\-e (\\-\\-f) x\\e0 \\(aqy\\(aq \\(dqz\\(dq");
  // A line of text that begins with a dot would be a macro.
  CommandText command;
  command.name = "c";
  command.description = ".hidden files are read";
  const std::string page = ManPages(command, {}, "1", "2026-01-31")[0].text;
  CHECK(Has(page, "\n\\&.hidden files are read\n"));
}

TEST_CASE("completions know all subcommands, options and words for values", "[tools][manual]") {
  const CommandText trommel = TrommelText();
  const std::string bash = BashCompletion(trommel);
  const std::string zsh = ZshCompletion(trommel);
  ForEachCommand(trommel, [&](const CommandText& command) {
    CAPTURE(command.name);
    for (const OptionText& option : command.options) {
      if (option.is_argument) continue;
      for (const std::string& name : option.names) {
        if (!option.value.empty()) CHECK(Has(bash, "'" + command.name + " " + name + "'"));
        CHECK((Has(bash, " " + name) || Has(bash, "'" + name)));
        CHECK((Has(zsh, ")" + name) || Has(zsh, "*" + name)));
      }
      std::string words;
      for (const std::string& choice : option.choices) words += (words.empty() ? "" : " ") + choice;
      CHECK(Has(bash, words));
      CHECK(Has(zsh, words));
    }
  });
}

}  // namespace
}  // namespace trommel::tool
