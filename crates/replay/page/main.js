// State of the page, the loop that draws it, keys and buttons.

const errors = [];
window.addEventListener('error', (event) => errors.push(String(event.message)));

const rec = readRecording();
const reachOf = bodyReach(rec);
const movers = movingBodies(rec, reachOf);
const frame = startingFrame(rec, reachOf, movers);
const camera = makeCamera(frame);
const mostContacts = rec.col.contacts.reduce((most, x) => Math.max(most, x), 0);

const state = {
  at: 0, share: 0, time: rec.n ? rec.times[0] : 0, playing: false, power: startingSpeed(rec), loop: true,
  picked: null, theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  layers: { contacts: true, forces: mostContacts <= 400, cones: false, trails: movers.length <= 12, grid: true, follow: false },
  dirty: true, textAt: 0, barAt: 0, drawn: [], level: 0, slow: 0, filled: '', before: 0, missing: 0, followed: null,
};
const lengths = arrowLengths(rec, frame, reachOf, movers);
const gl = openGl(byId('view'));
const scene = gl && makeScene(gl, rec);
const overlay = gl && makeOverlay(gl, rec);
const target = gl && makeTarget(gl);
const poses = scene ? scene.poses : worldPoses(rec);
const plots = makePlots(rec, byId('plots'), (i) => seek(i));
const bar = makeTimeline(rec, {
  toggle: () => setPlaying(!state.playing), step, seek, pace,
  loop: () => { state.loop = !state.loop; showButtons(); },
});
let look = null, view = null;

function openGl(canvas) {
  const context = canvas.getContext('webgl2', { antialias: false, stencil: true, alpha: false, powerPreference: 'high-performance' });
  byId('no-gl').hidden = context !== null;
  canvas.addEventListener('webglcontextlost', () => { byId('no-gl').hidden = false; });
  return context;
}

// Largest distance of a body's shapes from its origin [m].
function bodyReach(rec) {
  const reach = new Float64Array(rec.bodies);
  for (const shape of rec.drawing.shapes) {
    const half = halfExtents(rec, shape);
    if (half && shape.body !== null && allFinite(shape.position)) reach[shape.body] = Math.max(reach[shape.body], norm(shape.position) + norm(half));
  }
  return reach.map((r) => r || 1e-3);
}

