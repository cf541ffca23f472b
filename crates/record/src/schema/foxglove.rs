//! The messages of Foxglove that recordings use, and those these are made of. Names and numbers are Foxglove's.

use super::{Field, Kind, Message, list, one};

const fn fox(name: &'static str, file: &'static str, fields: &'static [Field]) -> Message {
    Message { file, package: "foxglove", name, fields, choices: None }
}

const fn google(name: &'static str, file: &'static str, fields: &'static [Field]) -> Message {
    Message { file, package: "google.protobuf", name, fields, choices: None }
}

const COLOR: Kind = Kind::Message("foxglove.Color");
const POINT: Kind = Kind::Message("foxglove.Point3");
const VECTOR: Kind = Kind::Message("foxglove.Vector3");
const QUATERNION: Kind = Kind::Message("foxglove.Quaternion");
const POSE: Kind = Kind::Message("foxglove.Pose");
const TIMESTAMP: Kind = Kind::Message("google.protobuf.Timestamp");
const DURATION: Kind = Kind::Message("google.protobuf.Duration");

const SECONDS: &[Field] = &[one(1, "seconds", Kind::Int64), one(2, "nanos", Kind::Int32)];
const XYZ: &[Field] =
    &[one(1, "x", Kind::Double), one(2, "y", Kind::Double), one(3, "z", Kind::Double)];
/// Of cubes and spheres.
const SIZED: &[Field] = &[one(1, "pose", POSE), one(2, "size", VECTOR), one(3, "color", COLOR)];

pub const FOXGLOVE: [Message; 21] = [
    google("Timestamp", "google/protobuf/timestamp.proto", SECONDS),
    google("Duration", "google/protobuf/duration.proto", SECONDS),
    fox(
        "Color",
        "foxglove/Color.proto",
        &[
            one(1, "r", Kind::Double),
            one(2, "g", Kind::Double),
            one(3, "b", Kind::Double),
            one(4, "a", Kind::Double),
        ],
    ),
    fox("Point3", "foxglove/Point3.proto", XYZ),
    fox("Vector3", "foxglove/Vector3.proto", XYZ),
    fox(
        "Quaternion",
        "foxglove/Quaternion.proto",
        &[
            one(1, "x", Kind::Double),
            one(2, "y", Kind::Double),
            one(3, "z", Kind::Double),
            one(4, "w", Kind::Double),
        ],
    ),
    fox(
        "Pose",
        "foxglove/Pose.proto",
        &[one(1, "position", VECTOR), one(2, "orientation", QUATERNION)],
    ),
    fox(
        "KeyValuePair",
        "foxglove/KeyValuePair.proto",
        &[one(1, "key", Kind::Text), one(2, "value", Kind::Text)],
    ),
    fox(
        "FrameTransform",
        "foxglove/FrameTransform.proto",
        &[
            one(1, "timestamp", TIMESTAMP),
            one(2, "parent_frame_id", Kind::Text),
            one(3, "child_frame_id", Kind::Text),
            one(4, "translation", VECTOR),
            one(5, "rotation", QUATERNION),
        ],
    ),
    fox(
        "FrameTransforms",
        "foxglove/FrameTransforms.proto",
        &[list(1, "transforms", Kind::Message("foxglove.FrameTransform"))],
    ),
    fox(
        "ArrowPrimitive",
        "foxglove/ArrowPrimitive.proto",
        &[
            one(1, "pose", POSE),
            one(2, "shaft_length", Kind::Double),
            one(3, "shaft_diameter", Kind::Double),
            one(4, "head_length", Kind::Double),
            one(5, "head_diameter", Kind::Double),
            one(6, "color", COLOR),
        ],
    ),
    fox("CubePrimitive", "foxglove/CubePrimitive.proto", SIZED),
    fox("SpherePrimitive", "foxglove/SpherePrimitive.proto", SIZED),
    fox(
        "CylinderPrimitive",
        "foxglove/CylinderPrimitive.proto",
        &[
            one(1, "pose", POSE),
            one(2, "size", VECTOR),
            one(3, "bottom_scale", Kind::Double),
            one(4, "top_scale", Kind::Double),
            one(5, "color", COLOR),
        ],
    ),
    Message {
        choices: Some(("Type", &["LINE_STRIP", "LINE_LOOP", "LINE_LIST"])),
        ..fox(
            "LinePrimitive",
            "foxglove/LinePrimitive.proto",
            &[
                one(1, "type", Kind::Choice),
                one(2, "pose", POSE),
                one(3, "thickness", Kind::Double),
                one(4, "scale_invariant", Kind::Bool),
                list(5, "points", POINT),
                one(6, "color", COLOR),
                list(7, "colors", COLOR),
                list(8, "indices", Kind::Fixed32),
            ],
        )
    },
    fox(
        "TriangleListPrimitive",
        "foxglove/TriangleListPrimitive.proto",
        &[
            one(1, "pose", POSE),
            list(2, "points", POINT),
            one(3, "color", COLOR),
            list(4, "colors", COLOR),
            list(5, "indices", Kind::Fixed32),
        ],
    ),
    fox(
        "TextPrimitive",
        "foxglove/TextPrimitive.proto",
        &[
            one(1, "pose", POSE),
            one(2, "billboard", Kind::Bool),
            one(3, "font_size", Kind::Double),
            one(4, "scale_invariant", Kind::Bool),
            one(5, "color", COLOR),
            one(6, "text", Kind::Text),
        ],
    ),
    fox(
        "ModelPrimitive",
        "foxglove/ModelPrimitive.proto",
        &[
            one(1, "pose", POSE),
            one(2, "scale", VECTOR),
            one(3, "color", COLOR),
            one(4, "override_color", Kind::Bool),
            one(5, "url", Kind::Text),
            one(6, "media_type", Kind::Text),
            one(7, "data", Kind::Bytes),
        ],
    ),
    Message {
        choices: Some(("Type", &["MATCHING_ID", "ALL"])),
        ..fox(
            "SceneEntityDeletion",
            "foxglove/SceneEntityDeletion.proto",
            &[
                one(1, "timestamp", TIMESTAMP),
                one(2, "type", Kind::Choice),
                one(3, "id", Kind::Text),
            ],
        )
    },
    fox(
        "SceneEntity",
        "foxglove/SceneEntity.proto",
        &[
            one(1, "timestamp", TIMESTAMP),
            one(2, "frame_id", Kind::Text),
            one(3, "id", Kind::Text),
            one(4, "lifetime", DURATION),
            one(5, "frame_locked", Kind::Bool),
            list(6, "metadata", Kind::Message("foxglove.KeyValuePair")),
            list(7, "arrows", Kind::Message("foxglove.ArrowPrimitive")),
            list(8, "cubes", Kind::Message("foxglove.CubePrimitive")),
            list(9, "spheres", Kind::Message("foxglove.SpherePrimitive")),
            list(10, "cylinders", Kind::Message("foxglove.CylinderPrimitive")),
            list(11, "lines", Kind::Message("foxglove.LinePrimitive")),
            list(12, "triangles", Kind::Message("foxglove.TriangleListPrimitive")),
            list(13, "texts", Kind::Message("foxglove.TextPrimitive")),
            list(14, "models", Kind::Message("foxglove.ModelPrimitive")),
        ],
    ),
    fox(
        "SceneUpdate",
        "foxglove/SceneUpdate.proto",
        &[
            list(1, "deletions", Kind::Message("foxglove.SceneEntityDeletion")),
            list(2, "entities", Kind::Message("foxglove.SceneEntity")),
        ],
    ),
];
