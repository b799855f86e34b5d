// Large systems with compiled loops, every scheme, formulation and function: the bits of the interpreter.
#include "engine/families.hpp"
#include "rattleback/error.hpp"
#include "support/large_models.hpp"

namespace rattleback::testing {
namespace {

struct How {
  const char* method;
  int stages;
  const char* formulation;
  int compose = 0;
};

// A band, a dense row without one, a mass matrix that couples; sizes that fill no whole chunk of the interpreter.
TEST_F(Native, FamiliesHaveTheBitsOfTheInterpreter) {
  const How all[] = {{"prk-lobatto", 2, "index3"}, {"prk-murua", 3, "ggl"},          {"spark-lobatto-ab", 2, "index2"},
                     {"spark-gauss", 2, "index2"}, {"rk-lobatto-iiia", 3, "index2"}, {"prk-lobatto", 2, "index3", 4}};
  for (const How& how : all)
    for (const Model& model : {chain(83), text(kBlades, 37, kFamilies), text(kPolar, 45, kFamilies)}) {
      SCOPED_TRACE(::testing::Message() << model.key << ' ' << how.method << ' ' << how.formulation << ' '
                                        << how.compose);
      const Options options{.method = how.method,
                            .stages = how.stages,
                            .step = 0.004,
                            .steps = 12,
                            .formulation = how.formulation,
                            .compose = how.compose};
      try {
        compare(model, options);
      } catch (const Error& e) {  // too irregular to compile: some schemes on the models that are no chains
        EXPECT_NE(model.key, "chain");
        EXPECT_NE(std::string(e.what()).find("so many and so different"), std::string::npos) << e.what();
      }
    }
}

// Every operation that a loop can have.
TEST_F(Native, EveryFunctionOfAFamilyHasTheBitsOfTheInterpreter) {
  const Model model = parse_model(R"toml(
coordinates = ["x[1:N]", "y[1:N]"]
[parameters]
N = 70
[lagrangian]
kinetic   = "sum(i = 1:N, (1 + i/N)*(x[i]'^2 + y[i]'^2)/2)"
potential = "sum(i = 1:N, x[i]^2 + y[i]^2 + sin(x[i])*cos(y[i]) + tan(x[i]/4) + asin(x[i]/9) + acos(y[i]/9) + atan(y[i]) + sinh(x[i]/3) + cosh(y[i]/3) + tanh(x[i]) + exp(-x[i]^2) + log(2 + y[i]^2) + sqrt(1 + y[i]^2) + (1 + x[i]^2)^1.3) + sum(i = 2:N, (x[i] - x[i-1])^4)"
[forces]
"x[i=1:N]" = "0.1*atan2(y[i], 2 + x[i]) + 0.01*abs(x[i]) + 0.01*sign(y[i])*y[i]"
"y[i=1:N]" = "0.1*hypot(x[i], 1 + y[i]^2) + 0.01*min(x[i], y[i]) + 0.01*max(y[i], x[i]') + if(x[i] < 0.1, 0.1*y[i], 0.2*y[i]) + if(y[i] <= 0, y[i]^2, y[i]^3)"
[constraints.nonholonomic]
"roll[i=1:N]" = "x[i]' + sin(y[i])*y[i]'"
[initial]
"x[i=1:N]" = "0.3*sin(i)"
"y[i=1:N]" = "0.4*cos(i)"
)toml",
                                  "functions.toml");
  for (const char* const name : {"spark-gauss", "spark-lobatto-ab"}) {
    SCOPED_TRACE(name);
    compare(model, {.method = name, .step = 0.01, .steps = 100});
  }
}

}  // namespace
}  // namespace rattleback::testing
