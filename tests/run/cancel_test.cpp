// Runs that are told to stop: soon, with all that there is, and so that a checkpoint goes on with the same bits.
#include <time.h>

#include <chrono>
#include <stop_token>
#include <thread>

#include "rattleback/analysis.hpp"
#include "run/resume_pairs.hpp"

namespace rattleback::testing {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t kForEver = std::int64_t{1} << 50;

// What `work` takes after it was told to stop, in seconds of this process: a busy machine does not count.
template <class Work>
double seconds_after_stop(std::stop_source& source, const Work& work, int milliseconds = 150) {
  const auto spent = [] {
    timespec now{};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const double begin = spent();
  double told = 0.0;
  Clock::time_point told_at;
  std::jthread other([&] {
    const Clock::time_point start = Clock::now();
    // So much work was done, or it waits for something else.
    while (spent() - begin < 1e-3 * milliseconds && Clock::now() - start < std::chrono::seconds(5))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    told = spent();
    told_at = Clock::now();
    source.request_stop();
  });
  work();
  const double ended = spent();
  const Clock::time_point ended_at = Clock::now();
  other.join();
  EXPECT_LT(ended_at - told_at, std::chrono::seconds(10));
  return ended - told;
}

void expect_whole_records(const Model& model, const Trajectory& t) {
  const Trajectory::Records& r = t.records;
  EXPECT_EQ(r.t.size(), r.rows);
  EXPECT_EQ(r.q.size(), r.rows * t.q.size());
  EXPECT_EQ(r.v.size(), r.rows * t.v.size());
  EXPECT_EQ(r.multipliers.size(), r.rows * static_cast<std::size_t>(model.multiplier_count()));
  EXPECT_EQ(r.energy.size(), r.rows);
  ASSERT_FALSE(r.t.empty());
  EXPECT_EQ(r.t.back(), t.t);  // the last state is recorded
}

Options endless(const std::string& method, double step) {
  Options o;
  o.method = method;
  o.step = step;
  o.steps = kForEver;
  o.every = kForEver;  // nothing but the request ends a batch
  return o;
}

TEST(Stop, IsObeyedSoonWhateverEveryIs) {
  struct Case {
    const char* system;
    const char* method;
    const char* native;
  };
  for (const Case& c : {Case{"skate", "", "off"}, Case{"skate", "", "auto"}, Case{"contact-oscillator", "", "auto"},
                        Case{"skate", "ode", ""}, Case{"skate", "index1", ""}, Case{"pendulum", "rattle", "off"},
                        Case{"friction-on-cubic", "", "off"}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", c.system, c.method, c.native));
    const Model model = shipped(c.system);
    std::stop_source source;
    Options o = endless(c.method, 0.01);
    o.native = c.native;
    o.stop = source.get_token();
    Trajectory t;
    EXPECT_LT(seconds_after_stop(source, [&] { t = simulate(model, o); }), 0.5);
    EXPECT_EQ(t.status, Status::cancelled);
    EXPECT_EQ(t.message, fmt::format("cancelled at t = {:.10g} (step {}): {} steps were kept", t.t, t.steps, t.steps));
    EXPECT_EQ(t.records.rows, 2U);
    EXPECT_EQ(t.records.t.back(), t.t);
    EXPECT_TRUE(model.kind != Kind::mechanical || t.energy);
  }
}

TEST(Stop, IsObeyedInsideOneOutputInterval) {
  const Model model = shipped("skate");
  for (const char* method : {"ode", "index1", "baumgarte"}) {
    std::stop_source source;
    Options o = endless(method, 1e6);
    o.rtol = 1e-12;
    o.stop = source.get_token();
    Trajectory t;
    EXPECT_LT(seconds_after_stop(source, [&] { t = simulate(model, o); }), 0.5) << method;
    EXPECT_EQ(t.status, Status::cancelled) << method << t.message;
  }
}

TEST(Stop, IsObeyedByAdaptiveStepsAndEvents) {
  const Model model = shipped("pendulum");
  for (const double adaptive : {0.0, 1e-6}) {
    std::stop_source source;
    Options o;
    o.step = 0.01;
    o.until = 1e9;
    o.every = 1000;
    o.adaptive = adaptive;
    o.event = {"x"};
    o.stop = source.get_token();
    Trajectory t;
    EXPECT_LT(seconds_after_stop(source, [&] { t = simulate(model, o); }), 0.5);
    EXPECT_EQ(t.status, Status::cancelled);
    EXPECT_EQ(t.events.empty(), t.t < 0.5919) << t.t;  // the first one is at 0.59196
    expect_whole_records(model, t);
  }
}

TEST(Stop, BeforeTheFirstStepGivesTheStart) {
  const Model model = shipped("skate");
  std::stop_source source;
  source.request_stop();
  Options o = endless("", 0.1);
  o.stop = source.get_token();
  const Trajectory t = simulate(model, o);
  EXPECT_EQ(t.status, Status::cancelled);
  EXPECT_EQ(t.steps, 0);
  EXPECT_EQ(t.records.rows, 1U);
}

TEST(Stop, AfterTheEndCancelsNothing) {
  const Model model = shipped("skate");
  std::stop_source source;
  Options o;
  o.step = 0.1;
  o.steps = 10;
  o.stop = source.get_token();
  EXPECT_EQ(simulate(model, o).status, Status::done);
}

TEST(Stop, ReachesTheAuditsThatIntegrateAgain) {
  const Model model = shipped("skate");
  for (const bool reverse : {true, false}) {
    std::stop_source source;
    Options o;
    o.step = 0.01;
    o.steps = 400'000;
    o.every = 400'000;
    o.native = "off";
    o.stop = source.get_token();
    const double alone = simulate(model, o).wall_seconds;
    (reverse ? o.audit_reverse : o.audit_order) = true;
    Trajectory t;
    EXPECT_LT(seconds_after_stop(
                  source, [&] { t = simulate(model, o); }, static_cast<int>(1300.0 * alone) + 20),
              0.5);
    if (t.status == Status::done) continue;  // the machine was quicker than before
    EXPECT_EQ(t.status, Status::cancelled);
    EXPECT_TRUE(t.message.starts_with("cancelled")) << t.message;
    EXPECT_FALSE(t.reverse_defect || t.observed_order);
  }
}

// The same bits as a run that nobody stopped, wherever the stop came.
TEST(Stop, LeavesACheckpointThatGoesOnWithTheSameBits) {
  struct Case {
    const char* system;
    double adaptive;
    double output_every;
    const char* event;
    const char* native;
  };
  for (const Case& c : {Case{"skate", 0.0, 0.0, "", "off"}, Case{"skate", 0.0, 0.0, "", "auto"},
                        Case{"pendulum", 1e-6, 0.0, "", "off"}, Case{"pendulum", 0.0, 0.07, "x", "off"}}) {
    SCOPED_TRACE(fmt::format("{} {} {} {}", c.system, c.adaptive, c.output_every, c.native));
    const Model model = shipped(c.system);
    const Scratch scratch;
    Options o;
    o.step = 0.01;
    o.adaptive = c.adaptive;
    o.output_every = c.output_every;
    o.native = c.native;
    if (*c.event != '\0') o.event = {c.event};
    o.until = c.event[0] != '\0' || c.adaptive > 0.0 ? 2000.005 : 20000.005;
    if (c.output_every == 0.0) o.every = 777;
    const Trajectory whole = simulate(model, o);
    o.checkpoint = scratch.file();
    int stops = 0;
    Trajectory t;
    for (int part = 0; part < 200; ++part, o.resume = true) {
      std::stop_source source;
      o.stop = source.get_token();
      const int wait = static_cast<int>(200.0 * whole.wall_seconds) + 5 + part % 7;
      (void)seconds_after_stop(
          source, [&] { t = simulate(model, o); }, wait);
      if (t.status == Status::done) break;
      ASSERT_EQ(t.status, Status::cancelled) << t.message;
      ++stops;
    }
    ASSERT_EQ(t.status, Status::done);
    EXPECT_GT(stops, 0);
    EXPECT_EQ(t.records.t, whole.records.t);
    EXPECT_EQ(t.records.q, whole.records.q);
    EXPECT_EQ(t.records.multipliers, whole.records.multipliers);
    EXPECT_EQ(t.records.energy, whole.records.energy);
    EXPECT_EQ(t.q, whole.q);
    EXPECT_EQ(t.v, whole.v);
    EXPECT_EQ(t.energy->max_error, whole.energy->max_error);
    EXPECT_EQ(t.newton_iterations, whole.newton_iterations);
    EXPECT_EQ(t.events.size(), whole.events.size());
  }
}

TEST(Stop, EndsStudiesSoon) {
  const Model model = shipped("contact-oscillator");
  std::stop_source source;
  OrderRequest order;
  order.methods = {{"spark-gauss", 2}};
  order.steps = {1e-6, 5e-7};
  order.until = 100.0;
  order.options.native = "off";  // a compiler is not interrupted
  order.options.stop = source.get_token();
  EXPECT_LT(seconds_after_stop(source, [&] { EXPECT_THROW((void)order_study(model, order), Cancelled); }), 0.5);

  source = {};
  CompareRequest compared;
  compared.methods = {{"spark-gauss", 2}};
  compared.steps = {1e-6};
  compared.until = 100.0;
  compared.options.native = "off";
  compared.options.stop = source.get_token();
  EXPECT_LT(seconds_after_stop(source, [&] { EXPECT_THROW((void)compare(model, compared), Cancelled); }), 0.5);

  source = {};
  EnsembleRequest many;
  many.members = members_on_grid({{"z0", -0.5, 0.5, 64}});
  many.options.step = 1e-6;
  many.options.until = 100.0;
  many.options.every = 1'000'000;
  many.options.native = "off";
  many.options.stop = source.get_token();
  EXPECT_LT(seconds_after_stop(
                source, [&] { EXPECT_THROW((void)ensemble(MemberSource{"contact-oscillator"}, many), Cancelled); }),
            0.5);

  source = {};
  SectionRequest section_request;
  section_request.where = "y'";
  section_request.crossings = 1 << 30;
  section_request.starts = members_on_grid({{"z0", -0.5, 0.5, 8}});
  section_request.threads = 2;
  section_request.options.stop = source.get_token();
  SectionReport crossings;
  EXPECT_LT(seconds_after_stop(
                source, [&] { crossings = section(MemberSource{"contact-oscillator"}, section_request); }, 1000),
            0.5);
  EXPECT_EQ(crossings.status, Status::cancelled);
  EXPECT_EQ(crossings.starts.size(), 2U);  // those that were on their way, with what they had
  EXPECT_FALSE(crossings.points.empty());
}

TEST(Stop, LeavesTheFirstMembersOfAnEnsemble) {
  std::stop_source source;
  EnsembleRequest request;
  request.members = members_on_grid({{"z0", -0.5, 0.5, 64}});
  request.options.step = 0.1;
  request.options.until = 10.0;
  request.threads = 1;
  const EnsembleReport whole = ensemble(MemberSource{"contact-oscillator"}, request);
  request.options.stop = source.get_token();
  request.progress = [&](std::size_t done, std::size_t) {
    if (done >= 20) source.request_stop();
  };
  const EnsembleReport part = ensemble(MemberSource{"contact-oscillator"}, request);
  ASSERT_EQ(part.status, Status::cancelled);
  ASSERT_GE(part.members.size(), 20U);
  ASSERT_LT(part.members.size(), 64U);
  EXPECT_EQ(part.message, fmt::format("cancelled after {} of 64 members, which are reported", part.members.size()));
  for (std::size_t i = 0; i < part.members.size(); ++i) EXPECT_EQ(part.members[i].q, whole.members[i].q);
  EXPECT_EQ(part.energy->t, whole.energy->t);
}

TEST(Records, ThatCannotFitAreRefusedAtOnce) {
  const Model model = shipped("skate");
  Options o;
  o.step = 0.1;
  o.steps = 1'000'000'000'000;
  o.every = 1;
  const Clock::time_point begin = Clock::now();
  try {
    (void)simulate(model, o);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("--every 1 makes 1e+12 records of 88 bytes, 88 TB of memory"))
        << error.what();
  }
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), 1.0);
}

}  // namespace
}  // namespace rattleback::testing
