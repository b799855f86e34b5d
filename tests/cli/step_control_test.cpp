// Step control, output between steps and events as users and scripts see them.
#include "cli/program.hpp"

#include <cmath>

namespace rattleback {
namespace {

class StepControlProgram : public Program {};

TEST_F(StepControlProgram, JsonTellsWhatTheControllerDid) {
  for (const std::string controller : {"pi", "reversible"}) {
    const auto j = json({"run", "skate", "--adaptive", "1e-8", "--controller", controller, "--until", "3"});
    EXPECT_EQ(j["adaptive"]["controller"], controller);
    EXPECT_EQ(j["adaptive"]["tolerance"], 1e-8);
    EXPECT_EQ(j["adaptive"]["steps"], j["steps"]);
    EXPECT_GE(j["adaptive"]["rejected"].get<int>(), 0);
    EXPECT_LE(j["adaptive"]["smallest"].get<double>(), j["adaptive"]["largest"].get<double>());
    EXPECT_EQ(j["t"], 3.0);
    EXPECT_LT(j["error"].get<double>(), 1e-6);
  }
  EXPECT_FALSE(json({"run", "skate", "--until", "1"}).contains("adaptive"));
}

TEST_F(StepControlProgram, NeedsNoStepAtAll) {
  write("bead.toml", kBead);
  const auto j = json({"run", "bead.toml", "--adaptive", "1e-6", "--until", "5"});
  EXPECT_EQ(j["status"], "done");
  EXPECT_GT(j["step"].get<double>(), 1e-4);
}

TEST_F(StepControlProgram, GoesBackwardsWhereTheEndIs) {
  const auto j = json({"run", "skate", "--adaptive", "1e-8", "--until", "-3"});
  EXPECT_EQ(j["t"], -3.0);
  EXPECT_LT(j["step"].get<double>(), 0.0);
  EXPECT_LT(j["error"].get<double>(), 1e-6);
}

TEST_F(StepControlProgram, TextSaysWhichControllerAndWhatItPreserves) {
  EXPECT_NE(rattleback({"run", "skate", "--adaptive", "1e-6", "--until", "3"})
                .out.find("Steps: chosen by the pi controller, tolerance 1.0e-06;"),
            std::string::npos);
  EXPECT_NE(rattleback({"run", "skate", "--adaptive", "1e-6", "--controller", "reversible", "--until", "3"})
                .out.find("a symmetric method keeps its long-time behaviour"),
            std::string::npos);
}

TEST_F(StepControlProgram, StopsEarlyWithEverythingKept) {
  write("escape.toml", kEscaping);
  const Outcome outcome = rattleback({"run", "escape.toml", "--adaptive", "1e-6", "--output", "out.csv"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("No cure was found: --adaptive down to "), std::string::npos) << outcome.err;
  EXPECT_GT(read("out.csv").size(), 1000U);
}

TEST_F(StepControlProgram, EventsAreInTheJson) {
  const auto j = json({"run", "skate", "--method", "spark-gauss", "--stages", "6", "--step", "0.1", "--until", "5",
                       "--event", "x - 0.25", "--event", "y - 1"});
  ASSERT_EQ(j["events"].size(), 4U);
  EXPECT_EQ(j["events"][0]["event"], "x - 0.25");
  EXPECT_EQ(j["events"][0]["direction"], "up");
  EXPECT_NEAR(j["events"][0]["t"].get<double>(), std::acos(-1.0) / 4.0, 1e-13);
  EXPECT_NEAR(j["events"][0]["q"]["x"].get<double>(), 0.25, 1e-14);
  EXPECT_TRUE(j["events"][0]["v"].contains("theta"));
  EXPECT_EQ(j["events"][2]["direction"], "down");
  EXPECT_TRUE(json({"run", "skate", "--until", "1", "--event", "x - 100"})["events"].empty());
  EXPECT_FALSE(json({"run", "skate", "--until", "1"}).contains("events"));
}

TEST_F(StepControlProgram, ExpressionsWithoutACrossingAreNamed) {
  EXPECT_NE(rattleback({"run", "skate", "--until", "1", "--event", "x - 100"})
                .out.find("\nEvents\n  No crossing of x - 100 up to t = 1.\n"),
            std::string::npos);
}

TEST_F(StepControlProgram, OutputIsAtTheTimesAskedFor) {
  const auto j =
      json({"run", "skate", "--step", "0.1", "--until", "5", "--output-every", "0.25", "--output", "out.csv"});
  EXPECT_EQ(j["records"]["output_every"], 0.25);
  EXPECT_EQ(j["records"]["rows"], 21);
  const std::string text = read("out.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 22);
  EXPECT_NE(text.find("\n0.25,"), std::string::npos);
}

TEST_F(StepControlProgram, FilesHaveTheSameBytesAfterACheckpoint) {
  const auto run = [&](const std::string& until, std::vector<std::string> more) {
    std::vector<std::string> words = {"run", "nonholonomic-particle", "--adaptive", "1e-7", "--until", until};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(rattleback(words).status, 0);
  };
  for (const std::string controller : {"pi", "reversible"}) {
    run("20", {"--controller", controller, "--output", "whole.csv"});
    run("7", {"--controller", controller, "--checkpoint", "c"});
    run("20", {"--controller", controller, "--checkpoint", "c", "--resume", "--output", "resumed.csv"});
    EXPECT_EQ(read("whole.csv"), read("resumed.csv"));
    EXPECT_NE(read("whole.csv"), "");
  }
}

TEST_F(StepControlProgram, ACheckpointOfAnotherToleranceIsRefused) {
  EXPECT_EQ(rattleback({"run", "skate", "--adaptive", "1e-6", "--until", "2", "--checkpoint", "c"}).status, 0);
  EXPECT_EQ(rattleback({"run", "skate", "--adaptive", "1e-7", "--until", "3", "--checkpoint", "c", "--resume"}).status,
            2);
}

}  // namespace
}  // namespace rattleback
