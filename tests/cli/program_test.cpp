// The program as users and scripts see it: exit status, streams, files, and readers that are not ours.
#include "cli/program.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

namespace rattleback {
namespace {

class CommandLine : public Program {};

TEST_F(CommandLine, RunPrintsSentences) {
  const Outcome outcome = rattleback({"run", "chaplygin-sleigh", "--steps", "10"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("Velocity constraint: kept to "), std::string::npos) << outcome.out;
}

TEST_F(CommandLine, RunJsonHoldsTheContract) {
  const auto j = json({"run", "skate", "--method", "spark-gauss", "--stages", "2", "--step", "0.05", "--until", "1"});
  for (const char* key : {"system", "kind", "method", "stages", "order", "step", "steps", "t", "q", "v", "multipliers",
                          "energy", "constraints", "error", "newton", "status", "message", "wall_seconds"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j["system"], "skate");
  EXPECT_EQ(j["method"], "spark-gauss");
  EXPECT_EQ(j["stages"], 2);
  EXPECT_EQ(j["order"], 4);
  EXPECT_EQ(j["steps"], 20);
  EXPECT_EQ(j["status"], "done");
  EXPECT_NEAR(j["q"]["x"].get<double>(), std::sin(1.0) * std::sin(1.0) / 2.0, 1e-6);
  EXPECT_LT(j["error"].get<double>(), 1e-6);
}

TEST_F(CommandLine, DaeJsonHoldsTheContract) {
  const auto j = json({"run", "dae-hessenberg", "--step", "0.1", "--until", "1"});
  EXPECT_EQ(j["kind"], "dae");
  EXPECT_NEAR(j["x"]["y1"].get<double>(), std::exp(1.0), 1e-3);
  EXPECT_TRUE(j["z"].contains("z1"));
  for (const char* absent : {"q", "v", "multipliers", "energy"}) EXPECT_FALSE(j.contains(absent)) << absent;
}

TEST_F(CommandLine, UnderscoresMeanTheSameAsDashes) {
  auto a = json({"run", "chaplygin_sleigh", "--method", "spark_gauss", "--newton_tol", "1e-10", "--steps", "5"});
  auto b = json({"run", "chaplygin-sleigh", "--method", "spark-gauss", "--newton-tol=1e-10", "--steps", "5"});
  a.erase("wall_seconds");
  b.erase("wall_seconds");
  EXPECT_EQ(a.dump(), b.dump());
}

TEST_F(CommandLine, SetAndStartChangeTheModel) {
  const auto j =
      json({"run", "skate", "--set", "g=0", "--start", "theta'=0", "--start", "x'=2", "--step", "0.1", "--until", "1"});
  EXPECT_NEAR(j["q"]["x"].get<double>(), 2.0, 1e-12);
}

TEST_F(CommandLine, NegativeStepIntegratesBackwards) {
  const auto j = json({"run", "skate", "--step", "-0.1", "--until", "-1"});
  EXPECT_EQ(j["t"], -1.0);
  EXPECT_EQ(j["step"], -0.1);
}

TEST_F(CommandLine, AuditsOnRequest) {
  const auto j =
      json({"run", "skate", "--step", "0.1", "--until", "1", "--audit", "reverse,order", "--method", "spark-gauss"});
  EXPECT_LT(j["reversibility"]["defect"].get<double>(), 1e-12);
  EXPECT_NEAR(j["observed_order"].get<double>(), 4.0, 0.2);
}

TEST_F(CommandLine, ComposeIsNamed) {
  EXPECT_EQ(json({"run", "skate", "--method", "mclachlan-perlmutter", "--compose", "4", "--step", "0.1", "--until",
                  "1"})["compose"],
            4);
}

TEST_F(CommandLine, NativeOffAndAutoAreAccepted) {
  for (const char* native : {"off", "auto"})
    EXPECT_EQ(rattleback({"run", "skate", "--steps", "1", "--native", native}).status, 0) << native;
}

TEST_F(CommandLine, EarlyStopKeepsEverythingAndExitsWith3) {
  write("escaping.toml", kEscaping);
  const Outcome outcome = rattleback({"run", "escaping.toml", "--json", "--output", "out.csv"});
  EXPECT_EQ(outcome.status, 3);
  const auto j = parse_json(outcome.out);
  EXPECT_EQ(j["status"], "stopped");
  EXPECT_NE(j["message"].get<std::string>().find("stopped at t = "), std::string::npos);
  EXPECT_GT(j["t"].get<double>(), 1.0);
  EXPECT_EQ(outcome.err, j["message"].get<std::string>() + "\n");
  const std::string csv = read("out.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), j["records"]["rows"].get<long>() + 1);
}

// The reason stands on standard error, the result on standard output.
TEST_F(CommandLine, EarlyStopIsExplainedOnce) {
  write("escaping.toml", kEscaping);
  const Outcome outcome = rattleback({"run", "escaping.toml"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.out.find("\nStopped early, after 221 steps. The message says why.\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(outcome.out.find("stopped at t"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("stopped at t = 2.21 (step 222, h = 0.01)"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
}

TEST_F(CommandLine, AStopInTheFirstStepClaimsNothing) {
  write("escaping.toml", kEscaping);
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--step", "100", "--until", "1000"},
                                               {"--step", "100", "--steps", "3", "--event", "x"}}) {
    std::vector<std::string> words = {"run", "escaping.toml"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = rattleback(words);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_NE(outcome.out.find("\nStopped in the first step: nothing was integrated."), std::string::npos)
        << outcome.out;
    for (const char* part : {"kept", "drift", "Newton", "stopped at", "crossing"})
      EXPECT_EQ(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
    EXPECT_NE(outcome.err.find("Nothing was integrated. No cure was found: --step down to "), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("The solution seems to end there\n"), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    const auto j = json(words, 3);
    EXPECT_EQ(j["status"], "stopped");
    EXPECT_EQ(j["steps"], 0);
    EXPECT_EQ(j["newton"].dump(), R"({"iterations":0,"max_per_step":0})");
  }
}

TEST_F(CommandLine, CheckSaysThatNoMethodAppliesAndExitsWith0) {
  const auto rod = [&](const std::string& formula) {
    write("rod.toml",
          "coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints.holonomic]\nrod = '" +
              formula + "'\n");
    const Outcome outcome = rattleback({"check", "rod.toml"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("\nNo method applies\n"), std::string::npos) << outcome.out;
    for (const char* part : {"depends on the others", "--redundant", "Methods that"})
      EXPECT_EQ(outcome.out.find(part), std::string::npos) << outcome.out;
    return outcome.out;
  };
  EXPECT_NE(rod("x^2 + y^2").find("the gradient of 'rod' vanishes at the start."), std::string::npos);
  EXPECT_EQ(json({"check", "rod.toml"})["gradient_zero"].dump(), R"(["rod"])");
  EXPECT_NE(rod("sqrt(x^2 + y^2)").find("the gradient of 'rod' is not finite at the start."), std::string::npos);
  EXPECT_EQ(json({"check", "rod.toml"})["gradient_not_finite"].dump(), R"(["rod"])");
}

TEST_F(CommandLine, CsvIsReadExactlyByPandas) {
  ASSERT_TRUE(python_has("pandas")) << "python3-pandas is missing; ./test installs it";
  const auto j = json({"run", "skate", "--step", "0.03", "--steps", "50", "--output", "out.csv"});
  const auto read_back =
      parse_json(python("import pandas, json\n"
                        "d = pandas.read_csv('out.csv', float_precision='round_trip')\n"
                        "print(json.dumps({'columns': list(d.columns), 'rows': len(d), 'x': "
                        "float(d['x'].iloc[-1]), 'y': float(d[\"y'\"].iloc[-1]),\n"
                        "                  'lambda': float(d['lambda.blade'].iloc[-1])}))"));
  EXPECT_EQ(
      read_back["columns"].dump(),
      R"(["t","x","y","theta","x'","y'","theta'","lambda.blade","energy","residual.position","residual.velocity"])");
  EXPECT_EQ(read_back["rows"], 51);
  EXPECT_EQ(read_back["x"].get<double>(), j["q"]["x"].get<double>());
  EXPECT_EQ(read_back["y"].get<double>(), j["v"]["y"].get<double>());
  EXPECT_DOUBLE_EQ(read_back["lambda"].get<double>(), j["multipliers"]["blade"].get<double>());
}

TEST_F(CommandLine, Hdf5IsReadExactlyByH5py) {
  ASSERT_TRUE(python_has("h5py")) << "python3-h5py is missing; ./test installs it";
  const auto j = json({"run", "skate", "--step", "0.03", "--steps", "50", "--set", "m=2", "--output", "out.h5"});
  const auto read_back = parse_json(python(
      "import h5py, json\n"
      "f = h5py.File('out.h5', 'r')\n"
      "a = f.attrs\n"
      "print(json.dumps({'shapes': {k: f[k].shape for k in ['t', 'q', 'v', 'multipliers', 'energy', "
      "'residual/position', "
      "'residual/velocity']},\n"
      "                  'columns': list(f['v'].attrs['columns']), 'last': list(f['q'][-1]), 'model': a['model'],\n"
      "                  'system': a['system'], 'method': a['method'], 'stages': int(a['stages']), 'step': "
      "float(a['step']),\n"
      "                  'options': json.loads(a['options']), 'version': a['version'], 'audit': "
      "json.loads(a['audit'])}, sort_keys=True))"));
  EXPECT_EQ(
      read_back["shapes"].dump(),
      R"({"energy":[51],"multipliers":[51,1],"q":[51,3],"residual/position":[51],"residual/velocity":[51],"t":[51],"v":[51,3]})");
  EXPECT_EQ(read_back["columns"].dump(), R"(["x'","y'","theta'"])");
  EXPECT_EQ(read_back["last"][0].get<double>(), j["q"]["x"].get<double>());
  EXPECT_EQ(read_back["model"], read_all(RATTLEBACK_SOURCE_DIR "/models/skate.toml"));
  EXPECT_EQ(read_back["options"].dump(), R"({"set":{"m":"2"},"step":0.03,"steps":50})");
  EXPECT_EQ(read_back["audit"]["q"]["x"].get<double>(), j["q"]["x"].get<double>());
}

TEST_F(CommandLine, CheckpointedRunResumesWithTheSameBits) {
  const std::vector<std::string> base = {"run", "skate", "--step", "0.1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return json(more);
  };
  const auto whole = with({"--steps", "100"});
  with({"--steps", "60", "--checkpoint", "c"});
  const auto resumed = with({"--steps", "100", "--checkpoint", "c", "--resume"});
  EXPECT_EQ(resumed["q"].dump(), whole["q"].dump());
  EXPECT_EQ(resumed["steps"], 100);
  // The repeats of an order audit start at the start, not at the checkpoint.
  const auto audited = with({"--steps", "120", "--checkpoint", "c", "--resume", "--audit", "order"});
  EXPECT_NEAR(audited["observed_order"].get<double>(), 4.0, 0.2);
}

TEST_F(CommandLine, ReproduceChecksNumbers) {
  const auto recipe = [](const std::string& expected) {
    return "id = \"own\"\ntitle = \"t\"\ndocument = \"d\"\nplace = \"p\"\nsays = \"s\"\nverdict = \"agrees\"\n"
           "because = \"b\"\nsystem = \"skate\"\n[[run]]\nmethods = [\"spark-gauss:2\"]\nsteps = [0.1]\nuntil = 1\n"
           "[run.expect]\n\"constraints.velocity\" = \"" +
           expected + "\"\n";
  };
  write("right.toml", recipe("<1e-14"));
  write("wrong.toml", recipe(">1e-3"));
  const auto before = contents();
  EXPECT_EQ(rattleback({"reproduce", "right.toml", "--check"}).status, 0);
  const Outcome wrong = rattleback({"reproduce", "wrong.toml", "--check"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.out.find("NOT  spark-gauss(2): velocity constraint: "), std::string::npos) << wrong.out;
  EXPECT_EQ(contents(), before);
  EXPECT_EQ(json({"reproduce", "wrong.toml", "--output", "out"})["failed"][0], "own");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "index.html"));
  EXPECT_NE(rattleback({"reproduce", "--list"}).out.find("H-4.1 "), std::string::npos);
}

TEST_F(CommandLine, CheckJsonHoldsTheContract) {
  const auto j = json({"check", "rolling-disk"});
  EXPECT_EQ(j["coordinates"], 4);
  EXPECT_EQ(j["degrees_of_freedom"], 2);
  EXPECT_EQ(j["constraints"]["roll_x"]["level"], "velocity");
  EXPECT_EQ(j["constraints"]["roll_x"]["integrable"], false);
  EXPECT_EQ(j["rank"], 2);
  EXPECT_EQ(j["consistent"], true);
  EXPECT_EQ(j["derivatives_ok"], true);
  EXPECT_EQ(j["methods"]["spark-gauss"]["applies"], true);
  EXPECT_EQ(j["methods"]["spark-lobatto"]["applies"], false);
}

TEST_F(CommandLine, OrderJsonHoldsTheContract) {
  const auto j = json({"order", "skate", "--methods", "spark-gauss:2,spark-lobatto-ab:2", "--step-list",
                       "0.1,0.05,0.025", "--until", "1"});
  EXPECT_EQ(j["runs"].size(), 6U);
  for (const char* key : {"method", "stages", "step", "error", "seconds"})
    EXPECT_TRUE(j["runs"][0].contains(key)) << key;
  EXPECT_NEAR(j["slopes"]["spark-gauss(2)"].get<double>(), 4.0, 0.2);
  EXPECT_NEAR(j["slopes"]["spark-lobatto-ab(2)"].get<double>(), 2.0, 0.2);
}

TEST_F(CommandLine, ListsAreJsonToo) {
  EXPECT_TRUE(json({"methods"})["methods"].contains("spark-gauss"));
  const auto systems = json({"systems"})["systems"];
  EXPECT_TRUE(
      std::any_of(systems.begin(), systems.end(), [](const auto& s) { return s["name"] == "chaplygin-sleigh"; }));
}

TEST_F(CommandLine, DemoRunsAndWhatItSuggestsWorks) {
  const Outcome demo = rattleback({"demo"});
  EXPECT_EQ(demo.status, 0);
  std::istringstream lines(demo.out);
  int suggestions = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U) << line;
    if (!line.starts_with("  rattleback ")) continue;
    std::istringstream words(line.substr(13, line.find("  ", 13) - 13));
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    EXPECT_EQ(rattleback(arguments).status, 0) << line;
    ++suggestions;
  }
  EXPECT_EQ(suggestions, 6);
}

TEST_F(CommandLine, EveryVerbExplainsItselfWithAnExampleThatWorks) {
  for (const char* verb : {"run", "check", "order", "methods", "systems", "demo"}) {
    const Outcome help = rattleback({verb, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_EQ(rattleback({"help", verb}).out, help.out);
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U + 10U) << line;
    const std::size_t at = help.out.find("\nExample\n  rattleback ");
    ASSERT_NE(at, std::string::npos) << verb;
    const std::string example = help.out.substr(at + 22);
    EXPECT_EQ(execute({"/bin/sh", "-c", RATTLEBACK_BINARY " " + example}).status, 0) << example;
  }
  EXPECT_EQ(rattleback({"--help"}).status, 0);
  EXPECT_EQ(rattleback({"--version"}).out.substr(0, 11), "rattleback ");
}

TEST_F(CommandLine, WithoutArgumentsItSaysWhatThereIs) {
  const Outcome outcome = rattleback({});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("Verbs"), std::string::npos);
}

TEST_F(CommandLine, FullStandardOutputIsNoticed) {
  const Outcome outcome = rattleback({"systems"}, "/dev/full");
  EXPECT_EQ(outcome.status, 74);
  EXPECT_EQ(outcome.err, "cannot write to standard output: No space left on device\n");
}

// The run is done; only its file does not fit. The result is still printed.
TEST_F(CommandLine, FullDiskDoesNotLoseTheResult) {
  const Outcome outcome = execute({"/bin/bash", "-c",
                                   "trap '' XFSZ; ulimit -f 8; " RATTLEBACK_BINARY
                                   " run skate --step 0.01 --until 100 --output out.csv --json"});
  EXPECT_EQ(outcome.status, 74);
  EXPECT_EQ(outcome.err, "output file 'out.csv': cannot write the CSV file: File too large\n");
  EXPECT_EQ(parse_json(outcome.out)["status"], "done");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(CommandLine, FullDiskDoesNotLoseTheResultOfAVerbThatDraws) {
  for (const std::string words :
       {"run skate --steps 5", "order skate --methods spark-gauss --step-list 0.1,0.05 --until 1",
        "compare skate --methods spark-gauss --step 0.1 --until 1", "section skate --where 'x - 0.2' --crossings 1"}) {
    const Outcome outcome = execute({"/bin/bash", "-c",
                                     "trap '' XFSZ; (ulimit -f 1; exec " RATTLEBACK_BINARY " " + words +
                                         " --plot out.svg --json) | cat"
                                         "; exit ${PIPESTATUS[0]}"});
    EXPECT_EQ(outcome.status, 74) << words << "\n" << outcome.err;
    EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << words << "\n" << outcome.out;
    EXPECT_TRUE(std::filesystem::is_empty(folder_)) << words;
  }
}

TEST_F(CommandLine, SaysWhichFilesItReplaces) {
  const std::vector<std::string> run = {"run", "skate", "--steps", "20", "--output", "a.csv", "--plot", "a.svg"};
  EXPECT_EQ(rattleback(run).err, "");
  const std::string before = read("a.csv");
  const Outcome again = rattleback(run);
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.err, "replaced a.csv, which was there before\nreplaced a.svg, which was there before\n");
  EXPECT_EQ(read("a.csv"), before);
  // Other verbs, too, and with data on stdout.
  EXPECT_EQ(rattleback({"order", "skate", "--methods", "spark-lobatto-ab:3", "--step-list", "0.2,0.1,0.05", "--until",
                        "1", "--plot", "a.svg", "--json"})
                .err,
            "replaced a.svg, which was there before\n");
  // What could not be written replaces nothing.
  EXPECT_EQ(rattleback({"run", "skate", "--steps", "20", "--output", "no/a.csv"}).err.find("replaced"),
            std::string::npos);
}

TEST_F(CommandLine, SameRequestGivesTheSameFiles) {
  for (const char* name : {"a.h5", "b.h5"}) rattleback({"run", "skate", "--steps", "20", "--output", name});
  EXPECT_FALSE(read("a.h5").empty());
  EXPECT_EQ(read("a.h5"), read("b.h5"));
}

// A terminal on stderr sees a progress line, which is gone at the end; a file sees nothing.
TEST_F(CommandLine, ProgressIsShownInATerminalOnly) {
  const std::vector<std::string> words = {RATTLEBACK_BINARY, "run",  "skate",    "--step", "0.00001", "--until", "40",
                                          "--every",         "1000", "--native", "off",    "--json"};
  EXPECT_EQ(execute(words).err, "");
  std::vector<char*> raw;
  for (const std::string& word : words) raw.push_back(const_cast<char*>(word.c_str()));
  raw.push_back(nullptr);
  int terminal = -1;
  const winsize size{.ws_row = 40, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  ASSERT_GE(child, 0);
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execv(raw[0], raw.data());
    _exit(127);
  }
  std::string seen;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(terminal, buffer, sizeof buffer)) > 0;)
    seen.append(buffer, static_cast<std::size_t>(n));
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  EXPECT_EQ(status, 0);
  EXPECT_NE(seen.find(" of 4000000 steps ("), std::string::npos) << seen;
  EXPECT_NE(seen.find("/s), t = "), std::string::npos);
  EXPECT_NE(seen.find(" left, energy error "), std::string::npos);
  EXPECT_TRUE(seen.ends_with("\r\x1b[K"));
}

}  // namespace
}  // namespace rattleback
