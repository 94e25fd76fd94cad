#!/usr/bin/env python3
"""Make a skinned character to try things on: a figure of 1.7 m that walks and runs.

    examples/assets/make_hero.py OUT.glb [--parts hair,cape,skirt,tail,fingers,gear] [--uneven] [--sunk] [--plain]

--parts    what it wears and carries (hair, cape and skirt); `gear` is a sword and a pack without a skin
--uneven   scales that differ along the axes by what exporters round away, 1, 1.0000018, 1.0000156
--sunk     the rest pose stands 0.3 m below the floor; the clips do not
--plain    names of bones say nothing: bone_0, bone_1, …
"""
import argparse
import json
import math
import pathlib
import struct


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, metavar="OUT.glb")
    parser.add_argument("--parts", default="hair,cape,skirt")
    parser.add_argument("--uneven", action="store_true")
    parser.add_argument("--sunk", action="store_true")
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    options.parts = set(filter(None, options.parts.split(",")))
    unknown = options.parts - {"hair", "cape", "skirt", "tail", "fingers", "gear"}
    if unknown:
        parser.error("there is no part " + ", ".join(sorted(unknown)))
    return options


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def times(a, s):
    return [x * s for x in a]


def turn(axis, degrees):
    half = math.radians(degrees) / 2
    return [axis[0] * math.sin(half), axis[1] * math.sin(half), axis[2] * math.sin(half), math.cos(half)]


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]


class Character:
    """Bones stand unturned in the rest pose; y is up and the figure looks along z."""

    def __init__(self):
        self.bones = []  # name, parent, offset, end
        self.place = []
        self.points, self.normals, self.faces, self.joints, self.tones = [], [], [], [], []
        self.gear = []  # name, bone, box

    def bone(self, name, parent, start, end):
        """From start to end, both in the world."""
        origin = self.place[parent] if parent >= 0 else [0, 0, 0]
        self.bones.append((name, parent, plus(start, times(origin, -1)), plus(end, times(start, -1))))
        self.place.append(start)
        return len(self.bones) - 1

    def tube(self, bone, radius, tone, flat=1.0, rings=5, sides=10):
        """Skin around a bone, `flat` of it as thick as wide along z, that follows this bone alone."""
        start, along = self.place[bone], self.bones[bone][3]
        length = math.sqrt(sum(c * c for c in along)) or 1e-9
        axis = times(along, 1 / length)
        side = [1, 0, 0] if abs(axis[0]) < 0.9 else [0, 0, 1]
        dot = sum(a * b for a, b in zip(side, axis))
        side = plus(side, times(axis, -dot))
        side = times(side, 1 / math.sqrt(sum(c * c for c in side)))
        other = [axis[1] * side[2] - axis[2] * side[1], axis[2] * side[0] - axis[0] * side[2],
                 axis[0] * side[1] - axis[1] * side[0]]
        first = len(self.points)
        for r in range(rings):
            part = r / (rings - 1)
            wide = radius * (0.55 if r in (0, rings - 1) else 1)
            for s in range(sides):
                angle = 2 * math.pi * s / sides
                normal = plus(times(side, math.cos(angle)), times(other, flat * math.sin(angle)))
                self.points.append(plus(plus(start, times(along, part)), times(normal, wide)))
                self.normals.append(normal)
                self.joints.append(bone)
                self.tones.append(tone)
        for r in range(rings - 1):
            for s in range(sides):
                a, b = first + r * sides + s, first + r * sides + (s + 1) % sides
                self.faces += [a, b, a + sides, b, b + sides, a + sides]
        for r, ring in ((0, first), (rings - 1, first + (rings - 1) * sides)):
            for s in range(1, sides - 1):
                self.faces += [ring, ring + s + 1, ring + s] if r == 0 else [ring, ring + s, ring + s + 1]

    def sheet(self, columns, tone, closed):
        """Cloth between chains of bones; each corner follows the bone that it hangs from."""
        grid = []
        for column in columns:
            places = [(self.place[b], b) for b in column]
            places.append((plus(self.place[column[-1]], self.bones[column[-1]][3]), column[-1]))
            grid.append([])
            for place, bone in places:
                grid[-1].append(len(self.points))
                self.points.append(place)
                self.normals.append([0, 0, 1])
                self.joints.append(bone)
                self.tones.append(tone)
        count = len(grid)
        for c in range(count if closed else count - 1):
            left, right = grid[c], grid[(c + 1) % count]
            for r in range(len(left) - 1):
                quad = [left[r], right[r], left[r + 1], right[r], right[r + 1], left[r + 1]]
                self.faces += quad + quad[::-1]


