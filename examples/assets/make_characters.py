#!/usr/bin/env python3
"""Characters that have what characters of the web have, made from nothing, for try_files.py and for tests.

    examples/assets/make_characters.py DIR [NAME ...]

Writes DIR/NAME.glb for each: a figure of 1.7 m with a skin of tubes, a walk in place of 1 s, and

    cape, skirt, hair    chains of bones side by side, not tied to each other
    gear                 a sword and a hat that hang on bones without a skin
    uneven               scales of 1, 1.0000018 and 1.0000156, as exporters leave them
    stretch              a clip that stretches the spine and the head
    points               bones without extent: ends, twins in one place, a root beside the hips
    fingers              65 bones, with three to each finger, called as Mixamo does
    morphs               a face with two morph targets that the clip moves
    quantized            positions and weights as whole numbers (KHR_mesh_quantization)
    packed               positions and keys through EXT_meshopt_compression
    draco                a skin that says it is in Draco's form (and is not: whoever opens it has to say so)
    ktx2                 a picture in KTX2 that nobody here can read
    vrm, vrm1            the hair as spring bones of VRM 0.x and 1.0
    centimetres          all of it in centimetres, under a root that is turned and scaled

Python's own library is enough. Nothing is random: the same files each time.
"""
import json
import math
import pathlib
import struct
import sys

SIDES = (("Left", 1), ("Right", -1))


class Figure:
    """A skeleton with a tube of skin about each bone, and keys."""

    def __init__(self, unit=1.0):
        self.unit = unit
        self.bones = []  # name, parent, place in the world, place of the end, radius
        self.numbers = {}
        self.turns = {}  # name: function of the phase (0 to 1) to a quaternion
        self.scales = {}  # name: function of the phase to three factors
        self.rest_scales = {}

    def bone(self, name, parent, place, end=None, radius=0.0):
        self.numbers[name] = len(self.bones)
        self.bones.append((name, parent, [x * self.unit for x in place],
                           [x * self.unit for x in end] if end else None, radius * self.unit))

    def chain(self, names, parent, points, radius):
        for i, name in enumerate(names):
            self.bone(name, parent, points[i], points[i + 1], radius)
            parent = name

    def person(self):
        self.bone("Hips", None, (0, 0.95, 0), (0, 1.05, 0), 0.12)
        self.chain(["Spine", "Chest", "Neck", "Head"], "Hips",
                   [(0, 1.05, 0), (0, 1.25, 0), (0, 1.45, 0), (0, 1.53, 0), (0, 1.7, 0)], 0.1)
        for side, x in SIDES:
            self.chain([side + "Arm", side + "ForeArm", side + "Hand"], "Chest",
                       [(0.18 * x, 1.42, 0), (0.2 * x, 1.14, 0), (0.21 * x, 0.9, 0), (0.21 * x, 0.8, 0)], 0.045)
            self.chain([side + "UpLeg", side + "Leg", side + "Foot"], "Hips",
                       [(0.1 * x, 0.92, 0), (0.1 * x, 0.5, 0), (0.1 * x, 0.08, 0), (0.1 * x, 0.04, 0.14)], 0.06)
            self.turns[side + "UpLeg"] = about_x(0.5 * x)
            self.turns[side + "Arm"] = about_x(-0.4 * x)
            self.turns[side + "Leg"] = lambda t, x=x: quaternion((1, 0, 0), 0.4 + 0.4 * math.sin(2 * math.pi * t - 1.2 * x))
        return self


def quaternion(axis, angle):
    return [a * math.sin(angle / 2) for a in axis] + [math.cos(angle / 2)]


def about_x(swing):
    return lambda t: quaternion((1, 0, 0), swing * math.sin(2 * math.pi * t))


# ---- what figures wear ----------------------------------------------------------------------------------------

def cape(figure):
    for column in range(5):
        x = 0.08 * (column - 2)
        points = [(x * (1 + 0.12 * row), 1.42 - 0.16 * row, -0.13 - 0.02 * row) for row in range(7)]
        figure.chain([f"Cape_{column}_{row}" for row in range(6)], "Chest", points, 0.02)


