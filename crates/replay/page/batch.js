// Solids of one kind, drawn in one call. The processor places their vertices: software renderers read textures slowly and take each instance as a call of
// its own, and on a graphics card a few megabytes per picture do not matter.

// `group`: { solid, ball, marking, items }, an item being { slot, p, q, size, stretch, colour } of a shape on body slot - 1.
function makeBatch(gl, group) {
  const { solid, ball, items } = group;
  const n = solid.vertices.length / 7, m = solid.index.length, width = ball ? 9 : 6;
  const batch = {
    gl, ...group, n, m, width, shown: 0, placed: false, still: !ball && items.every((item) => item.slot === 0),
    data: new Float32Array(items.length * n * width), index: new Uint32Array(items.length * m),
    keys: new Float32Array(items.length), order: Uint32Array.from(items, (_, k) => k),
    vao: gl.createVertexArray(), moving: gl.createBuffer(), fixed: gl.createBuffer(), indices: gl.createBuffer(),
  };
  gl.bindVertexArray(batch.vao);
  const attribute = (at, size, stride, offset) => {
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, 4 * stride, 4 * offset);
  };
  gl.bindBuffer(gl.ARRAY_BUFFER, batch.moving);
  attribute(0, 3, width, 0);
  attribute(1, 3, width, 3);
  if (ball) attribute(2, 3, width, 6);
  gl.bindBuffer(gl.ARRAY_BUFFER, batch.fixed);
  gl.bufferData(gl.ARRAY_BUFFER, fixedNumbers(batch), gl.STATIC_DRAW);
  if (!ball) attribute(2, 3, 10, 0);
  attribute(3, 3, 10, 3);
  attribute(4, 3, 10, 6);
  attribute(5, 1, 10, 9);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, batch.indices);
  gl.bindVertexArray(null);
  return batch;
}

// Per vertex: mark, edges, colour, body. Marks of a box are distances from the middle of a face, and never near an edge across it.
function fixedNumbers({ solid, items, n, marking }) {
  const out = new Float32Array(items.length * n * 10);
  let o = 0;
  for (const { slot, size, colour } of items) {
    for (let v = 0; v < n; v++, o += 10) {
      for (let k = 0; k < 3; k++) {
        const on = solid.vertices[7 * v + k], across = Math.abs(solid.vertices[7 * v + 4 + k]);
        out[o + k] = marking === 1 ? on * size[k] * (1 - across) : on;
        out[o + 3 + k] = size[k] + 1e6 * across;
        out[o + 6 + k] = colour[k];
      }
      out[o + 9] = slot;
    }
  }
  return out;
}

// Puts all vertices where the bodies are. Balls turn the half that is seen from `from` to it: a point, or with `far` a direction.
function placeBatch(batch, poses, from, far) {
  const { gl, items, keys, ball } = batch;
  if (batch.still && batch.placed) return;
  const frame = new Float64Array(12);
  for (let k = 0; k < items.length; k++) {
    const known = frameOf(items[k], poses, frame);
    keys[k] = known ? (frame[9] - from[0]) ** 2 + (frame[10] - from[1]) ** 2 + (frame[11] - from[2]) ** 2 : Infinity;
    if (!known) continue;
    if (ball) placeBall(batch, k, frame, from, far); else placeSolid(batch, k, frame);
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, batch.moving);
  gl.bufferData(gl.ARRAY_BUFFER, batch.data, gl.DYNAMIC_DRAW);
  orderBatch(batch, far);
  batch.placed = true;
}

// Nearest first, so that what is hidden costs nothing; without a pose not at all.
function orderBatch(batch, far) {
  const { gl, solid, items, keys, order, index, n, m, vao, placed } = batch;
  if (!far && items.length > 1) order.sort((a, b) => keys[a] - keys[b]);
  let o = 0;
  for (const k of order) {
    if (keys[k] === Infinity) continue;
    const first = k * n;
    for (let i = 0; i < m; i++) index[o++] = solid.index[i] + first;
  }
  batch.shown = o;
  gl.bindVertexArray(vao);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, index, placed ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW);
}

