// Bodies, the ground and their shadows.

// Light fills that differ for the colour-blind too; strong blue and orange are left to the contacts.
const BODY_COLOURS = ['#77aadd', '#ee8866', '#eedd88', '#44bb99', '#ffaabb', '#99ddff', '#bbcc33'].map(hexColour);
const WORLD_COLOUR = hexColour('#b4bac2');
const LIGHT = unit([-0.5, -0.42, 1]);

const THEMES = {
  light: {
    clear: '#f4f5f7', ground: '#e9ebee', ink: '#a9b1bb',
    sky: [0.62, 0.65, 0.7], earth: [0.3, 0.29, 0.28], shadow: 0.2, rim: '#ffffff',
    accent: '#0b63c4', stick: '#0072b2', slip: '#d55e00', open: '#7d8590',
  },
  dark: {
    clear: '#0e1116', ground: '#181d24', ink: '#4a5563',
    sky: [0.4, 0.43, 0.5], earth: [0.14, 0.14, 0.16], shadow: 0.45, rim: '#0e1116',
    accent: '#6cb2ff', stick: '#56b4e9', slip: '#f0883e', open: '#8b949e',
  },
};

const bodyColour = (body) => (body < 0 ? WORLD_COLOUR : BODY_COLOURS[body % BODY_COLOURS.length]);

// Half extents of a shape's box in its own frame; null: endless or without numbers.
function halfExtents(rec, shape) {
  const round = (z) => [shape.radius, shape.radius, z];
  const half = {
    sphere: () => round(shape.radius),
    box: () => shape.half,
    ellipsoid: () => shape.half,
    capsule: () => round(shape.half_length + shape.radius),
    cylinder: () => round(shape.half_length),
    cone: () => round(shape.half_length),
    mesh: () => meshExtents(rec, shape.mesh),
    points: () => meshExtents(rec, shape.mesh),
  }[shape.kind]?.();
  return half && allFinite(half) && half.every((x) => x >= 0) ? half : null;
}

function meshNumbers(rec, index) {
  const { start, vertices, triangles } = rec.drawing.meshes[index];
  const buffer = rec.meshBytes.buffer;
  return {
    points: new Float32Array(buffer, start, 3 * vertices),
    corners: new Uint32Array(buffer, start + 12 * vertices, 3 * triangles),
  };
}

// Of a mesh about its own origin.
function meshExtents(rec, index) {
  rec.meshHalf ??= [];
  if (rec.meshHalf[index]) return rec.meshHalf[index];
  const half = [0, 0, 0];
  rec.meshHalf[index] = half;
  meshNumbers(rec, index).points.forEach((x, i) => { half[i % 3] = Math.max(half[i % 3], Math.abs(x)); });
  return half;
}

// Shapes with the same solid go together: { key, ball, solid, marking, items } as a batch wants them.
function groupShapes(rec) {
  const many = rec.drawing.shapes.length;
  const around = many > 3000 ? 10 : many > 300 ? 16 : many > 60 ? 28 : 48;
  const rings = many > 3000 ? 6 : many > 300 ? 8 : many > 60 ? 16 : 28;
  const cap = many > 3000 ? [8, 1] : many > 300 ? [12, 2] : [56, 8];
  const groups = new Map();
  const put = (key, make, marking, shape, size) => {
    if (!groups.has(key)) groups.set(key, { key, ball: key === 'ball', solid: make(), marking, items: [] });
    const body = shape.body ?? -1;
    groups.get(key).items.push({ slot: body + 1, p: shape.position, q: shape.quat_wxyz, size: size.slice(0, 3), stretch: size[3], colour: bodyColour(body) });
  };
  for (const shape of rec.drawing.shapes) {
    const half = halfExtents(rec, shape);
    if (!half || !allFinite(shape.position) || !allFinite(shape.quat_wxyz)) continue;
    const r = shape.radius;
    switch (shape.kind) {
      case 'box': put('box', boxSolid, 1, shape, [...half, 0]); break;
      case 'sphere': case 'ellipsoid': put('ball', () => capSolid(...cap), 2, shape, [...half, 0]); break;
      case 'capsule': put('capsule', () => sphereSolid(around, rings), 3, shape, [r, r, r, shape.half_length]); break;
      case 'cylinder': put('cylinder', () => roundSolid(around, 1), 3, shape, [...half, 0]); break;
      case 'cone': put('cone', () => roundSolid(around, 0), 3, shape, [...half, 0]); break;
      case 'mesh': {
        const { points, corners } = meshNumbers(rec, shape.mesh);
        put(`mesh ${shape.mesh}`, () => meshSolid(points, corners), 0, shape, [1, 1, 1, 0]);
        break;
      }
    }
  }
  return [...groups.values()];
}

