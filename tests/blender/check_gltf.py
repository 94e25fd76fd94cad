"""Blender as a reader of the glTF files that the tests write: bones, frames, finite values.

    python3 check_gltf.py OUTPUT_FOLDER TEST_PROGRAM FILTER

The tests of TEST_PROGRAM that match FILTER write the files to OUTPUT_FOLDER. The script then runs itself inside Blender.
"""
import json
import math
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

FPS = 30


def document(path):
    raw = path.read_bytes()
    if raw[:4] == b'glTF':
        raw = raw[20:20 + struct.unpack('<I', raw[12:16])[0]]
    return json.loads(raw)


def outside():
    blender = shutil.which('blender')
    if blender is None:
        print('skipped: blender is not installed')
        sys.exit(77)
    output, program, tests = sys.argv[1:4]
    subprocess.run([program, f'--gtest_filter={tests}'], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, 'SINEW_TEST_GLTF_OUT': output})
    files = sorted(str(p) for p in Path(output).iterdir() if p.suffix in ('.glb', '.gltf'))
    assert files, 'there is no file to open'
    # Blender takes the Python that it finds on the path; the system's own has numpy.
    path = '/usr/bin:/bin:' + os.environ['PATH']
    run = subprocess.run([blender, '--background', '--factory-startup', '--python-exit-code', '1', '--python',
                          os.path.abspath(__file__), '--', *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, env={**os.environ, 'PATH': path})
    print(run.stdout)
    checked = run.stdout.count('checked: ')
    assert run.returncode == 0 and checked == len(files), f'{checked} of {len(files)} files are right'


def check(bpy, path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS  # before the import, which turns seconds into frames
    bpy.ops.import_scene.gltf(filepath=str(path))
    file = document(path)
    joints = {j for skin in file['skins'] for j in skin['joints']}
    armature = next(o for o in bpy.data.objects if o.type == 'ARMATURE')
    names = {bone.name for bone in armature.data.bones}
    # Blender makes bones of the joints, and of nodes between them; nodes without a name get one from it.
    wanted = {file['nodes'][j]['name'] for j in joints if 'name' in file['nodes'][j]}
    assert wanted <= names and len(names) >= len(joints), f'{path.name}: bones {sorted(names)}'

    clip = file['animations'][-1]  # the one that was added
    name = clip['name']
    seconds = max(file['accessors'][sampler['input']]['max'][0] for sampler in clip['samplers'])
    actions = [a for a in bpy.data.actions if a.name.startswith(name)]
    assert actions, f'{path.name}: there is no clip "{name}" among {[a.name for a in bpy.data.actions]}'
    last = max(a.frame_range[1] for a in actions)
    assert abs(last - seconds * FPS) < 0.01, f'{path.name}: the clip ends at frame {last}, not {seconds * FPS}'
    action = next((a for a in actions if any('pose.bones' in c.data_path for c in a.fcurves)), None)
    assert action is not None, f'{path.name}: the clip moves no bone'
    keys = max(len(c.keyframe_points) for c in action.fcurves)
    armature.animation_data_create()
    armature.animation_data.action = action
    travelled, start = 0.0, None
    for frame in range(math.ceil(last) + 1):
        bpy.context.scene.frame_set(frame)
        places = [value for bone in armature.pose.bones for row in bone.matrix for value in row]
        assert all(math.isfinite(value) for value in places), f'{path.name}: frame {frame} is not finite'
        start = places if start is None else start
        travelled = max(travelled, max(abs(a - b) for a, b in zip(start, places)))
    assert travelled > 1e-3, f'{path.name}: nothing moves'
    print(f'checked: {path.name}: {len(names)} bones, {len(bpy.data.actions)} actions, '
          f'last frame {last:.2f}, {keys} keys')


def inside():
    import numpy
    numpy.bool = bool  # gone from numpy, still used by Blender 3.4's reader
    import bpy
    for name in sys.argv[sys.argv.index('--') + 1:]:
        check(bpy, Path(name))


if __name__ == '__main__':
    inside() if '--' in sys.argv else outside()
