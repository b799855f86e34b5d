// Overdetermined systems in JSON, CSV and text: the keys and columns that users' scripts read.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "rattleback/simulate.hpp"
#include "rattleback/write.hpp"
#include "support/json.hpp"

namespace rattleback {
namespace {

using Json = nlohmann::ordered_json;

Trajectory slide(const Model& model, double until) {
  return simulate(model, {.method = "euler-true", .step = 0.01, .until = until});
}

TEST(OdaeReport, RunJsonHasPositionsAndVelocitiesTogether) {
  const Model model = load_model("friction-on-cubic");
  const Trajectory t = slide(model, 1.2);
  const Json json = parse_json(to_json(model, t));
  EXPECT_EQ(json["kind"], "odae");
  EXPECT_EQ(json["x"].size(), 4U);
  EXPECT_EQ(json["x"]["y1"], t.q[0]);
  EXPECT_EQ(json["x"]["z2"], t.v[1]);
  EXPECT_EQ(json["multipliers"]["psi"], 0.0);  // in flight
  EXPECT_TRUE(json["constraints"].contains("position"));
  EXPECT_TRUE(json["constraints"].contains("velocity"));
  for (const char* absent : {"q", "v", "z", "energy", "error"}) EXPECT_FALSE(json.contains(absent)) << absent;
  ASSERT_EQ(json["events"].size(), 1U);
  EXPECT_EQ(json["events"][0]["what"], "lift-off");
  EXPECT_EQ(json["events"][0]["name"], "surface");
  EXPECT_NEAR(json["events"][0]["t"].get<double>(), 1.0619, 1e-3);
  EXPECT_EQ(json["contacts"]["surface"]["closed"], false);
}

TEST(OdaeReport, ErrorIsThatOfWhatExactNames) {
  const Model model = load_model("odae-exponential");
  const Trajectory t = slide(model, 1.0);
  const double a = std::exp(2.0), b = std::exp(-1.0);
  const double y = std::hypot(t.q[0] - a, t.q[1] - b), z = std::hypot(t.v[0] - a, t.v[1] - b);
  EXPECT_NEAR(parse_json(to_json(model, t))["error"].get<double>(), std::hypot(y, z), 1e-12);  // 0.2746
}

TEST(OdaeReport, CheckJsonSaysWhichConstraintsAct) {
  const Model model = load_model("friction-on-cubic");
  const Json json = parse_json(to_json(model, check(model)));
  EXPECT_EQ(json["coordinates"], 2);
  EXPECT_EQ(json["velocities"], 2);
  EXPECT_EQ(json["degrees_of_freedom"], 1);
  EXPECT_EQ(json["rank"], 1);
  EXPECT_TRUE(json["consistent"]);
  EXPECT_TRUE(json["saddle_regular"]);
  EXPECT_TRUE(json["derivatives_ok"]);
  EXPECT_NEAR(json["multipliers"]["psi"].get<double>(), 1.7586, 1e-12);  // as in the source
  const Json& surface = json["constraints"]["surface"];
  EXPECT_EQ(surface["level"], "position");
  EXPECT_TRUE(surface["unilateral"]);
  EXPECT_TRUE(surface["acts"]);
  EXPECT_TRUE(json["methods"]["euler-true"]["applies"]);
  EXPECT_FALSE(json["methods"]["spark-gauss"]["applies"]);
  EXPECT_FALSE(json["methods"]["spark-gauss"]["reason"].get<std::string>().empty());

  const Model flying = load_model("friction-on-cubic", {.start = {{"y2", "11"}}});
  const Json above = parse_json(to_json(flying, check(flying)));
  EXPECT_TRUE(above["consistent"]);
  EXPECT_FALSE(above["constraints"]["surface"]["acts"]);
  EXPECT_EQ(above["multipliers"]["psi"], 0.0);

  const Model below = load_model("friction-on-cubic", {.start = {{"y2", "9"}}});
  const Json moved = parse_json(to_json(below, check(below)));
  EXPECT_FALSE(moved["consistent"]);
  EXPECT_EQ(moved["constraints"]["surface"]["start_residual"], 1.0);
  EXPECT_EQ(moved["nearest"]["x"].size(), 4U);
}

TEST(OdaeReport, CsvHasTheNamesOfTheModel) {
  const Model model = load_model("friction-on-cubic");
  const auto path = std::filesystem::temp_directory_path() / "rattleback_odae_report.csv";
  write_trajectory(model, slide(model, 0.05), path.string());
  std::ifstream in(path);
  std::string header, row;
  std::getline(in, header);
  EXPECT_EQ(header, "t,y1,y2,z1,z2,psi,residual.position,residual.velocity");
  int rows = 0;
  while (std::getline(in, row)) ++rows;
  EXPECT_EQ(rows, 6);
  std::filesystem::remove(path);
}

TEST(OdaeReport, SaysKeptOnlyOfWhatWasKept) {
  const Model model = load_model("friction-on-cubic");
  Trajectory t = slide(model, 0.05);
  EXPECT_NE(to_text(model, t).find("position level kept to "), std::string::npos);
  EXPECT_EQ(to_text(model, t).find("off by"), std::string::npos);
  t.constraint_velocity = 0.25;
  EXPECT_NE(to_text(model, t).find("velocity level off by up to 2.5e-01."), std::string::npos) << to_text(model, t);
  EXPECT_NE(to_text(model, t).find("position level kept to "), std::string::npos);
  t.constraint_position = 1e-3;
  EXPECT_EQ(to_text(model, t).find("kept to"), std::string::npos) << to_text(model, t);
}

TEST(OdaeReport, TextTellsWhatHappened) {
  const Model model = load_model("friction-on-cubic");
  const std::string text = to_text(model, slide(model, 1.2));
  EXPECT_NE(text.find("y1  =  "), std::string::npos) << text;
  EXPECT_NE(text.find("z1  =  "), std::string::npos) << text;
  EXPECT_NE(text.find("Lifts off 'surface' at t = 1.06"), std::string::npos) << text;
}

}  // namespace
}  // namespace rattleback
