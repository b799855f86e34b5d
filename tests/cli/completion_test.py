#!/usr/bin/env python3
"""The completion scripts: that of bash is used by a bash, those of zsh and fish are read by these shells where they are installed.
What they offer is what --help, `methods` and `systems` say."""

import json
import re
import shutil
import subprocess

import running

SHELLS = ("bash", "zsh", "fish")


def completed(run, script, *words):
    """What bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    code = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; COMPREPLY=(); _rattleback; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "--norc", "-c", code], cwd=run.folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stderr == "", (words, done.stderr)
    return [each for each in done.stdout.split("\n") if each]


def verbs_of(run):
    return re.findall(r"^  ([a-z]+) ", re.search(r"\nVerbs\n(.*?)\n\n", run("--help")[1], re.S)[1], re.M)


def options_of(run, verb):
    text = run(verb, "--help")[1]
    return re.findall(r"^  (--[a-z-]+)", text.split("\nOptions\n")[1], re.M) + ["--help"]


def check_bash(run):
    status, script, err = run("completion", "bash")
    assert (status, err) == (0, ""), err

    def offers(*words):
        return completed(run, script, "rattleback", *words)

    verbs = verbs_of(run)
    assert len(verbs) > 12, verbs
    assert sorted(offers("")) == sorted(verbs + ["--help", "--version", "--cite"])
    assert offers("ru") == ["run"] and offers("--ver") == ["--version"] and offers("help", "sec") == ["section"]
    for verb in verbs:
        assert sorted(offers(verb, "-")) == sorted(options_of(run, verb)), verb

    methods = json.loads(run("methods", "--json")[1])["methods"]
    names = sorted(list(methods) + [alias for info in methods.values() for alias in info.get("aliases", [])])
    assert sorted(offers("run", "skate", "--method", "")) == names
    assert sorted(offers("--cite", "")) == names
    assert offers("run", "--method", "spark-ga") == ["spark-gauss"]
    assert offers("run", "--method", "=", "spark-ga") == ["spark-gauss"]  # --method=spark-ga, as bash splits it
    assert len(offers("run", "--method", "=")) == len(names)
    assert offers("compare", "skate", "--methods", "ode,spark-ga") == ["ode,spark-gauss"]
    assert offers("run", "skate", "--audit", "order,") == ["order,reverse", "order,order", "order,power"]
    assert offers("run", "--formulation", "") == ["index3", "index2", "ggl"]
    assert offers("run", "--step", "") == [] and offers("run", "--set", "x") == []
    assert offers("completion", "") == list(SHELLS)
    assert offers("new", "--kind", "skew") == ["skew-gradient"]
    assert offers("reproduce", "H-4.1") == ["H-4.1"]

    systems = [system["name"] for system in json.loads(run("systems", "--json")[1])["systems"]]
    assert len(systems) > 20
    for name in ("mine.toml", "two words.toml", "data.csv", "data.h5", "other.txt"):
        run.write(name, "")
    (run.folder / "folder").mkdir(exist_ok=True)
    assert sorted(offers("run", "")) == sorted([*systems, "folder", "mine.toml", "two words.toml"])
    assert sorted(offers("run", "skate", "--output", "")) == ["data.csv", "data.h5", "folder"]
    assert offers("run", "skate", "--tableau", "m") == ["mine.toml"]
    assert sorted(offers("run", "skate", "--checkpoint", "data")) == ["data.csv", "data.h5"]
    assert offers("reproduce", "--output", "") == ["folder"]
    # The shell of the user stays as it was.
    before = "set +o; shopt -p"
    code = f"A=$({before}); {script}\nCOMP_WORDS=(rattleback run ''); COMP_CWORD=2; _rattleback; [[ $A == \"$({before})\" ]]"
    assert subprocess.run(["bash", "--norc", "-c", code], cwd=run.folder, check=False).returncode == 0


def check_others(run):
    """Where the shell is there, it finds no fault; everywhere, all verbs and options are in its script."""
    for shell in SHELLS:
        status, script, err = run("completion", shell)
        assert (status, err) == (0, ""), err
        for verb in verbs_of(run):
            assert re.search(rf"\b{verb}\b", script), (shell, verb)
            for option in options_of(run, verb):
                assert (f"-l {option[2:]} " if shell == "fish" else option) in script, (shell, verb, option)
        if shutil.which(shell):
            run.write("script", script)
            done = subprocess.run([shell, "-n", "script"], cwd=run.folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0 and done.stderr == "", (shell, done.stderr)
        # Quotes are closed: each script has as many that open as close.
        for number, line in enumerate(script.split("\n"), start=1):
            if shell != "bash" and not line.startswith("#"):
                plain = line.replace("'\\''", "").replace("\\'", "") if shell == "zsh" else re.sub(r"\\.", "", line)
                assert plain.count("'") % 2 == 0, (shell, number, line)


def main():
    with running.in_folder() as run:
        status, out, err = run("completion", "csh")
        assert (status, out, err) == (2, "", "completion takes bash, zsh, fish, found 'csh'\n"), err
        check_bash(run)
        check_others(run)
    missing = [shell for shell in SHELLS if not shutil.which(shell)]
    print("completion works" + (f"; not installed: {', '.join(missing)}" if missing else ""))


if __name__ == "__main__":
    main()
