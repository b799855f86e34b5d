#!/usr/bin/env python3
"""`rattleback schema` accepts every model that the program accepts, and refuses keys and types that the program refuses. Both
directions are asked for: of files that are there, and of files in which one value after the other was made another one."""

import copy
import json
import re
import sys
import tomllib

import json_schema
import running

sys.path.insert(0, str(running.ROOT / "tests/docs"))
import pages  # noqa: E402

# What the reader says of keys and types. Of names, ranges and formulas it says other things, which a schema cannot know.
OF_SHAPE = re.compile(
    r"unknown (key|table|kind|part)|expected (?!.* for the start of .*, found an array).*, found an? |must be a table, found|has no points|"
    r"(?<!in )`[a-z]+` is empty|`\[?[a-zE-Z]+\]?` is missing|is missing or empty|says how a model file is to be read|"
    r"in \[run\] (must be|takes) .*, found"
)
PROBES = [7, -2, 0, 0.5, "x", "", True, [], ["x"], [1, 2], [["x", "y"]], {}, {"x": 1}, {"x": "y"}, {"x": [1]}, {"x": {"x": 1}}]


def load_schema(run):
    status, out, err = run("schema")
    assert (status, err) == (0, ""), err
    return json.loads(out)


def cross_checked(schema):
    """Our validator, and jsonschema beside it where the distribution has it."""
    ours = json_schema.Validator(schema)
    try:
        import jsonschema
    except ImportError:
        print("jsonschema is not there: one validator alone")
        return ours.accepts
    theirs = jsonschema.Draft202012Validator(schema)
    jsonschema.Draft202012Validator.check_schema(schema)

    def accepts(document):
        verdict = ours.accepts(document)
        assert verdict == theirs.is_valid(document), ("the validators disagree", document)
        return verdict

    return accepts


def check_files(accepts):
    files = sorted(path for folder in ("models", "tests/cases", "starters") for path in (running.ROOT / folder).glob("*.toml"))
    assert len(files) > 50, len(files)
    for file in files:
        assert accepts(tomllib.loads(file.read_text(encoding="utf-8"))), f"the schema refuses {file}"
    return files


def check_pages(run, accepts):
    """The files that the pages show, as the program judges them."""
    count = 0
    for page in pages.all_pages():
        for block in pages.blocks_of(page):
            if block.language != "toml" or "file" not in block.options:
                continue
            run.write("page.toml", block.text)
            status, _, err = run("check", "page.toml")
            if status == 0:
                assert accepts(tomllib.loads(block.text)), f"the schema refuses {block.place}"
                count += 1
    assert count > 20, count


def check_wrong_models(accepts):
    count = 0
    for title, text, _, message in running.bad_models():
        try:
            document = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        if OF_SHAPE.search(message):
            assert not accepts(document), f"the schema accepts '{title}': {message}"
            count += 1
    assert count > 40, count


def toml_of(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml_of(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_of, value)) + "]"
    return json.dumps(value)


def places(schema, value, way=()):
    """Ways to all keys that the schema has below a table, whether the document has them or not, and to entries that it has."""
    branches = schema.get("anyOf", [schema])
    for branch in branches:
        for key, below in branch.get("properties", {}).items():
            yield (*way, key)
            yield from places(below, value.get(key, {}) if isinstance(value, dict) else {}, (*way, key))
        below = branch.get("additionalProperties")
        if isinstance(below, dict) and isinstance(value, dict):
            for key in list(value)[:1]:
                yield (*way, key)
                yield from places(below, value[key], (*way, key))


def changed(document, way, value):
    """The document with another value there; nothing where there is no table to put it into."""
    out = copy.deepcopy(document)
    at = out
    for key in way[:-1]:
        at = at.setdefault(key, {})
        if not isinstance(at, dict):
            return None
    at[way[-1]] = value
    return out


def check_one_by_one(run, schema, accepts):
    """Every key of every kind with values of all types: who is stricter than the other?"""
    count = 0
    for file in sorted((running.ROOT / "starters").glob("*.toml")):
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        for way in sorted(set(places(schema["$defs"][file.stem], document))):
            if way[0] == "run" and len(way) > 1 and file.stem != "mechanical":  # the same in all
                continue
            for probe in PROBES:
                trial = changed(document, way, probe)
                if trial is None or way in (("kind",), ("run", "method")):  # of these: check_by_name()
                    continue
                run.write("trial.toml", "".join(f"{json.dumps(key)} = {toml_of(each)}\n" for key, each in trial.items()))
                status, _, err = run("check", "trial.toml")
                said = (file.stem, way, probe, err)
                count += 1
                if accepts(trial):
                    assert status == 0 or not OF_SHAPE.search(err), ("the schema accepts", *said)
                else:
                    assert status == 2, ("the schema alone refuses", *said)
    return count


def check_by_name(accepts):
    """What editors are to underline, and what they are not."""
    plain = {"coordinates": ["x"], "lagrangian": {"kinetic": "x'^2/2"}}
    assert accepts(plain) and accepts({"format": 1, "kind": "mechanical", **plain})
    for wrong in (
        {"coordinats": ["x"], "lagrangian": plain["lagrangian"]},  # misspelt
        {**plain, "lagrangian": {"kinetc": 1}},
        {**plain, "coordinates": "x"},  # a wrong type
        {**plain, "project": "yes"},
        {**plain, "states": ["y"]},  # of another kind
        {**plain, "kind": "dae"},
        {**plain, "kind": "mechanicl"},
        {**plain, "format": 2},
        {**plain, "run": {"stepp": 0.1}},
        {**plain, "run": {"step": -0.1}},
        {**plain, "run": {"compose": 3}},
        {**plain, "run": {"method": "spark-gaus"}},
        {**plain, "run": {"checkpoint": "x"}},  # a flag, but no key
        {"coordinates": ["x"]},  # something is missing
    ):
        assert not accepts(wrong), wrong
    for good in (
        {**plain, "run": {"newton_tol": 1e-9, "until": "3*T", "audit": "order", "event": ["x"], "method": "spark_gauss"}},
        {**plain, "run": {"compose": 4, "method": "rattle", "audit": ["order", "power"]}},
    ):
        assert accepts(good), good


def check_descriptions(schema):
    """Each key has a sentence, also below."""
    silent = []

    def look(node, way):
        for key, below in node.get("properties", {}).items():
            if not below.get("description") and not all(each.get("description") for each in below.get("anyOf", [{}])):
                silent.append((*way, key))
            for branch in [below, *below.get("anyOf", [])]:
                look(branch, (*way, key))
        if isinstance(node.get("additionalProperties"), dict):
            look(node["additionalProperties"], (*way, "*"))

    for kind, node in schema["$defs"].items():
        look(node, (kind,))
    look({"properties": schema["properties"]}, ())
    assert not silent, silent


def main():
    with running.in_folder() as run:
        schema = load_schema(run)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        accepts = cross_checked(schema)
        files = check_files(accepts)
        check_pages(run, accepts)
        check_wrong_models(accepts)
        check_by_name(accepts)
        check_descriptions(schema)
        trials = check_one_by_one(run, schema, accepts)
    print(f"{len(files)} files and {trials} changes of them are judged as the program judges them")


if __name__ == "__main__":
    main()
