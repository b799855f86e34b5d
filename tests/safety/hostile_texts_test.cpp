// Texts of others pass through the program: titles, keys, expressions, starts, names of files. None of them reaches a
// terminal or a page as a command, and no message shows what stands in a file that a model from a stranger names.
#include <fmt/format.h>

#include "safety/limited_program.hpp"

namespace rattleback {
namespace {

// ESC ], BEL, DEL, and C1 as a character: as TOML writes them, and as bytes.
const std::string kWritten = "\\u001b]0;owned\\u0007\\u007f\\u009b31m", kBytes =
                                                                            "\x1b]0;owned\x07\x7f\xc2\x9b"
                                                                            "31m";

class HostileTexts : public LimitedProgram {
 protected:
  // Printable UTF-8, line feeds and tabs.
  static void expect_harmless(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      const bool c1 = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
      ASSERT_FALSE((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || c1)
          << "byte " << int{c} << " at " << i << " of\n"
          << text.substr(i > 100 ? i - 100 : 0, 200);
    }
    // The decoder of Python is strict.
    EXPECT_NO_THROW((void)nlohmann::json(text).dump()) << "not UTF-8";
  }
  void expect_harmless(const std::vector<std::string>& words, int status, bool shown = true) const {
    const Outcome o = rattleback(words);
    EXPECT_EQ(o.status, status) << words[0] << ": " << o.err;
    expect_harmless(o.out);
    expect_harmless(o.err);
    EXPECT_TRUE(!shown || (o.out + o.err).find("owned") != std::string::npos) << "the text should be shown";
  }
  static std::string titled(const std::string& title) {
    return "name = \"" + title + "\"\n" + kBead.substr(kBead.find('\n') + 1) + "[run]\nstep = 0.1\nuntil = 1\n";
  }
};

TEST_F(HostileTexts, ATitleCannotCommandTheTerminal) {
  write("m.toml", titled(kWritten));
  expect_harmless({"run", "m.toml"}, 0);
  expect_harmless({"check", "m.toml"}, 0);
  const Outcome o = rattleback({"run", "m.toml"});
  EXPECT_EQ(o.out.substr(0, o.out.find('\n')), "\\x1b]0;owned\\x07\\x7f\\u009b31m (m)");
}

TEST_F(HostileTexts, ATitleCannotTurnTheDirectionOfTheText) {
  write("m.toml", titled("safe\\u202elmot"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "m.toml"}, {"check", "m.toml", "--json"}}) {
    const Outcome o = rattleback(words);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.out.find("\xe2\x80\xae"), std::string::npos) << o.out;
  }
  EXPECT_NE(rattleback({"run", "m.toml"}).out.find("safe\\u202elmot"), std::string::npos);
}

TEST_F(HostileTexts, KeysExpressionsAndStartsCannotEither) {
  const auto model = [&](const std::string& text, bool shown = true) {
    write("m.toml", text);
    expect_harmless({"check", "m.toml"}, 2, shown);
  };
  model(titled("a") + "\"" + kWritten + "\" = 1\n");
  model("\"" + kWritten + "\" = 1\n" + titled("a"));
  model("coordinates = [\"" + kWritten + "\"]\n[lagrangian]\nkinetic = \"1\"\n");
  model("coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2 + " + kWritten + "\"\n");
  model("coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\n[initial]\nx = \"" + kWritten + "\"\n");
  model("coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\" # " + kBytes + "\n[owned]\n", false);
  model("owned = \x1b[31m\n", false);
  model("owned = \"\xff\x9b\"\n", false);
  write("m.toml", titled("a"));
  expect_harmless({"check", "m.toml", "--start", "x=" + kBytes}, 2);
  expect_harmless({"check", "m.toml", "--set", kBytes + "=1"}, 2);
  expect_harmless({"run", "m.toml", "--method", kBytes}, 2);
  expect_harmless({"run", "m.toml", "--" + kBytes}, 2);
  expect_harmless({kBytes}, 2);
  expect_harmless({"run", "m.toml", "--start", "x=owned\x9b\xff\xfe"}, 2);
  write("s.csv", "x\n" + kBytes + "\n");
  expect_harmless({"ensemble", "m.toml", "--starts", "s.csv"}, 2);
  write("s.csv", kBytes + "\n1\n");
  expect_harmless({"ensemble", "m.toml", "--starts", "s.csv"}, 2);
  write("t.toml", "name = \"" + kWritten + "\"\norder = 2\nA = [[\"1/2\"]]\nb = [\"1\"]\n");
  expect_harmless({"run", "m.toml", "--tableau", "t.toml"}, 0);
  write("t.toml", "order = 2\nA = [[\"" + kWritten + "\"]]\nb = [\"1\"]\n");
  expect_harmless({"run", "m.toml", "--tableau", "t.toml"}, 2);
}

