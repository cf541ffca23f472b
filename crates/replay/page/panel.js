// Text beside the view: verdict, selection, list of contacts, where the recording comes from. All text is set as text.

const byId = (id) => document.getElementById(id);
const LISTED = 150;

// rows: [label, value, unit or '', class or ''].
function fillRows(list, rows) {
  list.replaceChildren(...rows.flatMap(([label, value, unit, look]) => {
    const dt = document.createElement('dt'), dd = document.createElement('dd');
    dt.textContent = label;
    dd.textContent = value;
    if (look) dd.className = look;
    if (unit) {
      const small = document.createElement('small');
      small.textContent = unit;
      dd.append(small);
    }
    return [dt, dd];
  }));
}

function showVerdict(rec) {
  const { drawing, summary } = rec;
  document.title = `${drawing.title || 'Replay'} · Stiction`;
  byId('title').textContent = drawing.title || drawing.scene_file || 'Replay';
  const strong = document.createElement('b');
  const all = summary.certified === summary.steps;
  if (!all) strong.className = 'bad';
  strong.textContent = summary.steps ? `${summary.certified} of ${summary.steps} steps certified` : 'no steps';
  const parts = [];
  if (summary.steps) parts.push(`worst residual ${show(summary.worst_residual, 3)}`);
  if (drawing.law) parts.push(`law ${drawing.law}`);
  if (drawing.h > 0) parts.push(`h ${show(drawing.h * 1000)} ms`);
  byId('verdict').replaceChildren(strong, ...parts.map((part) => ` · ${part}`));
}

function showAbout(rec) {
  const { drawing, summary } = rec;
  const rows = [
    ['scene', drawing.scene_file || 'none'], ['command', drawing.command.join(' ') || 'none'], ['version', drawing.version || 'none'],
    ['solver', drawing.solver || 'none'], ['tolerance', show(drawing.tol)], ['seed', String(drawing.seed)],
    ['bodies', String(rec.bodies)], ['shapes', String(drawing.shapes.length)],
    ['pictures', `${rec.n} of ${summary.frames} frames`], ['impacts', String(summary.impacts)],
    ['deepest overlap', show(summary.worst_overlap), 'm'],
  ];
  if (drawing.scene_hash) rows.push(['scene hash', drawing.scene_hash.slice(0, 16)]);
  fillRows(byId('about-rows'), rows);
}

// What was left out of the page, and what is missing in this picture.
function noteTexts(rec, i, missing) {
  const { summary, drawing } = rec, notes = [];
  if (summary.stride > 1) notes.push(`1 of ${summary.stride} frames shown`);
  if (summary.contacts_left_out) notes.push('contacts left out for size');
  else if (summary.contact_stride > summary.stride) {
    const { from } = contactsOf(rec, i);
    notes.push(from === i ? 'contacts of this step' : `contacts of step ${rec.steps[from]}`);
  }
  if (drawing.meshes_as_boxes) notes.push(`${drawing.meshes_as_boxes} large meshes drawn as boxes`);
  if (missing) notes.push(missing === 1 ? '1 body has no pose' : `${missing} bodies have no pose`);
  return notes.join(' · ');
}

function certificateRows(rec, i) {
  if (!rec.n) return [];
  const { col } = rec;
  const solver = rec.summary.solvers[col.solver[i]];
  const rows = [
    [`step ${rec.steps[i]}`, col.certified[i] ? 'certified' : 'not certified', '', col.certified[i] ? '' : 'bad'],
    ['residual', show(col.residual[i], 3), `of ${show(rec.drawing.tol, 2)}`],
  ];
  if (solver) rows.push(['solver', solver, `${col.iterations[i]} iterations`]);
  if (col.uncertified[i] > 0 && rec.summary.stride > 1) rows.push(['uncertified since the last picture', String(col.uncertified[i]), '', 'bad']);
  return rows;
}

function stepRows(rec, i) {
  if (!rec.n) return [];
  const { col } = rec;
  const rows = certificateRows(rec, i).slice(1);
  rows.unshift(['certificate', col.certified[i] ? 'certified' : 'not certified', '', col.certified[i] ? '' : 'bad']);
  rows.push(['from the law', show(col.law[i], 3)], ['from exact Coulomb', show(col.coulomb[i], 3)]);
  if (col.gap[i] || col.misalignment[i]) rows.push(['joint gap', show(col.gap[i], 3), 'm'], ['joint angle', show(col.misalignment[i], 3), 'rad']);
  if (col.impacts[i] > 0) rows.push(['impacts', String(col.impacts[i]), `up to ${show(col.impact_speed[i], 3)} m/s`]);
  return rows;
}

