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
    "bodies": [{"name": "a", "shapes": [{"type": "sphere", "radius": 1}], "friction": 0,
                "static_friction": 0.1, "rolling_friction": 0, "spinning_friction": 1, "restitution": 1, "layer": "l", "collides": False, "color": [0, 0.5, 1]}],
    "joints": [
        {"name": "j", "type": "hinge", "first": "world", "second": "a", "axis": [0, 0, 1]},
        {"name": "k", "type": "spherical", "first": "a", "second": "b", "axis": [0, 0, 1], "swing_limit": 1,
         "twist_stiffness": 2, "lower": -1, "upper": 1, "armature": 0.1},
    ],
    "figure": {
        "mass": 70, "table": "winter", "mirror": ["left_", "right_"], "joint": {"damping": 1},
        "body": {"friction": 1, "layer": "l"},
        "bones": [{"name": "c", "from": [0, 0, 0], "to": [0, 1, 0], "segment": "trunk"},
                  {"name": "left_d", "from": [0, 0, 0], "to": [0, 1, 0], "mass": 1, "parent": "c",
                   "joint": {"type": "hinge", "axis": [1, 0, 0]}}],
    },
    "obstacles": [
        {"type": "plane", "normal": [0, 1, 0]}, {"type": "sphere", "radius": 1, "stiffness": 1, "damping": 0},
        {"type": "box", "size": [1, 1, 1], "orientation": [0, 0, 0, 1], "friction": 1, "restitution": 1, "layer": "l"},
        {"type": "cylinder", "radius": 1, "length": 1}, {"type": "ellipsoid", "radii": [1, 1, 1]},
        {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},
        {"type": "height_field", "columns": 2, "rows": 2, "spacing": 1, "heights": [0, 0, 0, 0]},
        {"type": "triangles", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2]]},
    ],
    "contact": {"response": "impulse", "friction": 0, "time": "fraction", "accuracy": "fast", "solver": "auto", "sweeps": 1,
                "inertia": "plain", "sleeping": True, "ignore": [["a", "b"]]},
    "targets": [{"body": "a", "stiffness": 1, "path": [{"time": 0}, {"time": 1, "position": [0, 1, 0]}]}],
    "forces": [{"body": "a", "signal": {"pulse": {"length": 1}}, "when": {"height": "a", "below": 1}}],
    "motors": [{"joint": "k", "torque": [1, {"sine": {}}, {"sum": [{"noise": {"seed": 1}}, 2]}]}],
    "torques": [{"joint": "j", "free": [-1, 1], "slope": [2, 2]}, {"joint": "k", "part": "swing", "curve": [[0, 0], [1, -1]]}],
    "controllers": [{"joint": "j", "stiffness": 1, "target": {"keys": [[0, 0], [1, 1]], "period": 2}}],
    "supports": [{"at": "body", "body": "a"}, {"at": "feet", "bodies": ["a"]}],
    "motions": [{"name": "m", "joints": {"j": {"step": {"time": 1}}}, "roots": {"c": {"path": [{"time": 0}]}}}],
    "tracks": [{"motion": "m", "stiffness": 1, "weights": {"a": 0.5}}],
    "gravity_compensation": 0.5,
    "switches": [{"time": 1, "active": False}, {"time": 2, "joint": "j"}],
    "prescribed": [
        {"joint": "k", "motion": [{"sine": {"frequency": 2}}, 0, {"sum": [1, {"keys": [[0, 1], [1, 2]]}]}],
         "from": 1, "until": 2, "blend": 0.5},
        {"body": "a", "path": [{"time": 0}], "smooth": False, "point": [0, 0, 1]},
    ],
    "springs": [
        {"name": "s", "first": "a", "second": {"body": "world", "point": [0, 1, 0]}, "length": 1, "stiffness": 1,
         "acts": "pull"},
        {"first": "a", "second": {"path": {"points": [[0, 0, 0], [1, 0, 0]], "smooth": True}}, "damping": 1},
        {"first": {"body": "b", "cylinder": {"point": [0, 0, 0], "axis": [0, 1, 0], "radius": 1}}, "second": "a",
         "stiffness": 1},
        {"first": "a", "second": "b", "turn_stiffness": 1},
    ],
    "medium": {"viscosity": 1, "density": 0},
    "fields": [{"type": "wind", "velocity": [1, 0, 0]}, {"type": "gusts", "speed": 1, "size": 1, "seed": 3},
               {"type": "vortex", "radius": 1, "speed": -1},
               {"type": "attractor", "strength": -1, "exponent": -1, "gives": "force"}],
    "particles": [
        {"name": "p", "emitter": {"type": "disc", "radius": 1, "body": "a"}, "rate": {"sine": {}}, "spread": 3, "most": 9,
         "velocity": {"speed": {"mean": 1, "deviation": 0.1}, "angle": 1}, "life": {"from": 1, "to": 2}, "bounce": True,
         "over_life": {"size": [[0, 1]], "color": [[0, [1, 1, 1]]]}, "trail": {"places": 3},
         "target": {"stiffness": 1, "body": "a"}, "bursts": [{"count": 3}]},
        {"name": "q", "emitter": {"type": "point"}, "velocity": [0, 1, 0], "spread": "even", "color": {"from": [0, 0, 0], "to": [1, 1, 1]}},
    ],
    "run": {"coordinates": "maximal"},
}
if not validator.is_valid({key: value for key, value in good.items() if key not in ("bodies", "joints")}):
    faults += 1
    print("the schema refuses a figure alone")
if not validator.is_valid(good):
    faults += 1
    print("the schema refuses a plain scene")
