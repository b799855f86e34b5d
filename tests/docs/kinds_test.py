#!/usr/bin/env python3
"""Nobody asks a system for its kind: a kind is a class (System::visit, System::as), an entry in a table (KindFacts,
KindRules), or a case of a switch without default, which the compiler checks. What follows is all that is left.

A line that tests a kind elsewhere goes wrong for the next kind, and nothing tells its author."""

import re

import pages

# Lines that test one kind, by file, where that kind itself is the topic.
LEFT = {
    "src/audit/check.cpp": 1,                     # an odae with families is not looked at
    "src/model/build.cpp": 2,                     # port-Hamiltonian systems: single states, and their structure
    "src/model/kinds/interconnection.cpp": 1,     # what can be a part
    "src/system/system.cpp": 1,                   # dae() of a skew-gradient system
}
OTHER_KINDS = {"src/engine/build/cache.cpp"}      # an enum of its own
NAMES = "mechanical|dae|odae|skew_gradient|port_hamiltonian|hamiltonian|ode"
TEST = re.compile(rf"\bis_({NAMES})\(|[=!]= *Kind::|(?<!:)\bKind::\w+ *[=!]=|\bhas_states\(|"
                  r"(get_if|holds_alternative)<\w*Kind>")
# Of a switch over Kind, whose cases are all written out.
SWITCH = re.compile(r"^( *)switch \([^\n]*\bkind(?:\(\))?\) \{\n(.*?)^\1\}", re.M | re.S)


def tests_of(text):
    return [n for n, line in enumerate(text.split("\n"), 1) if TEST.search(line.split("//")[0])]


def switches_with_default(text):
    for found in SWITCH.finditer(text):
        if "case Kind::" in found[2] and re.search(r"\bdefault:", found[2]):
            yield text.count("\n", 0, found.start()) + 1


def main():
    faults = pages.Faults()
    count = 0
    for folder in ("src", "cli"):
        for path in sorted((pages.ROOT / folder).rglob("*")):
            name = pages.name_of(path)
            if path.suffix not in (".hpp", ".cpp") or name in OTHER_KINDS:
                continue
            text = path.read_text(encoding="utf-8")
            lines = tests_of(text)
            count += len(lines)
            if len(lines) != LEFT.get(name, 0):
                faults.add(name, f"{len(lines)} lines test a kind of system ({', '.join(map(str, lines))}), and "
                                 f"{LEFT.get(name, 0)} are known here. Use System::as or visit, or an entry of KindFacts "
                                 "(docs/developer/architecture.md, \"Five kinds of system\")")
            for line in switches_with_default(text):
                faults.add(f"{name}:{line}", "a switch over kinds with a default: a kind that is forgotten would compile")
    header = (pages.ROOT / "include/rattleback/model.hpp").read_text(encoding="utf-8")
    kinds = re.findall(r"\w+", re.search(r"enum class Kind \{([^}]*)\}", header)[1])
    if re.findall(r"Kind::(\w+)", re.search(r"kAllKinds = \{([^}]*)\}", header)[1]) != kinds:
        faults.add("include/rattleback/model.hpp", "kAllKinds has not all values of Kind in their order")
    # The test would see some.
    planted = ["if (system.is_odae()) f();", "x = model.kind == Kind::dae;", "return Kind::odae != kind;",
               "std::get_if<DaeKind>(&k);"]
    if any(not tests_of(line) for line in planted) or tests_of("rule.kind == EnergyRule::Kind::average  // == Kind::dae"):
        faults.add("tests/docs/kinds_test.py", "a test of a kind is not seen, or something else is")
    if not list(switches_with_default("  switch (kind) {\n    case Kind::dae: return;\n    default: break;\n  }\n")):
        faults.add("tests/docs/kinds_test.py", "a default is not seen")
    faults.finish(f"{count} lines test a kind of system, each where it is the topic")


if __name__ == "__main__":
    main()
