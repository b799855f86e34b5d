#!/usr/bin/env python3
"""With --json, a request that is refused or stops early answers with one object that says what the text on stderr says; --quiet
leaves nothing else."""

import json
import re

import running

ESCAPING = """coordinates = ["x"]
[lagrangian]
kinetic = "x'^2/2"
potential = "-exp(x)"
[run]
method = "spark-gauss"
step = 0.01
until = 10
"""
TYPO = 'coordinates = ["theta"]\n[lagrangian]\nkinetic = "thta\'^2/2"\n'


def one_object(out):
    assert out.endswith("}\n") and out.count("\n") == 1, out
    return json.loads(out)


def refused(run, *words):
    """The object, after what holds for all of them."""
    status, out, err = run(*words, "--json")
    assert status == 2, (words, status, err)
    fault = one_object(out)
    assert fault["status"] == "refused", (words, fault)
    assert fault["message"] + "\n" == err, (words, fault, err)
    plain = run(*words)
    assert plain == (2, "", err), (words, plain)
    return fault


def check_place_and_suggestion(run):
    run.write("typo.toml", TYPO)
    fault = refused(run, "check", "typo.toml")
    assert (fault["file"], fault["line"], fault["column"]) == ("typo.toml", 3, 12), fault
    assert fault["suggestion"] == "theta'", fault
    run.write("umlaut.toml", '# \u00e4\u00f6\u00fc\nname = "\u00e4\u00f6\u00fc"; x\n')
    fault = refused(run, "run", "umlaut.toml")
    assert (fault["file"], fault["line"], fault["column"]) == ("umlaut.toml", 2, 13), fault  # characters, not bytes
    fault = refused(run, "run", "no.toml")
    assert fault["file"] == "no.toml" and "line" not in fault and "suggestion" not in fault, fault


def check_every_verb(run):
    wishes = {
        ("run", "skat"): "skate",
        ("run", "skate", "--methd", "ode"): "--method",
        ("run", "skate", "--method", "spark-gaus"): "spark-gauss",
        ("run", "skate", "--set", "betta=1"): "beta",
        ("run", "skate", "--start", "thet=1"): "theta",
        ("check", "pendulm"): "pendulum",
        ("order", "skate", "--methods", "spark-gaus", "--step-list", "0.1,0.05"): "spark-gauss",
        ("compare", "skate", "--methods", "spark-gaus", "--step", "0.1"): "spark-gauss",
        ("section", "skate", "--where", "thet", "--crossings", "1"): "theta",
        ("ensemble", "skate", "--vary", "betta=1:2:2"): "beta",
        ("reproduce", "H-41"): "H-4.1",
        ("methods", "--jsno"): "--json",
        ("systems", "--jsno"): "--json",
        ("bench", "--qick"): "--quick",
        ("rnu", "skate"): "run",
        ("skate",): "run skate",
    }
    for words, suggestion in wishes.items():
        fault = refused(run, *words)
        assert fault.get("suggestion") == suggestion, (words, fault)
        assert suggestion in fault["message"], fault
    # Several faults: all of them in the message, and the first thing to try.
    fault = refused(run, "run", "skate", "--step", "0", "--method", "spark-gaus")
    assert fault["message"].count("\n") == 1 and fault["suggestion"] == "spark-gauss", fault
    # Behind -- nothing is an option.
    assert run("run", "--", "--json")[1] == ""


def check_data_files(run):
    """Places in data: the file, its line with the header as 1, and the character where the cell begins."""
    run.write("starts.csv", "m,theta'\n1,2\n1, \u00e4b\n")
    fault = refused(run, "ensemble", "skate", "--starts", "starts.csv", "--step", "0.1", "--until", "1")
    assert (fault["file"], fault["line"], fault["column"]) == ("starts.csv", 3, 4), fault
    with_series = (running.ROOT / "models/damped-oscillator.toml").read_text(encoding="utf-8")
    run.write("driven.toml", with_series + '\n[inputs]\npull = { csv = "drive.csv", column = "u" }\n')
    for text, line, column in (("t,u\n0,1\n1,x\n", 3, 3), ('t,u\n0,1\n"1",  x\n', 3, 7), ("t,u\n0,1\n0,2\n", 3, 1), ('t,"u\n', 1, None)):
        run.write("drive.csv", text)
        fault = refused(run, "check", "driven.toml")
        assert (fault["file"], fault["line"], fault.get("column")) == ("drive.csv", line, column), (text, fault)
    run.write("drive.csv", "")
    fault = refused(run, "check", "driven.toml")
    assert fault["file"] == "drive.csv" and "line" not in fault, fault


def check_wrong_models(run):
    """Each message of the reader: its place and what it suggests are what it says."""
    count = 0
    for title, text, options, expected in running.bad_models():
        run.write("m.toml", text)
        status, out, err = run("check", "m.toml", *options, "--json")
        assert status == 2, (title, err)
        fault = one_object(out)
        assert fault["message"] + "\n" == err, title
        place = re.match(r"(m\.toml):(?:(\d+):(\d+):)? ", err)
        found = (fault.get("file"), fault.get("line"), fault.get("column"))
        expected_place = (place[1], *(int(x) if x else None for x in place.groups()[1:])) if place else (None, None, None)
        assert found == expected_place, (title, fault)
        meant = re.search(r"Did you mean [`'](.+?)[`']\?", re.sub(r'"[^"]*"', "", err))
        assert fault.get("suggestion") == (meant[1] if meant else None), (title, fault)
        count += meant is not None
    assert count > 15, count


def check_stopped(run):
    run.write("escaping.toml", ESCAPING)
    fault = one_object(run("run", "escaping.toml", "--json")[1])
    assert fault["status"] == "stopped" and "t = " in fault["message"] and fault["t"] < 10, fault
    for words in (
        ("compare", "escaping.toml", "--methods", "spark-gauss,spark-lobatto-ab", "--step", "0.01"),
        ("section", "escaping.toml", "--where", "x - 100", "--crossings", "1"),
        ("ensemble", "escaping.toml", "--vary", "x=0:1:2"),
    ):
        status, out, err = run(*words, "--json")
        fault = one_object(out)
        assert status == 3 and fault["status"] == "stopped", (words, status, fault)
        assert fault["message"] + "\n" == err, (words, fault, err)
    # What goes well says nothing of it.
    assert "status" not in one_object(run("compare", "skate", "--methods", "spark-gauss", "--step", "0.1", "--until", "1", "--json")[1])


def check_quiet(run):
    run.write("typo.toml", TYPO)
    fine = ("run", "skate", "--steps", "3")
    assert run(*fine)[1] != ""
    assert run(*fine, "--quiet") == (0, "", "")
    one_object(run(*fine, "--quiet", "--json")[1])
    assert run(*fine, "--quiet", "--output", "out.csv") == (0, "", "")
    assert (run.folder / "out.csv").exists()
    status, out, err = run("check", "typo.toml", "--quiet")
    assert (status, out) == (2, "") and err.startswith("typo.toml:3:12: "), err
    for words in (("check", "skate"), ("methods",), ("systems",), ("generate", "skate"), ("reproduce", "--list"), ("demo",)):
        assert run(*words, "--quiet") == (0, "", ""), words
    # Warnings are no errors.
    warning = ("run", "skate", "--steps", "3", "--plot", "x.svg", "--checkpoint", "x.chk")
    assert run(*warning, "--quiet")[2] == ""


def main():
    with running.in_folder() as run:
        for check in (check_place_and_suggestion, check_every_verb, check_data_files, check_wrong_models, check_stopped, check_quiet):
            check(run)
    print("errors are data")


if __name__ == "__main__":
    main()
