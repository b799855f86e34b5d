// Everything that leaves the program has angles with all their turns.
#include "program.hpp"

namespace rattleback {
namespace {

class Angles : public Program {};

TEST_F(Angles, HaveAllTheirTurnsInEveryOutput) {
  const std::vector<std::string> run = {
      "run", "skate", "--method", "mclachlan-perlmutter", "--step", "0.1", "--steps", "200", "--event", "theta - 15"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), run.begin(), run.end());
    return more;
  };
  const auto j = json(with({"--output", "out.csv"}));  // theta = t
  EXPECT_NEAR(j["q"]["theta"].get<double>(), 20.0, 1e-12);
  EXPECT_LT(j["error"].get<double>(), 0.1);
  ASSERT_EQ(j["events"].size(), 1U);
  EXPECT_NEAR(j["events"][0]["q"]["theta"].get<double>(), 15.0, 1e-12);

  std::istringstream csv(read("out.csv"));
  std::string line;
  std::getline(csv, line);
  ASSERT_TRUE(line.starts_with("t,x,y,theta,")) << line;
  int rows = 0;
  while (std::getline(csv, line)) {
    double t = 0.0, x = 0.0, y = 0.0, theta = 0.0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &t, &x, &y, &theta), 4) << line;
    EXPECT_NEAR(theta, t, 1e-12);
    ++rows;
  }
  EXPECT_EQ(rows, 201);

  ASSERT_TRUE(python_has("h5py")) << "python3-h5py is missing; ./test installs it";
  (void)json(with({"--output", "out.h5"}));
  const std::string defect =
      python("import h5py\nf = h5py.File('out.h5', 'r')\nprint(max(abs(f['q'][:, 2] - f['t'][:])))");
  EXPECT_LT(std::stod(defect), 1e-12);

  const Outcome text = rattleback(run);
  EXPECT_NE(text.out.find("theta  =            20"), std::string::npos) << text.out;
}

TEST_F(Angles, ThatAreNoneAreRefused) {
  write(
      "m.toml",
      "coordinates = [\"theta\"]\nangles = [\"theta\"]\n[lagrangian]\nkinetic = \"theta'^2/2\"\npotential = \"theta\"\n"
      "[run]\nstep = 0.1\nuntil = 1\n");
  for (const char* verb : {"run", "check"}) {
    const Outcome o = rattleback({verb, "m.toml"});
    EXPECT_EQ(o.status, 2);
    EXPECT_NE(
        o.err.find("m.toml:2:11: `theta` is declared as an angle, but the potential changes by 6.28 when it turns "
                   "once. Remove it from `angles`"),
        std::string::npos)
        << o.err;
  }
}

}  // namespace
}  // namespace rattleback