SKIN, CLOTH, HAIR, CAPE, SKIRT = [0.85, 0.66, 0.54], [0.25, 0.35, 0.5], [0.35, 0.2, 0.1], [0.6, 0.12, 0.12], [0.2, 0.4, 0.3]


def figure(parts):
    c = Character()
    hips = c.bone("Hips", -1, [0, 0.95, 0], [0, 1.07, 0])
    spine = c.bone("Spine", hips, [0, 1.07, 0], [0, 1.22, 0])
    chest = c.bone("Chest", spine, [0, 1.22, 0], [0, 1.43, 0])
    neck = c.bone("Neck", chest, [0, 1.43, 0], [0, 1.52, 0])
    head = c.bone("Head", neck, [0, 1.52, 0], [0, 1.7, 0])
    c.tube(hips, 0.14, CLOTH, 0.75)
    c.tube(spine, 0.13, CLOTH, 0.75)
    c.tube(chest, 0.15, CLOTH, 0.7)
    c.tube(neck, 0.05, SKIN)
    c.tube(head, 0.09, SKIN)
    for side, sign in (("Left", 1), ("Right", -1)):
        thigh = c.bone(side + "UpLeg", hips, [0.09 * sign, 0.93, 0], [0.09 * sign, 0.5, 0])
        shin = c.bone(side + "Leg", thigh, [0.09 * sign, 0.5, 0], [0.09 * sign, 0.09, 0])
        foot = c.bone(side + "Foot", shin, [0.09 * sign, 0.09, 0], [0.09 * sign, 0.04, 0.17])
        c.tube(thigh, 0.075, CLOTH)
        c.tube(shin, 0.05, CLOTH)
        c.tube(foot, 0.04, SKIN)
        collar = c.bone(side + "Shoulder", chest, [0.03 * sign, 1.4, 0], [0.17 * sign, 1.39, 0])
        arm = c.bone(side + "Arm", collar, [0.17 * sign, 1.39, 0], [0.3 * sign, 1.14, 0])
        fore = c.bone(side + "ForeArm", arm, [0.3 * sign, 1.14, 0], [0.36 * sign, 0.9, 0.04])
        hand = c.bone(side + "Hand", fore, [0.36 * sign, 0.9, 0.04], [0.38 * sign, 0.81, 0.06])
        c.tube(collar, 0.055, CLOTH)
        c.tube(arm, 0.045, CLOTH)
        c.tube(fore, 0.036, SKIN)
        c.tube(hand, 0.035, SKIN, 0.5)
        if "fingers" in parts:
            for f, name in enumerate(["Thumb", "Index", "Middle", "Ring", "Pinky"]):
                parent, start = hand, [0.38 * sign, 0.83 if f == 0 else 0.81, 0.02 + 0.02 * f]
                for k, length in enumerate([0.035, 0.025, 0.02]):
                    end = plus(start, [0.004 * sign, -length, 0.004])
                    parent = c.bone(f"{side}Hand{name}{k + 1}", parent, start, end)
                    c.tube(parent, 0.008, SKIN, sides=6, rings=3)
                    start = end
        if side == "Right":
            held = hand
    if "hair" in parts:
        for k, x in enumerate([-0.06, 0, 0.06]):
            parent, start = head, [x, 1.66, -0.105]
            for i in range(5):
                end = plus(start, [0.1 * x, -0.085, -0.012])
                parent = c.bone(f"Hair{k}_{i}", parent, start, end)
                c.tube(parent, 0.022 - 0.002 * i, HAIR, sides=8, rings=4)
                start = end
    if "cape" in parts:
        columns = []
        for k in range(5):
            x = 0.09 * (k - 2)
            parent, start, column = chest, [x, 1.42, -0.15], []
            for i in range(6):
                end = plus(start, [0.06 * x, -0.16, -0.02])
                parent = c.bone(f"Cape{k}_{i}", parent, start, end)
                column.append(parent)
                start = end
            columns.append(column)
        c.sheet(columns, CAPE, False)
    if "skirt" in parts:
        columns = []
        for k in range(10):
            angle = 2 * math.pi * (k + 0.5) / 10
            out = [math.sin(angle), 0, 0.85 * math.cos(angle)]
            parent, start, column = hips, plus([0, 1.0, 0], times(out, 0.17)), []
            for i in range(4):
                end = plus(start, plus([0, -0.12, 0], times(out, 0.045)))
                parent = c.bone(f"Skirt{k}_{i}", parent, start, end)
                column.append(parent)
                start = end
            columns.append(column)
        c.sheet(columns, SKIRT, True)
    if "tail" in parts:
        parent, start = hips, [0, 0.98, -0.12]
        for i in range(6):
            end = plus(start, [0, -0.03, -0.1])
            parent = c.bone(f"Tail{i}", parent, start, end)
            c.tube(parent, 0.035 - 0.004 * i, HAIR)
            start = end
    if "gear" in parts:
        c.gear = [("Sword", held, [-0.015, -0.7, -0.03], [0.015, 0.1, 0.03]), ("Pack", chest, [-0.12, -0.05, -0.32], [0.12, 0.2, -0.14])]
    return c


