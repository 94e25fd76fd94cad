"""Blender writes a glTF character as FBX, with keys at the frames that the character has.

    blender -b --python make_fbx.py -- IN.glb OUT.fbx FRAMES_PER_SECOND
"""
import sys

import bpy
import numpy

# Blender 3.4's reader of glTF uses a name that numpy no longer has.
numpy.bool = bool

source, target, rate = sys.argv[sys.argv.index("--") + 1:]
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
bpy.context.scene.render.fps = int(rate)
bpy.ops.import_scene.gltf(filepath=source)
bpy.ops.export_scene.fbx(filepath=target, add_leaf_bones=False, bake_anim_simplify_factor=0)
print("fine")
