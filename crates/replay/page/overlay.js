// What is drawn over the bodies: contact points, impulses, friction cones, trails, points.

const TRAIL_SEGMENTS = 12000;

function makeOverlay(gl, rec) {
  const overlay = {
    gl, rec,
    dotProgram: glProgram(gl, DOT_VERTEX, DOT_FRAGMENT),
    arrowProgram: glProgram(gl, ARROW_VERTEX, ARROW_FRAGMENT),
    lineProgram: glProgram(gl, LINE_VERTEX, LINE_FRAGMENT),
    contactDots: glCopies(gl, QUAD, 2), points: glCopies(gl, QUAD, 2),
    arrows: glCopies(gl, arrowSolid(10), 3),
    cones: glCopies(gl, openCone(24), 3),
    trails: glCopies(gl, QUAD, 3),
    dotList: itemList(2), arrowList: itemList(3), coneList: itemList(3), trailList: itemList(3), pointList: itemList(2),
    pointItems: bodyPoints(rec),
  };
  return overlay;
}

// Shapes that are points: their places on their bodies.
function bodyPoints(rec) {
  const items = [];
  for (const shape of rec.drawing.shapes) {
    if (shape.kind !== 'points' || !allFinite(shape.position) || !allFinite(shape.quat_wxyz)) continue;
    const { points } = meshNumbers(rec, shape.mesh);
    const body = shape.body ?? -1, colour = scaled(bodyColour(body), 0.82);
    for (let i = 0; i < points.length; i += 3) {
      const p = add(shape.position, rotate(shape.quat_wxyz, [points[i], points[i + 1], points[i + 2]]));
      if (allFinite(p)) items.push({ body, p, colour });
    }
  }
  return items;
}

function fillPoints(overlay, poses) {
  const list = overlay.pointList;
  list.count = 0;
  for (const { body, p, colour } of overlay.pointItems) {
    const pose = shownPose(poses, body);
    if (pose) putDot(list, add(pose.p, rotate(pose.q, p)), 0, 4.5, colour);
  }
  overlay.points.fill(list);
}

function putDot(list, from, offset, radius, c) {
  const at = list.next(), data = list.data;
  for (let k = 0; k < 3; k++) data[at + k] = from[offset + k];
  data[at + 3] = radius;
  putColour(data, at + 4, c, 1);
}

// Contacts of picture i as dots, arrows and cones.
function fillContacts(overlay, view, i) {
  const { rec } = overlay;
  const { start, count } = contactsOf(rec, i);
  const f = rec.contactF, u = rec.contactU;
  const colours = MODES.map((mode) => hexColour(view.theme[mode]));
  const size = count > 1500 ? 2.5 : count > 200 ? 3.5 : 5;
  const [dots, arrows, cones] = [overlay.dotList, overlay.arrowList, overlay.coneList];
  dots.count = arrows.count = cones.count = 0;
  for (let k = start; k < start + count; k++) {
    const o = k * CONTACT_WORDS;
    const c = colours[u[o + 17]] ?? colours[0];
    const picked = k === view.pickedContact;
    if (view.layers.contacts || picked) putDot(dots, f, o + 3, picked ? size + 4 : size, c);
    // drawn on the body that can move: B, or A with the opposite sign
    const sign = bodyOfShape(rec, u[o + 1]) < 0 ? -1 : 1;
    if (view.layers.forces) {
      const s = sign * view.arrowScale;
      const to = [s * f[o + 10], s * f[o + 11], s * f[o + 12]];
      if (norm(to) > 1e-4 * view.sceneRadius) putArrow(arrows, f, o + 3, to, view.thickness, c, 1);
    }
    if (view.layers.cones && f[o + 16] > 0 && u[o + 17] > 0) {
      const s = sign * view.coneHeight;
      const mu = Math.min(f[o + 16], 4);
      putArrow(cones, f, o + 3, [s * f[o + 6], s * f[o + 7], s * f[o + 8]], mu, c, picked ? 0.42 : 0.2);
    }
  }
  overlay.contactDots.fill(dots);
  overlay.arrows.fill(arrows);
  overlay.cones.fill(cones);
}