// Rotation by columns and origin of a shape in the world; false: its body has no pose.
function frameOf({ slot, p, q }, poses, out) {
  const o = 8 * slot;
  if (!(poses[o + 3] > 0)) return false;
  const x = poses[o + 4], y = poses[o + 5], z = poses[o + 6], w = poses[o + 7];
  const tx = 2 * (y * p[2] - z * p[1]), ty = 2 * (z * p[0] - x * p[2]), tz = 2 * (x * p[1] - y * p[0]);
  out[9] = poses[o] + p[0] + w * tx + y * tz - z * ty;
  out[10] = poses[o + 1] + p[1] + w * ty + z * tx - x * tz;
  out[11] = poses[o + 2] + p[2] + w * tz + x * ty - y * tx;
  const a = w * q[0] - x * q[1] - y * q[2] - z * q[3], b = w * q[1] + x * q[0] + y * q[3] - z * q[2];
  const c = w * q[2] - x * q[3] + y * q[0] + z * q[1], d = w * q[3] + x * q[2] - y * q[1] + z * q[0];
  out[0] = 1 - 2 * (c * c + d * d); out[1] = 2 * (b * c + a * d); out[2] = 2 * (b * d - a * c);
  out[3] = 2 * (b * c - a * d); out[4] = 1 - 2 * (b * b + d * d); out[5] = 2 * (c * d + a * b);
  out[6] = 2 * (b * d + a * c); out[7] = 2 * (c * d - a * b); out[8] = 1 - 2 * (b * b + c * c);
  return true;
}

// Writes position and normal of a vertex at `o`: local point p, local normal n.
function writeVertex(d, o, f, px, py, pz, nx, ny, nz) {
  d[o] = f[0] * px + f[3] * py + f[6] * pz + f[9];
  d[o + 1] = f[1] * px + f[4] * py + f[7] * pz + f[10];
  d[o + 2] = f[2] * px + f[5] * py + f[8] * pz + f[11];
  d[o + 3] = f[0] * nx + f[3] * ny + f[6] * nz;
  d[o + 4] = f[1] * nx + f[4] * ny + f[7] * nz;
  d[o + 5] = f[2] * nx + f[5] * ny + f[8] * nz;
}

function placeSolid({ solid, items, n, data }, k, frame) {
  const { size: [sx, sy, sz], stretch } = items[k], v = solid.vertices;
  for (let i = 0, s = 0, o = k * n * 6; i < n; i++, s += 7, o += 6) {
    writeVertex(data, o, frame, v[s] * sx, v[s + 1] * sy, v[s + 2] * sz + v[s + 3] * stretch, v[s + 4] / sx, v[s + 5] / sy, v[s + 6] / sz);
  }
}

// A vertex of the solid is (cosine and sine of an angle, share of the way to the rim).
function placeBall({ solid, items, n, data }, k, f, from, far) {
  const { size: [sx, sy, sz] } = items[k], v = solid.vertices;
  const dx = from[0] - (far ? 0 : f[9]), dy = from[1] - (far ? 0 : f[10]), dz = from[2] - (far ? 0 : f[11]);
  let zx = (f[0] * dx + f[1] * dy + f[2] * dz) / sx, zy = (f[3] * dx + f[4] * dy + f[5] * dz) / sy, zz = (f[6] * dx + f[7] * dy + f[8] * dz) / sz;
  const away = Math.hypot(zx, zy, zz) || 1;
  zx /= away; zy /= away; zz /= away;
  // two directions across z
  const sign = zz < 0 ? -1 : 1, a = -1 / (sign + zz), b = zx * zy * a;
  const ux = 1 + sign * zx * zx * a, uy = sign * b, uz = -sign * zx, vx = b, vy = sign + zy * zy * a, vz = -zy;
  const rim = far ? Math.PI / 2 : away > 1 ? Math.acos(1 / away) : 3.1;
  let share = -1, cos = 1, sin = 0;
  for (let i = 0, s = 0, o = k * n * 9; i < n; i++, s += 7, o += 9) {
    if (v[s + 2] !== share) { share = v[s + 2]; cos = Math.cos(share * rim); sin = Math.sin(share * rim); }
    const p = sin * v[s], q = sin * v[s + 1];
    const x = zx * cos + ux * p + vx * q, y = zy * cos + uy * p + vy * q, z = zz * cos + uz * p + vz * q;
    writeVertex(data, o, f, x * sx, y * sy, z * sz, x / sx, y / sy, z / sz);
    data[o + 6] = x; data[o + 7] = y; data[o + 8] = z;
  }
}

function drawBatch({ gl, vao, shown }) {
  if (!shown) return;
  gl.bindVertexArray(vao);
  gl.drawElements(gl.TRIANGLES, shown, gl.UNSIGNED_INT, 0);
}
