// What is under the pointer: a contact within reach of it, or the first body its ray meets.

// Index of the contact whose dot is nearest to the pixel; -1: none within 14 pixels.
function pickContact(rec, view, i, x, y) {
  const { start, count } = contactsOf(rec, i);
  let best = -1, bestDistance = 14;
  for (let k = start; k < start + count; k++) {
    const o = k * CONTACT_WORDS + 3;
    const at = projectPoint(view.camera, rec.contactF.subarray(o, o + 3), view.width, view.height);
    if (!at) continue;
    const distance = Math.hypot(at[0] - x, at[1] - y);
    if (distance < bestDistance) { best = k; bestDistance = distance; }
  }
  return best;
}

// { body, point } of the first body on the ray; null: none.
function pickBody(rec, poses, eye, ray) {
  let best = null, nearest = Infinity;
  for (const shape of rec.drawing.shapes) {
    if (shape.body === null) continue;
    const half = halfExtents(rec, shape), pose = shownPose(poses, shape.body);
    if (!half || !pose) continue;
    const q = conjugate(quatProduct(pose.q, shape.quat_wxyz));
    const centre = add(pose.p, rotate(pose.q, shape.position));
    const from = rotate(q, sub(eye, centre)), along = rotate(q, ray);
    const isRound = shape.kind === 'sphere' || shape.kind === 'ellipsoid';
    const t = isRound ? meetEllipsoid(from, along, half) : meetBox(from, along, half);
    if (t > 0 && t < nearest) { nearest = t; best = { body: shape.body, point: add(eye, scaled(ray, t)) }; }
  }
  return best;
}

function meetEllipsoid(from, along, half) {
  const f = from.map((x, k) => x / half[k]), d = along.map((x, k) => x / half[k]);
  const a = dot(d, d), b = dot(f, d), c = dot(f, f) - 1, root = b * b - a * c;
  return root >= 0 ? (-b - Math.sqrt(root)) / a : -1;
}

function meetBox(from, along, half) {
  let enter = -Infinity, leave = Infinity;
  for (let k = 0; k < 3; k++) {
    const a = (-half[k] - from[k]) / along[k], b = (half[k] - from[k]) / along[k];
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  }
  return enter <= leave ? enter : -1;
}

// Where a ray meets the first half-space of the world; null: nowhere.
function pickGround(scene, eye, ray) {
  for (const shape of scene.planes) {
    const frame = planeFrame(scene, shape);
    if (!frame) continue;
    const t = dot(sub(frame.origin, eye), frame.n) / dot(ray, frame.n);
    if (t > 0) return add(eye, scaled(ray, t));
  }
  return null;
}
