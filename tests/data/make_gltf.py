#!/usr/bin/env python3
"""Makes the small glTF files of the tests: a skinned strip of two bones that bends.

strip.glb has what skeletons need in every form that the standard knows: whole numbers for fractions, sparse and
strided data, held, straight and cubic keys, a node placed by a matrix, a clip without a name. morphs.glb has two
morph targets besides. strip.gltf is the same as strip.glb with its bytes in a file beside it, whose name has a blank, and in a data: URI.

    python3 make_gltf.py FOLDER
"""
import base64
import json
import math
import struct
import sys
from pathlib import Path

FLOAT, SHORT, USHORT, UBYTE = 5126, 5122, 5123, 5121
FORMAT = {FLOAT: 'f', SHORT: 'h', USHORT: 'H', UBYTE: 'B'}


class Bytes:
    """One buffer with its views and accessors."""

    def __init__(self):
        self.data, self.views, self.accessors = bytearray(), [], []

    def view(self, raw, **more):
        self.data += bytes(-len(self.data) % 4)
        self.views.append({'buffer': 0, 'byteOffset': len(self.data), 'byteLength': len(raw), **more})
        self.data += raw
        return len(self.views) - 1

    def pack(self, component, rows):
        return b''.join(struct.pack('<' + FORMAT[component] * len(row), *row) for row in rows)

    def add(self, component, kind, rows, ends=False, view={}, **more):
        accessor = {'bufferView': self.view(self.pack(component, rows), **view), 'componentType': component,
                    'count': len(rows), 'type': kind, **more}
        if ends:
            accessor['min'] = [min(column) for column in zip(*rows)]
            accessor['max'] = [max(column) for column in zip(*rows)]
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def quaternion(angle):
    """About z."""
    return (0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2))


