"""Where the equations of each method are written, found from the entries of src/method/registry.cpp.

An entry says its way in, such as .way = RungeKutta{spark_gauss}. The table below says for each way which functions write down
the equations, for which kinds of system; some ways name the function themselves. A function must be defined in the file that
is named with it, so that the pages cannot point to a place where it is not.
"""

import re

import pages

METHODS = "src/method/"
# way in: (kind of system, or "" for all; file; function)
EQUATIONS = {
    "RungeKutta": [("mechanical", "runge_kutta/runge_kutta.cpp", "runge_kutta_step"), ("dae", "runge_kutta/runge_kutta_dae.cpp", "runge_kutta_step")],
    "Collocation": [("", "port_hamiltonian/port_hamiltonian_collocation.cpp", "collocation_step")],
    "EnergyMethod": [("", "gradient/energy_step.cpp", "write_energy_step"), ("mechanical", "gradient/reduced_step.cpp", "reduced_energy_step")],
    "canonical": [("", "gradient/reduced_step.cpp", "canonical_gonzalez_step"), ("", "gradient/energy_step.cpp", "write_energy_step")],
    "EulerScheme": [("", "euler/overdetermined_euler.cpp", "overdetermined_euler_step")],
    "Baseline": [("", "../bind/baselines.cpp", "")],
}


def registry():
    return (pages.ROOT / METHODS / "registry.cpp").read_text(encoding="utf-8")


def definition(function):
    """The file of src/method or src/tableau that defines a function."""
    for folder in (METHODS, "src/tableau/"):
        for file in sorted((pages.ROOT / folder).rglob("*.cpp")):
            if re.search(rf"^\w+ {function}\(", file.read_text(encoding="utf-8"), re.M):
                return str(file.relative_to(pages.ROOT))
    return None


def place(file, function=""):
    link = f"[{file}](../../{file})"
    return f"`{function}` in {link}" if function else link


class NotFound(Exception):
    pass


def checked(file, function, name):
    path = (pages.ROOT / file).resolve()
    file = str(path.relative_to(pages.ROOT.resolve()))
    if not path.exists():
        raise NotFound(f"{file}, where its equations should be, does not exist")
    text = path.read_text(encoding="utf-8")
    if function and not re.search(rf"^\w+ {function}\(", text, re.M):
        raise NotFound(f"{file} does not define {function}, where its equations should be")
    if not function and name not in text:
        raise NotFound(f"{file}, where its equations should be, does not mention it")
    return place(file, function)


def first_name(arguments):
    """The function that a way names first: {spark_gauss}, {.step = cortes_martinez_step, ...}."""
    return re.match(r"\{(?:\.\w+ = )?(\w+)", arguments)[1]


def defined(function):
    file = definition(function)
    if not file:
        raise NotFound(f"nothing defines {function}, which src/method/registry.cpp names")
    return place(file, function)


def equations(name, info):
    """The row of the page: functions and files. Throws NotFound with what is wrong."""
    entry = re.search(rf'\.name = "{name}".*?\.way =\s*(\w+)(.*?)\}}\);\n', registry(), re.S)
    if not entry:
        raise NotFound("src/method/registry.cpp does not show where its equations are; see method_sources.py")
    how, arguments = entry.groups()
    if how in ("OwnEquations", "UnderlyingOde"):
        return defined(first_name(arguments))
    if how == "EnergyMethod" and "Frame::canonical" in arguments:
        how = "canonical"
    if how not in EQUATIONS:
        raise NotFound(f"method_sources.py does not know where the equations of a method with the way {how} are")
    places = [
        checked(METHODS + file, function, name) + (f" ({kind})" if kind else "")
        for kind, file, function in EQUATIONS[how]
        if not kind or kind in info["kinds"]
    ]
    if how == "EnergyMethod" and "port-hamiltonian" in info["kinds"]:
        function = re.search(r"\.port_hamiltonian_step =.*?(\w+_step)\b", arguments, re.S)[1]
        places.append(checked(METHODS + "port_hamiltonian/port_hamiltonian_gradient.cpp", function, name) + " (port-hamiltonian)")
    if how in ("RungeKutta", "Collocation"):
        places.append("coefficients: " + defined(first_name(arguments)))
    return "; ".join(places)