def cycle(character, name, period, reach, bounce, lean, frames=24):
    """A walk or a run on the spot; `reach` in degrees to either side."""
    times_ = [period * k / frames for k in range(frames + 1)]
    tracks = {}

    def add(bone, value):
        tracks.setdefault(bone, []).append(value)

    index = {b[0]: i for i, b in enumerate(character.bones)}
    hips = []
    for k in range(frames + 1):
        a = 2 * math.pi * k / frames
        hips.append(plus(character.bones[0][2], [0.012 * math.sin(a), bounce * (math.cos(2 * a + 0.5) - 0.6), 0]))
        add("Hips", product(turn(Y, 0.25 * reach * math.sin(a)), product(turn(X, lean), turn(Z, 3 * math.cos(a)))))
        add("Spine", turn(Y, -0.2 * reach * math.sin(a)))
        add("Chest", turn(Y, -0.2 * reach * math.sin(a)))
        add("Head", turn(X, -lean + 2 * math.cos(2 * a)))
        for side, phase in (("Left", 0), ("Right", math.pi)):
            swing = math.sin(a + phase)
            add(side + "UpLeg", turn(X, -reach * swing - 0.35 * lean))
            add(side + "Leg", turn(X, reach * (0.9 + 0.8 * math.cos(a + phase + 0.3))))
            add(side + "Foot", turn(X, 0.4 * reach * math.sin(a + phase + 2.5)))
            add(side + "Arm", turn(X, 0.9 * reach * swing))
            add(side + "ForeArm", turn(X, -0.6 * reach * (1 - 0.5 * swing)))
    return {"name": name, "times": times_, "hips": hips, "turns": {index[n]: t for n, t in tracks.items()}}


class Binary:
    def __init__(self):
        self.data, self.views, self.accessors = bytearray(), [], []

    def add(self, rows, kind, code, component, target=None, limits=False):
        while len(self.data) % 4:
            self.data.append(0)
        view = {"buffer": 0, "byteOffset": len(self.data)}
        flat = [v for row in rows for v in (row if isinstance(row, (list, tuple)) else [row])]
        packed = struct.pack("<%d%s" % (len(flat), code), *flat)
        self.data += packed
        view["byteLength"] = len(packed)
        if target:
            view["target"] = target
        self.views.append(view)
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(rows), "type": kind}
        if limits:
            single = [struct.unpack("<f", struct.pack("<f", v))[0] for v in flat]
            wide = len(single) // len(rows)
            accessor["min"] = [min(single[i::wide]) for i in range(wide)]
            accessor["max"] = [max(single[i::wide]) for i in range(wide)]
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def floats(self, rows, kind, target=None, limits=False):
        return self.add(rows, kind, "f", 5126, target, limits)


def box(low, high):
    points, normals, faces = [], [], []
    for axis in range(3):
        for end in (0, 1):
            first = len(points)
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                corner = [0, 0, 0]
                corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3] = end, u, v
                points.append([h if e else l for e, l, h in zip(corner, low, high)])
                normals.append([(2 * end - 1) * (axis == k) for k in range(3)])
            quad = [0, 1, 2, 0, 2, 3] if end else [0, 2, 1, 0, 3, 2]
            faces += [first + q for q in quad]
    return points, normals, faces


