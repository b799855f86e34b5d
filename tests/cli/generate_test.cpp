// `rattleback generate`: files, standard output, refusals.
#include "cli/program.hpp"

namespace rattleback {
namespace {

TEST_F(Program, GenerateWritesAHeader) {
  const Outcome outcome =
      rattleback({"generate", "double-pendulum", "--method", "rattle", "--step", "0.01", "--output", "pendulum.hpp"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "Written to pendulum.hpp: struct DoublePendulumRattle\n");
  const std::string text = read("pendulum.hpp");
  EXPECT_NE(text.find("struct DoublePendulumRattle : "), std::string::npos);
  EXPECT_NE(text.find("Double pendulum: steps of prk-lobatto (2 stages, order 2, index3)"), std::string::npos);
}

TEST_F(Program, GeneratePrintsTheHeader) {
  const Outcome outcome = rattleback({"generate", "skate", "--name", "demo::Skate", "--set", "g=2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::size_t space = outcome.out.find("\nnamespace demo {\n");
  ASSERT_NE(space, std::string::npos);
  EXPECT_NE(outcome.out.find("\nstruct Skate : ", space), std::string::npos);
}

TEST_F(Program, GenerateRefusesWithTheReason) {
  expect_refused({"generate", "skate", "--method", "ode", "--output", "skate.hpp"},
                 "steps of 'ode' on 'skate' cannot be generated: this method has no step that could be written down. "
                 "`rattleback run` takes them");
  expect_refused({"generate", "skate", "--output", "skate.txt"},
                 "--output takes a file that ends in .hpp or .h, found 'skate.txt'");
  expect_refused({"generate", "skate", "--name", "2 skates"},
                 "the name of a struct is an identifier of C++, with namespaces before it if you like "
                 "(demo::Pendulum), found '2 skates'");
}

}  // namespace
}  // namespace rattleback
