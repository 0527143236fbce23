// trommel-index: what is loaded, put and deleted is what queries find.
#include <string>
#include <vector>

#include "index/tools/made_table.h"
#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

TEST_CASE("rows that were loaded are found by each of their values", "[tools]") {
  const std::string structure = GENERATE("map", "server-filters");
  const MadeTable table(210, {"--servers", "3", "--regions", "7", "--structure", structure});
  CHECK(table.NumFound({"colour=colour3"}) == 42);
  CHECK(table.NumFound({"tags=t6"}) == 30);
  CHECK(table.NumFound({"tags=u2"}) == 70);
  CHECK(table.NumFound({"tags=t6", "tags=u2"}) == 10);
  CHECK(table.NumFound({"shape=shape1"}) == 3);
  CHECK(table.NumFound({"shape=shape1", "colour=colour2"}) == 0);
  CHECK(table.NumFound({"tags=t6,u2"}) == 0);

  const ToolResult found = table.Run("query", {"shape=shape7", "tags=u1"});
  CHECK(found.exit_code == 0);
  CHECK(found.out ==
        "key\tcolour\ttags\tshape\n"
        "0007\tcolour2\tt0,u1\tshape7\n");
  CHECK(found.err.find("regions asked") != std::string::npos);
  const ToolResult verified = table.Run("verify", {});
  CHECK(verified.exit_code == 0);
}

TEST_CASE("a query that finds nothing exits 1", "[tools]") {
  const MadeTable table(20);
  const ToolResult found = table.Run("query", {"colour=none"});
  CHECK(found.exit_code == 1);
  CHECK(found.out == "key\tcolour\ttags\tshape\n");
  const ToolResult count = table.Run("query", {"colour=none", "-q"});
  CHECK(count.exit_code == 1);
  CHECK(count.out == "0\n");
  CHECK(count.err.empty());
}

TEST_CASE("a limit is of the rows printed, and is said", "[tools]") {
  const MadeTable table(50);
  const ToolResult found = table.Run("query", {"colour=colour0", "--limit", "2"});
  CHECK(found.out ==
        "key\tcolour\ttags\tshape\n"
        "0000\tcolour0\tt0,u0\t\n"
        "0005\tcolour0\tt5,u2\tshape5\n");
  CHECK(found.err.find("8 rows not printed") != std::string::npos);
}

TEST_CASE("an attribute without an index is answered by broadcast, which is said", "[tools]") {
  const MadeTable table(50, {"--not-index", "colour"});
  const ToolResult found = table.Run("query", {"colour=colour1"});
  CHECK(found.exit_code == 0);
  CHECK(found.err.find("without an index: colour") != std::string::npos);
  CHECK(found.err.find("broadcast") != std::string::npos);
  CHECK(table.NumFound({"colour=colour1", "shape=shape1"}) == 1);
}

TEST_CASE("put writes and overwrites a row, delete removes it", "[tools]") {
  const MadeTable table(50);
  CHECK(table.Run("put", {"new", "colour=violet", "tags=a", "tags=b,c"}).exit_code == 0);
  CHECK(table.Run("get", {"new"}).out ==
        "key\tcolour\ttags\tshape\n"
        "new\tviolet\ta,b,c\t\n");
  CHECK(table.NumFound({"colour=violet"}) == 1);
  CHECK(table.NumFound({"tags=b,c"}) == 1);

  CHECK(table.Run("put", {"new", "colour=mauve"}).exit_code == 0);
  CHECK(table.NumFound({"colour=violet"}) == 0);
  CHECK(table.NumFound({"colour=mauve"}) == 1);

  CHECK(table.Run("delete", {"new", "0003", "nothing"}).exit_code == 0);
  CHECK(table.NumFound({"colour=mauve"}) == 0);
  CHECK(table.NumFound({"colour=colour3"}) == 9);
  CHECK(table.Run("get", {"new"}).exit_code == 1);
  CHECK(table.Run("delete", {"new", "0003"}).exit_code == 1);
  CHECK(table.Run("verify", {}).exit_code == 0);
}

