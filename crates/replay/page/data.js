// The recording as typed arrays. Numbers stand in the page as base64, little-endian.

const CONTACT_WORDS = 18;
const NOT_KEPT = 0xffffffff;

function bytesOf(id) {
  const element = document.getElementById(id);
  const text = element.textContent;
  element.textContent = '';
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function readRecording() {
  const head = JSON.parse(document.getElementById('head').textContent);
  const n = head.pictures;
  const rec = {
    ...head,
    n,
    bodies: head.drawing.bodies.length,
    times: new Float64Array(bytesOf('times').buffer),
    steps: new Float64Array(bytesOf('steps').buffer),
    poses: new Float32Array(bytesOf('poses').buffer),
    places: new Uint32Array(bytesOf('contact-places').buffer),
    meshBytes: bytesOf('meshes'),
  };
  const contacts = bytesOf('contacts').buffer;
  rec.contactF = new Float32Array(contacts);
  rec.contactU = new Uint32Array(contacts);
  readColumns(rec, new Float32Array(bytesOf('rows').buffer));
  rec.held = heldContacts(rec);
  return rec;
}

// One array per column; of the ledger's terms the sums from the beginning.
function readColumns(rec, rows) {
  const ledger = rec.drawing.ledger;
  const width = rec.columns.length + ledger.length;
  const column = (k) => Float32Array.from({ length: rec.n }, (_, i) => rows[i * width + k]);
  rec.col = {};
  rec.columns.forEach((name, k) => { rec.col[name] = column(k); });
  rec.terms = ledger.map((name, k) => {
    const values = column(rec.columns.length + k);
    let sum = 0;
    for (let i = 0; i < values.length; i++) { sum += values[i]; values[i] = sum; }
    return { name, values };
  });
}

// For each picture the last one up to it whose contacts were kept; -1: none.
function heldContacts(rec) {
  const held = new Int32Array(rec.n);
  let last = -1;
  for (let i = 0; i < rec.n; i++) {
    if (rec.places[2 * i + 1] !== NOT_KEPT) last = i;
    held[i] = last;
  }
  return held;
}

// Range of contacts to show with picture i.
function contactsOf(rec, i) {
  const from = rec.n ? rec.held[i] : -1;
  if (from < 0) return { start: 0, count: 0, from };
  return { start: rec.places[2 * from], count: rec.places[2 * from + 1], from };
}

// A contact as an object, for the panel.
function contactAt(rec, index) {
  const o = index * CONTACT_WORDS, f = rec.contactF, u = rec.contactU;
  const vec = (k) => [f[o + k], f[o + k + 1], f[o + k + 2]];
  return {
    a: u[o], b: u[o + 1], feature: u[o + 2], point: vec(3), normal: vec(6), gap: f[o + 9],
    impulse: vec(10), velocity: vec(13), mu: f[o + 16], mode: u[o + 17],
  };
}

function contactKey(rec, index) {
  const o = index * CONTACT_WORDS, u = rec.contactU;
  return `${u[o]}/${u[o + 1]}/${u[o + 2]}`;
}

const MODES = ['open', 'stick', 'slip'];

const bodyOfShape = (rec, shape) => rec.drawing.shapes[shape]?.body ?? -1;

// Name of a body, or of a shape of the world.
function ownerName(rec, shape) {
  const info = rec.drawing.shapes[shape];
  if (!info) return `shape ${shape}`;
  return info.body === null ? info.name || 'world' : rec.drawing.bodies[info.body].name;
}

// Index of the picture at or before a time.
function pictureAt(rec, time) {
  let low = 0, high = rec.n - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rec.times[middle] <= time) low = middle; else high = middle - 1;
  }
  return Math.max(low, 0);
}
