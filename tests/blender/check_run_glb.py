# blender --background --python check_run_glb.py -- FILE.glb EXPECTED.json
# Opens a run and compares names, frames and places with what was recorded.
import json
import math
import sys

import bpy
import numpy

numpy.bool = bool  # Blender 3.4's importer asks for it, NumPy 1.24 has it no more

path, expected_path = sys.argv[sys.argv.index("--") + 1:]
expected = json.load(open(expected_path))
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = expected["fps"]
bpy.ops.import_scene.gltf(filepath=path)

armatures = [o for o in bpy.data.objects if o.type == "ARMATURE"]
names = set(expected["places"])
if armatures:
    assert len(armatures) == 1, [a.name for a in armatures]
    bones = set(b.name for b in armatures[0].data.bones)
    assert bones == names, bones ^ names
    assert any(o.type == "MESH" and o.find_armature() for o in bpy.data.objects), "no skin"
else:
    assert names <= set(o.name for o in bpy.data.objects), names - set(o.name for o in bpy.data.objects)

last = max(action.frame_range[1] for action in bpy.data.actions)
assert abs(last - expected["last"]) < 1e-3, (last, expected["last"])

# y up becomes Blender's z up: (x, y, z) -> (x, -z, y).
scene.frame_set(expected["frame"])
bpy.context.view_layer.update()
worst = 0
if armatures:
    # Bones start at joints, not where the bodies' frames are: compare the skin, whose points are about them.
    for o in bpy.data.objects:
        for row in o.matrix_world:
            assert all(math.isfinite(x) for x in row)
    skin = next(o for o in bpy.data.objects if o.type == "MESH" and o.find_armature())
    mesh = skin.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    groups = {g.index: g.name for g in skin.vertex_groups}
    skins = {}
    for vertex, source in zip(mesh.vertices, skin.data.vertices):
        body = groups[max(source.groups, key=lambda g: g.weight).group]
        skins.setdefault(body, []).append(skin.matrix_world @ vertex.co)
    for body, points in skins.items():
        x, y, z = expected["places"][body]
        middle = [sum(p[i] for p in points) / len(points) for i in range(3)]
        worst = max(worst, math.dist(middle, (x, -z, y)))
    # The humanoid's shapes stand about their bodies' origins, some a little aside (feet, hands).
    assert worst < 0.1, worst
else:
    for name, (x, y, z) in expected["places"].items():
        place = bpy.data.objects[name].matrix_world.translation
        assert all(math.isfinite(v) for v in place)
        worst = max(worst, math.dist(place, (x, -z, y)))
    assert worst < 2e-4, worst  # the bound of the key reduction
print(f"blender agrees: {len(names)} names, last frame {last:g}, places within {worst:.2g} m")
