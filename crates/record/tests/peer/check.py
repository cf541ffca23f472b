"""Reads what `examples/peer.rs` wrote with programs of others, and compares every number.

Needs, from PyPI: mcap, mcap-protobuf-support, foxglove-schemas-protobuf, numpy, pyarrow, duckdb.

    cargo run -p stiction-record --example peer /tmp/peer
    python crates/record/tests/peer/check.py /tmp/peer
"""

import csv
import importlib
import json
import math
import pathlib
import sys

import duckdb
import numpy as np
import pyarrow.parquet as pq
from google.protobuf import descriptor_pb2
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

FRAMES = 1000
SHAPES = ["ground", "box", "ball", "egg", "rod", "can", "tip", "tetrahedron", "corner"]
MODES = ["open", "stick", "slip"]
folder = pathlib.Path(sys.argv[1])


def same(a, b):
    a, b = float(a), float(b)
    return np.float64(a).tobytes() == np.float64(b).tobytes() or (math.isnan(a) and math.isnan(b))


def expect(what, found, expected):
    if isinstance(expected, float):
        assert same(found, expected), f"{what}: {found} is not {expected}"
    else:
        assert found == expected, f"{what}: {found} is not {expected}"


def contacts_of(step):
    s = float(step)
    for i in range(step % 5):
        yield {
            "shape_a": i % 9, "shape_b": (i + 1) % 9, "feature": 100 * i,
            "point": [s, float(i), 0.5], "normal": [0.0, 0.0, 1.0], "gap": -s * 0.125,
            "impulse": [0.0, 0.0, 0.25 * (i + 1)], "velocity": [s * 0.5, 0.0, -0.0],
            "mu": 0.75, "mode": i % 3,
        }


def v_of(step):
    return [-float(step), math.nan if step == 3 else step * 4.0]


def nanoseconds(step):
    return math.floor(step * 0.0009765625 * 1e9 + 0.5)


# the container, and messages by the schemas in the file

