"""Blender reads a BVH file as it was meant.

    blender -b --python check_bvh.py -- FILE.bvh EXPECTED.json

EXPECTED holds the names of the bones, the number of frames, and places of bones in the world:
{"bones": [...], "frames": n, "places": [{"bone": name, "frame": f, "at": [x, y, z]}, ...]}, frames from 0.
"""
import builtins
import json
import math
import sys

import bpy
from io_anim_bvh import import_bvh

# Blender 3.4 opens the file with mode 'U', which Python 3.11 no longer knows.
import_bvh.open = lambda path, mode="r", **options: builtins.open(path, mode.replace("U", ""), **options)

TOLERANCE = 1e-4  # of the largest coordinate: Blender keeps single precision, and angles as Euler's


def fail(message):
    print("check_bvh:", message)
    sys.exit(1)


path, expected_path = sys.argv[sys.argv.index("--") + 1:]
with builtins.open(expected_path, encoding="utf-8") as file:
    expected = json.load(file)

for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
# These axes mean: leave them as they are.
if bpy.ops.import_anim.bvh(filepath=path, axis_forward="Y", axis_up="Z", update_scene_fps=True,
                           update_scene_duration=True) != {"FINISHED"}:
    fail("the importer gave up")

armatures = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
if len(armatures) != 1:
    fail(f"{len(armatures)} armatures")
armature = armatures[0]
names = [bone.name for bone in armature.data.bones]
if sorted(names) != sorted(expected["bones"]):
    fail(f"bones {names}, expected {expected['bones']}")

curves = armature.animation_data.action.fcurves
if not curves:
    fail("nothing moves")
for curve in curves:
    if len(curve.keyframe_points) != expected["frames"]:
        fail(f"{curve.data_path} has {len(curve.keyframe_points)} keys, expected {expected['frames']}")
    if not all(math.isfinite(key.co[1]) for key in curve.keyframe_points):
        fail(f"{curve.data_path} is not finite")

scene = bpy.context.scene
largest = max(abs(x) for place in expected["places"] for x in place["at"])
worst = 0
for place in expected["places"]:
    scene.frame_set(place["frame"] + 1)
    bone = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[place["bone"]]
    at = armature.matrix_world @ bone.head
    error = max(abs(a - b) for a, b in zip(at, place["at"]))
    worst = max(worst, error)
    if not error <= TOLERANCE * largest:
        fail(f"{place['bone']} is at {tuple(at)} in frame {place['frame']}, expected {place['at']}")
print(f"{len(names)} bones, {expected['frames']} frames, places within {worst / largest:.1e}")
print("\nfine", flush=True)