def strip(morphs=False):
    """With morphs: two targets, and weights that the first clip moves."""
    b = Bytes()
    heights = [0, 0.5, 1, 1.5, 2]
    points = [(x, y, 0.0) for y in heights for x in (-0.25, 0.25)]
    # The last two points are pushed out by sparse data; positions are strided, as interleaved ones are.
    raw = b''.join(struct.pack('<4f', *point, 0.0) for point in points)
    position = len(b.accessors)
    sparse = {'count': 2,
              'indices': {'bufferView': b.view(struct.pack('<2H', 8, 9)), 'componentType': USHORT},
              'values': {'bufferView': b.view(b.pack(FLOAT, [(-0.5, 2.0, 0.0), (0.5, 2.0, 0.0)]))}}
    b.accessors.append({'bufferView': b.view(raw, byteStride=16, target=34962), 'componentType': FLOAT,
                        'count': 10, 'type': 'VEC3', 'min': [-0.5, 0.0, 0.0], 'max': [0.5, 2.0, 0.0],
                        'sparse': sparse})
    target = {'target': 34962, 'byteStride': 4}
    shares = [share for share in (255, 255, 191, 0, 0) for _ in range(2)]  # of 255, for the lower bone
    joints = b.add(UBYTE, 'VEC4', [(0 if share else 1, 1 if 0 < share < 255 else 0, 0, 0) for share in shares],
                   view=target)
    weights = b.add(UBYTE, 'VEC4', [(share or 255, 255 - (share or 255), 0, 0) for share in shares], view=target,
                    normalized=True)
    faces = [i for row in range(4) for i in (2 * row, 2 * row + 1, 2 * row + 3, 2 * row, 2 * row + 3, 2 * row + 2)]
    indices = b.add(USHORT, 'SCALAR', [(i,) for i in faces], view={'target': 34963})
    bind = b.add(FLOAT, 'MAT4', [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1) for y in (0.0, 1.0)])

    times = b.add(FLOAT, 'SCALAR', [(0.0,), (0.5,), (1.0,)], ends=True)
    bend = b.add(FLOAT, 'VEC4', [quaternion(a) for a in (0, 1.2, 0)])
    hop = b.add(FLOAT, 'VEC3', [(0.0, y, 0.0) for y in (0, 0.5, 0)])
    short = b.add(SHORT, 'VEC4', [tuple(round(32767 * c) for c in quaternion(a)) for a in (-0.4, 0, 0.4)],
                  normalized=True)
    none = (0.0, 0.0, 0.0)
    cubic = b.add(FLOAT, 'VEC3', [none, (1.0, 1.0, 1.0), none, none, (1.0, 2.0, 1.0), none, none, (1.0, 1.0, 1.0),
                                  none])

    def clip(*tracks):
        return {'channels': [{'sampler': i, 'target': {'node': t[0], 'path': t[1]}} for i, t in enumerate(tracks)],
                'samplers': [{'input': times, 'output': t[2], 'interpolation': t[3]} for t in tracks]}

    document = {
        'asset': {'version': '2.0', 'generator': 'make_gltf.py'},
        'scene': 0,
        'scenes': [{'nodes': [0, 1]}],
        'nodes': [
            # Stands the strip up that lies on the ground, as exporters of tools with z up do.
            {'name': 'Stage', 'children': [2], 'matrix': [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1]},
            {'name': 'Strip', 'mesh': 0, 'skin': 0},
            {'name': 'lower', 'children': [3], 'rotation': [math.sqrt(0.5), 0, 0, math.sqrt(0.5)]},
            {'name': 'upper', 'translation': [0, 1, 0]},
        ],
        'meshes': [{'name': 'Strip', 'primitives': [
            {'attributes': {'POSITION': position, 'JOINTS_0': joints, 'WEIGHTS_0': weights}, 'indices': indices}]}],
        'skins': [{'joints': [2, 3], 'inverseBindMatrices': bind, 'skeleton': 2}],
        'animations': [
            {'name': 'Bend', **clip((3, 'rotation', bend, 'LINEAR'), (2, 'translation', hop, 'STEP'))},
            {**clip((3, 'rotation', short, 'LINEAR'), (3, 'scale', cubic, 'CUBICSPLINE'))},
        ],
        'accessors': b.accessors,
        'bufferViews': b.views,
        'buffers': [{'byteLength': len(b.data)}],
    }
    if morphs:
        mesh = document['meshes'][0]
        bulge = b.add(FLOAT, 'VEC3', [(0.0, 0.0, 0.1 * i) for i in range(10)], ends=True)
        widen = b.add(FLOAT, 'VEC3', [(0.2 * (-1) ** i, 0.0, 0.0) for i in range(10)], ends=True)
        mesh['primitives'][0]['targets'] = [{'POSITION': bulge}, {'POSITION': widen}]
        mesh['weights'] = [0.25, 0.0]
        shares = b.add(FLOAT, 'SCALAR', [(w,) for w in (0.0, 1.0, 0.5, 0.0, 0.0, 0.25)])
        bend = document['animations'][0]
        bend['channels'].append({'sampler': len(bend['samplers']), 'target': {'node': 1, 'path': 'weights'}})
        bend['samplers'].append({'input': times, 'output': shares, 'interpolation': 'LINEAR'})
        document['buffers'] = [{'byteLength': len(b.data)}]
    return document, bytes(b.data)


def glb(document, data):
    text = json.dumps(document, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    chunks = struct.pack('<I4s', len(text), b'JSON') + text + struct.pack('<I4s', len(data), b'BIN\0') + data
    return struct.pack('<4sII', b'glTF', 2, 12 + len(chunks)) + chunks


def main():
    folder = Path(sys.argv[1])
    document, data = strip()
    (folder / 'strip.glb').write_bytes(glb(document, data))
    (folder / 'morphs.glb').write_bytes(glb(*strip(morphs=True)))

    # The same in two buffers: what the animations have (the last views) stands in the text.
    first = document['accessors'][document['animations'][0]['samplers'][0]['input']]['bufferView']
    cut = document['bufferViews'][first]['byteOffset']
    for view in document['bufferViews'][first:]:
        view['buffer'], view['byteOffset'] = 1, view['byteOffset'] - cut
    text = base64.b64encode(data[cut:]).decode()
    document['buffers'] = [{'byteLength': cut, 'uri': 'strip%20mesh.bin'},
                           {'byteLength': len(data) - cut, 'uri': 'data:application/octet-stream;base64,' + text}]
    (folder / 'strip.gltf').write_text(json.dumps(document, indent=1) + '\n')
    (folder / 'strip mesh.bin').write_bytes(data[:cut])


if __name__ == '__main__':
    main()
