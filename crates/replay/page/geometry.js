// Unit solids as triangles: interleaved x, y, z, cap, normal. `cap` is ±1 where a capsule's stretch moves the vertex.

function solidBuilder() {
  const data = [], index = [];
  const vertex = (p, n, cap = 0) => { data.push(p[0], p[1], p[2], cap, n[0], n[1], n[2]); return data.length / 7 - 1; };
  const quad = (a, b, c, d) => index.push(a, b, c, a, c, d);
  const done = () => ({ vertices: new Float32Array(data), index: new Uint32Array(index), layout: [4, 3] });
  return { vertex, quad, index, done };
}

function boxSolid() {
  const s = solidBuilder();
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const corner = (u, v) => {
        const p = [0, 0, 0], n = [0, 0, 0];
        p[axis] = n[axis] = side;
        p[(axis + 1) % 3] = u * side;
        p[(axis + 2) % 3] = v;
        return s.vertex(p, n);
      };
      s.quad(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1));
    }
  }
  return s.done();
}

// Rings of latitude; the two at the equator are pulled apart by a capsule's stretch.
function sphereSolid(around, rings) {
  const s = solidBuilder();
  const rows = [];
  const half = rings / 2;
  const row = (k, cap) => {
    const phi = (k / rings - 0.5) * Math.PI, ids = [];
    for (let j = 0; j <= around; j++) {
      const a = (2 * Math.PI * j) / around;
      const p = [Math.cos(phi) * Math.cos(a), Math.cos(phi) * Math.sin(a), Math.sin(phi)];
      ids.push(s.vertex(p, p, cap));
    }
    rows.push(ids);
  };
  for (let k = 0; k <= half; k++) row(k, -1);
  for (let k = half; k <= rings; k++) row(k, 1);
  for (let k = 0; k + 1 < rows.length; k++) {
    for (let j = 0; j < around; j++) {
      if (k > 0) s.index.push(rows[k][j], rows[k][j + 1], rows[k + 1][j + 1]);
      if (k + 2 < rows.length || k === 0) s.index.push(rows[k][j], rows[k + 1][j + 1], rows[k + 1][j]);
    }
  }
  return s.done();
}

// The half of a ball that is seen, to be turned to the eye: cosine and sine of an angle, share of the way to the rim.
function capSolid(around, rings) {
  const s = solidBuilder();
  const tip = s.vertex([1, 0, 0], [0, 0, 0]);
  let inner = null;
  for (let k = 1; k <= rings; k++) {
    const ring = [];
    for (let j = 0; j < around; j++) ring.push(s.vertex([Math.cos((2 * Math.PI * j) / around), Math.sin((2 * Math.PI * j) / around), k / rings], [0, 0, 0]));
    for (let j = 0; j < around; j++) {
      const next = (j + 1) % around;
      if (inner) s.quad(inner[j], ring[j], ring[next], inner[next]);
      else s.index.push(tip, ring[j], ring[next]);
    }
    inner = ring;
  }
  return s.done();
}

// Cylinder or, with no radius at the top, cone; along z from -1 to 1.
function roundSolid(around, top) {
  const s = solidBuilder();
  const slope = (1 - top) / 2;
  const at = (j, radius, z, n) => {
    const a = (2 * Math.PI * j) / around, c = Math.cos(a), d = Math.sin(a);
    return s.vertex([radius * c, radius * d, z], n ?? unit([c, d, slope]));
  };
  const disc = (radius, z) => {
    const centre = s.vertex([0, 0, z], [0, 0, z]);
    for (let j = 0; j < around; j++) {
      const pair = [at(j, radius, z, [0, 0, z]), at(j + 1, radius, z, [0, 0, z])];
      if (z < 0) pair.reverse();
      s.index.push(centre, ...pair);
    }
  };
  for (let j = 0; j < around; j++) s.quad(at(j, 1, -1), at(j + 1, 1, -1), at(j + 1, top, 1), at(j, top, 1));
  disc(1, -1);
  if (top > 0) disc(top, 1);
  return s.done();
}

// Normals are those of the faces, smoothed over edges of less than 40°.
function meshSolid(points, corners) {
  const faces = corners.length / 3;
  const at = (i) => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
  const normals = [], around = new Map();
  const spot = (i) => at(i).join();
  for (let f = 0; f < faces; f++) {
    const [a, b, c] = [0, 1, 2].map((k) => at(corners[3 * f + k]));
    normals.push(cross(sub(b, a), sub(c, a)));
    for (let k = 0; k < 3; k++) {
      const key = spot(corners[3 * f + k]);
      if (!around.has(key)) around.set(key, []);
      around.get(key).push(f);
    }
  }
  const units = normals.map(unit);
  const s = solidBuilder();
  for (let f = 0; f < faces; f++) {
    for (let k = 0; k < 3; k++) {
      const i = corners[3 * f + k];
      let sum = [0, 0, 0];
      for (const g of around.get(spot(i)).slice(0, 40)) if (dot(units[f], units[g]) > 0.766) sum = add(sum, normals[g]);
      s.index.push(s.vertex(at(i), norm(sum) > 0 ? unit(sum) : units[f]));
    }
  }
  return s.done();
}

// Arrow of length 1 along z: x, y in units of its thickness; `cap` 1 marks the head, which keeps its length.
function arrowSolid(around) {
  const s = solidBuilder();
  const ring = (radius, z, n, cap) => {
    const ids = [];
    for (let j = 0; j <= around; j++) {
      const a = (2 * Math.PI * j) / around, c = Math.cos(a), d = Math.sin(a);
      ids.push(s.vertex([radius * c, radius * d, z], n ?? unit([c, d, 0.4]), cap));
    }
    return ids;
  };
  const band = (low, high) => { for (let j = 0; j < around; j++) s.quad(low[j], low[j + 1], high[j + 1], high[j]); };
  band(ring(1, 0, null, 0), ring(1, 0, null, 1));
  band(ring(2.6, 0, [0, 0, -1], 1), ring(0.99, 0, [0, 0, -1], 1));
  band(ring(2.6, 0, null, 1), ring(0, 1, null, 1));
  return s.done();
}

// Open cone of unit height and unit radius, tip at the origin.
function openCone(around) {
  const s = solidBuilder();
  for (let j = 0; j < around; j++) {
    const at = (k, r) => {
      const a = (2 * Math.PI * (j + k)) / around;
      return s.vertex([r * Math.cos(a), r * Math.sin(a), r], [Math.cos(a), Math.sin(a), -1]);
    };
    s.quad(at(0, 0), at(1, 0), at(1, 1), at(0, 1));
  }
  return s.done();
}
