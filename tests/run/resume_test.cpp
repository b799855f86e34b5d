// Checkpoints: what they state, whom they take back, and that a resumed run is the run.
#include "files/digest.hpp"
#include "run/checkpoint_file.hpp"
#include "run/resume_pairs.hpp"

namespace rattleback::testing {
namespace {

Options fixed_steps(std::int64_t steps, std::int64_t every) {
  Options o;
  o.step = 0.1;
  o.steps = steps;
  o.every = every;
  return o;
}

std::string refusal(const Model& model, const Options& options) {
  try {
    (void)simulate(model, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// The end of the first part, step 13, is not on the grid of records: it is recorded there and nowhere else.
TEST(Resume, LeavesNoRecordOfTheEndOfTheFirstPart) {
  const Model model = shipped("skate");
  const Trajectory whole = simulate(model, fixed_steps(37, 3));
  ASSERT_EQ(whole.records.rows, 14U);  // 0, 3, ..., 36, 37
  const Scratch scratch;
  Options o = fixed_steps(13, 3);
  o.checkpoint = scratch.file();
  EXPECT_EQ(simulate(model, o).records.rows, 6U);
  o.resume = true;
  EXPECT_EQ(everything(model, simulate(model, o)), everything(model, simulate(model, fixed_steps(13, 3))));
  o.steps = 37;
  EXPECT_EQ(everything(model, simulate(model, o)), everything(model, whole));
}

TEST(Resume, InManyPartsIsTheWholeRun) {
  struct Case {
    const char* system;
    const char* method;
    int compose = 0;
    double adaptive = 0.0;
    double output_every = 0.0;
    const char* event = "";
    const char* redundant = "";
    double from = 0.0;
  };
  for (const Case& c :
       {Case{"skate", "cortes-martinez"}, Case{"skate", "spark-gauss", 4}, Case{"skate", "", 0, 1e-6},
        Case{"pendulum", "rattle", 0, 0.0, 0.07, "x"}, Case{"pendulum", "", 0, 1e-5, 0.07, "x"},
        Case{"pendulum", "rattle", 6, 0.0, 0.0, "", "minimum-norm"},
        Case{"skate", "cortes-martinez", 0, 0.0, 0.0, "", "", 1.0},
        Case{"pendulum", "rattle", 0, 0.0, 0.07, "x", "", -0.3}, Case{"pendulum", "", 0, 1e-5, 0.07, "x", "", 1e3}}) {
    SCOPED_TRACE(fmt::format("{} {} {} {} {} {}", c.system, c.method, c.compose, c.adaptive, c.output_every, c.from));
    const Model model = shipped(c.system);
    Options o;
    o.method = c.method;
    o.step = 0.1;
    o.compose = c.compose;
    o.adaptive = c.adaptive;
    o.output_every = c.output_every;
    o.every = c.output_every == 0.0 ? 3 : 0;
    if (*c.event != '\0') o.event = {c.event};
    o.redundant = c.redundant;
    o.from = c.from;
    o.until = c.from + 3.7;
    const std::string whole = everything(model, simulate(model, o));
    const Scratch scratch;
    o.checkpoint = scratch.file();
    for (const double until : {0.1, 0.73, 1.3, 2.24}) {
      o.until = c.from + until;
      (void)simulate(model, o);
      o.resume = true;
    }
    o.until = c.from + 3.7;
    EXPECT_EQ(everything(model, simulate(model, o)), whole);
  }
}

// With a tolerance that lets everything pass, steps fail and begin again from values that the state alone must give.
TEST(Resume, DoesNotDependOnWhatFailedStepsLeftBehind) {
  const Model model = shipped("dae-hessenberg");
  Options o;
  o.step = 0.05;
  o.steps = 21;
  o.compose = 6;
  o.newton_tol = 1.0;
  const Trajectory whole = simulate(model, o);
  EXPECT_EQ(whole.status, Status::stopped);
  const Scratch scratch;
  o.checkpoint = scratch.file();
  o.steps = 3;
  (void)simulate(model, o);
  o.resume = true;
  o.steps = 21;
  EXPECT_EQ(everything(model, simulate(model, o)), everything(model, whole));
}

TEST(Resume, RandomPairsHaveTheSameBitsOrAreRefusedByName) {
  const Played played = play_resume_pairs(15, 14, false);
  EXPECT_GT(played.resumed, 12) << played.text();
  EXPECT_GT(played.refused, 4) << played.text();
}

TEST(Resume, NamesWhatDiffersWithBothValues) {
  const Model model = shipped("skate");
  const Scratch scratch;
  Options o = fixed_steps(10, 1);
  o.checkpoint = scratch.file();
  (void)simulate(model, o);
  o.resume = true;
  const std::string before = "checkpoint '" + scratch.file() + "' belongs to another run: ",
                    after = ". Use the same, or start without --resume";
  Options power = o;
  power.audit_power = true;
  EXPECT_EQ(refusal(model, power), before + "--audit power is false there and true here" + after);
  Options other = o;
  other.step = 0.05;
  other.stages = 4;
  EXPECT_EQ(refusal(model, other),
            before + "--stages is 3 there and 4 here, --step is 0.1 there and 0.05 here" + after);
  EXPECT_EQ(refusal(load_model("skate", {.set = {{"m", "2"}}}), o), before + "--set m is 1 there and 2 here" + after);
  EXPECT_EQ(refusal(load_model("skate", {.start = {{"theta'", "0.5"}}}), o),
            before + "--start theta' is 1 there and 0.5 here" + after);
  Model edited = model;
  edited.text += "# a remark\n";
  EXPECT_EQ(refusal(edited, o), before + "the model file differs" + after);
  Options short_of = o;
  short_of.steps = 9;
  EXPECT_EQ(refusal(model, short_of),
            "checkpoint '" + scratch.file() +
                "' is at t = 1, after 10 steps, which is too late for --steps 9. Give a later "
                "end, or start without --resume");
  // What stands for the same is the same.
  Options spelt_out = o;
  spelt_out.method = "spark_lobatto_ab";
  spelt_out.stages = 3;
  spelt_out.redundant = "refuse";
  spelt_out.multiplier = "acceleration";
  spelt_out.native = "off";
  EXPECT_EQ(refusal(model, spelt_out), "accepted");
}

// The steps of SUNDIALS depend on what it remembers of the last ones.
TEST(Resume, IsRefusedBeforeTheRunWhereTheStateCannotBeSaved) {
  const Scratch scratch;
  Options o = fixed_steps(3, 1);
  o.checkpoint = scratch.file();
  for (const char* method : {"ode", "index1", "baumgarte"}) {
    o.method = method;
    EXPECT_TRUE(refusal(shipped("skate"), o).starts_with("--checkpoint: what method '" + o.method + "' knows"))
        << method;
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path));
  }
}

// At rest in the origin nothing but the time to the end tells how long a first step might be.
TEST(Resume, IsRefusedWhereTheFirstStepDependsOnTheEnd) {
  const Model model = parse_model(
      "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n[forces]\nx = \"1\"\n",
      "rest.toml");
  const Scratch scratch;
  Options o;
  o.adaptive = 1e-6;
  o.until = 1.0;
  o.checkpoint = scratch.file();
  (void)simulate(model, o);
  o.resume = true;
  o.until = 2.0;
  EXPECT_TRUE(refusal(model, o).starts_with("--until: nothing moves at the start")) << refusal(model, o);
  o.until = 1.0;
  EXPECT_EQ(refusal(model, o), "accepted");
}

TEST(CheckpointFile, StatesWhatItHolds) {
  const Scratch scratch;
  Options o = fixed_steps(10, 3);
  o.checkpoint = scratch.file();
  o.audit_power = true;
  (void)simulate(shipped("skate"), o);
  const auto c = CheckpointFile(scratch.file()).read();
  ASSERT_TRUE(c);
  EXPECT_EQ(c->columns, (Checkpoint::Sizes{{"t", 1},
                                           {"q", 3},
                                           {"v", 3},
                                           {"multipliers", 1},
                                           {"energy", 1},
                                           {"balance", 1},
                                           {"residual.position", 1},
                                           {"residual.velocity", 1}}));
  EXPECT_EQ(c->steps, 10);
  EXPECT_EQ(c->records, 4);  // not step 10
  EXPECT_EQ(std::filesystem::file_size(scratch.file() + ".records"), 32U + 4U * 12U * sizeof(double));
  for (const OptionRow& row : option_table()) {
    const auto named = [&](const auto& each) { return each.first == flag_of(row); };
    EXPECT_EQ(std::any_of(c->run.begin(), c->run.end(), named), row.on_resume == OnResume::same) << row.name;
  }
}

// Counts are believed no further than the file reaches.
TEST(CheckpointFile, ThatIsDamagedIsRefusedHoweverItIsCut) {
  const Scratch scratch;
  Options o = fixed_steps(10, 3);
  o.checkpoint = scratch.file();
  const Model model = shipped("skate");
  (void)simulate(model, o);
  o.resume = true;
  std::ifstream in(scratch.file(), std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  const auto refused = [&](const std::string& bytes) {
    std::ofstream(scratch.file(), std::ios::binary) << bytes;
    return refusal(model, o).find("damaged") != std::string::npos;
  };
  for (std::size_t size = 0; size < good.size(); size += 1 + good.size() / 40)
    EXPECT_TRUE(refused(good.substr(0, size))) << size;
  EXPECT_TRUE(refused(good + "12345678"));
  // Counts are not believed, either, when the lengths and the digest were made to fit them.
  for (const char* number : {"99999999999999999999", "-1", "1e300", "4611686018427387904", "\"x\"", "0", "1"}) {
    std::string bad = good.substr(0, good.size() - sizeof(std::uint64_t));
    const std::size_t at = bad.find("[\"stepper\",") + 11;
    const std::size_t before = bad.size();
    bad.replace(at, bad.find(']', at) - at, number);
    std::uint64_t lengths[2];
    std::memcpy(lengths, bad.data() + 8, sizeof lengths);
    for (std::uint64_t& length : lengths) length += bad.size() - before;
    std::memcpy(bad.data() + 8, lengths, sizeof lengths);
    const std::uint64_t sum = digest(bad);
    bad.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    EXPECT_TRUE(refused(bad)) << number;
  }
}

// The table has each field once.
TEST(OptionTable, NamesEveryFieldOnce) {
  std::vector<std::string> names;
  for (const OptionRow& row : option_table()) {
    names.push_back(flag_of(row));
    Options changed;
    const std::stop_source stop;
    std::visit(
        [&](auto field) {
          using T = std::decay_t<decltype(changed.*field)>;
          if constexpr (std::is_same_v<T, bool>)
            changed.*field = !(changed.*field);
          else if constexpr (std::is_same_v<T, std::string> || is_choice<T>)
            changed.*field = "x";
          else if constexpr (std::is_same_v<T, std::vector<std::string>>)
            changed.*field = {"x"};
          else if constexpr (std::is_same_v<T, std::function<void(const Progress&)>>)
            changed.*field = [](const Progress&) {};
          else if constexpr (std::is_same_v<T, std::function<void(const std::string&)>>)
            changed.*field = [](const std::string&) {};
          else if constexpr (std::is_same_v<T, std::stop_token>)
            changed.*field = stop.get_token();
          else if constexpr (std::is_same_v<T, std::vector<double>>)
            changed.*field = {1.0};
          else if constexpr (std::is_same_v<T, rattleback::Values>)
            changed.*field = {{"x", 1.0}};
          else if constexpr (std::is_same_v<T, std::function<Go(const StepView&)>>)
            changed.*field = [](const StepView&) { return Go::on; };
          else
            changed.*field = 17;
        },
        row.field);
    for (const OptionRow& other : option_table()) EXPECT_EQ(is_default(other, changed), &other != &row) << row.name;
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace rattleback::testing
