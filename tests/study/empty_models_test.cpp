// A Model that nobody made is refused by everything that takes one, and so is a start that is too short.
#include <gtest/gtest.h>

#include "rattleback/rattleback.hpp"

namespace rattleback {
namespace {

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> messages(const Model& model) {
  const Options options = {.method = "spark-gauss", .stages = 2, .step = 0.1, .steps = 2};
  OrderRequest order;
  order.methods = {{"spark-gauss", 2}};
  order.steps = {0.1, 0.05};
  order.until = 1.0;
  CompareRequest compared;
  compared.methods = {{"spark-gauss", 2}};
  compared.steps = {0.1};
  compared.until = 1.0;
  SectionRequest crossings;
  crossings.where = "t - 1";
  crossings.crossings = 1;
  crossings.options = options;
  EnsembleRequest members;
  members.options = options;
  return {message_of([&] { (void)simulate(model, options); }),
          message_of([&] { (void)check(model); }),
          message_of([&] { (void)order_study(model, order); }),
          message_of([&] { (void)compare(model, compared); }),
          message_of([&] { (void)section(model, crossings); }),
          message_of([&] { (void)ensemble(model, members); }),
          message_of([&] { (void)step_header(model, options, "Steps"); })};
}

TEST(EmptyModel, IsRefused) {
  for (const std::string& message : messages(Model{}))
    EXPECT_EQ(message,
              "model '' is empty: it has no formulas. Models come from load_model(), parse_model() and trace()");
  EXPECT_NE(message_of([] { (void)Model{}.with({{"a", "1"}}); }), "");
}

TEST(EmptyModel, NeitherIsAStartRead) {
  Model model = load_model("skate");
  model.q0.pop_back();
  for (const std::string& message : messages(model))
    EXPECT_EQ(message, "the start of model 'Skate on an inclined plane' has 2 values in q0, where 3 are expected");
  model = load_model("skate");
  model.v0.clear();
  for (const std::string& message : messages(model))
    EXPECT_EQ(message, "the start of model 'Skate on an inclined plane' has 0 values in v0, where 3 are expected");
}

}  // namespace
}  // namespace rattleback