def skirt(figure):
    for column in range(12):
        way = (math.sin(2 * math.pi * column / 12), math.cos(2 * math.pi * column / 12))
        points = [((0.14 + 0.03 * row) * way[0], 0.98 - 0.11 * row, (0.14 + 0.03 * row) * way[1]) for row in range(5)]
        figure.chain([f"Skirt_{column}_{row}" for row in range(4)], "Hips", points, 0.02)


def hair(figure):
    for strand in range(14):
        angle = math.pi * (0.35 + 1.3 * strand / 13)
        way = (math.sin(angle), math.cos(angle))
        points = [((0.1 + 0.012 * row) * way[0], 1.66 - 0.07 * row, (0.1 + 0.012 * row) * way[1]) for row in range(6)]
        figure.chain([f"Hair_{strand}_{row}" for row in range(5)], "Head", points, 0.012)


def fingers(figure):
    """65 bones: those of the person, toes, and three and an end to each finger."""
    for side, x in SIDES:
        for f, finger in enumerate(("Thumb", "Index", "Middle", "Ring", "Pinky")):
            z = 0.03 - 0.018 * f
            points = [(0.21 * x, 0.8 - 0.028 * k, z) for k in range(4)]
            figure.chain([f"mixamorig:{side}Hand{finger}{k + 1}" for k in range(3)], side + "Hand", points, 0.008)
            figure.bone(f"mixamorig:{side}Hand{finger}4", f"mixamorig:{side}Hand{finger}3", points[3])
        figure.chain([side + "ToeBase"], side + "Foot", [(0.1 * x, 0.04, 0.14), (0.1 * x, 0.03, 0.2)], 0.03)
        figure.bone(side + "Toe_End", side + "ToeBase", (0.1 * x, 0.03, 0.2))
        figure.bone(side + "Shoulder_Twist", "Chest", (0.16 * x, 1.42, 0))
    figure.bone("HeadTop_End", "Head", (0, 1.7, 0))
    figure.bone("Jaw", "Head", (0, 1.56, 0.06), (0, 1.55, 0.1), 0.02)


def points(figure):
    figure.bone("Root", None, (0, 0, 0))
    for name in ("Chest", "Head", "LeftHand", "RightFoot"):
        place = [x / figure.unit for x in figure.bones[figure.numbers[name]][2]]
        figure.bone(name + "_Twin", name, place)
        figure.bone(name + "_End", name + "_Twin", place)


def uneven(figure):
    for i, name in enumerate(list(figure.numbers)):
        figure.rest_scales[name] = ([1, 1.0000018, 1.0000156], [1.0000156, 1, 1], [0.9999991, 1, 1.0000018])[i % 3]


def stretch(figure):
    wave = lambda t: 1 + 0.15 * math.sin(2 * math.pi * t)
    figure.scales["Spine"] = lambda t: [1 / math.sqrt(wave(t)), wave(t), 1 / math.sqrt(wave(t))]
    figure.scales["Head"] = lambda t: [wave(t)] * 3


# ---- files ----------------------------------------------------------------------------------------------------