function contactRows(rec, index, i) {
  const c = contactAt(rec, index);
  const pn = dot(c.impulse, c.normal), un = dot(c.velocity, c.normal);
  const pt = norm(sub(c.impulse, scaled(c.normal, pn))), ut = norm(sub(c.velocity, scaled(c.normal, un)));
  const mode = MODES[c.mode] ?? 'unknown';
  const limit = c.mu * pn;
  return [
    ['mode', mode, '', mode],
    ['gap', show(c.gap), 'm'],
    ['normal impulse', show(pn), 'N·s'],
    ['tangential', show(pt), 'N·s'],
    ['|t| / (μ n)', limit > 0 ? show(pt / limit) : 'none', ''],
    ['μ', show(c.mu), ''],
    ['opening speed', show(un), 'm/s'],
    ['sliding speed', show(ut), 'm/s'],
    ['point', c.point.map((x) => show(x, 3)).join(', '), 'm'],
    ...certificateRows(rec, i),
  ];
}

function bodyRows(rec, body, i) {
  const o = 7 * (i * rec.bodies + body);
  const pose = Array.from(rec.poses.subarray(o, o + 7));
  const touching = contactsOf(rec, i);
  let contacts = 0;
  for (let k = touching.start; k < touching.start + touching.count; k++) {
    const u = rec.contactU, at = k * CONTACT_WORDS;
    if (bodyOfShape(rec, u[at]) === body || bodyOfShape(rec, u[at + 1]) === body) contacts++;
  }
  const rates = bodyRates(rec, body, i);
  return [
    ['mass', show(rec.drawing.bodies[body].mass), 'kg'],
    ['position', pose.slice(0, 3).map((x) => show(x, 3)).join(', '), 'm'],
    ['quaternion w x y z', pose.slice(3).map((x) => show(x, 3)).join(', '), ''],
    ['speed, from pictures', show(rates.speed), 'm/s'],
    ['turn rate, from pictures', show(rates.turn), 'rad/s'],
    ['contacts', String(contacts), ''],
    ...certificateRows(rec, i),
  ];
}

// Differences of the pictures on both sides.
function bodyRates(rec, body, i) {
  const a = Math.max(i - 1, 0), b = Math.min(i + 1, rec.n - 1), span = rec.times[b] - rec.times[a];
  if (!(span > 0)) return { speed: NaN, turn: NaN };
  const at = (k) => Array.from(rec.poses.subarray(7 * (k * rec.bodies + body), 7 * (k * rec.bodies + body) + 7));
  const [from, to] = [at(a), at(b)];
  const q = quatProduct(to.slice(3), conjugate(from.slice(3)));
  return {
    speed: norm(sub(to.slice(0, 3), from.slice(0, 3))) / span,
    turn: (2 * Math.atan2(Math.hypot(q[1], q[2], q[3]), Math.abs(q[0]))) / span,
  };
}

function showPicked(rec, picked, contact, i) {
  const title = byId('picked-title');
  byId('unpick').hidden = picked === null;
  if (picked === null) {
    title.textContent = rec.n ? `Step ${rec.steps[i]}` : 'Empty recording';
    fillRows(byId('picked-rows'), stepRows(rec, i));
  } else if (picked.kind === 'body') {
    title.textContent = rec.drawing.bodies[picked.body].name;
    fillRows(byId('picked-rows'), bodyRows(rec, picked.body, i));
  } else {
    const [a, b] = picked.key.split('/').map(Number);
    title.textContent = `${ownerName(rec, a)} – ${ownerName(rec, b)}`;
    fillRows(byId('picked-rows'), contact < 0 ? [['', 'not in contact in this picture'], ...certificateRows(rec, i)] : contactRows(rec, contact, i));
  }
}

function showContactList(rec, i, pickedKey, pick) {
  const { start, count } = contactsOf(rec, i);
  byId('contact-count').textContent = count ? `(${count})` : '(none)';
  if (!byId('contact-list').open) return;
  const rows = [];
  for (let k = start; k < start + Math.min(count, LISTED); k++) {
    const c = contactAt(rec, k), key = contactKey(rec, k);
    const row = document.createElement('button'), dot_ = document.createElement('i');
    const names = document.createElement('span'), value = document.createElement('span');
    dot_.className = MODES[c.mode] ?? '';
    names.textContent = `${ownerName(rec, c.a)} – ${ownerName(rec, c.b)}`;
    value.textContent = `${show(dot(c.impulse, c.normal), 3)} N·s`;
    row.append(dot_, names, value);
    if (key === pickedKey) row.setAttribute('aria-current', 'true');
    row.addEventListener('click', () => pick(key));
    rows.push(row);
  }
  if (count > LISTED) {
    const more = document.createElement('p');
    more.textContent = `and ${count - LISTED} more: click them in the view`;
    rows.push(more);
  }
  byId('contact-rows').replaceChildren(...rows);
}