function putColour(data, at, c, alpha) {
  data[at] = c[0]; data[at + 1] = c[1]; data[at + 2] = c[2]; data[at + 3] = alpha;
}

function putArrow(list, from, offset, to, extra, c, alpha) {
  const at = list.next(), data = list.data;
  for (let k = 0; k < 3; k++) { data[at + k] = from[offset + k]; data[at + 4 + k] = to[k]; }
  data[at + 7] = extra;
  putColour(data, at + 8, c, alpha);
}

// Paths of body origins over the last seconds before `time`, ending at the shown poses.
function fillTrails(overlay, view, i, time) {
  const { rec, trailList: list } = overlay;
  list.count = 0;
  if (view.layers.trails && rec.bodies > 0) {
    const first = pictureAt(rec, time - rec.trail);
    const bodies = view.movers.length;
    const stride = Math.max(1, Math.ceil(((i - first + 1) * bodies) / TRAIL_SEGMENTS));
    for (const body of view.movers) trailOf(overlay, view, body, first - (first % stride), i, stride);
  }
  overlay.trails.fill(list);
}

function trailOf({ rec, trailList: list }, view, body, first, last, stride) {
  const pose = shownPose(view.poses, body);
  if (!pose) return;
  const c = bodyColour(body), at = (k) => 7 * (k * rec.bodies + body), from = rec.poses;
  const shade = view.themeName === 'dark' ? 1 : 0.78;
  for (let k = first; k <= last; k += stride) {
    const a = at(k), next = k + stride, b = at(next), end = next > last;
    const o = list.next(), d = list.data;
    d[o] = from[a]; d[o + 1] = from[a + 1]; d[o + 2] = from[a + 2];
    for (let m = 0; m < 3; m++) d[o + 4 + m] = end ? pose.p[m] : from[b + m];
    const age = (k - first + 1) / (last - first + stride);
    putColour(d, o + 8, [shade * c[0], shade * c[1], shade * c[2]], 0.95 * age);
    if (!(Math.abs(d[o] + d[o + 1] + d[o + 2] + d[o + 4] + d[o + 5] + d[o + 6]) < Infinity)) list.count--;
  }
}

function drawOverlay(overlay, view) {
  const { gl } = overlay;
  const pixel = [2 / view.width, 2 / view.height];
  const common = { camera: view.camera, pixel, items: 0, light: LIGHT, lift: 0.0005, rim: hexColour(view.theme.rim) };
  gl.enable(gl.BLEND);
  gl.depthMask(false);
  glUse(gl, overlay.lineProgram, { ...common, width: 1.1 });
  overlay.trails.draw(overlay.lineProgram);
  const through = overlay.contactDots.count <= 200;
  if (through) {
    gl.depthFunc(gl.GREATER);
    drawArrows(overlay, common, 0.28);
    drawDots(overlay, overlay.contactDots, common, 0.4);
    gl.depthFunc(gl.LEQUAL);
  }
  gl.depthMask(true);
  drawArrows(overlay, common, 1);
  gl.depthMask(false);
  drawDots(overlay, overlay.points, common, 1);
  glUse(gl, overlay.arrowProgram, { ...common, cone: 1, opacity: 1 });
  overlay.cones.draw(overlay.arrowProgram);
  drawDots(overlay, overlay.contactDots, common, 1);
  gl.depthMask(true);
}

function drawArrows(overlay, common, opacity) {
  glUse(overlay.gl, overlay.arrowProgram, { ...common, cone: 0, opacity });
  overlay.arrows.draw(overlay.arrowProgram);
}

function drawDots(overlay, set, common, opacity) {
  glUse(overlay.gl, overlay.dotProgram, { ...common, opacity });
  set.draw(overlay.dotProgram);
}