TEST_F(HostileTexts, NamesOfFilesCannotEither) {
  for (const std::string& name : {kBytes + ".toml", std::string("owned\xff\x9b\x80.toml")}) {
    std::string plain = name;
    std::replace(plain.begin(), plain.end(), '/', '_');
    expect_harmless({"run", plain}, 2);
    write(plain, titled("a"));
    expect_harmless({"run", plain}, 0);
    expect_harmless({"check", plain}, 0);
    expect_harmless({"run", plain, "--output", plain + ".csv"}, 0);
    expect_harmless({"run", plain, "--output", plain}, 2);
    expect_harmless({"reproduce", plain, "--check"}, 2);
  }
}

TEST_F(HostileTexts, JsonStaysJsonAndReadsBackAsTheSameText) {
  const std::string file = kBytes + ".toml";
  write(file, titled("a"));
  const Outcome o = rattleback({"run", file, "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  expect_harmless(o.out);
  EXPECT_EQ(nlohmann::json::parse(o.out).at("system"), kBytes);
  write("owned\xff.toml", titled("a"));
  EXPECT_TRUE(nlohmann::json::accept(rattleback({"run", "owned\xff.toml", "--json"}).out));
}

TEST_F(HostileTexts, PicturesAndPagesHoldOnlyWhatXmlAllows) {
  write("m.toml", titled(kWritten + "<script>&\\\"'"));
  ASSERT_EQ(rattleback({"run", "m.toml", "--plot", "p.svg"}).status, 0);
  const Outcome report = rattleback({"run", "m.toml", "--report", "r.html"});
  if (report.status == 0) expect_harmless(read("r.html"));  // a build without Node.js has none
  const std::string svg = read("p.svg");
  expect_harmless(svg);
  EXPECT_NE(svg.find("owned"), std::string::npos);
  EXPECT_NE(svg.find("\xef\xbf\xbd"), std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST_F(HostileTexts, AMessageAboutAFileThatAModelNamesTellsPlacesAndNoContents) {
  const auto refused = [&](const std::string& csv) {
    write("secret", csv);
    write("m.toml",
          "kind = \"port-hamiltonian\"\nstates = [\"p\", \"v\"]\nhamiltonian = \"v^2/2 + p^2/2\"\n"
          "[E]\n\"p,p\" = 1\n\"v,v\" = 1\n[J]\n\"p,v\" = 1\n[z]\np = \"p\"\nv = \"v\"\n[B.l]\nv = 1\n"
          "[inputs]\nl = { csv = \"secret\", column = \"u\" }\n");
    const Outcome o = rattleback({"check", "m.toml"});
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.err.find("hunter2"), std::string::npos) << o.err;
    EXPECT_EQ(o.err.find("1234"), std::string::npos) << o.err;
    const std::string start = "m.toml:15:13: input `l`: ";
    EXPECT_EQ(o.err.substr(0, start.size()), start);
    return o.err.substr(std::min(start.size(), o.err.size()));
  };
  EXPECT_EQ(refused("hunter2\n"),
            "`secret` has no column `t` among its 1. Write time = \"NAME\" with a name that stands "
            "in its first line\n");
  EXPECT_EQ(
      refused("t,hunter2\n"),
      "`secret` has no column `u` among its 2. Write column = \"NAME\" with a name that stands in its first line\n");
  EXPECT_EQ(refused("t,u\n0,hunter2\n"), "secret:2: expected a number in column 2\n");
  EXPECT_EQ(refused("t,u\n0,1\n\n\nhunter2,1\n"), "secret:5: expected a number in column 1\n");
  EXPECT_EQ(refused("t,u\n1234,1\n12,1\n"), "secret:3: the time in column 1 does not increase\n");
  EXPECT_EQ(refused("t,u\n1234\n"), "secret:2: expected 2 cells as in the header, found 1\n");
  EXPECT_EQ(refused("t,u\n0,\"1234\n"), "secret:2: a quote is not closed in this line\n");
  EXPECT_EQ(refused("\"hunter2\n"), "secret:1: a quote is not closed in this line\n");
}

TEST_F(HostileTexts, AnUnclosedQuoteInStartsIsRefused) {
  write("m.toml", titled("a"));
  const std::string said = ": a quote is not closed in this line. A cell in quotes ends on its line";
  write("s.csv", "x\n1\n\"2\n3\"\n");
  expect_refused({"ensemble", "m.toml", "--starts", "s.csv"}, "s.csv:3" + said);
  write("s.csv", "\"x\n1\n");
  expect_refused({"ensemble", "m.toml", "--starts", "s.csv"}, "s.csv:1" + said);
  write("s.csv", "\"x\"\n\"1\"\n2\n");
  EXPECT_EQ(rattleback({"ensemble", "m.toml", "--starts", "s.csv"}).status, 0);
}

TEST_F(HostileTexts, AFileWhoseNameBeginsWithADashIsReadBehindTwoDashes) {
  write("-x.toml", titled("a"));
  for (const char* verb : {"run", "check"}) EXPECT_EQ(rattleback({verb, "--", "-x.toml"}).status, 0) << verb;
  EXPECT_EQ(rattleback({"run", "--step", "0.5", "--", "-x.toml"}).status, 0);
  EXPECT_EQ(rattleback({"compare", "--methods", "mclachlan-perlmutter", "--step", "0.1", "--", "-x.toml"}).status, 0);
  EXPECT_EQ(rattleback({"ensemble", "--vary", "x=1:2:2", "--", "-x.toml"}).status, 0);
  expect_refused(
      {"run", "--", "--help"}, "unknown system `--help`. A system is the path of a model file, or one of: " + [&] {
        const std::string err = rattleback({"run", "--", "nothing"}).err;
        const std::size_t at = err.find("one of: ") + 8;
        return err.substr(at, err.size() - at - 1);
      }());
  expect_refused({"run", "-x.toml"}, "run has no option '-x.toml'. `rattleback run --help` lists what there is");
  expect_refused({"run", "--", "-x.toml", "-y.toml"},
                 "run takes one system, but after '-x.toml' there is also '-y.toml'");
  expect_refused({"methods", "--", "x"}, "methods takes no argument, but there is 'x'");
}

// A limit on the size of files is a disk that fills up.
TEST_F(HostileTexts, ExperimentsOnAFullDiskAreShownAndLeaveOldFilesAsTheyWere) {
  write("own.toml",
        "id = \"own\"\ntitle = \"Own\"\ndocument = \"none\"\nplace = \"here\"\nsays = \"a\"\nverdict = \"agrees\"\n"
        "because = \"b\"\nsystem = \"skate\"\n[[run]]\nmethods = [\"spark-lobatto-ab:2\"]\nsteps = [0.1]\nuntil = 5\n"
        "[[panel]]\ny = \"energy_error\"\n");
  ASSERT_EQ(rattleback({"reproduce", "own.toml", "--output", "old"}).status, 0);
  const auto before = contents();
  const Outcome o = shell("trap '' XFSZ; ulimit -f 1; exec $program reproduce own.toml --output old");
  EXPECT_EQ(o.status, 74);
  EXPECT_TRUE(o.err.starts_with("cannot write 'old/own.csv'")) << o.err;
  EXPECT_NE(o.out.find("0 of 0 numbers are as expected"), std::string::npos) << o.out;
  EXPECT_EQ(contents(), before);
}

// ./run and ./test in a tree where nothing can be written; here, because a file is where the build folder would be.
TEST_F(HostileTexts, AReadOnlyTreeIsToldFromAFault) {
  std::filesystem::create_directory(folder_ / "cmake");
  for (const char* file : {"run", "test", "packages.txt", "cmake/setup.sh"})
    std::filesystem::copy_file(std::filesystem::path(RATTLEBACK_SOURCE_DIR) / file, folder_ / file);
  write("build", "");
  for (const char* script : {"run", "test"}) {
    const Outcome o = execute({"/bin/bash", (folder_ / script).string()});
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err, fmt::format("rattleback: cannot write to {0}/build, where everything is built. Copy the tree to a "
                                 "place of your own, and run {0}/{1} there\n",
                                 folder_.string(), script));
  }
}

}  // namespace
}  // namespace rattleback