function makeScene(gl, rec) {
  const groups = groupShapes(rec).map((group) => {
    // the shadow of a ball is that of its rim
    const rim = group.ball ? capSolid(group.items.length > 300 ? 12 : 40, 1) : null;
    return { batch: makeBatch(gl, group), rim: rim && makeBatch(gl, { ...group, solid: rim }), marking: group.marking, culled: group.key === 'box' };
  });
  return {
    gl, rec, groups, quad: glCopies(gl, QUAD, 1), corner: itemList(1), poses: worldPoses(rec),
    solid: glProgram(gl, SOLID_VERTEX, SOLID_FRAGMENT), shadow: glProgram(gl, SOLID_VERTEX, SHADOW_FRAGMENT), plane: glProgram(gl, PLANE_VERTEX, PLANE_FRAGMENT),
    planes: rec.drawing.shapes.filter((shape) => shape.kind === 'half-space' && allFinite(shape.position) && allFinite(shape.quat_wxyz)),
  };
}

// Eight numbers per body: position, 1 where it is known, quaternion (x, y, z, w). The first is the world.
function worldPoses(rec) {
  const poses = new Float32Array(8 * (rec.bodies + 1));
  poses.set([0, 0, 0, 1, 0, 0, 0, 1]);
  return poses;
}

// Writes the poses between picture i and the next to `out`, in the order of `worldPoses`. Returns how many are missing.
function blendPoses(rec, i, share, out) {
  const from = rec.poses, n = rec.bodies, a0 = i * 7 * n;
  const b0 = share > 0 && i + 1 < rec.n ? a0 + 7 * n : a0;
  const rest = 1 - share;
  let missing = 0;
  for (let k = 0, a = a0, b = b0, o = 8; k < n; k++, a += 7, b += 7, o += 8) {
    const turned = from[a + 3] * from[b + 3] + from[a + 4] * from[b + 4] + from[a + 5] * from[b + 5] + from[a + 6] * from[b + 6];
    const s = turned < 0 ? -share : share;
    const w = rest * from[a + 3] + s * from[b + 3], x = rest * from[a + 4] + s * from[b + 4];
    const y = rest * from[a + 5] + s * from[b + 5], z = rest * from[a + 6] + s * from[b + 6];
    const length = Math.sqrt(w * w + x * x + y * y + z * z);
    const px = rest * from[a] + share * from[b], py = rest * from[a + 1] + share * from[b + 1], pz = rest * from[a + 2] + share * from[b + 2];
    const shown = length > 0 && Math.abs(px + py + pz) < Infinity && length < Infinity;
    if (!shown) { missing++; out[o + 3] = 0; continue; }
    out[o] = px; out[o + 1] = py; out[o + 2] = pz; out[o + 3] = 1;
    out[o + 4] = x / length; out[o + 5] = y / length; out[o + 6] = z / length; out[o + 7] = w / length;
  }
  return missing;
}

// Pose of a body, or of the world (-1); null: missing.
function shownPose(data, body) {
  const o = 8 * (body + 1);
  if (data[o + 3] < 0.5) return null;
  return { p: [data[o], data[o + 1], data[o + 2]], q: [data[o + 7], data[o + 4], data[o + 5], data[o + 6]] };
}

