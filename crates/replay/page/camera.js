// A camera that orbits a target, z up, and the hands on it.

const FOV = 0.62;

function makeCamera(frame) {
  const camera = { target: [0, 0, 0], yaw: -1.0, pitch: 0.36, distance: 5, start: frame };
  resetCamera(camera);
  return camera;
}

function resetCamera(camera) {
  camera.target = [...camera.start.centre];
  camera.yaw = -1.0;
  camera.pitch = 0.36;
  camera.distance = fittingDistance(camera);
}

// From here the corners of the starting box are all in a view that is a little wider than high.
function fittingDistance(camera) {
  const { right, up, back } = cameraAxes(camera);
  const { half } = camera.start, t = Math.tan(FOV / 2);
  let distance = 0;
  for (let k = 0; k < 8; k++) {
    const corner = half.map((x, axis) => ((k >> axis) & 1 ? x : -x));
    const side = Math.max(Math.abs(dot(corner, right)) / 1.25, Math.abs(dot(corner, up)));
    distance = Math.max(distance, dot(corner, back) + (1.02 * side) / t);
  }
  return distance;
}

// Axes of the camera in the world.
function cameraAxes(camera) {
  const { yaw, pitch } = camera;
  const back = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
  const right = [-Math.sin(yaw), Math.cos(yaw), 0];
  return { right, up: cross(back, right), back };
}

// Matrix, eye and sizes for a canvas. A tall canvas moves the eye away, so that what fits its width is seen.
function lookThrough(camera, width, height) {
  const { right, up, back } = cameraAxes(camera);
  const aspect = width / height;
  const distance = camera.distance * Math.max(1, 1.25 / aspect);
  const eye = add(camera.target, scaled(back, distance));
  const lens = perspective(FOV, aspect, distance * 0.02, distance * 60);
  return { camera: product(lens, viewMatrix(eye, right, up, back)), eye, right, up, back, aspect, distance, target: camera.target, width, height };
}

// Direction from the eye through a pixel.
function rayThrough(view, x, y) {
  const t = Math.tan(FOV / 2);
  const u = ((2 * x) / view.width - 1) * t * view.aspect, v = (1 - (2 * y) / view.height) * t;
  return unit(add(add(scaled(view.right, u), scaled(view.up, v)), scaled(view.back, -1)));
}

function turnCamera(camera, dx, dy) {
  camera.yaw -= dx * 0.007;
  camera.pitch = clamp(camera.pitch + dy * 0.007, -1.55, 1.55);
}

function moveCamera(camera, dx, dy, height) {
  const { right, up } = cameraAxes(camera);
  const s = (2 * camera.distance * Math.tan(FOV / 2)) / height;
  camera.target = add(camera.target, add(scaled(right, -dx * s), scaled(up, dy * s)));
}

function zoomCamera(camera, factor) {
  camera.distance = clamp(camera.distance * factor, camera.start.radius * 1e-3, camera.start.radius * 1e3);
}

// Drag, wheel, pinch. `on.changed()`, `on.click(x, y)`, `on.centre(x, y)` in pixels of the page.
function handleCamera(canvas, camera, on) {
  const fingers = new Map();
  let travelled = 0;
  const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], apart: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 1) travelled = 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.get(event.pointerId), now = at(event);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    travelled += Math.abs(dx) + Math.abs(dy);
    if (fingers.size === 2) {
      const old = spread();
      fingers.set(event.pointerId, now);
      const next = spread();
      zoomCamera(camera, old.apart / Math.max(next.apart, 1));
      moveCamera(camera, next.middle[0] - old.middle[0], next.middle[1] - old.middle[1], canvas.clientHeight);
    } else {
      fingers.set(event.pointerId, now);
      if (event.buttons & 2 || event.buttons & 4 || event.shiftKey) moveCamera(camera, dx, dy, canvas.clientHeight);
      else turnCamera(camera, dx, dy);
    }
    on.changed();
  });
  const lift = (event) => {
    const alone = fingers.size === 1;
    if (!fingers.delete(event.pointerId)) return;
    if (event.type === 'pointerup' && alone && travelled < 6 && event.button === 0) on.click(...at(event));
    if (alone) travelled = 0; else travelled = 99;
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('dblclick', (event) => on.centre(...at(event)));
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoomCamera(camera, Math.exp(clamp(event.deltaY, -120, 120) * (event.ctrlKey ? 0.01 : 0.0016)));
    on.changed();
  }, { passive: false });
}

// Box around everything that moves: where bodies are in most pictures. Falls back to all finite shapes.
function startingFrame(rec, reachOf, movers) {
  const values = [[], [], []];
  const every = Math.max(1, Math.floor((rec.n * Math.max(1, movers.length)) / 40000));
  const take = (p, r) => { if (allFinite(p)) for (let k = 0; k < 3; k++) values[k].push(p[k] - r, p[k] + r); };
  for (let i = 0; i < rec.n; i += every) {
    for (const body of movers) {
      const o = 7 * (i * rec.bodies + body);
      take([rec.poses[o], rec.poses[o + 1], rec.poses[o + 2]], reachOf[body]);
    }
  }
  if (!values[0].length) {
    for (const shape of rec.drawing.shapes) {
      const half = halfExtents(rec, shape), o = 7 * (shape.body ?? 0);
      const p = shape.body === null ? [0, 0, 0] : [rec.poses[o], rec.poses[o + 1], rec.poses[o + 2]];
      if (half && allFinite(p)) take(add(p, shape.position), norm(half));
    }
  }
  if (!values[0].length) return { centre: [0, 0, 0], half: [0.6, 0.6, 0.6], radius: 1 };
  const edge = values.map((list) => {
    list.sort((a, b) => a - b);
    const cut = list.length > 200 ? Math.floor(list.length * 0.01) : 0;
    return [list[cut], list[list.length - 1 - cut]];
  });
  const centre = edge.map(([low, high]) => (low + high) / 2);
  const half = edge.map(([low, high]) => (high - low) / 2);
  return { centre, half: half.map((x) => clamp(x, 1e-6, 1e9)), radius: clamp(norm(half), 1e-6, 1e9) };
}

// Bodies that leave their place in the recording, and all of them where none does.
function movingBodies(rec, reachOf) {
  const movers = [];
  for (let body = 0; body < rec.bodies; body++) {
    const a = 7 * body;
    for (let i = 1; i < rec.n; i++) {
      const b = 7 * (i * rec.bodies + body);
      let d = 0;
      for (let k = 0; k < 7; k++) d += Math.abs(rec.poses[b + k] - rec.poses[a + k]) / (k < 3 ? reachOf[body] : 1);
      if (d > 1e-3) { movers.push(body); break; }
    }
  }
  return movers.length ? movers : Array.from({ length: rec.bodies }, (_, k) => k);
}