counts = {}
with open(folder / "sample.mcap", "rb") as stream:
    reader = make_reader(stream, validate_crcs=True, decoder_factories=[DecoderFactory()])
    header = None
    for attachment in reader.iter_attachments():
        if attachment.name == "header.json":
            header = json.loads(attachment.data)
        if attachment.name == "scene.toml":
            expect("scene", attachment.data, b"h = 0.001\n")
    expect("title", header["title"], "peer")
    metadata = {record.name: record.metadata for record in reader.iter_metadata()}
    expect("seed", metadata["stiction"]["seed"], "7")
    expect("summary", metadata["summary"], {"steps": str(FRAMES)})
    statistics = reader.get_summary().statistics
    for schema, channel, message, decoded in reader.iter_decoded_messages():
        topic = channel.topic
        i = counts.get(topic, 0)
        counts[topic] = i + 1
        if topic == "/stiction/step":
            expect("log time", message.log_time, nanoseconds(i))
            expect("step", decoded.step, i)
            expect("time", decoded.time, i * 0.0009765625)
            for found, expected in zip(decoded.q, [float(i), i + 0.25], strict=True):
                expect("q", found, expected)
            for found, expected in zip(decoded.v, v_of(i), strict=True):
                expect("v", found, expected)
            expect("poses", list(decoded.poses)[7:], [0.0, i, 0.0, 0.5, 0.5, -0.5, 0.5])
        elif topic == "/stiction/contacts":
            step = message.sequence
            for j, contact in enumerate(contacts_of(step)):
                for name in ["shape_a", "shape_b", "feature", "gap", "mu", "mode"]:
                    expect(name, getattr(decoded, name)[j], contact[name])
                for name in ["point", "normal", "impulse", "velocity"]:
                    for axis in range(3):
                        expect(name, getattr(decoded, name)[3 * j + axis], contact[name][axis])
            expect("contacts", len(decoded.gap), step % 5)
        elif topic == "/stiction/certificate":
            expect("certified", decoded.certified, i % 7 != 1)
            expect("residual", decoded.residual, i * 1e-13)
            expect("iterations", decoded.iterations, i)
            expect("solver", decoded.solver, ["", "nsgs"][i % 2])
        elif topic == "/stiction/energy":
            expect("kinetic", decoded.kinetic, float(i * i))
            expect("terms", list(decoded.terms), [float(i), 2.0 * i])
        elif topic == "/stiction/impacts":
            expect("impact", decoded.time[0], float(message.sequence))
        elif topic == "/stiction/state":
            expect("state", decoded.bytes, (10 * i + 3).to_bytes(8, "little"))
        elif topic == "/tf":
            rod = decoded.transforms[1]
            expect("frames", (rod.parent_frame_id, rod.child_frame_id), ("world", "rod"))
            stamp = rod.timestamp.seconds * 10**9 + rod.timestamp.nanos
            expect("stamp", stamp, nanoseconds(10 * i + 3))
            expect("translation", rod.translation.y, 10.0 * i + 3.0)
            q = rod.rotation
            expect("rotation", (q.w, q.x, q.y, q.z), (0.5, 0.5, -0.5, 0.5))
        elif topic == "/shapes":
            entities = decoded.entities
            expect("ids", [e.id for e in entities], [f"{j} {n}" for j, n in enumerate(SHAPES)])
            expect("frame", [e.frame_id for e in entities[:2]], ["world", "box"])
            assert all(e.frame_locked and e.lifetime.seconds == 0 for e in entities)
            size = entities[1].cubes[0].size
            expect("box", (size.x, size.y, size.z), (1.0, 0.5, 0.25))
            expect("capsule", (len(entities[4].cylinders), len(entities[4].spheres)), (1, 2))
            expect("cone", entities[6].cylinders[0].top_scale, 0.0)
            expect("mesh", list(entities[7].triangles[0].indices), [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
            expect("vertex", entities[7].triangles[0].points[3].z, 1.0)
        elif topic == "/impulses":
            arrows = decoded.entities[0].arrows
            expect("arrows", len(arrows), 3)
            for j, arrow in enumerate(arrows):
                # two metres for each N·s, from x to z
                assert abs(arrow.shaft_length + arrow.head_length - 0.5 * (j + 1)) < 1e-12
                expect("place", (arrow.pose.position.x, arrow.pose.position.y), (10.0 * i + 3.0, j))
                q = arrow.pose.orientation
                assert abs(q.w - 0.5**0.5) < 1e-12 and abs(q.y + 0.5**0.5) < 1e-12, q
        else:
            raise AssertionError(topic)
    expect("messages", statistics.message_count, sum(counts.values()))
    # what the file says of Foxglove's messages is what Foxglove's own package says
    schemas = {s.name: s.data for s in reader.get_summary().schemas.values()}
    compared = 0
    for name in ["foxglove.SceneUpdate", "foxglove.FrameTransforms"]:
        files = descriptor_pb2.FileDescriptorSet.FromString(schemas[name]).file
        for file in files:
            if not file.name.startswith("foxglove/"):
                continue
            module = file.name.removeprefix("foxglove/").removesuffix(".proto")
            module = importlib.import_module(f"foxglove_schemas_protobuf.{module}_pb2")
            theirs = descriptor_pb2.FileDescriptorProto()
            module.DESCRIPTOR.CopyToProto(theirs)

            def plain(message):
                fields = [(f.number, f.name, f.type, f.label, f.type_name) for f in message.field]
                enums = [(e.name, [(v.name, v.number) for v in e.value]) for e in message.enum_type]
                return message.name, fields, enums

            ours = [plain(m) for m in file.message_type]
            expect(file.name, ours, [plain(m) for m in theirs.message_type])
            expect("imports", sorted(file.dependency), sorted(theirs.dependency))
            compared += 1
print("mcap:", ", ".join(f"{topic} {count}" for topic, count in sorted(counts.items())))
print(f"foxglove: {compared} descriptors equal those of foxglove-schemas-protobuf")

# tables

ROWS = [(step, contact) for step in range(FRAMES) for contact in contacts_of(step)]


def check_steps(table):
    expect("rows", len(table["step"]), FRAMES)
    for i in range(FRAMES):
        expect("step", int(table["step"][i]), i)
        expect("time", table["time[s]"][i], i * 0.0009765625)
        expect("x", table["box.x[m]"][i], float(i))
        expect("v", table["box.y[m/s]"][i], v_of(i)[1])
        expect("ledger", table['ledger.friction, "dry"[J]'][i], 2.0 * i)
        expect("certified", str(table["certified"][i]).lower(), str(i % 7 != 1).lower())
        expect("residual", table["residual"][i], i * 1e-13)
        expect("solver", table["solver"][i], ["", "nsgs"][i % 2])
        expect("contacts", int(table["contacts"][i]), i % 5)


def check_contacts(table):
    expect("rows", len(table["step"]), len(ROWS))
    for i, (step, contact) in enumerate(ROWS):
        expect("step", int(table["step"][i]), step)
        expect("shape", table["shape_b"][i], SHAPES[contact["shape_b"]])
        expect("feature", int(table["feature"][i]), contact["feature"])
        expect("gap", table["gap[m]"][i], contact["gap"])
        expect("mode", table["mode"][i], MODES[contact["mode"]])
        for j, axis in enumerate("xyz"):
            expect("impulse", table[f"impulse.{axis}[N·s]"][i], contact["impulse"][j])
            expect("velocity", table[f"velocity.{axis}[m/s]"][i], contact["velocity"][j])


for name, check in [("steps", check_steps), ("contacts", check_contacts)]:
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as stream:
        lines = list(csv.reader(stream))
    check({title: [line[j] for line in lines[1:]] for j, title in enumerate(lines[0])})
    print(f"{name}.csv: {len(lines) - 1} rows, {len(lines[0])} columns")
    table = pq.read_table(folder / f"{name}.parquet")
    check(table.to_pydict())
    relation = duckdb.sql(f"select * from '{folder / name}.parquet'")
    check(dict(zip(relation.columns, map(list, zip(*relation.fetchall())))))
    print(f"{name}.parquet: {table.num_rows} rows, {table.num_columns} columns, by pyarrow and by duckdb")

# arrays

arrays = np.load(folder / "sample.npz")
expect("q", arrays["q"].shape, (FRAMES, 2))
expect("poses", arrays["poses"].shape, (FRAMES, 2, 7))
expect("names", list(arrays["bodies"]), ["box", "rod"])
expect("names", list(arrays["shapes"]), SHAPES)
offsets = arrays["contact_offsets"]
for step in range(FRAMES):
    expect("step", int(arrays["step"][step]), step)
    expect("time", arrays["time"][step], step * 0.0009765625)
    expect("v", arrays["v"][step, 1], v_of(step)[1])
    expect("pose", arrays["poses"][step, 1, 1], float(step))
    expect("certified", bool(arrays["certified"][step]), step % 7 != 1)
    for j, contact in enumerate(contacts_of(step)):
        row = int(offsets[step]) + j
        for name in ["shape_a", "shape_b", "feature", "mode"]:
            expect(name, int(arrays[f"contact_{name}"][row]), contact[name])
        for name in ["gap", "mu"]:
            expect(name, arrays[f"contact_{name}"][row], contact[name])
        for name in ["point", "normal", "impulse", "velocity"]:
            for axis in range(3):
                expect(name, arrays[f"contact_{name}"][row, axis], contact[name][axis])
expect("contacts", int(offsets[-1]), len(ROWS))
print(f"sample.npz: {len(arrays.files)} arrays")
print("all as expected")