// World frame of a half-space: origin, axes, normal.
function planeFrame(scene, shape) {
  const pose = shownPose(scene.poses, shape.body ?? -1);
  if (!pose) return null;
  const q = quatProduct(pose.q, shape.quat_wxyz);
  const origin = add(pose.p, rotate(pose.q, shape.position));
  return { origin, x: rotate(q, [1, 0, 0]), y: rotate(q, [0, 1, 0]), n: rotate(q, [0, 0, 1]) };
}

function drawScene(scene, view) {
  const { gl } = scene;
  const { theme } = view;
  gl.clearColor(...hexColour(theme.clear), 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  const frames = scene.planes.map((shape) => planeFrame(scene, shape)).filter((frame) => frame !== null);
  const reach = 3.2 * view.distance;
  const seen = (frame) => dot(sub(view.eye, frame.origin), frame.n) > 0;
  for (const { batch, rim } of scene.groups) {
    placeBatch(batch, scene.poses, view.eye, false);
    if (rim) placeBatch(rim, scene.poses, LIGHT, true);
  }
  drawSolids(scene, view);
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  for (const frame of frames) if (seen(frame)) drawPlane(scene, view, frame, reach);
  const floor = frames.reduce((best, frame) => (frame.n[2] > (best?.n[2] ?? 0.5) ? frame : best), null);
  if (floor && seen(floor)) drawShadows(scene, view, floor, reach);
  for (const frame of frames) if (!seen(frame)) drawPlane(scene, view, frame, reach);
}

function drawSolids(scene, view) {
  const { gl } = scene;
  const { theme } = view;
  gl.disable(gl.BLEND);
  glUse(gl, scene.solid, {
    camera: view.camera, light: LIGHT, toEye: view.back, sky: theme.sky, earth: theme.earth, shadow: 0,
    accent: hexColour(theme.accent), picked: view.pickedBody < 0 ? -9 : view.pickedBody + 1,
  });
  for (const group of scene.groups) {
    if (group.culled) gl.enable(gl.CULL_FACE); else gl.disable(gl.CULL_FACE);
    gl.uniform1i(scene.solid.uniforms.marking.at, group.marking);
    drawBatch(group.batch);
  }
  gl.disable(gl.CULL_FACE);
}

// Solid from its outside, a breath of colour from behind.
function drawPlane(scene, view, frame, reach) {
  const { gl } = scene;
  const front = dot(sub(view.eye, frame.origin), frame.n) > 0;
  const to = sub(view.target, frame.origin);
  const spacing = 10 ** Math.floor(Math.log10(view.distance * 0.14));
  const middle = [dot(to, frame.x), dot(to, frame.y)];
  scene.corner.count = 0;
  scene.corner.data.set(middle, scene.corner.next());
  scene.quad.fill(scene.corner);
  gl.depthMask(front);
  glUse(gl, scene.plane, {
    camera: view.camera, origin: frame.origin, axisX: frame.x, axisY: frame.y, middle, items: 0, reach, spacing,
    opacity: front ? 1 : 0.3, ground: hexColour(view.theme.ground), ink: hexColour(view.theme.ink), lines: view.layers.grid ? 1 : 0,
  });
  scene.quad.draw(scene.plane);
  gl.depthMask(true);
}

// Each pixel is darkened once: the stencil remembers.
function drawShadows(scene, view, floor, reach) {
  const { gl } = scene;
  glUse(gl, scene.shadow, {
    camera: view.camera, light: LIGHT, plane: [...floor.n, dot(floor.n, floor.origin)], shadow: 1,
    centre: view.target, reach, strength: view.theme.shadow,
  });
  gl.enable(gl.STENCIL_TEST);
  gl.stencilFunc(gl.EQUAL, 0, 255);
  gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
  gl.enable(gl.POLYGON_OFFSET_FILL);
  gl.polygonOffset(-2, -4);
  gl.depthMask(false);
  for (const { batch, rim, culled } of scene.groups) {
    if (culled) gl.enable(gl.CULL_FACE); else gl.disable(gl.CULL_FACE);
    drawBatch(rim ?? batch);
  }
  gl.disable(gl.CULL_FACE);
  gl.depthMask(true);
  gl.disable(gl.POLYGON_OFFSET_FILL);
  gl.disable(gl.STENCIL_TEST);
}
