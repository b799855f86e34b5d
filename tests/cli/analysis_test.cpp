// The analysis verbs as users and their scripts see them: keys, exit status, files, texts.
#include <cmath>

#include "cli/program.hpp"

namespace rattleback {
namespace {

using Json = nlohmann::ordered_json;
using Analysis = Program;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void expect_readable(const Outcome& outcome) {
  EXPECT_EQ(outcome.err, "");
  for (const std::string& line : lines_of(outcome.out)) {
    EXPECT_LE(line.size(), 100U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
  }
}

TEST_F(Analysis, CompareHasTheKeysOfTheContract) {
  const Json j =
      json({"compare", "skate", "--methods", "spark-gauss:2,rattle,ode", "--step-list", "0.1,0.05", "--until", "2"});
  ASSERT_EQ(j["runs"].size(), 6U);
  const Json& done = j["runs"][0];
  EXPECT_EQ(done["method"], "spark-gauss");
  EXPECT_EQ(done["stages"], 2);
  EXPECT_EQ(done["step"], 0.1);
  EXPECT_NEAR(done["error"].get<double>(), 4.871e-07, 1e-10);
  EXPECT_GT(done["seconds"].get<double>(), 0.0);
  EXPECT_GT(done["energy_error"].get<double>(), 0.0);
  EXPECT_LT(done["constraint_velocity"].get<double>(), 1e-15);
  EXPECT_GT(done["iterations"].get<int>(), 0);
  EXPECT_EQ(done["status"], "done");
  EXPECT_EQ(done["message"], "");
  EXPECT_FALSE(done.contains("constraint_position"));
  const Json& refused = j["runs"][2];
  EXPECT_EQ(refused["status"], "does not apply");
  EXPECT_TRUE(refused["error"].is_null());
  EXPECT_NE(refused["message"].get<std::string>().find("needs holonomic constraints"), std::string::npos);
  EXPECT_FALSE(j["runs"][4].contains("iterations"));  // ode
  EXPECT_NEAR(j["slopes"]["spark-gauss(2)"].get<double>(), 4.0, 0.05);
  EXPECT_TRUE(j["slopes"]["prk-lobatto(2)"].is_null());
  EXPECT_EQ(j["reference"], "exact");
}

TEST_F(Analysis, CompareSaysWhenNoMethodReachesTheEnd) {
  write("escaping.toml", kEscaping);
  const Outcome outcome = rattleback({"compare", "escaping.toml", "--methods", "spark-gauss:2", "--step", "0.01"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.err, "no method reached t = 10\n");
  EXPECT_NE(outcome.out.find("stopped"), std::string::npos);
}

TEST_F(Analysis, SectionHasTheKeysOfTheContract) {
  const Json j = json({"section", "contact-oscillator", "--where", "y'", "--direction", "down", "--if", "x",
                       "--crossings", "3", "--vary", "z0=-1:1:2", "--axes", "x,z", "--output", "section.csv"});
  ASSERT_EQ(j["crossings"].size(), 6U);
  const Json& first = j["crossings"][0];
  EXPECT_EQ(first["start"], 0);
  EXPECT_NEAR(first["t"].get<double>(), 6.2767276582, 1e-9);  // 40 steps
  EXPECT_GT(first["q"]["x"].get<double>(), 0.0);
  EXPECT_NEAR(first["v"]["y"].get<double>(), 0.0, 1e-14);
  EXPECT_EQ(first["axes"], Json({first["q"]["x"], first["q"]["z"]}));
  EXPECT_EQ(j["starts"][1]["values"]["z0"], 1.0);
  EXPECT_EQ(j["starts"][1]["crossings"], 3);
  const auto lines = lines_of(read("section.csv"));
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[0], "start,t,direction,x,z");
  EXPECT_EQ(std::stod(lines[1].substr(2)), first["t"].get<double>());  // reads back exactly
}

TEST_F(Analysis, SectionTakesListsOfValues) {
  const Json j =
      json({"section", "contact-oscillator", "--where", "y'", "--crossings", "1", "--vary", "z0=0.25,-0.9*sqrt(2)"});
  ASSERT_EQ(j["starts"].size(), 2U);
  EXPECT_EQ(j["starts"][0]["values"]["z0"], 0.25);
  EXPECT_EQ(j["starts"][1]["values"]["z0"], -0.9 * std::sqrt(2.0));
}

TEST_F(Analysis, SectionWritesTheStateWithoutAxes) {
  ASSERT_EQ(rattleback({"section", "suslov", "--where", "t - 1", "--crossings", "1", "--output", "s.csv"}).status, 0);
  EXPECT_EQ(lines_of(read("s.csv"))[0], "start,t,direction,rho1,rho2");
  const Json j = json({"section", "suslov", "--where", "t - 1", "--crossings", "1"});
  EXPECT_TRUE(j["crossings"][0]["x"].contains("rho1"));
  EXPECT_FALSE(j["crossings"][0].contains("v"));
}

TEST_F(Analysis, SectionKeepsWhatCameBeforeAFailure) {
  write("escaping.toml", kEscaping);
  const Outcome outcome = rattleback({"section", "escaping.toml", "--where", "x - 1", "--crossings", "5", "--json"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_TRUE(outcome.err.starts_with("start 0: spark-gauss (2 stages): stopped at t = ")) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["crossings"].size(), 1U);
}

TEST_F(Analysis, EnsembleHasTheKeysOfTheContract) {
  write("starts.csv", "z0,eps\n0.1,0\n0.2,0.1\n-0.3,0.2\n");
  const Json j = json({"ensemble", "contact-oscillator", "--starts", "starts.csv", "--until", "20", "--every", "10",
                       "--output", "e.csv"});
  EXPECT_EQ(j["members"], 3);
  EXPECT_EQ(j["failed"], Json::array());
  for (const char* key : {"mean", "variance", "max"}) EXPECT_TRUE(j["energy_error"][key].is_number()) << key;
  EXPECT_TRUE(j["wall_seconds"].is_number());
  EXPECT_EQ(j["over_time"]["t"].size(), j["over_time"]["max"].size());
  const auto lines = lines_of(read("e.csv"));
  EXPECT_EQ(lines[0], "t,mean,variance,mean_square,max");
  EXPECT_EQ(lines.size(), j["over_time"]["t"].size() + 1);
}

TEST_F(Analysis, EnsembleDoesNotCallWorkAnError) {
  const std::vector<std::string> words = {"ensemble",  "ball-on-turntable", "--vary", "x=0:1:2",
                                          "--project", "--until",           "1"};
  const Outcome outcome = rattleback(words);
  expect_readable(outcome);
  EXPECT_NE(outcome.out.find("\nEnergy change E - E0 over the members. Constraints that move do work on this system"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(json(words)["energy_error"]["conserved"], false);
  const std::vector<std::string> kept = {"ensemble", "skate", "--vary", "x=0:1:2", "--project", "--until", "1"};
  EXPECT_NE(rattleback(kept).out.find("\nEnergy error E - E0 over the members\n"), std::string::npos);
  EXPECT_EQ(json(kept)["energy_error"]["conserved"], true);
  write("damped.toml",
        "coordinates = ['x']\n[parameters]\nc = 0\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = 'x^2'\n"
        "[dissipation]\nrayleigh = \"c*x'^2/2\"\n[initial]\nx = 1\n");
  const Json damped = json({"ensemble", "damped.toml", "--vary", "c=0:1:3", "--step", "0.1", "--until", "1"});
  EXPECT_EQ(damped["energy_error"]["conserved"], false);
}

TEST_F(Analysis, EnsembleHasTheSameBytesForAnyNumberOfThreads) {
  std::string first;
  for (const char* threads : {"1", "2", "5"}) {
    ASSERT_EQ(rattleback({"ensemble", "skate", "--random", "30", "--seed", "9", "--spread", "theta'=0.1", "--until",
                          "5", "--threads", threads, "--output", "e.h5"})
                  .status,
              0);
    const std::string bytes = read("e.h5");
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << threads;
  }
}

TEST_F(Analysis, EnsembleFilesHoldTheMembers) {
  ASSERT_TRUE(python_has("h5py")) << "python3-h5py is missing; ./test installs it";
  ASSERT_EQ(rattleback({"ensemble", "skate", "--vary", "theta'=1:2:3", "--vary", "I=1:2:2", "--until", "1", "--step",
                        "0.1", "--output", "e.h5"})
                .status,
            0);
  EXPECT_EQ(
      python("import h5py; f = h5py.File('e.h5')\n"
             "print(f['t'].shape, f['energy_error/variance'].shape, f['members/values'].shape, f['members/q'].shape)\n"
             "print(list(f['members/values'].attrs['columns']), f['members/values'][1].tolist())\n"
             "print(list(f['members/v'].attrs['columns']), f.attrs['system'])\n"),
      "(11,) (11,) (6, 2) (6, 3)\n[\"theta'\", 'I'] [1.0, 2.0]\n[\"x'\", \"y'\", \"theta'\"] skate\n");
}

TEST_F(Analysis, EnsembleListsFailedMembers) {
  write("escaping.toml", kEscaping);
  const Outcome outcome = rattleback({"ensemble", "escaping.toml", "--vary", "x=-8:0:3", "--until", "4", "--json"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.err, "1 of 3 members stopped early\n");
  const Json j = Json::parse(outcome.out);
  ASSERT_EQ(j["failed"].size(), 1U);
  EXPECT_EQ(j["failed"][0]["member"], 2);
  EXPECT_EQ(j["failed"][0]["values"]["x"], 0.0);
  EXPECT_NE(j["failed"][0]["message"].get<std::string>().find("stopped at t = "), std::string::npos);
}

TEST_F(Analysis, TextsAreReadable) {
  const Outcome section =
      rattleback({"section", "contact-oscillator", "--where", "y'", "--crossings", "30", "--vary", "z0=-1:1:3"});
  expect_readable(section);
  EXPECT_NE(section.out.find("... and 70 more; --output FILE.csv or --json has them all"), std::string::npos);
  expect_readable(rattleback({"compare", "quartic-particles", "--methods",
                              "spark-lobatto-ab-modified,dg-gonzalez,spark-lobatto-ab:2,ode,rattle", "--step-list",
                              "0.1,0.05", "--until", "5"}));
  expect_readable(
      rattleback({"compare", "mass-spring-damper", "--methods", "collocation-gauss:2,collocation-lobatto-iiic:3,rattle",
                  "--step-list", "0.1,0.05", "--until", "5"}));
  expect_readable(rattleback({"ensemble", "contact-oscillator", "--random", "5", "--spread", "x'=0.1", "--project"}));
}

// The example that --help shows is a command that works.
TEST_F(Analysis, ExamplesOfTheHelpWork) {
  for (const char* verb : {"compare", "section", "ensemble"}) {
    const Outcome help = rattleback({verb, "--help"});
    EXPECT_EQ(help.status, 0);
    for (const std::string& line : lines_of(help.out)) EXPECT_LE(line.size(), 120U) << line;
    const auto at = help.out.find("\nExample\n  rattleback ");
    ASSERT_NE(at, std::string::npos);
    std::string command = help.out.substr(at + std::string("\nExample\n  rattleback").size());
    command.pop_back();
    const Outcome outcome = execute({"/bin/sh", "-c", std::string(RATTLEBACK_BINARY) + command});
    EXPECT_EQ(outcome.status, 0) << command << outcome.err;
    EXPECT_FALSE(outcome.out.empty());
  }
}

// --- over time

TEST_F(Analysis, ComparisonsOverTimeAreDrawnPrintedAndWritten) {
  const std::vector<std::string> request = {
      "compare", "skate", "--methods",   "spark-gauss:2,mclachlan-perlmutter", "--step-list", "0.1,0.05",
      "--until", "10",    "--over-time", "energy, theta, atan2(y, 1 + x)"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), request.begin(), request.end());
    return rattleback(more);
  };
  const Json json = parse_json(with({"--json", "--every", "20"}).out);
  ASSERT_EQ(json["runs"].size(), 4U);
  const Json& over_time = json["runs"][1]["over_time"];
  ASSERT_EQ(over_time["t"].size(), 11U);
  ASSERT_EQ(over_time.size(), 4U);
  EXPECT_EQ(over_time["t"][10].get<double>(), 10.0);
  for (std::size_t i = 0; i < 11; ++i)
    EXPECT_NEAR(over_time["theta"][i].get<double>(), over_time["t"][i].get<double>(), 1e-12) << "it turns evenly";
  EXPECT_EQ(over_time["atan2(y, 1 + x)"][0].get<double>(), 0.0);

  // Of each tenth the last value, and the largest error: the largest of these is that of the whole run.
  const Outcome text = with({});
  EXPECT_NE(text.out.find("\ntheta: at the end of each tenth of the run\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\n     3"), std::string::npos) << text.out;
  const auto at = text.out.find("\nenergy: the largest |E - E0| in each tenth of the run\n");
  ASSERT_NE(at, std::string::npos) << text.out;
  double largest = 0.0;
  std::istringstream rows(text.out.substr(at, text.out.find("\ntheta:") - at));
  std::string line;
  for (int skip = 0; skip < 3; ++skip) std::getline(rows, line);
  for (double t = 0.0, error = 0.0; rows >> t >> error;) {
    largest = std::fmax(largest, error);
    std::getline(rows, line);
  }
  EXPECT_NEAR(largest, parse_json(with({"--json"}).out)["runs"][0]["energy_error"].get<double>(), 1e-3 * largest);

  EXPECT_EQ(with({"--plot", "a.svg", "--scale", "linear"}).status, 0);
  EXPECT_EQ(with({"--plot", "b.svg", "--table", "b.tex"}).status, 0);
  for (const char* name : {"spark-gauss(2), h = 0.1", "mclachlan-perlmutter, h = 0.05", "atan2(y, 1 + x)"}) {
    EXPECT_NE(read("a.svg").find(name), std::string::npos) << name;
    EXPECT_NE(read("b.svg").find(name), std::string::npos) << name;
  }
  EXPECT_NE(read("b.svg").find("|E - E0|"), std::string::npos);
  EXPECT_EQ(read("a.svg").find("|E - E0|"), std::string::npos);
  EXPECT_NE(read("b.tex").find("\\begin{tabular}"), std::string::npos);
}

// --- wrong requests: status 2, the message on stderr and nothing else

// Plain pointers: a hundred lists of strings take long to compile.
struct Request {
  std::vector<const char*> words;
  const char* message;
};

void PrintTo(const Request& request, std::ostream* out) {
  for (const char* word : request.words) *out << " '" << word << "'";
}

class BadAnalysis : public Program, public testing::WithParamInterface<Request> {};

TEST_P(BadAnalysis, IsRefusedWithAMessageAndNothingElse) {
  write("empty.csv", "");
  write("header.csv", "z0\n");
  write("wrong.csv", "z00\n1\n");
  write("text.csv", "z0\n1\nx\n");
  expect_refused({GetParam().words.begin(), GetParam().words.end()}, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Compare, BadAnalysis,
    testing::Values(
        Request{{"compare"},
                "compare needs a system: a model file, or a name that `rattleback systems` lists. Example: rattleback "
                "compare skate --methods spark-lobatto-ab:3,spark-gauss:2,ode --step-list 0.1,0.05 --until 10"},
        Request{{"compare", "skate"},
                "compare needs --methods NAME[:S],... for example --methods spark-gauss:2,spark-lobatto-ab:3\n"
                "compare needs --step H or --step-list H1,H2,... for example --step-list 0.1,0.05,0.025"},
        Request{{"compare", "skate", "--methods", "spark-gaus:2", "--step", "0.1"},
                "unknown method 'spark-gaus'. Did you mean 'spark-gauss'? `rattleback methods` lists all of them"},
        Request{{"compare", "skate", "--methods", "spark-gauss:x", "--step", "0.1"},
                "--methods: 'spark-gauss:x' is not of the form NAME or NAME:S with S stages"},
        Request{{"compare", "skate", "--methods", "ode,ode", "--step", "0.1", "--until", "-1"},
                "--methods: 'ode' is named twice\n--until must be positive, found -1"},
        Request{{"compare", "skate", "--methods", "ode", "--step", "0.1", "--step-list", "0.1,0.2"},
                "--step and --step-list both name steps; give one of them"},
        Request{{"compare", "skate", "--methods", "ode", "--step", "-0.1"}, "--step must be positive, found -0.1"},
        Request{
            {"compare", "skate", "--methods", "rattle", "--step", "0.1"},
            "method 'rattle' (prk-lobatto with 2 stages) does not apply to 'skate': it needs holonomic constraints. "
            "`rattleback check skate` lists the methods that do"},
        Request{{"compare", "pendulum", "--methods", "rattle", "--step", "0.1", "--reference", "exact"},
                "model 'pendulum' has no [exact] solution; use --reference NAME:S:H"},
        Request{{"compare", "skate", "--methods", "ode", "--step", "0.1", "--plot", "f.gif"},
                "figure 'f.gif' has an ending that is not known. Figures are written as .svg, .pdf or .png"},
        Request{{"compare", "skate", "--methods", "ode", "--step", "0.1", "--table", "t.txt"},
                "table 't.txt' has an ending that is not known. Tables are written as .tex"},
        Request{{"compare", "skate", "--tableau", "no.toml", "--step", "0.1"},
                "no.toml: cannot be read: No such file or directory. A tableau is a short TOML file"},
        Request{{"compare", "skate", "--methods", "ode", "--step", "0.1", "--scale", "log"},
                "--scale needs --over-time NAMES: what is looked at on the way\n"
                "--scale needs --plot FILE: the figure whose axes it is about"},
        Request{{"compare", "skate", "--methods", "ode", "--step", "0.1", "--every", "2"},
                "--every needs --over-time NAMES: what is looked at on the way"},
        Request{{"compare", "skate", "--methods", "ode", "--step", "0.1", "--over-time", "energy", "--plot", "a.svg",
                 "--scale", "cubic"},
                "--scale takes log or linear, found 'cubic'"},
        Request{{"compare", "skate", "--methods", "ode", "--step", "0.1", "--over-time", "energy,position", "--plot",
                 "a.svg"},
                "--over-time position: 'skate' has no constraints at position level. Leave it out"},
        Request{{"compare", "skate", "--methods", "ode", "--step", "0.1", "--over-time", "energy,,x"},
                "--over-time has an empty place: it takes names with commas between them"}));

std::vector<const char*> section(std::vector<const char*> more) {
  more.insert(more.begin(), {"section", "contact-oscillator", "--where", "y'", "--crossings", "2"});
  return more;
}

INSTANTIATE_TEST_SUITE_P(
    Section, BadAnalysis,
    testing::Values(
        Request{{"section", "skate"},
                "section needs --where EXPR, the surface, for example --where \"y'\"\n"
                "section needs --crossings N, how many for each start"},
        Request{{"section", "contact-oscillator", "--where", "y' +", "--crossings", "1"},
                "--where y' +: expected a number, a name or `(` after `+`, found the end in the section \"y' +\""},
        Request{
            {"section", "contact-oscillator", "--where", "q", "--crossings", "1"},
            "--where q: unknown name `q` in the section \"q\". Known here: E0, b, eps, t, vz0, x, x', y, y', z, z', "
            "z0"},
        Request{{"section", "contact-oscillator", "--where", "", "--crossings", "1"},
                "--where : the section is empty. Write an expression, for example \"x\""},
        Request{{"section", "contact-oscillator", "--where", "x", "--crossings", "0"},
                "--crossings must be at least 1, found 0"},
        Request{section({"--direction", "left"}), "--direction takes up, down or both, found 'left'"},
        Request{
            section({"--if", "zz"}),
            "--if zz: unknown name `zz` in the condition \"zz\". Known here: E0, b, eps, t, vz0, x, x', y, y', z, z', "
            "z0"},
        Request{section({"--axes", "x,,z"}),
                "--axes takes expressions with commas between them, for example x,z; there is an empty place"},
        Request{section({"--vary", "z0="}),
                "--vary takes NAME=A:B:N, N values from A to B, for example z0=-1:1:11, or a list of values "
                "NAME=A,B,..., for "
                "example r=0.1,0.2, found 'z0='"},
        Request{section({"--vary", "z0=1:2"}),
                "--vary takes NAME=A:B:N, N values from A to B, for example z0=-1:1:11, or a list of values "
                "NAME=A,B,..., for "
                "example r=0.1,0.2, found 'z0=1:2'"},
        Request{section({"--vary", "z0=1,,2"}),
                "--vary takes NAME=A:B:N, N values from A to B, for example z0=-1:1:11, or a list of values "
                "NAME=A,B,..., for "
                "example r=0.1,0.2, found 'z0=1,,2': a value is missing"},
        Request{section({"--vary", "z0=0:1:0"}),
                "--vary takes NAME=A:B:N, N values from A to B, for example z0=-1:1:11, or a list of values "
                "NAME=A,B,..., for "
                "example r=0.1,0.2, found 'z0=0:1:0': N must be at least 1, found 0"},
        Request{section({"--vary", "z0=0:1:2.5"}),
                "--vary takes NAME=A:B:N, N values from A to B, for example z0=-1:1:11, or a list of values "
                "NAME=A,B,..., for "
                "example r=0.1,0.2, found 'z0=0:1:2.5': '2.5' is not a whole number"},
        Request{section({"--vary", "z0=x:1:2"}),
                "--vary z0=x:1:2: 'x' is not a number; write a number, or an expression of numbers and parameters"},
        Request{
            section({"--vary", "q=0:1:2"}),
            "--vary: there is no parameter or start value `q`. Parameters: E0, b, eps, vz0, z0. Start values: x, x', "
            "y, y', z, z'"},
        Request{section({"--starts", "none.csv"}), "--starts: 'none.csv' cannot be read: No such file or directory"},
        Request{section({"--starts", "empty.csv"}),
                "empty.csv: the file is empty. Write a header row of names, then one row of numbers for each start"},
        Request{section({"--starts", "header.csv"}),
                "header.csv: there is a header row, but no row of numbers below it"},
        Request{
            section({"--starts", "wrong.csv"}),
            "wrong.csv: there is no parameter or start value `z00`. Did you mean `z0`? Parameters: E0, b, eps, vz0, "
            "z0. Start values: x, x', y, y', z, z'"},
        Request{section({"--starts", "text.csv"}), "text.csv:3: `z0`: 'x' is not a finite number"},
        Request{section({"--starts", "text.csv", "--vary", "z0=0:1:2"}),
                "--starts and --vary both name the members; give one of them"},
        Request{section({"--output", "f.h5"}),
                "output file 'f.h5': a section is written as CSV. Use a name that ends with .csv"},
        Request{
            section({"--method", "ode"}),
            "--where: method 'ode' chooses its own steps inside each interval and shows only the ends. Pass another "
            "--method"}));

INSTANTIATE_TEST_SUITE_P(
    Ensemble, BadAnalysis,
    testing::Values(
        Request{{"ensemble", "skate"},
                "ensemble needs its members: --vary NAME=A:B:N, --random N --spread NAME=SIGMA, or --starts FILE.csv"},
        Request{{"ensemble", "skate", "--random", "0", "--spread", "x=1"}, "--random must be at least 1, found 0"},
        Request{{"ensemble", "skate", "--random", "3"},
                "--random needs --spread NAME=SIGMA: which parameter or start value varies, and how much"},
        Request{{"ensemble", "skate", "--vary", "x=0:1:2", "--seed", "3"}, "--seed needs --random N"},
        Request{
            {"ensemble", "skate", "--random", "3", "--spread", "thta=1"},
            "--spread: there is no parameter or start value `thta`. Did you mean `theta`? Parameters: I, beta, g, m. "
            "Start values: theta, theta', x, x', y, y'"},
        Request{{"ensemble", "skate", "--random", "3", "--spread", "x=-1"},
                "--spread x: the standard deviation must not be negative, found -1"},
        Request{{"ensemble", "skate", "--random", "3", "--spread", "x=1", "--vary", "x=0:1:2"},
                "--vary and --random both name the members; give one of them"},
        Request{{"ensemble", "skate", "--vary", "x=0:1:2", "--threads", "0"}, "--threads must be at least 1, found 0"},
        Request{{"ensemble", "skate", "--vary", "x=0:1:2", "--output", "f.txt"},
                "output file 'f.txt': the extension '.txt' is not known. Use .csv or .h5"},
        Request{{"ensemble", "chain", "--vary", "N=3:5:3", "--until", "0.1"},
                "member 0 (N = 3): it has 6 coordinates, but the system without --vary has 20"},
        Request{{"ensemble", "skate", "--vary", "y'=0:1:2"},
                "member 1 (y' = 1): initial state violates constraint 'blade' at velocity level: residual 1.000e+00, "
                "where rounding explains 1.4e-14. Correct the start, or pass --project to move it to the "
                "nearest consistent one"}));

}  // namespace
}  // namespace rattleback