// A large but usual impulse becomes about as long as a body.
function arrowLengths(rec, frame, reachOf, movers) {
  const total = rec.contactF.length / CONTACT_WORDS, every = Math.max(1, Math.floor(total / 20000));
  const sizes = [];
  for (let k = 0; k < total; k += every) {
    const o = k * CONTACT_WORDS + 10, size = norm(rec.contactF.subarray(o, o + 3));
    if (size > 0 && size < Infinity) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  const reaches = movers.map((body) => reachOf[body]).sort((a, b) => a - b);
  const body = reaches[reaches.length >> 1] ?? frame.radius;
  const length = clamp(1.5 * body, 0.02 * frame.radius, 0.5 * frame.radius);
  const usual = sizes[Math.floor(0.95 * sizes.length)] ?? 1;
  return { perImpulse: length / usual, thickness: 0.028 * length, cone: 0.8 * length };
}

function setPlaying(playing) {
  if (playing && state.at >= rec.n - 1) goTo(0, 0);
  state.playing = playing && rec.n > 1;
  state.before = 0;
  state.slow = 0;
  if (!state.playing) goTo(state.at, 0);
  document.body.classList.toggle('playing', state.playing);
  byId('play').setAttribute('aria-label', state.playing ? 'Pause' : 'Play');
  byId('play').title = state.playing ? 'Pause (space)' : 'Play (space)';
  state.textAt = 0;
  wake();
}

function goTo(i, share) {
  state.at = i;
  state.share = share;
  if (rec.n) state.time = rec.times[i] + (share > 0 ? share * (rec.times[i + 1] - rec.times[i]) : 0);
}

function seek(i) {
  if (!rec.n) return;
  const to = clamp(Math.round(i), 0, rec.n - 1);
  goTo(Number.isFinite(to) ? to : 0, 0);
  state.textAt = 0;
  wake();
}

function step(by) {
  if (state.playing) setPlaying(false);
  seek(state.at + by);
}

function pace(by) {
  state.power = clamp(state.power + by, SPEEDS[0], SPEEDS[SPEEDS.length - 1]);
  showButtons();
}

function setLayer(name) {
  state.layers[name] = !state.layers[name];
  if (name === 'follow' && state.layers.follow && state.picked?.kind !== 'body' && movers.length) state.picked = { kind: 'body', body: movers[0] };
  state.followed = null;
  showButtons();
  wake();
}

function setTheme(name) {
  state.theme = name;
  document.documentElement.dataset.theme = name;
  const style = getComputedStyle(document.documentElement);
  const colour = (key) => style.getPropertyValue(`--${key}`).trim();
  look = { name, line: colour('line'), muted: colour('muted'), ink: colour('ink'), bad: colour('bad'), accent: colour('accent'), colours: LINES[name] };
  wake();
}

function setPicked(picked) {
  state.picked = picked;
  state.followed = null;
  state.textAt = 0;
  wake();
}

function showButtons() {
  for (const button of document.querySelectorAll('[data-layer]')) button.setAttribute('aria-pressed', String(state.layers[button.dataset.layer]));
  byId('loop').setAttribute('aria-pressed', String(state.loop));
  byId('speed').textContent = speedText(state.power);
}

function togglePlots() {
  const bare = document.querySelector('main').classList.toggle('bare');
  byId('plots-toggle').setAttribute('aria-pressed', String(!bare));
  wake();
}

function showHelp(shown) {
  byId('help').hidden = !shown;
  (shown ? byId('help-close') : byId('help-open')).focus();
}

// Index of the picked contact among those shown; -1: it is not there.
function pickedContact() {
  if (state.picked?.kind !== 'contact') return -1;
  const { start, count } = contactsOf(rec, state.at);
  for (let k = start; k < start + count; k++) if (contactKey(rec, k) === state.picked.key) return k;
  return -1;
}

function clickAt(x, y) {
  if (!view) return;
  const contact = state.layers.contacts ? pickContact(rec, view, state.at, x, y) : -1;
  if (contact >= 0) { setPicked({ kind: 'contact', key: contactKey(rec, contact) }); return; }
  const hit = pickBody(rec, poses, view.eye, rayThrough(view, x, y));
  setPicked(hit && { kind: 'body', body: hit.body });
}

function centreAt(x, y) {
  if (!view) return;
  const ray = rayThrough(view, x, y);
  const point = pickBody(rec, poses, view.eye, ray)?.point ?? pickGround(scene, view.eye, ray);
  if (point && allFinite(point)) camera.target = point;
  wake();
}

function advance(now) {
  const passed = state.before ? Math.min((now - state.before) / 1000, 0.25) : 0;
  state.before = now;
  const end = rec.times[rec.n - 1];
  let time = state.time + passed * 2 ** state.power;
  if (time >= end) {
    if (!state.loop) { goTo(rec.n - 1, 0); setPlaying(false); return; }
    time = rec.times[0];
  }
  const i = pictureAt(rec, time);
  const span = i + 1 < rec.n ? rec.times[i + 1] - rec.times[i] : 0;
  goTo(i, span > 0 ? clamp((time - rec.times[i]) / span, 0, 1) : 0);
  state.time = time;
}

// Samples per pixel and pixels per length, finest first.
const QUALITY = [[4, 1], [0, 1], [0, 0.8], [0, 0.64], [0, 0.5]];

// While playing, slow pictures in a row make the canvas coarser; a pause makes it fine again.
function fitCanvas(canvas, now) {
  const last = state.drawn[state.drawn.length - 1];
  if (state.playing && last) {
    const passed = now - last;
    state.slow = clamp(state.slow + (passed > 100 ? 4 : passed > 36 ? 1 : -1), 0, 8);
    if (state.slow === 8 && state.level + 1 < QUALITY.length) { state.level++; state.slow = 0; }
  }
  const [samples, share] = QUALITY[state.playing ? state.level : 0];
  if (target) target.samples = samples;
  const scale = share * Math.min(window.devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * scale)), height = Math.max(1, Math.round(canvas.clientHeight * scale));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
}

function follow() {
  if (!state.layers.follow || state.picked?.kind !== 'body') return;
  const pose = shownPose(poses, state.picked.body);
  if (!pose) return;
  if (state.followed) camera.target = add(camera.target, sub(pose.p, state.followed));
  state.followed = pose.p;
}

