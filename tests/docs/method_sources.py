"""Where the equations of each method are written, found from the lines of src/method/registry.cpp.

A method is registered by a call such as rk("spark-gauss", spark_gauss, ...) or as an entry with a .step. The table below
says for each kind of registration which functions write down the equations, for which kinds of system. A function must be
defined in the file that is named with it, so that the pages cannot point to a place where it is not.
"""

import re

import pages

METHODS = "src/method/"
# registration: (kind of system, or "" for all; file; function)
EQUATIONS = {
    "rk": [("mechanical", "runge_kutta/runge_kutta.cpp", "runge_kutta_step"), ("dae", "runge_kutta/runge_kutta_dae.cpp", "runge_kutta_step")],
    "collocation": [("", "port_hamiltonian/port_hamiltonian_collocation.cpp", "collocation_step")],
    "energy": [("", "gradient/energy_step.cpp", "write_energy_step"), ("mechanical", "gradient/reduced_step.cpp", "reduced_energy_step")],
    "canonical": [("", "gradient/reduced_step.cpp", "canonical_gonzalez_step"), ("", "gradient/energy_step.cpp", "write_energy_step")],
    "euler": [("", "euler/overdetermined_euler.cpp", "overdetermined_euler_step")],
    "baseline": [("", "../bind/baselines.cpp", "")],
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


def of_entry(text, name):
    """For an entry that is written out: the function that its .step or .explicit_step is set to."""
    found = re.search(rf'\.name = "{name}".*?\.(?:explicit_)?step = (\w+)', text, re.S)
    file = definition(found[1]) if found else None
    if not file:
        raise NotFound("src/method/registry.cpp does not show where its equations are; see method_sources.py")
    return place(file, found[1])


def equations(name, info):
    """The row of the page: functions and files. Throws NotFound with what is wrong."""
    text = registry()
    call = re.search(rf'\b(\w+)\("{name}", (.*?)\);\n', text, re.S)
    if not call:
        return of_entry(text, name)
    how, arguments = call.groups()
    if how == "energy" and "Frame::canonical" in arguments:
        how = "canonical"
    if how not in EQUATIONS:
        raise NotFound(f"method_sources.py does not know where the equations of a method registered with {how}() are")
    places = [
        checked(METHODS + file, function, name) + (f" ({kind})" if kind else "")
        for kind, file, function in EQUATIONS[how]
        if not kind or kind in info["kinds"]
    ]
    if how == "energy" and "port-hamiltonian" in info["kinds"]:  # the next line that says how
        function = re.search(r"on_port_hamiltonian\(.*?(\w+_step)", text[call.end() :])[1]
        places.append(checked(METHODS + "port_hamiltonian/port_hamiltonian_gradient.cpp", function, name) + " (port-hamiltonian)")
    if how in ("rk", "collocation"):
        function = re.match(r"\w+", arguments)[0]
        file = definition(function)
        if not file:
            raise NotFound(f"nothing defines {function}, which src/method/registry.cpp names")
        places.append("coefficients: " + place(file, function))
    return "; ".join(places)
