#!/usr/bin/env python3
"""Every scene follows docs/scene.schema.json, and the schema refuses what the reader refuses."""
import copy
import json
import pathlib
import re
import sys

SKIPPED = 77
root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(SKIPPED)


def without_comments(text):
    """A string is kept as it is; a comment becomes a blank."""
    pattern = r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/'
    return re.sub(pattern, lambda m: m[0] if m[0][0] == '"' else " ", text, flags=re.S)


def load(path):
    return json.loads(without_comments(path.read_text(encoding="utf-8")))


schema = load(root / "docs" / "scene.schema.json")
Validator = jsonschema.validators.validator_for(schema)
Validator.check_schema(schema)
validator = Validator(schema)

faults = 0
scenes = sorted((root / "scenes").glob("*.json"))
for path in scenes:
    for error in validator.iter_errors(load(path)):
        faults += 1
        pointer = "/" + "/".join(map(str, error.absolute_path))
        print(f"{path.relative_to(root)}: {pointer}: {error.message}")
if not scenes:
    faults += 1
    print("there are no scenes to check")

# Each of these must fail, or the check above proves nothing.
good = {
    "sinew": 1,
    "bodies": [{"name": "a", "shapes": [{"type": "sphere", "radius": 1}]}],
    "joints": [
        {"name": "j", "type": "hinge", "first": "world", "second": "a", "axis": [0, 0, 1]},
        {"name": "k", "type": "spherical", "first": "a", "second": "b", "axis": [0, 0, 1], "swing_limit": 1,
         "twist_stiffness": 2, "lower": -1, "upper": 1, "armature": 0.1},
    ],
    "obstacles": [{"type": "plane", "normal": [0, 1, 0]}, {"type": "sphere", "radius": 1}],
    "targets": [{"body": "a", "stiffness": 1, "path": [{"time": 0}, {"time": 1, "position": [0, 1, 0]}]}],
    "switches": [{"time": 1, "active": False}, {"time": 2, "joint": "j"}],
    "prescribed": [
        {"joint": "k", "motion": [{"sine": {"frequency": 2}}, 0, {"sum": [1, {"keys": [[0, 1], [1, 2]]}]}],
         "from": 1, "until": 2, "blend": 0.5},
        {"body": "a", "path": [{"time": 0}], "smooth": False, "point": [0, 0, 1]},
    ],
    "run": {"coordinates": "maximal"},
}
if not validator.is_valid(good):
    faults += 1
    print("the schema refuses a plain scene")
spoil = {
    "no version": lambda s: s.pop("sinew"),
    "another version": lambda s: s.update(sinew=2),
    "an unknown key": lambda s: s.update(colour="red"),
    "a body without a name": lambda s: s["bodies"][0].pop("name"),
    "a short vector": lambda s: s.update(gravity=[0, 1]),
    "an unknown joint": lambda s: s["joints"][0].update(type="ball"),
    "a hinge without an axis": lambda s: s["joints"][0].pop("axis"),
    "a sphere with a length": lambda s: s["bodies"][0]["shapes"][0].update(length=1),
    "a sphere without a radius": lambda s: s["bodies"][0]["shapes"][0].pop("radius"),
    "a swing limit on a hinge": lambda s: s["joints"][0].update(swing_limit=1),
    "a twist stiffness on a hinge": lambda s: s["joints"][0].update(twist_stiffness=1),
    "a swing limit without an axis": lambda s: s["joints"][1].pop("axis"),
    "a swing limit beyond a half turn": lambda s: s["joints"][1].update(swing_limit=3.2),
    "a negative armature": lambda s: s["joints"][0].update(armature=-1),
    "a weld with an armature": lambda s: s["joints"].append(
        {"name": "w", "type": "weld", "first": "a", "second": "b", "armature": 1}),
    "a weld with an axis": lambda s: s["joints"].append(
        {"name": "w", "type": "weld", "first": "a", "second": "b", "axis": [0, 0, 1]}),
    "a plane with a radius": lambda s: s["obstacles"][0].update(radius=1),
    "a sphere with a normal": lambda s: s["obstacles"][1].update(normal=[0, 1, 0]),
    "an obstacle sphere without a radius": lambda s: s["obstacles"][1].pop("radius"),
    "an unknown obstacle": lambda s: s["obstacles"][0].update(type="floor"),
    "a target without a path": lambda s: s["targets"][0].pop("path"),
    "an empty path": lambda s: s["targets"][0].update(path=[]),
    "a target without spring and damper": lambda s: s["targets"][0].pop("stiffness"),
    "a key without a time": lambda s: s["targets"][0]["path"][0].pop("time"),
    "a switch without a time": lambda s: s["switches"][0].pop("time"),
    "a switch before the start": lambda s: s["switches"][0].update(time=-1),
    "a prescribed joint without a motion": lambda s: s["prescribed"][0].pop("motion"),
    "a prescribed joint with a path": lambda s: s["prescribed"][0].update(path=[{"time": 0}]),
    "a prescribed body without a path": lambda s: s["prescribed"][1].pop("path"),
    "a prescribed body with a motion": lambda s: s["prescribed"][1].update(motion=1),
    "a prescribed joint and body at once": lambda s: s["prescribed"][1].update(joint="k", motion=1),
    "an unknown signal": lambda s: s["prescribed"][0].update(motion={"cosine": {}}),
    "a key of a signal without a value": lambda s: s["prescribed"][0].update(motion={"keys": [[0]]}),
    "a negative blend": lambda s: s["prescribed"][0].update(blend=-1),
    "other coordinates": lambda s: s["run"].update(coordinates="polar"),
    "text for a number": lambda s: s["bodies"][0].update(mass="heavy"),
}
for what, change in spoil.items():
    bad = copy.deepcopy(good)
    change(bad)
    if validator.is_valid(bad):
        faults += 1
        print(f"the schema lets {what} pass")

print(f"{len(scenes)} scenes and {len(spoil)} spoilt ones checked, {faults} faults")
sys.exit(1 if faults else 0)
