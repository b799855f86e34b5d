// `rattleback bench` runs the benchmark program beside it, and says how to build it where there is none.
#include "program.hpp"

namespace rattleback {
namespace {

class Bench : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    std::filesystem::create_directory(folder_ / "bin");
    std::filesystem::copy_file(RATTLEBACK_BINARY, folder_ / "bin" / "rattleback");
  }
  Outcome bench(std::vector<std::string> words) {
    words.insert(words.begin(), {(folder_ / "bin" / "rattleback").string(), "bench"});
    return execute(words);
  }
};

TEST_F(Bench, SaysHowToBuildTheProgramThatIsNotThere) {
  const Outcome outcome = bench({"--quick"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("bin/bench_table is not there"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--target bench_table`"), std::string::npos) << outcome.err;
}

TEST_F(Bench, PassesItsArgumentsOnAndKeepsTheStatus) {
  write("bin/bench_table", "#!/bin/sh\necho \"$@\"\nexit 3\n");
  std::filesystem::permissions(folder_ / "bin" / "bench_table", std::filesystem::perms::owner_all);
  const Outcome outcome = bench({"--output", "a b", "--json", "--quick"});
  EXPECT_EQ(outcome.out, "--quick --json --output a b\n");
  EXPECT_EQ(outcome.status, 3);
}

}  // namespace
}  // namespace rattleback
