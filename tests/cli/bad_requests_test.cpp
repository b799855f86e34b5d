// Wrong requests: status 2, the message on stderr and nothing else, stdout empty, no file made or changed.
#include "cli/program.hpp"

namespace rattleback {
namespace {

// Plain pointers: a hundred lists of strings take long to compile.
struct Request {
  std::vector<const char*> words;
  const char* message;  // all of stderr but the last line feed
};

void PrintTo(const Request& request, std::ostream* out) {
  *out << "rattleback";
  for (const char* word : request.words) *out << " '" << word << "'";
}

class BadRequest : public Program, public testing::WithParamInterface<Request> {};

TEST_P(BadRequest, IsRefusedWithAMessageAndNothingElse) {
  write("bead.toml", kBead);
  write("broken.toml", "nonsense\n");
  write("no-step.toml", kBead);
  write("defined.toml",
        "coordinates = [\"x\"]\n[parameters]\nc = 1\n[define]\nk = \"c^2\"\n[lagrangian]\n"
        "kinetic = \"k*x'^2/2\"\n");
  write("midpoint.toml", "name = \"own midpoint\"\norder = 2\nA = [[\"1/2\"]]\nb = [\"1\"]\n");
  write("fixed.toml", kBead + "[run]\nmethod = \"mclachlan-perlmutter\"\nstages = 4\nstep = 0.1\nuntil = 1\n");
  write("typo.toml", "coordinates = [\"theta\"]\n[lagrangian]\nkinetic = \"thta'^2/2\"\n");
  write("inconsistent.toml", kBead + "\"y'\" = 1\n[run]\nstep = 0.1\nuntil = 1\n");
  write("rod.toml",
        "coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"y\"\n"
        "[constraints.holonomic]\nrod = \"(x^2 + y^2 - 1)/2\"\n[initial]\nx = 1\n");
  const auto ball = [](const std::string& constraint) {
    return "coordinates = [\"x\", \"y\", \"z\"]\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n"
           "[constraints.nonholonomic]\nc = \"" +
           constraint + "\"\n[initial]\ny = 1\n\"x'\" = 1\n\"z'\" = 1\n[run]\nstep = 0.1\nuntil = 1\n";
  };
  write("cone.toml", ball("z'^2 - x'^2 - y'^2"));
  write("affine.toml", ball("z' - y*x' + x"));
  write("moving.toml", ball("z' - cos(t)*y*x'"));
  std::filesystem::create_directory(folder_ / "folder.csv");
  expect_refused({GetParam().words.begin(), GetParam().words.end()}, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, BadRequest,
    testing::Values(
        Request{{"rnu"},
                "unknown verb 'rnu'. Did you mean 'run'? Verbs: run, check, order, compare, section, ensemble, "
                "reproduce, generate, methods, systems, new, schema, completion, bench"},
        Request{{"integrate", "skate"},
                "unknown verb 'integrate'. Verbs: run, check, order, compare, section, ensemble, reproduce, generate, "
                "methods, systems, new, schema, completion, bench"},
        Request{{"skate"}, "'skate' is a system, not a verb. Did you mean `rattleback run skate`?"},
        Request{{"bead.toml"}, "'bead.toml' is not a verb. Did you mean `rattleback run bead.toml`?"},
        Request{{"bench", "--qick"}, "bench has no option '--qick'. Did you mean --quick?"},
        Request{{"methods", "skate"}, "methods takes no argument, but there is 'skate'"},
        Request{{"systems", "--jsn"}, "systems has no option '--jsn'. Did you mean --json?"}));

INSTANTIATE_TEST_SUITE_P(
    Systems, BadRequest,
    testing::Values(
        Request{{"run"},
                "run needs a system: a model file, or a name that `rattleback systems` lists. Example: "
                "rattleback run chaplygin-sleigh --method spark-gauss --stages 2 --step 0.05 --output sleigh.csv"},
        Request{{"check"},
                "check needs a system: a model file, or a name that `rattleback systems` lists. Example: "
                "rattleback check rolling-disk --start \"phi'=3\""},
        Request{{"run", ""}, "the system's name is empty"},
        Request{{"run", "skate", "pendulum"}, "run takes one system, but after 'skate' there is also 'pendulum'"},
        Request{{"run", "no.toml"}, "no.toml: cannot be read: No such file or directory"},
        Request{{"run", "folder.csv"}, "folder.csv: this is a folder, not a model file"},
        Request{{"run", "broken.toml"},
                "broken.toml:1:9: not valid TOML. Error while parsing key-value pair: expected '=', saw '\\n'"},
        Request{{"run", "typo.toml"},
                "typo.toml:3:12: unknown name `thta` in the kinetic energy \"thta'^2/2\". Did you mean `theta'`? Known "
                "here: t, "
                "theta, theta'"},
        Request{{"run", "inconsistent.toml"},
                "initial state violates constraint 'slope' at velocity level: residual 1.000e+00, where rounding "
                "explains 7.1e-15. Correct the start, or pass --project to move it to the nearest consistent one"},
        Request{{"run", "rod.toml", "--step", "0.1", "--steps", "1", "--method", "spark-gauss"},
                "method 'spark-gauss' does not apply to 'rod': it keeps only the velocity level, so it takes holonomic "
                "constraints only "
                "with --formulation index2 (their positions then drift) or --formulation ggl. `rattleback check` "
                "lists the "
                "methods that do"},
        Request{{"run", "skate", "--keep", "x"},
                "--keep says what --project holds while it moves the rest, and nothing is to be moved. Add --project, "
                "or leave --keep out"},
        Request{{"run", "skate", "--project", "--keep", "z"},
                "--keep z: unknown coordinate `z` in --keep. Known here: theta, x, y"},
        Request{{"run", "skate", "--project", "--keep", "g"},
                "--keep g: `g` is a parameter, not a start value. Parameters are changed with --set"},
        Request{{"run", "skate", "--project", "--keep", "x,,y"},
                "--keep: 'x,,y' has an empty place between its commas"},
        Request{{"run", "skate", "--set", "M=1"},
                "--set M=1: unknown parameter `M`. Did you mean `m`? Parameters: I, beta, g, m"},
        Request{{"run", "skate", "--set", "m=abc"},
                "--set m=abc: unknown name `abc` in parameter `m` \"abc\". Known here: I, beta, g, m"},
        Request{{"run", "skate", "--start", "z=1"},
                "--start z=1: unknown coordinate `z` in --start. Known here: theta, x, y"},
        Request{{"run", "defined.toml", "--set", "k=2"},
                "--set k=2: `k` is a definition, not a parameter: its formula stands in [define]. Set what it is made "
                "of, or move it to [parameters]. Parameters: c"},
        Request{{"run", "skate", "--set", "m"}, "--set: 'm' is not of the form NAME=VALUE"},
        Request{{"run", "skate", "--set", "m="}, "--set: 'm=' is not of the form NAME=VALUE"},
        Request{{"run", "skate", "--start", "=1"}, "--start: '=1' is not of the form NAME=VALUE"},
        Request{{"run", "skate", "--set", "m=1", "--set", "m=2"}, "--set: 'm' is set twice"}));

INSTANTIATE_TEST_SUITE_P(
    Methods, BadRequest,
    testing::Values(
        Request{{"run", "skate", "--method", "spark-gaus"},
                "unknown method 'spark-gaus'. Did you mean 'spark-gauss'? `rattleback methods` lists all of them"},
        Request{{"run", "skate", "--method", "euler"},
                "unknown method 'euler'. Did you mean 'euler-natural'? `rattleback methods` lists all of them"},
        Request{{"run", "skate", "--method", ""}, "--method has no name; `rattleback methods` lists them"},
        Request{{"run", "skate", "--method"}, "--method needs a value: --method NAME"},
        Request{
            {"run", "skate", "--method", "spark-lobatto"},
            "method 'spark-lobatto' does not apply to 'skate': it needs a system of kind dae. `rattleback check skate` "
            "lists the methods that do"},
        Request{{"run", "skate", "--stages", "0"}, "--stages must be at least 1, found 0"},
        Request{{"run", "skate", "--stages", "-2"}, "--stages must be at least 1, found -2"},
        Request{{"run", "skate", "--stages", "2.5"}, "--stages: '2.5' is not a whole number"},
        Request{{"run", "skate", "--stages", "two"}, "--stages: 'two' is not a whole number"},
        Request{{"run", "skate", "--stages", "4000000000"}, "--stages: '4000000000' is too large"},
        Request{{"run", "skate", "--stages", "99999999999999999999"}, "--stages: '99999999999999999999' is too large"},
        Request{{"run", "skate", "--method", "spark-lobatto-ab", "--stages", "1"},
                "method 'spark-lobatto-ab' takes 2 to 20 stages (--stages S, or NAME:S in a list), found 1"},
        Request{{"run", "skate", "--method", "mclachlan-perlmutter", "--stages", "2"},
                "method 'mclachlan-perlmutter' has a fixed number of stages, 1; leave --stages out, found --stages 2"},
        Request{{"run", "skate", "--formulation", "index4"},
                "--formulation takes index3, index2 or ggl, found 'index4'"},
        Request{{"run", "skate", "--compose", "3"}, "--compose takes 2, 4, 6 or 8, found 3"},
        Request{{"run", "skate", "--compose", "0"}, "--compose takes 2, 4, 6 or 8, found 0"},
        Request{{"run", "skate", "--tableau", "bead.toml", "--method", "spark-gauss", "--stages", "2"},
                "--tableau brings its own method; leave --method out"},
        Request{{"run", "skate", "--tableau", "midpoint.toml", "--stages", "2"},
                "the tableau of midpoint.toml has 1 stage; leave --stages out, found --stages 2"},
        Request{{"run", "fixed.toml"},
                "method 'mclachlan-perlmutter' has a fixed number of stages, 1; model 'fixed' asks for 4 in [run] "
                "stages. Remove that line, or pass --stages 1"},
        Request{{"run", "skate", "--tableau", "no.toml"},
                "no.toml: cannot be read: No such file or directory. A tableau is a short TOML file"},
        Request{{"run", "skate", "--rtol", "1e-6"},
                "--rtol is for the adaptive methods ode, index1 and baumgarte; here --step sets the accuracy. Leave it "
                "out, or pass --method ode instead of spark-lobatto-ab"},
        Request{{"run", "skate", "--method", "ode", "--rtol", "0"}, "--rtol must be positive, found 0"},
        Request{{"run", "skate", "--newton-tol", "-1"},
                "--newton-tol must not be negative (0 = to rounding), found -1"}));

INSTANTIATE_TEST_SUITE_P(
    Steps, BadRequest,
    testing::Values(Request{{"run", "skate", "--step", "0"}, "--step must not be 0"},
                    Request{{"run", "skate", "--step", "0.1x"}, "--step: '0.1x' is not a number"},
                    Request{{"run", "skate", "--step", "0,1"}, "--step: '0,1' is not a number"},
                    Request{{"run", "skate", "--step", " 0.1"}, "--step: ' 0.1' is not a number"},
                    Request{{"run", "skate", "--step", ""}, "--step: '' is not a number"},
                    Request{{"run", "skate", "--step", "1e400"},
                            "--step: '1e400' is outside the range of double precision (4.9e-324 to 1.8e308)"},
                    Request{{"run", "skate", "--step", "nan"}, "--step: 'nan' is not a finite number"},
                    Request{{"run", "skate", "--step", "-inf"}, "--step: '-inf' is not a finite number"},
                    Request{{"run", "skate", "--step", "--until", "3"}, "--step needs a value: --step H"},
                    Request{{"run", "skate", "--step", "0.1", "--step", "0.2"},
                            "--step was given 2 times ('0.1' and '0.2'); give it once"},
                    Request{{"run", "skate", "--step", "-0.1", "--until", "1"},
                            "--step -0.1 never reaches --until 1 from t = 0; steps and end must have the same sign"},
                    Request{{"run", "skate", "--step", "-0.1"},
                            "--step -0.1 never reaches the model's end 100 from t = 0; steps and end must have the "
                            "same sign"},
                    Request{{"run", "skate", "--until", "-1"},
                            "--until -1 is never reached from t = 0 with the model's step 0.1. Pass --step -0.1, too, "
                            "to integrate that way"},
                    Request{{"run", "skate", "--step", "1e-300", "--until", "1"},
                            "1e+300 steps to t = 1 are too many; use a larger --step or an earlier --until"},
                    Request{{"run", "no-step.toml", "--until", "1"},
                            "model 'no-step' has no default step; pass --step H"},
                    Request{{"run", "no-step.toml", "--step", "0.1"},
                            "model 'no-step' has no default end; pass --until T or --steps N"},
                    Request{{"run", "skate", "--until", "1", "--steps", "10"},
                            "--until and --steps both say where to stop; give one of them"},
                    Request{{"run", "skate", "--steps", "-1"}, "--steps must be at least 0, found -1"},
                    Request{{"run", "skate", "--steps", "1e3"}, "--steps: '1e3' is not a whole number"},
                    Request{{"run", "skate", "--every", "0"}, "--every must be at least 1, found 0"}));

INSTANTIATE_TEST_SUITE_P(
    StepControlAndEvents, BadRequest,
    testing::Values(
        Request{{"run", "skate", "--adaptive", "0"},
                "--adaptive takes a tolerance from 1e-14 to 1, for example 1e-6, found 0"},
        Request{{"run", "skate", "--adaptive", "-1e-6"},
                "--adaptive takes a tolerance from 1e-14 to 1, for example 1e-6, found -1e-06"},
        Request{{"run", "skate", "--adaptive", "2"},
                "--adaptive takes a tolerance from 1e-14 to 1, for example 1e-6, found 2"},
        Request{{"run", "skate", "--adaptive", "small"}, "--adaptive: 'small' is not a number"},
        Request{{"run", "skate", "--controller", "pi"}, "--controller needs --adaptive TOL: a fixed step has none"},
        Request{{"run", "skate", "--adaptive", "1e-6", "--controller", "pid"},
                "--controller takes pi or reversible, found 'pid'"},
        Request{{"run", "skate", "--adaptive", "1e-6", "--steps", "10"},
                "--steps counts fixed steps, and --adaptive chooses them; give --until T"},
        Request{{"run", "skate", "--adaptive", "1e-6", "--audit", "order"},
                "--audit order repeats with h/2 and h/4, but --adaptive chooses the steps; leave one of them out"},
        Request{{"run", "skate", "--adaptive", "1e-6", "--method", "cortes-martinez"},
                "--adaptive: method 'cortes-martinez' is a two-step method, whose formula ties neighbouring steps "
                "together, so its step is fixed. Leave --adaptive out, or pass another --method"},
        Request{{"run", "skate", "--adaptive", "1e-6", "--method", "ode"},
                "--adaptive: method 'ode' chooses its own steps; set --rtol and --atol instead"},
        Request{{"run", "dae-hessenberg", "--adaptive", "1e-6", "--controller", "reversible"},
                "--controller reversible needs a mechanical system: its step density is made of velocity and "
                "acceleration. Use --controller pi"},
        Request{{"run", "no-step.toml", "--adaptive", "1e-6"},
                "model 'no-step' has no default end; pass --until T or --steps N"},
        Request{
            {"run", "skate", "--event", "thta"},
            "--event thta: unknown name `thta` in the event \"thta\". Did you mean `theta`? Known here: I, beta, g, "
            "m, t, theta, theta', x, x', y, y'"},
        Request{{"run", "skate", "--event", "x +"},
                "--event x +: expected a number, a name or `(` after `+`, found the end in the event \"x +\""},
        Request{{"run", "skate", "--event", "blade"},
                "--event blade: `blade` is a constraint, not a value in the event \"blade\". Its multiplier is "
                "lambda(blade)"},
        Request{
            {"run", "dae-hessenberg", "--event", "y1'"},
            "--event y1': `y1'` is a derivative, which a dae gives in [rhs] in the event \"y1'\". Accepted here: t, "
            "states, algebraic variables, parameters and definitions"},
        Request{{"run", "skate", "--event", "x", "--method", "index1"},
                "--event: method 'index1' chooses its own steps inside each interval and shows only the ends. Pass "
                "another --method"},
        Request{{"run", "skate", "--output-every", "-0.1"}, "--output-every takes a positive time, found -0.1"},
        Request{{"run", "skate", "--output-every", "1e-9", "--until", "1"},
                "--output-every 1e-09 makes 1e+09 records, more than 1e+08. Give a longer time"},
        Request{{"run", "skate", "--output-every", "0.1", "--every", "2"},
                "--every and --output-every both say what to record; give one of them"},
        Request{{"run", "skate", "--multiplier", "stage"},
                "--multiplier stage reports a method's own values of the algebraic states of port-Hamiltonian systems, "
                "and 'skate' has none. Leave it out"}));

INSTANTIATE_TEST_SUITE_P(
    Files, BadRequest,
    testing::Values(
        Request{{"run", "skate", "--output", "out.txt"},
                "output file 'out.txt': the extension '.txt' is not known. Use .csv or .h5"},
        Request{{"run", "skate", "--output", "out"},
                "output file 'out' has no extension, which chooses the format. Use 'out.csv' or 'out.h5'"},
        Request{{"run", "skate", "--output", "no/out.csv"},
                "output file 'no/out.csv': the folder 'no' does not exist. Make it first, or name another place"},
        Request{{"run", "skate", "--output", "folder.csv"}, "output file 'folder.csv' is a folder. Name a file in it"},
        Request{{"run", "skate", "--output", "bead.toml/out.h5"},
                "output file 'bead.toml/out.h5': 'bead.toml' is not a folder"},
        Request{{"run", "skate", "--output", ""}, "the output file has no name"},
        Request{{"run", "skate", "--checkpoint", "no/c"},
                "checkpoint 'no/c': the folder 'no' does not exist. Make it first, or name another place"},
        Request{{"run", "skate", "--resume"}, "--resume needs --checkpoint FILE: the file to continue from"},
        Request{{"run", "skate", "--checkpoint-seconds", "3"},
                "--checkpoint-seconds needs --checkpoint FILE: the file that is written so often"},
        Request{{"run", "skate", "--checkpoint", "a.csv", "--output", "./a.csv"},
                "--output and --checkpoint name the same file; give two names"},
        Request{{"run", "skate", "--checkpoint", "a.svg", "--plot", "./a.svg"},
                "--plot and --checkpoint name the same file; give two names"},
        Request{{"run", "bead.toml", "--step", "0.1", "--steps", "1", "--checkpoint", "bead.toml"},
                "--checkpoint would overwrite the model file; give another name"},
        // The place is right, but the run is refused: no file appears.
        Request{{"run", "skate", "--output", "out.csv", "--method", "spark-lobatto-ab", "--stages", "1"},
                "method 'spark-lobatto-ab' takes 2 to 20 stages (--stages S, or NAME:S in a list), found 1"}));

INSTANTIATE_TEST_SUITE_P(
    Reproduce, BadRequest,
    testing::Values(
        Request{
            {"reproduce", "H-T2.2"},
            "there is no experiment 'H-T2.2'. Did you mean `H-2.2`? `rattleback reproduce --list` names them; H, J, "
            "C, S and JS stand for all of one document, and a name that ends in .toml for a recipe of your own"},
        Request{{"reproduce", "none.toml"},
                "'none.toml' cannot be read: No such file or directory. A recipe is a TOML file"},
        Request{{"reproduce", "H-3.4", "--check", "--output", "x"}, "--check writes nothing; leave --output out"},
        Request{{"reproduce", "H-3.4", "--output", ""}, "--output needs the name of a folder"},
        Request{{"reproduce", "H-3.4", "--threads", "0"}, "--threads must be at least 1, found 0"},
        Request{{"reproduce", "H-3.4", "--steps", "3"},
                "reproduce has no option '--steps'. `rattleback reproduce --help` lists what there is"}));

INSTANTIATE_TEST_SUITE_P(
    Options, BadRequest,
    testing::Values(
        Request{{"run", "skate", "--stpe", "0.1"}, "run has no option '--stpe'. Did you mean --step?"},
        Request{{"run", "--stpe=0.1", "skate"}, "run has no option '--stpe'. Did you mean --step?"},
        Request{{"run", "skate", "-x"}, "run has no option '-x'. `rattleback run --help` lists what there is"},
        Request{{"run", "skate", "--json=yes"}, "--json takes no value, found '--json=yes'"},
        Request{{"run", "skate", "--audit", "forward"}, "--audit takes reverse, order and power, found 'forward'"},
        Request{{"run", "skate", "--audit", "reverse,"}, "--audit: 'reverse,' has an empty place between its commas"},
        Request{{"run", "skate", "--alpha", "0.5"},
                "--alpha is for the euler methods of overdetermined systems. Leave it out, or pass --method euler-true "
                "instead of spark-lobatto-ab"},
        Request{{"run", "skate", "--newton", "quasi"},
                "--newton takes simplified, found 'quasi'; left out, each step is solved in the best known way"},
        Request{{"run", "suslov", "--alpha", "0.3"},
                "--alpha is for the euler methods of overdetermined systems. Leave it out, or pass --method euler-true "
                "instead of dg-gonzalez"},
        Request{
            {"run", "odae-exponential", "--alpha", "0"},
            "--alpha 0: method 'euler-true' reaches the position constraint through h alpha r(Psi_0) and divides by "
            "alpha. Any other value will do"},
        Request{{"run", "odae-exponential", "--method", "euler-natural", "--alpha", "1"},
                "--alpha 1: method 'euler-natural' reaches the velocity constraint through h (1 - alpha) r(Psi_1) and "
                "divides by 1 - alpha. Any other value will do, except 0"},
        Request{{"run", "odae-exponential", "--alpha", "inf"}, "--alpha: 'inf' is not a finite number"},
        Request{
            {"run", "odae-exponential", "--method", "euler-natural", "--compose", "2"},
            "--compose: 'euler-natural' is inconsistent on 'odae-exponential', where the reaction is nonlinear in the "
            "multipliers (Jay and Simeon, theorem 3.1), and no composition mends that. Use --method euler-true"},
        Request{
            {"run", "odae-exponential", "--method", "srk-gauss"},
            "method 'srk-gauss' does not apply to 'odae-exponential': it needs a system of another kind: for "
            "overdetermined ones there are the euler methods. `rattleback check odae-exponential` lists the methods "
            "that do"},
        Request{
            {"run", "dae-hessenberg", "--method", "euler-true"},
            "method 'euler-true' does not apply to 'dae-hessenberg': it needs a system of kind odae, or a mechanical "
            "one with holonomic constraints. `rattleback check dae-hessenberg` lists the methods that do"},
        Request{{"run", "skate", "--method", "euler-true"},
                "method 'euler-true' does not apply to 'skate': it takes constraints at position level, and 'blade' is "
                "nonholonomic. `rattleback check skate` lists the methods that do"},
        Request{{"run", "odae-exponential", "--formulation", "ggl"},
                "method 'euler-true' keeps both levels of the constraints by itself; leave --formulation out"},
        Request{{"run", "odae-exponential", "--stages", "2"},
                "method 'euler-true' has a fixed number of stages, 1; leave --stages out, found --stages 2"},
        Request{{"run", "odae-exponential", "--start", "z1=2"},
                "initial state violates constraint 'c' at velocity level: residual 2.000e+00, where rounding "
                "explains 2.2e-13. Correct the start, or pass --project to move it to the nearest consistent one"},
        Request{
            {"run", "friction-on-cubic", "--start", "y2=9"},
            "initial state lies beyond unilateral constraint 'surface', which requires g >= 0: g = -1.000e+00. Correct "
            "the start, or pass --project to move it to the nearest consistent one"},
        Request{{"run", "skate", "--gain", "5"},
                "--gain is the feedback of method 'baumgarte'. Leave it out, or pass --method baumgarte instead of "
                "spark-lobatto-ab"},
        Request{
            {"run", "skate", "--gain", "5", "--method", "ode"},
            "--gain is the feedback of method 'baumgarte'. Leave it out, or pass --method baumgarte instead of ode"},
        Request{{"run", "skate", "--method", "baumgarte", "--gain", "-1"},
                "--gain must not be negative (0 = no feedback), found -1"},
        Request{{"run", "skate", "--method", "baumgarte", "--gain", "much"}, "--gain: 'much' is not a number"},
        Request{{"run", "skate", "--method", "baumgarte", "--stages", "2"},
                "method 'baumgarte' has a fixed number of stages, 1; leave --stages out, found --stages 2"},
        Request{{"run", "skate", "--method", "baumgarte", "--compose", "4"},
                "method 'baumgarte' chooses its own steps and cannot be composed"},
        Request{{"run", "skate", "--redundant", "drop"}, "--redundant takes refuse or minimum-norm, found 'drop'"},
        Request{{"run", "skate", "--redundant", ""}, "--redundant takes refuse or minimum-norm, found ''"},
        Request{{"run", "skate", "--multiplier", "recursion"},
                "--multiplier recursion is for prk-murua, which has one; 'spark-lobatto-ab' has not"},
        Request{{"run", "skate", "--plot-columns", "x,y"},
                "--plot-columns needs --plot FILE: the figure that has them"},
        Request{{"run", "skate", "--plot", "a.svg", "--plot-columns", "x;"},
                "--plot-columns takes columns with commas between them, panels with semicolons, and x:y for a path in "
                "the plane: "
                "--plot-columns \"theta, phi'; energy; x:y\". There is an empty place"},
        Request{{"run", "skate", "--plot", "a.gif"},
                "figure 'a.gif' has an ending that is not known. Figures are written as .svg, .pdf or .png"},
        Request{{"run", "skate", "--method", "ode", "--steps", "1", "--native", "on"},
                "--native on: this method has no step that could be compiled. Leave it out, and the steps are "
                "interpreted, with the same results"},
        Request{{"run", "skate", "--native", ""}, "--native takes auto, on or off, found ''"},
        Request{{"run", "skate", "--native", "fast"}, "--native takes auto, on or off, found 'fast'"},
        Request{{"check", "skate", "--step", "1"}, "check has no option '--step'. Did you mean --set?"},
        // Several faults at once.
        Request{{"run", "skate", "--stages", "x", "--step", "y", "--method", "z", "--output", "q.txt", "--steps", "1",
                 "--until", "2"},
                "unknown method 'z'. `rattleback methods` lists all of them\n"
                "--stages: 'x' is not a whole number\n"
                "--step: 'y' is not a number\n"
                "--until and --steps both say where to stop; give one of them\n"
                "output file 'q.txt': the extension '.txt' is not known. Use .csv or .h5"}));

INSTANTIATE_TEST_SUITE_P(
    ExactEnergy, BadRequest,
    testing::Values(
        Request{{"run", "cone.toml", "--method", "gonzalez-r"},
                "method 'gonzalez-r' does not apply to 'cone': it needs constraints that are linear in the velocities, "
                "and 'c' is not. `rattleback check` lists the methods that do"},
        Request{{"run", "cone.toml", "--method", "avf-collocation"},
                "method 'avf-collocation' does not apply to 'cone': it needs constraints that are linear in the "
                "velocities, and 'c' is not. `rattleback check` lists the methods that do"},
        Request{{"run", "affine.toml", "--method", "gonzalez-r"},
                "method 'gonzalez-r' does not apply to 'affine': it needs constraints that hold at rest (A(q) v = 0), "
                "and 'c' has a part without velocities. `rattleback check` lists the methods that do"},
        Request{{"run", "affine.toml", "--method", "avf-collocation"},
                "method 'avf-collocation' does not apply to 'affine': it needs constraints that hold at rest (A(q) v = "
                "0), and 'c' has a part without velocities. `rattleback check` lists the methods that do"},
        Request{{"run", "moving.toml", "--method", "gonzalez-r"},
                "method 'gonzalez-r' does not apply to 'moving': it needs constraints that do not depend on t, and 'c' "
                "does. `rattleback check` lists the methods that do"},
        Request{{"run", "moving.toml", "--method", "avf-collocation"},
                "method 'avf-collocation' does not apply to 'moving': it needs constraints that do not depend on t, "
                "and 'c' does. `rattleback check` lists the methods that do"},
        Request{{"run", "pendulum", "--method", "gonzalez-r"},
                "method 'gonzalez-r' does not apply to 'pendulum': it keeps only the velocity level, so it takes "
                "holonomic constraints only with --formulation index2 (their positions then drift). `rattleback check "
                "pendulum` lists the methods that do"},
        Request{{"run", "pendulum", "--method", "avf-collocation"},
                "method 'avf-collocation' does not apply to 'pendulum': it keeps only the velocity level, so it takes "
                "holonomic constraints only with --formulation index2 (their positions then drift). `rattleback check "
                "pendulum` lists the methods that do"},
        Request{{"run", "pendulum", "--method", "gonzalez-f", "--formulation", "ggl"},
                "method 'gonzalez-f' does not apply to 'pendulum': it keeps only the velocity level, so it takes "
                "holonomic constraints only with --formulation index2 (their positions then drift). `rattleback check "
                "pendulum` lists the methods that do"},
        Request{{"run", "suslov", "--method", "gonzalez-r"},
                "method 'gonzalez-r' does not apply to 'suslov': it does not take skew-gradient systems. `rattleback "
                "check suslov` lists the methods that do"},
        Request{{"run", "suslov", "--method", "mclachlan-perlmutter"},
                "method 'mclachlan-perlmutter' does not apply to 'suslov': it does not take skew-gradient systems. "
                "`rattleback check suslov` lists the methods that do"},
        Request{{"run", "dae-hessenberg", "--method", "dg-gonzalez"},
                "method 'dg-gonzalez' does not apply to 'dae-hessenberg': it needs a mechanical or a skew-gradient "
                "system. `rattleback check dae-hessenberg` lists the methods that do"},
        Request{{"run", "odae-exponential", "--method", "dg-avf"},
                "method 'dg-avf' does not apply to 'odae-exponential': it needs a system of another kind: for "
                "overdetermined ones there are the euler methods. `rattleback check odae-exponential` lists the "
                "methods that do"},
        Request{{"run", "suslov", "--method", "dg-itoh-abe", "--compose", "4"},
                "--compose needs a symmetric method, and 'dg-itoh-abe' is not symmetric on 'suslov'"},
        Request{{"run", "suslov", "--method", "dg-gonzalez", "--stages", "2"},
                "method 'dg-gonzalez' has a fixed number of stages, 1; leave --stages out, found --stages 2"}));

INSTANTIATE_TEST_SUITE_P(
    Order, BadRequest,
    testing::Values(
        Request{{"order", "skate"},
                "order needs --methods NAME[:S],... for example --methods spark-gauss:2,spark-lobatto-ab:3\n"
                "order needs --step-list H1,H2,... for example --step-list 0.1,0.05,0.025"},
        Request{{"order", "skate", "--methods", "spark-gauss", "--step-list", "0.1"},
                "--step-list has one step, but a slope needs at least two"},
        Request{{"order", "skate", "--methods", "spark-gauss:x,nope", "--step-list", "0.1,0.1,q", "--until", "0",
                 "--reference", "foo"},
                "--methods: 'spark-gauss:x' is not of the form NAME or NAME:S with S stages\n"
                "unknown method 'nope'. `rattleback methods` lists all of them\n"
                "--step-list: the step 0.1 is named twice\n"
                "--step-list: 'q' is not a number\n"
                "--until must be positive, found 0\n"
                "--reference takes exact or NAME:S:H, for example spark-gauss:6:0.01, found 'foo'"},
        Request{{"order", "skate", "--methods", "spark-gauss:2,spark-gauss:2", "--step-list", "0.1,,0.05"},
                "--methods: 'spark-gauss:2' is named twice\n--step-list: '0.1,,0.05' has an empty place between its "
                "commas"},
        Request{{"order", "no-step.toml", "--methods", "spark-gauss", "--step-list", "0.1,0.05"},
                "model 'no-step' has no default end; pass --until T"},
        Request{{"order", "skate", "--methods", "spark-gauss", "--step-list", "0.1,0.05", "--plot", "a.gif"},
                "figure 'a.gif' has an ending that is not known. Figures are written as .svg, .pdf or .png"}));

}  // namespace
}  // namespace rattleback