def document(c, clips, options):
    binary = Binary()
    nodes, skin_joints = [], list(range(1, len(c.bones) + 1))
    nodes.append({"name": "Armature", "children": []})
    if options.uneven:
        nodes[0]["scale"] = [1, 1.0000018, 1.0000156]
    for i, (name, parent, offset, _) in enumerate(c.bones):
        offset = plus(offset, [0, -0.3 if options.sunk and parent < 0 else 0, 0])
        nodes.append({"name": f"bone_{i}" if options.plain else name, "translation": offset})
        nodes[parent + 1].setdefault("children", []).append(i + 1)
    for place, joint in zip(c.points, c.joints):
        assert 0 <= joint < len(c.bones) and len(place) == 3
    inverse = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *plus(times(p, -1), [0, 0, 0]), 1] for p in c.place]
    lengths = [math.sqrt(sum(v * v for v in n)) or 1 for n in c.normals]
    mesh = {"attributes": {"POSITION": binary.floats(c.points, "VEC3", 34962, True),
                           "NORMAL": binary.floats([times(n, 1 / l) for n, l in zip(c.normals, lengths)], "VEC3", 34962),
                           "COLOR_0": binary.floats(c.tones, "VEC3", 34962),
                           "JOINTS_0": binary.add([[j, 0, 0, 0] for j in c.joints], "VEC4", "H", 5123, 34962),
                           "WEIGHTS_0": binary.floats([[1, 0, 0, 0]] * len(c.joints), "VEC4", 34962)},
            "indices": binary.add(c.faces, "SCALAR", "I", 5125, 34963), "material": 0}
    meshes = [{"name": "Body", "primitives": [mesh]}]
    nodes.append({"name": "Body", "mesh": 0, "skin": 0})
    roots = [0, len(nodes) - 1]
    for name, bone, low, high in c.gear:
        points, normals, faces = box(low, high)
        meshes.append({"name": name, "primitives": [{
            "attributes": {"POSITION": binary.floats(points, "VEC3", 34962, True), "NORMAL": binary.floats(normals, "VEC3", 34962)},
            "indices": binary.add(faces, "SCALAR", "I", 5125, 34963), "material": 0}]})
        nodes[bone + 1].setdefault("children", []).append(len(nodes))
        nodes.append({"name": name, "mesh": len(meshes) - 1})
    animations = []
    for clip in clips:
        time = binary.floats(clip["times"], "SCALAR", None, True)
        samplers = [{"input": time, "output": binary.floats(clip["hips"], "VEC3"), "interpolation": "LINEAR"}]
        channels = [{"sampler": 0, "target": {"node": 1, "path": "translation"}}]
        for bone, turns in sorted(clip["turns"].items()):
            channels.append({"sampler": len(samplers), "target": {"node": bone + 1, "path": "rotation"}})
            samplers.append({"input": time, "output": binary.floats(turns, "VEC4"), "interpolation": "LINEAR"})
        animations.append({"name": clip["name"], "samplers": samplers, "channels": channels})
    for node in nodes:
        if not node.get("children", True):
            del node["children"]
    return {"asset": {"version": "2.0", "generator": "make_hero.py"}, "scene": 0, "scenes": [{"nodes": roots}],
            "nodes": nodes, "meshes": meshes, "animations": animations,
            "materials": [{"name": "Matte", "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.9}}],
            "skins": [{"joints": skin_joints, "inverseBindMatrices": binary.floats(inverse, "MAT4"), "skeleton": 1}],
            "accessors": binary.accessors, "bufferViews": binary.views,
            "buffers": [{"byteLength": len(binary.data)}]}, bytes(binary.data)


def main():
    options = arguments()
    character = figure(options.parts)
    clips = [cycle(character, "Run", 0.7, 38, 0.035, 10), cycle(character, "Walk", 1.1, 24, 0.018, 2)]
    tree, data = document(character, clips, options)
    text = json.dumps(tree, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    whole = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data))
    whole += struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    options.output.write_bytes(whole)
    print(f"{options.output}: {len(character.bones)} bones, {len(character.points)} points, {len(clips)} clips")


if __name__ == "__main__":
    main()