TEST_CASE("keys to delete may come from a file", "[tools]") {
  const MadeTable table(50);
  const ToolResult deleted = table.Run("delete", {"--keys", "-"}, "0001\n\nnone\n0002\n0006\n0001");
  CHECK(deleted.exit_code == 0);
  CHECK(deleted.out.find("rows deleted  3") != std::string::npos);
  CHECK(table.NumFound({"colour=colour1"}) == 8);
}

TEST_CASE("keys to delete may end in a carriage return and a newline", "[tools]") {
  const MadeTable table(50);
  const std::string keys =
      "\xef\xbb\xbf"
      "0001\r\n\r\n0002\r\n0003";
  const ToolResult none = table.Run("delete", {"--keys", "-"}, keys.substr(0, keys.size() - 4));
  CHECK(none.exit_code == 1);
  CHECK(none.err ==
        "trommel-index: note: (stdin): lines end in CR LF, and the CR is taken as part of them: "
        "--crlf strips it\n"
        "trommel-index: note: (stdin): skipped the byte order mark before the first line\n");
  const ToolResult deleted = table.Run("delete", {"--keys", "-", "--crlf"}, keys);
  CHECK(deleted.exit_code == 0);
  CHECK(deleted.out.find("rows deleted  3") != std::string::npos);
  CHECK(deleted.err ==
        "trommel-index: note: (stdin): skipped the byte order mark before the first line\n");
  CHECK(table.Run("delete", {"0004", "--crlf"}).exit_code == 2);
}

TEST_CASE("a byte order mark that was skipped is noted once, however often the file is read",
          "[tools]") {
  const TempFolder folder;
  const std::string file = folder.Write("f",
                                        "\xef\xbb\xbf"
                                        "k\ta\nx\t1\n");
  const std::string note =
      "trommel-index: note: " + file + ": skipped the byte order mark before the first line\n";
  const std::string path = folder.Path("t");
  CHECK(RunTool({"load", path, file, "--key", "k"}).err == note);
  CHECK(RunTool({"load", path, file, "--key", "k", "--append"}).err == note);
  CHECK(RunTool({"get", path, "x"}).out == "key\ta\nx\t1\n");
}

TEST_CASE("rows are appended, and rows of a key that is there overwrite it", "[tools]") {
  const MadeTable table(50);
  const std::vector<std::string> columns = {"--key", "id", "--set-valued", "tags"};
  const std::vector<std::string> append = With({"-", "--append"}, columns);
  CHECK(table.Run("load", append, ShapesTsv(40, 20)).exit_code == 0);
  CHECK(table.NumFound({"colour=colour0"}) == 12);

  const std::string more =
      "id\tcolour\ttags\tshape\n0001\tgrey\t\t\nnew\tgrey\t\t\n0001\tgold\t\t\n";
  CHECK(table.Run("load", append, more).exit_code == 0);
  CHECK(table.NumFound({"colour=grey"}) == 1);
  CHECK(table.NumFound({"colour=gold"}) == 1);
  CHECK(table.Run("get", {"0001"}).out == "key\tcolour\ttags\tshape\n0001\tgold\t\t\n");
  CHECK(table.Run("verify", {}).exit_code == 0);
}

TEST_CASE("a row has the values of all its versions", "[tools]") {
  const MadeTable table(20, {"--versions", "2"});
  for (const char* const colour : {"colour=a", "colour=b", "colour=c"}) {
    CHECK(table.Run("put", {"new", colour}).exit_code == 0);
  }
  CHECK(table.NumFound({"colour=a"}) == 0);
  CHECK(table.NumFound({"colour=b", "colour=c"}) == 1);
  CHECK(table.Run("get", {"new"}).out == "key\tcolour\ttags\tshape\nnew\tb,c\t\t\n");
}

TEST_CASE("tabs and newlines in values are printed as escapes, JSON has them", "[tools]") {
  const MadeTable table(5);
  CHECK(table.Run("put", {"new", "colour=a\tb\nc"}).exit_code == 0);
  CHECK(table.Run("get", {"new"}).out == "key\tcolour\ttags\tshape\nnew\ta\\tb\\nc\t\t\n");
  CHECK(table.Report("get", {"new"})["row"]["attributes"]["colour"][0] == "a\tb\nc");
}

}  // namespace
}  // namespace trommel::tests