class Pack:
    """Bytes, views and accessors of a GLB."""

    def __init__(self):
        self.binary, self.views, self.accessors = bytearray(), [], []

    def view(self, data):
        self.binary += b"\0" * (-len(self.binary) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)})
        self.binary += data
        return len(self.views) - 1

    def add(self, kind, rows, code="f", bounds=False, **more):
        flat = [x for row in rows for x in row]
        wide = len(rows[0])
        accessor = {"bufferView": self.view(struct.pack(f"<{len(flat)}{code}", *flat)), "count": len(rows), "type": kind,
                    "componentType": {"f": 5126, "H": 5123, "B": 5121, "h": 5122}[code], **more}
        if bounds:
            exact = [struct.unpack("<f", struct.pack("<f", x))[0] for x in flat] if code == "f" else flat
            accessor["min"] = [min(exact[k::wide]) for k in range(wide)]
            accessor["max"] = [max(exact[k::wide]) for k in range(wide)]
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def tube(start, end, radius, around=8):
    """Rings at both ends and between, and their faces."""
    way = [b - a for a, b in zip(start, end)]
    length = math.sqrt(sum(x * x for x in way)) or 1
    way = [x / length for x in way]
    helper = (1, 0, 0) if abs(way[0]) < 0.9 else (0, 1, 0)
    u = cross(way, helper)
    size = math.sqrt(sum(x * x for x in u))
    u = [x / size for x in u]
    v = cross(way, u)
    places, normals, faces = [], [], []
    for ring in range(3):
        for k in range(around):
            c, s = math.cos(2 * math.pi * k / around), math.sin(2 * math.pi * k / around)
            normals.append([c * a + s * b for a, b in zip(u, v)])
            places.append([p + way[i] * length * ring / 2 + radius * normals[-1][i] for i, p in enumerate(start)])
    for ring in range(2):
        for k in range(around):
            a, b = ring * around + k, ring * around + (k + 1) % around
            faces += [[a, b, b + around], [a, b + around, a + around]]
    return places, normals, faces


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def document(figure, quantized=False):
    pack = Pack()
    nodes, skin_places, skin_normals, joints, weights, faces = [], [], [], [], [], []
    worlds = {}
    for name, parent, place, end, radius in figure.bones:
        number = len(nodes)
        scale = figure.rest_scales.get(name)
        # Scales that differ by rounding are left out of the places: that is what they are meant to try.
        above = worlds[parent] if parent else [0, 0, 0]
        node = {"name": name, "translation": [a - b for a, b in zip(place, above)]}
        if scale:
            node["scale"] = scale
        worlds[name] = place
        nodes.append(node)
        if parent:
            nodes[figure.numbers[parent]].setdefault("children", []).append(number)
        if not end or radius == 0:
            continue
        p, n, f = tube(place, end, radius)
        first = len(skin_places)
        skin_places, skin_normals = skin_places + p, skin_normals + n
        faces += [[first + i for i in face] for face in f]
        for i in range(len(p)):
            # The ring at the start hangs on the bone above too.
            share = 0.5 if i < 8 and parent else 0.0
            joints.append([number, figure.numbers[parent] if parent else 0, 0, 0])
            weights.append([1 - share, share, 0, 0])
    binds = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *[-x for x in b[2]], 1] for b in figure.bones]
    gltf = {"asset": {"version": "2.0", "generator": "make_characters.py"}, "scene": 0}
    small = 2.0 * figure.unit / 32767
    if quantized:
        position = pack.add("VEC3", [[round(x / small) for x in p] + [0] for p in skin_places], "h")
        pack.accessors[position].update(
            min=[min(round(p[k] / small) for p in skin_places) for k in range(3)],
            max=[max(round(p[k] / small) for p in skin_places) for k in range(3)])
        pack.views[-1]["byteStride"] = 8
        weight = pack.add("VEC4", [[round(255 * w) if k else 255 - round(255 * row[1]) for k, w in enumerate(row)]
                                   for row in weights], "B", normalized=True)
        # The skin's own frame is smaller by the same factor, which the bind matrices undo.
        binds = [[x * (small if i % 4 < 3 and i < 12 else 1) for i, x in enumerate(b)] for b in binds]
        gltf["extensionsUsed"] = gltf["extensionsRequired"] = ["KHR_mesh_quantization"]
    else:
        position = pack.add("VEC3", skin_places, bounds=True)
        weight = pack.add("VEC4", weights)
    attributes = {"POSITION": position, "NORMAL": pack.add("VEC3", skin_normals), "WEIGHTS_0": weight,
                  "JOINTS_0": pack.add("VEC4", joints, "B" if len(nodes) < 256 else "H")}
    indices = pack.add("SCALAR", [[i] for face in faces for i in face], "H")
    gltf["meshes"] = [{"name": "skin", "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}]
    gltf["materials"] = [{"name": "cloth", "pbrMetallicRoughness": {"baseColorFactor": [0.6, 0.45, 0.35, 1],
                                                                   "metallicFactor": 0}}]
    gltf["skins"] = [{"joints": list(range(len(nodes))), "inverseBindMatrices": pack.add("MAT4", binds)}]
    roots = [i for i, b in enumerate(figure.bones) if b[1] is None]
    nodes.append({"name": "Body", "mesh": 0, "skin": 0})
    gltf["nodes"], gltf["scenes"] = nodes, [{"nodes": roots + [len(nodes) - 1]}]
    gltf["animations"] = [clip(figure, pack)]
    return gltf, pack


def clip(figure, pack, keys=31):
    times = pack.add("SCALAR", [[i / (keys - 1)] for i in range(keys)], bounds=True)
    made = {"name": "Walk", "samplers": [], "channels": []}

    def channel(name, path, kind, function):
        rows = [function(i / (keys - 1)) for i in range(keys)]
        made["channels"].append({"sampler": len(made["samplers"]), "target": {"node": figure.numbers[name], "path": path}})
        made["samplers"].append({"input": times, "output": pack.add(kind, rows)})

    for name, turn in figure.turns.items():
        channel(name, "rotation", "VEC4", turn)
    for name, scale in figure.scales.items():
        channel(name, "scale", "VEC3", scale)
    return made


def hang(gltf, pack, node, name, start, end, radius):
    """A mesh without a skin, on a bone."""
    places, normals, faces = tube(start, end, radius)
    gltf["meshes"].append({"name": name, "primitives": [{
        "attributes": {"POSITION": pack.add("VEC3", places, bounds=True), "NORMAL": pack.add("VEC3", normals)},
        "indices": pack.add("SCALAR", [[i] for face in faces for i in face], "H"), "material": 0}]})
    gltf["nodes"].append({"name": name, "mesh": len(gltf["meshes"]) - 1})
    gltf["nodes"][node].setdefault("children", []).append(len(gltf["nodes"]) - 1)


def meshopted(gltf, pack):
    """Float views as streams of EXT_meshopt_compression, each byte as a difference of its own."""
    fallback = len(pack.binary)
    for accessor in gltf["accessors"]:
        if accessor["componentType"] != 5126:
            continue
        view, count = gltf["bufferViews"][accessor["bufferView"]], accessor["count"]
        stride = {"SCALAR": 4, "VEC3": 12, "VEC4": 16, "MAT4": 64}[accessor["type"]]
        raw = pack.binary[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]
        stream, most, last = bytearray([0xA0]), min(256, 8192 // stride & ~15), [0] * stride
        for first in range(0, count, most):
            size = min(most, count - first)
            groups = -(-size // 16)
            for k in range(stride):
                stream += b"\xff" * -(-groups // 4)
                for i in range(16 * groups):
                    value = raw[(first + min(i, size - 1)) * stride + k]
                    step = (value - last[k] + 128) % 256 - 128
                    stream.append((step << 1 ^ step >> 31) & 255)
                    last[k] = value
        stream += bytes(max(stride, 32))
        pack.binary += b"\0" * (-len(pack.binary) % 4)
        how = {"buffer": 0, "byteOffset": len(pack.binary), "byteLength": len(stream), "byteStride": stride,
               "count": count, "mode": "ATTRIBUTES"}
        pack.binary += stream
        view.update(buffer=1, extensions={"EXT_meshopt_compression": how})
    gltf["extensionsUsed"] = gltf["extensionsRequired"] = ["EXT_meshopt_compression"]
    return [{"byteLength": len(pack.binary)},
            {"byteLength": fallback, "extensions": {"EXT_meshopt_compression": {"fallback": True}}}]


def springs(gltf, figure, version):
    chains = {}
    for name, number in figure.numbers.items():
        if name.startswith("Hair_"):
            chains.setdefault(name.split("_")[1], []).append(number)
    if version == 0:
        group = {"comment": "hair", "stiffiness": 0.8, "gravityPower": 0.1, "gravityDir": {"x": 0, "y": -1, "z": 0},
                 "dragForce": 0.4, "center": -1, "hitRadius": 0.02, "bones": [c[0] for c in chains.values()],
                 "colliderGroups": []}
        gltf["extensions"] = {"VRM": {"specVersion": "0.0", "secondaryAnimation": {"boneGroups": [group],
                                                                                  "colliderGroups": []}}}
    else:
        joint = {"hitRadius": 0.02, "stiffness": 0.8, "gravityPower": 0.1, "gravityDir": [0, -1, 0], "dragForce": 0.4}
        gltf["extensions"] = {"VRMC_springBone": {"specVersion": "1.0", "springs": [
            {"name": "hair_" + key, "joints": [{"node": n, **joint} for n in c]} for key, c in chains.items()]}}
    gltf["extensionsUsed"] = list(gltf["extensions"])


def morphs(gltf, pack, keys=31):
    """Two targets of the skin's mesh, and a clip that moves them."""
    primitive = gltf["meshes"][0]["primitives"][0]
    count = gltf["accessors"][primitive["attributes"]["POSITION"]]["count"]
    primitive["targets"] = [
        {"POSITION": pack.add("VEC3", [[0.01 * math.sin(i + k), 0, 0.01] for i in range(count)], bounds=True)}
        for k in range(2)]
    gltf["meshes"][0]["weights"] = [0, 0.5]
    moving = gltf["animations"][0]
    weights = [[0.5 + 0.5 * math.sin(2 * math.pi * (i // 2) / (keys - 1) + i % 2)] for i in range(2 * keys)]
    moving["channels"].append({"sampler": len(moving["samplers"]),
                               "target": {"node": len(gltf["nodes"]) - 1, "path": "weights"}})
    moving["samplers"].append({"input": moving["samplers"][0]["input"], "output": pack.add("SCALAR", weights)})


def make(name):
    figure = Figure(100.0 if name == "centimetres" else 1.0).person()
    for part, names in ((cape, ("cape", "centimetres")), (skirt, ("skirt",)), (hair, ("hair", "vrm", "vrm1", "packed")),
                        (fingers, ("fingers",)), (points, ("points",)), (uneven, ("uneven",)), (stretch, ("stretch",))):
        if name in names:
            part(figure)
    gltf, pack = document(figure, quantized=name == "quantized")
    gltf["accessors"], gltf["bufferViews"] = pack.accessors, pack.views
    if name == "gear":
        hang(gltf, pack, figure.numbers["RightHand"], "Sword", (0, -0.08, 0.05), (0, -0.08, 0.9), 0.02)
        hang(gltf, pack, figure.numbers["Head"], "Hat", (0, 0.16, 0), (0, 0.3, 0), 0.13)
    if name == "morphs":
        morphs(gltf, pack)
    if name in ("vrm", "vrm1"):
        springs(gltf, figure, 0 if name == "vrm" else 1)
    if name == "draco":
        gltf["meshes"][0]["primitives"][0]["extensions"] = {
            "KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}}
        gltf["extensionsUsed"] = gltf["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    if name == "ktx2":
        attributes = gltf["meshes"][0]["primitives"][0]["attributes"]
        count = gltf["accessors"][attributes["POSITION"]]["count"]
        attributes["TEXCOORD_0"] = pack.add("VEC2", [[i % 8 / 8, i / count] for i in range(count)])
        picture = pack.view(b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(68))
        gltf["images"] = [{"mimeType": "image/ktx2", "bufferView": picture}]
        gltf["textures"] = [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]
        gltf["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
        gltf["extensionsUsed"] = gltf["extensionsRequired"] = ["KHR_texture_basisu"]
    if name == "centimetres":
        gltf["nodes"].append({"name": "Armature", "children": gltf["scenes"][0]["nodes"], "scale": [0.01] * 3,
                              "rotation": quaternion((0, 1, 0), math.pi / 2)})
        gltf["scenes"][0]["nodes"] = [len(gltf["nodes"]) - 1]
    buffers = meshopted(gltf, pack) if name == "packed" else [{"byteLength": len(pack.binary)}]
    gltf["buffers"] = buffers
    return glb(gltf, bytes(pack.binary))


def glb(gltf, binary):
    text = json.dumps(gltf, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    length = 12 + 8 + len(text) + 8 + len(binary)
    return (struct.pack("<III", 0x46546C67, 2, length) + struct.pack("<II", len(text), 0x4E4F534A) + text +
            struct.pack("<II", len(binary), 0x004E4942) + binary)


NAMES = ["cape", "skirt", "hair", "gear", "uneven", "stretch", "points", "fingers", "morphs", "quantized", "packed",
         "draco", "ktx2", "vrm", "vrm1", "centimetres"]


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    unknown = set(sys.argv[2:]) - set(NAMES)
    if unknown:
        sys.exit(f"make_characters: there is no {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or NAMES:
        (folder / f"{name}.glb").write_bytes(make(name))


if __name__ == "__main__":
    main()