spoil = {
    "particles without an emitter": lambda s: s["particles"][0].pop("emitter"),
    "an unknown emitter": lambda s: s["particles"][0]["emitter"].update(type="ring"),
    "a color of four": lambda s: s["particles"][1].update(color=[1, 1, 1, 1]),
    "a thousand million particles": lambda s: s["particles"][0].update(most=10**9),
    "a spread of three": lambda s: s["particles"][0].update(life={"from": 1, "to": 2, "mean": 3}),
    "a cone without a speed": lambda s: s["particles"][0].update(velocity={"angle": 1}),
    "a bounce that keeps more than all": lambda s: s["particles"][0].update(bounce={"keep": 2}),
    "a target on a path and a body": lambda s: s["particles"][0]["target"].update(path=[{"time": 0}]),
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
    "a swing cone without a side": lambda s: s["joints"][1].update(swing_cone={"reach": [1, 1, 1, 1]}),
    "a swing cone of three reaches": lambda s: s["joints"][1].update(
        swing_cone={"toward": [1, 0, 0], "reach": [1, 1, 1]}),
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
    "a turned plane": lambda s: s["obstacles"][0].update(orientation=[0, 0, 0, 1]),
    "an obstacle box with a radius": lambda s: s["obstacles"][2].update(radius=1),
    "an obstacle box with a spring": lambda s: s["obstacles"][2].update(stiffness=1),
    "an obstacle box without a size": lambda s: s["obstacles"][2].pop("size"),
    "a height field of one row": lambda s: s["obstacles"][6].update(rows=1),
    "a height field without heights": lambda s: s["obstacles"][6].pop("heights"),
    "triangles without faces": lambda s: s["obstacles"][7].pop("faces"),
    "an unknown response": lambda s: s["contact"].update(response="spring"),
    "an unknown contact solver": lambda s: s["contact"].update(solver="fast"),
    "a negative friction": lambda s: s["contact"].update(friction=-1),
    "a negative static friction": lambda s: s["bodies"][0].update(static_friction=-1),
    "rolling friction as a word": lambda s: s["contact"].update(rolling_friction="some"),
    "a restitution of two": lambda s: s["bodies"][0].update(restitution=2),
    "a third in a pair": lambda s: s["contact"]["ignore"][0].append("c"),
    "a number for contact": lambda s: s.update(contact=1),
    "a mass for all bones": lambda s: s["figure"]["body"].update(mass=1),
    "a negative viscosity": lambda s: s["medium"].update(viscosity=-1),
    "an unknown field": lambda s: s["fields"][0].update(type="storm"),
    "a wind with a radius": lambda s: s["fields"][0].update(radius=1),
    "gusts without a size": lambda s: s["fields"][1].pop("size"),
    "a vortex without a core": lambda s: s["fields"][2].update(radius=0),
    "an exponent of five": lambda s: s["fields"][3].update(exponent=5),
    "a negative length": lambda s: s["springs"][0].update(length=-1),
    "a spring without spring and damper": lambda s: s["springs"][0].pop("stiffness"),
    "a spring with one end": lambda s: s["springs"][0].pop("second"),
    "a spring that acts oddly": lambda s: s["springs"][0].update(acts="pushes"),
    "a path of one point": lambda s: s["springs"][1]["second"]["path"]["points"].pop(),
    "a cylinder without an axis": lambda s: s["springs"][2]["first"]["cylinder"].pop("axis"),
    "a negative drag radius": lambda s: s["bodies"][0].update(drag={"radius": -1}),
    "a target without a path": lambda s: s["targets"][0].pop("path"),
    "an empty path": lambda s: s["targets"][0].update(path=[]),
    "a target without spring and damper": lambda s: s["targets"][0].pop("stiffness"),
    "a key without a time": lambda s: s["targets"][0]["path"][0].pop("time"),
    "an unknown signal": lambda s: s["forces"][0].update(signal={"square": {}}),
    "two forms of a signal": lambda s: s["forces"][0]["signal"].update(sine={}),
    "a negative period": lambda s: s["forces"][0]["signal"]["pulse"].update(period=-1),
    "a condition of nothing": lambda s: s["forces"][0]["when"].pop("height"),
    "two conditions": lambda s: s["forces"][0].update({"while": {"touch": "a"}}),
    "a motor without a joint": lambda s: s["motors"][0].pop("joint"),
    "a zone without slopes": lambda s: s["torques"][0].pop("slope"),
    "an unknown part": lambda s: s["torques"][1].update(part="turn"),
    "a controller without gains": lambda s: s["controllers"][0].pop("stiffness"),
    "a support nowhere": lambda s: s["supports"][0].update(at="hands"),
    "a motion without a name": lambda s: s["motions"][0].pop("name"),
    "a negative weight": lambda s: s["tracks"][0]["weights"].update(a=-1),
    "too much compensation": lambda s: s.update(gravity_compensation=2),
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
    "neither bodies nor a figure": lambda s: [s.pop("bodies"), s.pop("figure"), s.pop("particles")],
    "a figure without bones": lambda s: s["figure"].pop("bones"),
    "an unknown table": lambda s: s["figure"].update(table="me"),
    "one name in the mirror": lambda s: s["figure"].update(mirror=["left_"]),
    "an unknown segment": lambda s: s["figure"]["bones"][0].update(segment="tail"),
    "a bone without an end": lambda s: s["figure"]["bones"][0].pop("to"),
    "a joint without a parent": lambda s: s["figure"]["bones"][1].pop("parent"),
    "a bone's joint with bodies": lambda s: s["figure"]["bones"][1]["joint"].update(first="c"),
    "a position for all joints": lambda s: s["figure"]["joint"].update(position=[0, 0, 0]),
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
