// Messages in the words of programs, and in those of the command line.
#include "text/words.hpp"

#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::testing {
namespace {

class InFields : public ::testing::Test {
 protected:
  InFields() { speak_in(Words::fields); }
  ~InFields() override { speak_in(Words::flags); }
};

TEST_F(InFields, FlagsAreFields) {
  EXPECT_EQ(in_words("pass --project to move it"), "pass Options::project to move it");
  EXPECT_EQ(in_words("--newton-tol: 'x'"), "Options::newton_tol: 'x'");
  EXPECT_EQ(in_words("--set g=1 and --start x=2"), "parameters {g = 1} and start {x = 2}");
  EXPECT_EQ(in_words("--set k[2]=2.5*m: unknown. Parameters are changed with --set"),
            "parameters {k[2] = 2.5*m}: unknown. Parameters are changed with Options::parameters or Model::with()");
  EXPECT_EQ(in_words("Set one element: --set k[1]=3."), "Set one element: parameters {k[1] = 3}.");
  EXPECT_EQ(in_words("leave --until T or --steps N out, --stages S."),
            "leave Options::until or Options::steps out, Options::stages.");
  EXPECT_EQ(in_words("--step A1, --step TOML"), "Options::step A1, Options::step");
  EXPECT_EQ(in_words("only with --formulation index2 (then) or --formulation ggl, --compose 4."),
            "only with Options::formulation = index2 (then) or Options::formulation = ggl, Options::compose = 4.");
  EXPECT_EQ(in_words("--alpha -0.5: leave --method out, pass --method euler-true or another --method (some)"),
            "Options::alpha = -0.5: leave Options::method out, pass Options::method = euler-true or another "
            "Options::method (some)");
  EXPECT_EQ(in_words("--step sets it; --native on: that"), "Options::step sets it; Options::native = on: that");
  EXPECT_EQ(in_words("--audit power, --audit"), "Options::audit_power, Options::audit");
  EXPECT_EQ(in_words("`rattleback check skate` says, `rattleback methods` lists"), "check() says, methods() lists");
}

TEST_F(InFields, OtherTextStays) {
  for (const char* const text : {"a -- b", "x--y", "-1", "--", "2 - -x", "-- project"}) EXPECT_EQ(in_words(text), text);
}

TEST_F(InFields, ErrorsAndTrajectoriesSpeakOfThem) {
  try {
    (void)simulate(load_model("skate"), {.method = "spark-gauss", .step = -0.1, .until = 1.0});
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("--"), std::string::npos) << text;
    EXPECT_NE(text.find("Options::"), std::string::npos) << text;
  }
  const Model escaping =
      parse_model("coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"-exp(x)\"\n", "e");
  const Trajectory run = simulate(escaping, {.method = "spark-gauss", .stages = 2, .step = 0.05, .until = 10.0});
  EXPECT_EQ(run.status, Status::stopped);
  EXPECT_EQ(run.message.find("--"), std::string::npos) << run.message;
}

TEST(InFlags, NothingChanges) { EXPECT_EQ(in_words("--project"), "--project"); }

}  // namespace
}  // namespace rattleback::testing
