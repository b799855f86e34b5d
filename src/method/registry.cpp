#include "method/registry.hpp"

#include <algorithm>
#include <utility>

#include "files/built_with.hpp"
#include "method/discrete/discrete_lagrange.hpp"
#include "method/port_hamiltonian/port_hamiltonian_gradient.hpp"
#include "method/runge_kutta/ode_dop853.hpp"
#include "method/runge_kutta/rk_families.hpp"

namespace rattleback {
namespace {

int two_s(int s) { return 2 * s; }
int two_s_minus_1(int s) { return 2 * s - 1; }
int two_s_minus_2(int s) { return 2 * s - 2; }
int same(int s) { return s; }
int gauss_standard(int s) { return s % 2 == 1 ? s + 1 : s; }
// Of positions when forces are nonlinear in the multipliers: errors of the multipliers at the stages enter squared.
int gauss_reaction(int s) { return s % 2 == 1 ? 2 * s : 2 * s - 2; }
int radau_ia_reaction(int s) { return std::max(1, 2 * s - 2); }
int one(int) { return 1; }
int two(int) { return 2; }
int seven(int) { return 7; }
int eight(int) { return 8; }

constexpr OrderRule kOne = {one, "1"}, kTwo = {two, "2"}, kTwoS = {two_s, "2s"}, kStageOrder = {same, "s"},
                    kTwoSMinus1 = {two_s_minus_1, "2s-1"}, kGaussStandard = {gauss_standard, "s+1 or s (even s)"},
                    kGaussReaction = {gauss_reaction, "2s or 2s-2 (even s)"},
                    kRadauIaReaction = {radau_ia_reaction, "2s-2 (s = 1: 1)"};

constexpr std::string_view kVelocityEnd = "velocity level to rounding";
constexpr std::string_view kStages = "velocity level at the stages, not at the end points";
constexpr std::string_view kBothEnd = "velocity level to rounding; holonomic ones also position level";
constexpr std::string_view kDrifts = "none: drifts off the constraint";

using F = Formulation;
using Energy = EnergyRule::Kind;
using Frame = EnergyMethod::Frame;

constexpr Kinds kMechanical = {Kind::mechanical}, kDae = {Kind::dae}, kBoth = {Kind::mechanical, Kind::dae};

// Each line of the list names what its method has; a function for each family fills in what its methods share.
class List {
 public:
  void runge_kutta(MethodEntry e) {
    if (e.info.formulations.empty() && e.info.kinds.has(Kind::mechanical))
      e.info.formulations = {F::none, F::index2, F::ggl};
    add(std::move(e));
  }

  void collocation(MethodEntry e) {
    e.info.kinds = {Kind::mechanical, Kind::port_hamiltonian};
    e.info.formulations = {F::index2};
    add(std::move(e));
  }

  void one_stage(MethodEntry e) {
    e.info.fixed_stages = 1;
    e.info.formulations = {F::none, F::index2};
    add(std::move(e));
  }

  void energy(MethodEntry e) {
    const auto& method = std::get<EnergyMethod>(e.way);
    e.info.energy = Claim::yes;
    e.info.constraints =
        method.frame == Frame::canonical ? "none: the velocity level in the mean of a step only" : kVelocityEnd;
    e.info.formulations = {F::none, F::index2};
    if (method.port_hamiltonian_step != nullptr)
      e.info.note = "on port-Hamiltonian systems it keeps the power balance to rounding for any Hamiltonian";
    add(std::move(e));
  }

  void euler(MethodEntry e) {
    const bool natural = std::get<EulerScheme>(e.way).natural;
    e.info.kinds = {Kind::mechanical, Kind::odae};
    e.info.fixed_stages = 1;
    e.info.order = one;
    e.info.order_text = natural ? "1 or 0" : "1";
    e.info.constraints = "position and velocity level to rounding";
    e.info.note = natural
                      ? "order 0 when r is nonlinear in psi, else 1; mechanical systems need holonomic constraints only"
                      : "--compose 2, 4, 6, 8 with its adjoint; mechanical systems need holonomic constraints only";
    add(std::move(e));
  }