function draw(now) {
  const canvas = byId('view');
  state.missing = blendPoses(rec, state.at, state.share, poses);
  follow();
  fitCanvas(canvas, now);
  const theme = THEMES[state.theme];
  view = {
    ...lookThrough(camera, Math.max(canvas.clientWidth, 1), Math.max(canvas.clientHeight, 1)), theme, themeName: state.theme, layers: state.layers, movers, poses,
    sceneRadius: frame.radius, arrowScale: lengths.perImpulse * 2 ** Number(byId('arrow-scale').value),
    thickness: lengths.thickness, coneHeight: lengths.cone, pickedContact: pickedContact(), pickedBody: state.picked?.kind === 'body' ? state.picked.body : -1,
  };
  if (gl && !gl.isContextLost()) {
    target.begin(canvas.width, canvas.height);
    if (rec.n) {
      const key = [contactsOf(rec, state.at).from, ...Object.values(state.layers), state.theme, view.pickedContact, view.arrowScale].join();
      if (state.filled !== key) fillContacts(overlay, view, state.at);
      state.filled = key;
      fillPoints(overlay, poses);
      fillTrails(overlay, view, state.at, state.time);
    }
    drawScene(scene, view);
    drawOverlay(overlay, view);
    target.end();
  }
  if (rec.n && (!state.playing || now - state.barAt > 45)) { state.barAt = now; showTimeline(bar, state.at, state.time, look); }
  // text and plots ten times per second while playing
  if (!state.playing || now - state.textAt > 100) {
    state.textAt = now;
    for (const plot of plots) drawPlot(plot, state.at, look);
    showPicked(rec, state.picked, view.pickedContact, state.at);
    showContactList(rec, state.at, state.picked?.kind === 'contact' ? state.picked.key : '', (key) => setPicked({ kind: 'contact', key }));
    byId('notes').textContent = noteTexts(rec, state.at, state.missing);
  }
  state.drawn.push(now);
  while (state.drawn[0] < now - 1000) state.drawn.shift();
}

let waiting = false;
function wake() {
  state.dirty = true;
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(tick);
}

function tick(now) {
  waiting = false;
  if (state.playing) advance(now);
  if (state.dirty || state.playing) { state.dirty = false; draw(now); }
  if (state.playing) wake();
}

const KEYS = {
  ' ': () => setPlaying(!state.playing), ArrowLeft: (e) => step(e.shiftKey ? -10 : -1), ArrowRight: (e) => step(e.shiftKey ? 10 : 1),
  Home: () => seek(0), End: () => seek(rec.n - 1), '+': () => pace(1), '=': () => pace(1), '-': () => pace(-1), '−': () => pace(-1),
  c: () => setLayer('contacts'), f: () => setLayer('forces'), k: () => setLayer('cones'), t: () => setLayer('trails'),
  g: () => setLayer('grid'), b: () => setLayer('follow'),
  p: togglePlots, d: () => setTheme(state.theme === 'dark' ? 'light' : 'dark'), l: () => { state.loop = !state.loop; showButtons(); },
  r: () => { resetCamera(camera); wake(); }, '?': () => showHelp(byId('help').hidden),
  Escape: () => (byId('help').hidden ? setPicked(null) : showHelp(false)),
};

function listen() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    // a button reached by keys keeps its space, a slider that is not the timeline its arrows
    if (event.key === ' ' && target.closest?.('button, summary')) return;
    if (target.id === 'arrow-scale' && event.key.startsWith('Arrow')) return;
    const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
  // a button that was clicked gives the space key back
  document.addEventListener('click', (event) => { if (event.detail > 0) event.target.closest('button')?.blur(); });
  for (const button of document.querySelectorAll('[data-layer]')) button.addEventListener('click', () => setLayer(button.dataset.layer));
  byId('arrow-scale').addEventListener('input', wake);
  byId('theme').addEventListener('click', KEYS.d);
  byId('plots-toggle').addEventListener('click', togglePlots);
  byId('help-open').addEventListener('click', () => showHelp(true));
  byId('help-close').addEventListener('click', () => showHelp(false));
  byId('help').addEventListener('click', (event) => { if (event.target === byId('help')) showHelp(false); });
  byId('unpick').addEventListener('click', () => setPicked(null));
  byId('contact-list').addEventListener('toggle', wake);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => setTheme(event.matches ? 'dark' : 'light'));
  handleCamera(byId('view'), camera, { changed: wake, click: clickAt, centre: centreAt });
  new ResizeObserver(wake).observe(byId('stage'));
  new ResizeObserver(wake).observe(byId('side'));
}

// For tests and for the curious.
window.stiction = {
  ready: true, errors, seek, play: () => setPlaying(true), pause: () => setPlaying(false),
  get frame() { return state.at; },
  get frames() { return rec.n; },
  stats: () => ({ fps: state.drawn.length, level: state.level, playing: state.playing, theme: state.theme, layers: { ...state.layers }, missing: state.missing }),
  // where a body, or a contact of this picture, is on the canvas, and how far away
  whereIsBody: (body) => projectPoint(view.camera, shownPose(poses, body).p, view.width, view.height),
  whereIsContact: (k) => {
    const o = (contactsOf(rec, state.at).start + k) * CONTACT_WORDS + 3;
    return projectPoint(view.camera, rec.contactF.subarray(o, o + 3), view.width, view.height);
  },
};

showVerdict(rec);
showAbout(rec);
listen();
setTheme(state.theme);
showButtons();
const still = matchMedia('(prefers-reduced-motion: reduce)').matches || location.hash === '#paused';
if (still) wake(); else setPlaying(true);
