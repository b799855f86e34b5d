#!/usr/bin/env python3
"""`rattleback new` writes a model of each kind that loads, checks and runs as it is, and never writes over a file."""

import json
import re

import running


def kinds(run):
    """As the program names them where it does not know one."""
    status, out, err = run("new", "x", "--kind", "mechanicl", "--json")
    assert status == 2 and json.loads(out)["suggestion"] == "mechanical", err
    return re.search(r"Kinds: (.*)", err)[1].split(", ")


def check_kind(run, kind):
    name = f"my-{kind}"
    status, out, err = run("new", name, "--kind", kind)
    assert (status, err) == (0, ""), err
    text = (run.folder / f"{name}.toml").read_text(encoding="utf-8")
    assert "@" not in text and f'"{name}"' in text and f"rattleback run {name}.toml" in text
    assert re.search(r"^format\s*= 1\b", text, re.M), "a new file says its format"
    assert text.count("#") > 10, "it is commented"
    for command in re.findall(r"^  rattleback (.*)$", out, re.M):  # what the answer says to try
        status, said, err = run(*command.split(), "--json")
        assert (status, err) == (0, ""), (command, err)
        report = json.loads(said)
        if command.startswith("run"):
            assert report["status"] == "done" and report["t"] > 1, report
            assert not [a for a in report["audit"] if a["verdict"] == "warning"], report["audit"]
        else:
            becomes = {"interconnection": "port-hamiltonian", "hamiltonian": "mechanical"}.get(kind, kind)
            assert report["kind"] == becomes and report["consistent"], report
    assert out.count("\n  rattleback ") == 2, out


def main():
    with running.in_folder() as run:
        all_kinds = kinds(run)
        assert len(all_kinds) >= 6 and all_kinds[0] == "mechanical", all_kinds
        for kind in all_kinds:
            check_kind(run, kind)
        assert run("new", "plain.toml")[0] == 0  # the ending may be there; mechanical without --kind
        assert "kind" not in [line.split()[0] for line in (run.folder / "plain.toml").read_text().splitlines() if "=" in line]
        assert run("new", "skewed", "--kind", "skew_gradient")[0] == 0

        run.write("mine.toml", "precious\n")
        status, out, err = run("new", "mine")
        assert (status, out) == (2, ""), err
        assert err == "mine.toml is there already, and is not replaced. Give another name\n", err
        assert (run.folder / "mine.toml").read_text() == "precious\n"
        (run.folder / "link.toml").symlink_to("nowhere.toml")
        assert run("new", "link")[0] == 2 and not (run.folder / "nowhere.toml").exists()

        before = sorted(p.name for p in run.folder.iterdir())
        for bad in ("", ".", "..", ".toml", "a/b", "../x", "a b", "\u00e4", "a\nb", "x" * 101, "a.b"):
            status, out, err = run("new", bad)
            assert (status, out) == (2, "") and "is no name for a model" in err, (bad, err)
        status, out, err = run("new")
        assert status == 2 and err.startswith("new needs NAME: "), err
        assert run("new", "a", "b")[2] == "new takes one NAME, but after 'a' there is also 'b'\n"
        assert sorted(p.name for p in run.folder.iterdir()) == before
    print(f"new files of {len(all_kinds)} kinds run")


if __name__ == "__main__":
    main()