  void baseline(MethodEntry e) {
    if (!kWithSundials) {
      left_out.push_back(e.info.name);
      return;
    }
    e.info.kinds = kMechanical;
    e.info.fixed_stages = 1;
    e.info.adaptive = true;
    add(std::move(e));
  }

  void underlying_ode(MethodEntry e) {
    e.info.kinds = kMechanical;
    e.info.fixed_stages = 12;
    e.info.order = eight;
    e.info.order_text = "8";
    add(std::move(e));
  }

  std::vector<MethodEntry> entries;
  std::vector<std::string_view> left_out;

 private:
  void add(MethodEntry e) {
    e.info.default_stages = e.info.fixed_stages != 0 ? e.info.fixed_stages : std::max(e.info.min_stages, 2);
    entries.push_back(std::move(e));
  }
};

void add_runge_kutta(List& list) {
  list.runge_kutta({.info = {.name = "spark-lobatto-ab",
                             .kinds = kMechanical,
                             .min_stages = 2,
                             .order = two_s_minus_2,
                             .order_text = "2s-2",
                             .symmetric = Claim::yes,
                             .constraints = kBothEnd,
                             .source = "Jay 2009, 7.5; Hilden 2009, 2.5.3",
                             .references = {"Jay2009", "Hilden2009", "Jay1998", "ModinVerdier2020"},
                             .formulations = {F::index3, F::index2, F::ggl}},
                    .way = RungeKutta{spark_lobatto_ab}});
  list.runge_kutta({.info = {.name = "spark-lobatto-abd",
                             .kinds = kMechanical,
                             .min_stages = 2,
                             .order = two_s_minus_2,
                             .order_text = "2s-2",
                             .symmetric = Claim::yes,
                             .constraints = kBothEnd,
                             .source = "Jay 2009, 7.6",
                             .references = {"Jay2009", "Jay1998", "ModinVerdier2020"},
                             .formulations = {F::index3, F::index2, F::ggl}},
                    .way = RungeKutta{spark_lobatto_abd}});
  list.runge_kutta(
      {.info = {.name = "spark-lobatto-ab-modified",
                .kinds = kMechanical,
                .min_stages = 2,
                .fixed_stages = 2,
                .order = two,
                .order_text = "2",
                .symmetric = Claim::conditional,
                .constraints = kVelocityEnd,
                .source = "Jay 2009, 8.4",
                .references = {"Jay2009", "ModinVerdier2020"},
                .note = "order 2 and symmetric when L_v = M v with constant M; order 1 and not symmetric otherwise",
                .formulations = {F::none, F::index2}},
       .way = RungeKutta{.scheme = spark_lobatto_ab_modified, .uneven_multipliers = true}});
  list.runge_kutta(
      {.info = {.name = "prk-lobatto",
                .aliases = {"rattle"},
                .alias_stages = 2,
                .kinds = kMechanical,
                .min_stages = 2,
                .order = two_s_minus_2,
                .order_text = "2s-2",
                .symmetric = Claim::yes,
                .constraints = kBothEnd,
                .source = "Symank 2025, 6.2; Jay 1996",
                .references = {"Symank2025", "Jay1996", "HLW2006"},
                .note = "needs holonomic constraints; with two stages it is RATTLE, which is also its alias",
                .formulations = {F::index3},
                .needs_holonomic = true},
       .way = RungeKutta{prk_lobatto}});
  list.runge_kutta({.info = {.name = "prk-murua",
                             .kinds = kMechanical,
                             .order = two_s,
                             .order_text = "2s",
                             .symmetric = Claim::yes,
                             .constraints = kBothEnd,
                             .source = "Symank 2025, 6.3; Murua 1997",
                             .references = {"Symank2025", "Murua1997", "GearGuptaLeimkuhler1985"},
                             .note = "with --formulation index2 the positions drift",
                             .formulations = {F::ggl, F::index2}},
                    .way = RungeKutta{prk_murua}});
  list.runge_kutta({.info = {.name = "spark-gauss",
                             .kinds = kMechanical,
                             .order = two_s,
                             .order_text = "2s",
                             .symmetric = Claim::yes,
                             .constraints = kVelocityEnd,
                             .source = "Jay 2009, 7.3, 7.4",
                             .references = {"Jay2009", "HLW2006", "ModinVerdier2020"}},
                    .way = RungeKutta{spark_gauss}});
  list.runge_kutta({.info = {.name = "spark-euler-1",
                             .kinds = kMechanical,
                             .fixed_stages = 1,
                             .order = one,
                             .order_text = "1",
                             .constraints = kVelocityEnd,
                             .source = "Jay 2009, 7.1",
                             .references = {"Jay2009"}},
                    .way = RungeKutta{spark_euler_1}});
  list.runge_kutta({.info = {.name = "spark-euler-2",
                             .kinds = kMechanical,
                             .fixed_stages = 1,
                             .order = one,
                             .order_text = "1",
                             .constraints = kVelocityEnd,
                             .source = "Jay 2009, 7.2",
                             .references = {"Jay2009"}},
                    .way = RungeKutta{spark_euler_2}});
  list.runge_kutta({.info = {.name = "spark-lobatto",
                             .kinds = kDae,
                             .min_stages = 2,
                             .order = two_s_minus_2,
                             .order_text = "2s-2",
                             .symmetric = Claim::conditional,
                             .constraints = "constraint to rounding",
                             .source = "Hilden 2009, 2.5",
                             .references = {"Hilden2009", "Jay1998"},
                             .note = "symmetric when the parts f3 and f4 are zero"},
                    .way = RungeKutta{.scheme = spark_lobatto, .first_part_free = true}});
  list.runge_kutta({.info = {.name = "srk-gauss",
                             .kinds = kBoth,
                             .order = two_s,
                             .order_text = "2s",
                             .symmetric = Claim::yes,
                             .constraints = kVelocityEnd,
                             .source = "Hilden 2009, 2.6",
                             .references = {"Hilden2009", "Jay2006", "ModinVerdier2020"}},
                    .way = RungeKutta{srk_gauss}});
  list.runge_kutta({.info = {.name = "srk-radau-ia",
                             .kinds = kBoth,
                             .min_stages = 2,
                             .order = two_s_minus_1,
                             .order_text = "2s-1",
                             .constraints = kVelocityEnd,
                             .source = "Hilden 2009, 2.6",
                             .references = {"Hilden2009", "Jay2006"}},
                    .way = RungeKutta{srk_radau_ia}});
  // The constraint holds at the stages. What is off at the ends of steps is normal to it, and positions do not see it.
  list.runge_kutta({.info = {.name = "rk-gauss",
                             .kinds = kBoth,
                             .order = gauss_standard,
                             .order_text = "s+1 or s (even s)",
                             .orders = {{OrderCase::unconstrained, kTwoS, kTwoS},
                                        {OrderCase::velocity, kTwoS, kGaussStandard},
                                        {OrderCase::reaction, kGaussReaction, kGaussStandard}},
                             .symmetric = Claim::yes,
                             .constraints = kStages,
                             .source = "Hilden 2009, 2.4, table 2.1",
                             .references = {"Hilden2009", "HairerWanner1996"},
                             .off_at_ends = true},
                    .way = RungeKutta{rk_gauss}});
  list.runge_kutta({.info = {.name = "rk-radau-ia",
                             .kinds = kBoth,
                             .order = same,
                             .order_text = "s",
                             .orders = {{OrderCase::unconstrained, kTwoSMinus1, kTwoSMinus1},
                                        {OrderCase::velocity, kTwoSMinus1, kStageOrder},
                                        {OrderCase::reaction, kRadauIaReaction, kStageOrder}},
                             .constraints = kStages,
                             .source = "Hilden 2009, 2.4, table 2.1",
                             .references = {"Hilden2009", "HairerWanner1996"},
                             .off_at_ends = true},
                    .way = RungeKutta{rk_radau_ia}});
  list.runge_kutta({.info = {.name = "rk-radau-iia",
                             .kinds = kBoth,
                             .order = two_s_minus_1,
                             .order_text = "2s-1",
                             .constraints = kVelocityEnd,
                             .source = "Hilden 2009, 2.4, table 2.1",
                             .references = {"Hilden2009", "HairerWanner1996"}},
                    .way = RungeKutta{rk_radau_iia}});
  list.runge_kutta({.info = {.name = "rk-lobatto-iiia",
                             .kinds = kBoth,
                             .min_stages = 2,
                             .order = two_s_minus_2,
                             .order_text = "2s-2",
                             .symmetric = Claim::yes,
                             .constraints = kVelocityEnd,
                             .source = "Hilden 2009, 2.4, table 2.1",
                             .references = {"Hilden2009", "HairerWanner1996"},
                             .note = "carries the last stage's multiplier to the next step"},
                    .way = RungeKutta{rk_lobatto_iiia}});
  list.runge_kutta({.info = {.name = "rk-lobatto-iiic",
                             .kinds = kBoth,
                             .min_stages = 2,
                             .order = two_s_minus_2,
                             .order_text = "2s-2",
                             .constraints = kVelocityEnd,
                             .source = "Hilden 2009, 2.4, table 2.1; Symank 2025, 5",
                             .references = {"Hilden2009", "HairerWanner1996", "Symank2025"}},
                    .way = RungeKutta{rk_lobatto_iiic}});
}

void add_collocation(List& list) {
  list.collocation(
      {.info = {.name = "collocation-gauss",
                .order = two_s,
                .order_text = "2s",
                .orders = {{OrderCase::velocity, kTwoS, kGaussStandard},
                           {OrderCase::reaction, kGaussReaction, kGaussStandard},
                           {OrderCase::dae, kGaussStandard, kGaussStandard}},
                .symmetric = Claim::yes,
                .energy = Claim::conditional,
                .constraints = kStages,
                .source = "Symank 2025, 5.3, 7.2",
                .references = {"Symank2025", "MehrmannMorandin2019"},
                .note = "keeps the power balance to rounding when H is quadratic and free of t, E constant; its own "
                        "algebraic states have a lower order than those that are reported",
                .off_at_ends = true},
       .way = Collocation{gauss}});
  list.collocation({.info = {.name = "collocation-lobatto-iiic",
                             .min_stages = 2,
                             .order = two_s_minus_2,
                             .order_text = "2s-2",
                             .constraints = kVelocityEnd,
                             .source = "Symank 2025, 5.3, 7.2",
                             .references = {"Symank2025"},
                             .note = "damps fast motions; loses energy"},
                    .way = Collocation{lobatto_iiic}});
}

void add_discrete(List& list) {
  list.one_stage(
      {.info =
           {.name = "mclachlan-perlmutter",
            .aliases = {"si-dla"},
            .kinds = kMechanical,
            .order = two,
            .order_text = "2",
            .symmetric = Claim::conditional,
            .constraints = kVelocityEnd,
            .source = "McLachlan and Perlmutter 2006; Hilden 2009, 3.3, 4.3",
            .references = {"McLachlanPerlmutter2006", "Jay2009", "Hilden2009", "Celledoni2016", "ModinVerdier2020"},
            .note =
                "order 2 and symmetric for L = T(v) - U(q) with constant mass; order 1 and not symmetric otherwise"},
       .way = OwnEquations{mclachlan_perlmutter_step}});
  list.one_stage(
      {.info = {.name = "cortes-martinez",
                .aliases = {"i-dla"},
                .kinds = kMechanical,
                .order = two,
                .order_text = "2 (positions)",
                .orders = {{OrderCase::unconstrained, kTwo, kOne},
                           {OrderCase::velocity, kTwo, kOne},
                           {OrderCase::reaction, kTwo, kOne}},
                .symmetric = Claim::conditional,
                .constraints = "velocity level at the midpoints, not at the end points",
                .source = "Cortes and Martinez 2001; Hilden 2009, 3.2",
                .references = {"CortesMartinez2001", "Hilden2009", "ModinVerdier2020"},
                .note = "a two-step method, reversed by swapping its two positions; its velocities (q_k - q_{k-1})/h "
                        "are first-order values; order 1 and not symmetric when a constraint is nonlinear in v"},
       .way = OwnEquations{.step = cortes_martinez_step, .first_step = cortes_martinez_start}});
}

void add_energy(List& list) {
  constexpr Kinds with_skew = {Kind::mechanical, Kind::skew_gradient},
                  with_all = {Kind::mechanical, Kind::skew_gradient, Kind::port_hamiltonian};
  list.energy({.info = {.name = "dg-gonzalez",
                        .kinds = with_all,
                        .fixed_stages = 1,
                        .order = two,
                        .order_text = "2",
                        .symmetric = Claim::yes,
                        .source = "Gonzalez 1996; Celledoni et al., 3.1, 3.2",
                        .references = {"Gonzalez1996", "Celledoni2016"}},
               .way = EnergyMethod{.kind = Energy::gonzalez, .port_hamiltonian_step = gonzalez_step}});
  list.energy({.info = {.name = "dg-avf",
                        .kinds = with_all,
                        .fixed_stages = 1,
                        .order = two,
                        .order_text = "2",
                        .symmetric = Claim::yes,
                        .source = "Harten et al. 1983; Celledoni et al., 3.1, 3.2",
                        .references = {"HartenLaxVanLeer1983", "Celledoni2016", "CohenHairer2011"}},
               .way = EnergyMethod{.kind = Energy::collocation,
                                   .port_hamiltonian_step = [](const PortHamiltonian& f) { return avf_step(f); }}});
  list.energy({.info = {.name = "dg-itoh-abe",
                        .kinds = with_skew,
                        .fixed_stages = 1,
                        .order = one,
                        .order_text = "1",
                        .source = "Itoh and Abe 1988; Celledoni et al., 3.1, 3.2",
                        .references = {"ItohAbe1988", "Celledoni2016"}},
               .way = EnergyMethod{.kind = Energy::coordinate}});
  list.energy({.info = {.name = "avf-collocation",
                        .kinds = with_skew,
                        .order = two_s,
                        .order_text = "2s",
                        .symmetric = Claim::yes,
                        .source = "Cohen and Hairer 2011; Hairer 2010",
                        .references = {"CohenHairer2011", "Hairer2010", "Celledoni2016"}},
               .way = EnergyMethod{.kind = Energy::collocation}});
  list.energy({.info = {.name = "gonzalez-r",
                        .kinds = kMechanical,
                        .fixed_stages = 1,
                        .order = two,
                        .order_text = "2",
                        .symmetric = Claim::yes,
                        .source = "Celledoni et al., 3.3",
                        .references = {"Celledoni2016", "Gonzalez1996"},
                        .note = "the same step as dg-gonzalez on a mechanical system"},
               .way = EnergyMethod{.kind = Energy::gonzalez}});
  list.energy({.info = {.name = "gonzalez-r-fd",
                        .kinds = kMechanical,
                        .fixed_stages = 1,
                        .order = two,
                        .order_text = "2",
                        .symmetric = Claim::yes,
                        .source = "Celledoni et al., remark 3.5",
                        .references = {"Celledoni2016", "Gonzalez1996"},
                        .note = "derivatives of the basis are central differences with increment h"},
               .way = EnergyMethod{.kind = Energy::gonzalez, .frame = Frame::differences}});
  list.energy({.info = {.name = "gonzalez-f",
                        .kinds = kMechanical,
                        .fixed_stages = 1,
                        .order = two,
                        .order_text = "2",
                        .symmetric = Claim::yes,
                        .source = "Celledoni et al., (15)",
                        .references = {"Celledoni2016", "Gonzalez1996"},
                        .off_at_ends = true},
               .way = EnergyMethod{.kind = Energy::gonzalez, .frame = Frame::canonical}});
}

void add_euler(List& list) {
  list.euler({.info = {.name = "euler-natural", .source = "Jay and Simeon, (3.2)", .references = {"JaySimeon"}},
              .way = EulerScheme{.natural = true, .conjugate = false}});
  list.euler({.info = {.name = "euler-true", .source = "Jay and Simeon, (3.5)", .references = {"JaySimeon", "HLW2006"}},
              .way = EulerScheme{.natural = false, .conjugate = false}});
  list.euler(
      {.info = {.name = "euler-conjugate-natural", .source = "Jay and Simeon, (3.7)", .references = {"JaySimeon"}},
       .way = EulerScheme{.natural = true, .conjugate = true}});
  list.euler({.info = {.name = "euler-conjugate-true", .source = "Jay and Simeon, (3.8)", .references = {"JaySimeon"}},
              .way = EulerScheme{.natural = false, .conjugate = true}});
  list.euler({.info = {.name = "euler-explicit", .source = "Jay and Simeon, section 1", .references = {"JaySimeon"}},
              .way = EulerScheme{.mix = EulerScheme::Mix::explicit_euler}});
  list.euler({.info = {.name = "euler-implicit", .source = "Jay and Simeon, section 1", .references = {"JaySimeon"}},
              .way = EulerScheme{.mix = EulerScheme::Mix::implicit_euler}});
}

// What users would take otherwise.
void add_baselines(List& list) {
  constexpr std::string_view shorter = "a shorter step of its own";
  list.baseline({.info = {.name = "ode",
                          .order_text = "5(4), adaptive",
                          .constraints = kDrifts,
                          .source = "SUNDIALS ARKODE, Dormand-Prince 5(4)",
                          .references = {"DormandPrince1980", "Sundials2005", "Hilden2009"},
                          .note = "baseline: multiplier eliminated, steps chosen by --rtol and --atol",
                          .dense = shorter},
                 .way = Baseline::ode});
  list.baseline({.info = {.name = "index1",
                          .order_text = "1 to 5, adaptive",
                          .constraints = kDrifts,
                          .source = "SUNDIALS IDA, BDF on the differentiated constraint",
                          .references = {"Sundials2005", "Hilden2009"},
                          .note = "baseline: steps chosen by --rtol and --atol",
                          .dense = "the polynomial of IDA's step"},
                 .way = Baseline::index1});
  list.baseline({.info = {.name = "baumgarte",
                          .order_text = "5(4), adaptive",
                          .constraints = "none: errors are fed back and stay near the tolerances",
                          .source = "Baumgarte 1972; SUNDIALS ARKODE, Dormand-Prince 5(4)",
                          .references = {"Baumgarte1972", "DormandPrince1980", "Sundials2005"},
                          .note = "baseline: steps chosen by --rtol and --atol, feedback by --gain",
                          .dense = shorter},
                 .way = Baseline::baumgarte});
  list.underlying_ode(
      {.info =
           {.name = "ode-dop853",
            .constraints = kDrifts,
            .source = "Prince and Dormand 1981; Hairer, Norsett, Wanner 1993, II.5, II.10",
            .references = {"PrinceDormand1981", "HairerNorsettWanner1993"},
            .note =
                "baseline: multiplier eliminated; with --adaptive its own estimates of order 5 and 3 choose the steps",
            .dense = "its own polynomial, with four more stages",
            .dense_order = seven,
            .dense_order_text = "7"},
       .way = UnderlyingOde{ode_dop853_step}});
  list.underlying_ode(
      {.info = {.name = "projected-dop853",
                .constraints = kBothEnd,
                .source = "Hairer and Wanner 1996, VII.2; Prince and Dormand 1981",
                .references = {"HairerWanner1996", "PrinceDormand1981"},
                .note = "the end of each step is put back onto the constraints; fast over short times, energy drifts"},
       .way = UnderlyingOde{projected_dop853_step}});
}

}  // namespace

namespace {
const List& all() {
  static const List list = [] {
    List made;
    for (const auto add : {add_runge_kutta, add_collocation, add_discrete, add_energy, add_euler, add_baselines})
      add(made);
    return made;
  }();
  return list;
}
}  // namespace

std::span<const MethodEntry> registry() { return all().entries; }

std::span<const std::string_view> left_out_methods() { return all().left_out; }

}  // namespace rattleback
