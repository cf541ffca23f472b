// Plots over time, drawn once per size and theme; only the cursor follows the present.

const LINES = {
  light: ['#0072b2', '#c84f00', '#00795a', '#a8457f', '#6a4c93', '#846200'],
  dark: ['#56b4e9', '#f0883e', '#3fc79a', '#e79ac2', '#b79ced', '#dcb84a'],
};
const LEFT = 46, RIGHT = 84, TOP = 8, BOTTOM = 18;

// What there is to plot. `head`: the series whose present value stands beside the title.
function plotList(rec) {
  const { col } = rec;
  const total = col.kinetic.map((x, i) => x + col.potential[i]);
  const list = [
    { title: 'Energy', unit: 'J', series: [['kinetic', col.kinetic], ['potential', col.potential], ['total', total]], head: { name: 'total', values: total } },
    {
      title: 'Residual', unit: '', log: true, limit: rec.drawing.tol, bad: col.uncertified,
      series: [['residual', col.worst_residual]], head: { name: '', values: col.worst_residual },
    },
    { title: 'Contacts', unit: '', whole: true, series: [['contacts', col.contacts]], head: { name: '', values: col.contacts } },
    { title: 'Deepest overlap', unit: 'm', series: [['overlap', col.worst_overlap]], head: { name: '', values: col.worst_overlap } },
  ];
  const size = ({ values }) => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const terms = rec.terms.filter((term) => size(term) > 0).sort((a, b) => size(b) - size(a)).slice(0, 6);
  if (terms.length) list.splice(1, 0, { title: 'Energy ledger, summed', unit: 'J', series: terms.map((term) => [term.name, term.values]) });
  return list;
}

function makePlots(rec, parent, seek) {
  return plotList(rec).map((plot) => {
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const value = document.createElement('span');
    caption.append(plot.title, value);
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-label', `${plot.title} over time`);
    canvas.setAttribute('role', 'img');
    figure.append(caption, canvas);
    parent.append(figure);
    const full = { ...plot, rec, canvas, value, ink: canvas.getContext('2d'), picture: null };
    const go = (event) => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
      const [t0, t1] = timeSpan(rec);
      seek(nearestPicture(rec, t0 + clamp(share, 0, 1) * (t1 - t0)));
    };
    canvas.addEventListener('pointerdown', (event) => { canvas.setPointerCapture(event.pointerId); go(event); });
    canvas.addEventListener('pointermove', (event) => { if (event.buttons & 1) go(event); });
    return full;
  });
}

function timeSpan(rec) {
  const t0 = rec.n ? rec.times[0] : 0, t1 = rec.n ? rec.times[rec.n - 1] : 1;
  return t1 > t0 ? [t0, t1] : [t0, t0 + 1];
}

function nearestPicture(rec, time) {
  const i = pictureAt(rec, time);
  return i + 1 < rec.n && rec.times[i + 1] - time < time - rec.times[i] ? i + 1 : i;
}

// Lowest and highest value, with room; of a log axis whole decades.
function rangeOf(plot) {
  let low = Infinity, high = -Infinity;
  for (const [, values] of plot.series) {
    for (const x of values) if (Number.isFinite(x) && (!plot.log || x > 0)) { low = Math.min(low, x); high = Math.max(high, x); }
  }
  if (plot.log) {
    if (plot.limit > 0) { low = Math.min(low, plot.limit / 10); high = Math.max(high, plot.limit * 3); }
    if (!(low < Infinity)) return [-16, -8];
    return [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high) + 0.1)];
  }
  if (!(low <= high)) return [0, 1];
  if (low >= 0 && low < 0.6 * high) low = 0;
  if (plot.whole) { low = 0; high = Math.max(high, 1); }
  if (low === high) { const pad = Math.abs(low) * 0.1 || 1; return [low >= 0 && low - pad < 0 ? 0 : low - pad, high + pad]; }
  const pad = 0.06 * (high - low);
  return [low === 0 ? 0 : low - pad, high + pad];
}

function ticksOf(plot, low, high) {
  if (plot.log) {
    const every = Math.max(1, Math.ceil((high - low) / 3)), ticks = [];
    for (let k = Math.ceil(low / every) * every; k <= high; k += every) ticks.push(k);
    return ticks;
  }
  return niceTicks(low, high, plot.whole ? 2 : 3, plot.whole);
}

function niceTicks(low, high, about, whole) {
  const raw = (high - low) / about, power = 10 ** Math.floor(Math.log10(raw));
  let step = [1, 2, 5, 10].find((k) => k * power >= raw) * power;
  if (whole) step = Math.max(1, Math.round(step));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && ticks.length < 20; k++) ticks.push(k * step);
  return ticks;
}

// `5e−10`, as there is no room for 5.0e−10 beside an axis.
const tickText = (plot, x) => (plot.log ? `1e${x}`.replace('-', '−') : show(Number(x.toPrecision(6)), 3).replace('.0e', 'e'));

function drawPlotBase(plot, width, height, ratio, look) {
  const canvas = document.createElement('canvas');
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const ink = canvas.getContext('2d');
  ink.scale(ratio, ratio);
  const [low, high] = rangeOf(plot), [t0, t1] = timeSpan(plot.rec);
  const right = width - RIGHT, bottom = height - BOTTOM;
  plot.x = (t) => LEFT + ((t - t0) / (t1 - t0)) * (right - LEFT);
  plot.y = (v) => {
    const u = plot.log ? Math.log10(v) : v;
    return Number.isFinite(u) ? clamp(bottom - ((u - low) / (high - low)) * (bottom - TOP), TOP, bottom) : NaN;
  };
  ink.font = '11px system-ui, sans-serif';
  ink.textBaseline = 'middle';
  ink.lineWidth = 1;
  for (const tick of ticksOf(plot, low, high)) {
    const y = plot.y(plot.log ? 10 ** tick : tick);
    ink.strokeStyle = look.line;
    stroke(ink, [[LEFT, Math.round(y) + 0.5], [right, Math.round(y) + 0.5]]);
    ink.fillStyle = look.muted;
    ink.textAlign = 'right';
    ink.fillText(tickText(plot, tick), LEFT - 6, y);
  }
  ink.textAlign = 'center';
  const times = niceTicks(t0, t1, width > 300 ? 4 : 3, false);
  times.forEach((t, k) => ink.fillText(`${show(Number(t.toPrecision(6)))}${k === times.length - 1 ? ' s' : ''}`, plot.x(t), bottom + 10));
  if (plot.limit > 0) drawLimit(plot, ink, right, look);
  drawSeries(plot, ink, right, bottom, look);
  plot.picture = canvas;
}

function stroke(ink, points) {
  ink.beginPath();
  points.forEach(([x, y], k) => (k ? ink.lineTo(x, y) : ink.moveTo(x, y)));
  ink.stroke();
}

function drawLimit(plot, ink, right, look) {
  const y = plot.y(plot.limit);
  ink.strokeStyle = ink.fillStyle = look.muted;
  ink.setLineDash([4, 3]);
  stroke(ink, [[LEFT, y], [right, y]]);
  ink.setLineDash([]);
  ink.textAlign = 'left';
  ink.fillText(`tol ${show(plot.limit, 2)}`, right + 8, y);
}

function drawSeries(plot, ink, right, bottom, look) {
  const labels = [];
  plot.series.forEach(([name, values], k) => {
    const colour = look.colours[k % look.colours.length];
    ink.strokeStyle = colour;
    ink.lineWidth = 1.5;
    ink.lineJoin = 'round';
    strokeValues(plot, ink, values);
    let last = values.length - 1;
    while (last > 0 && Number.isNaN(plot.y(values[last]))) last--;
    const y = values.length ? plot.y(values[last]) : NaN;
    labels.push({ name, colour, y: Number.isNaN(y) ? bottom : y });
  });
  if (plot.bad) {
    ink.fillStyle = look.bad;
    plot.bad.forEach((count, i) => {
      if (!(count > 0)) return;
      const y = plot.y(plot.series[0][1][i]);
      ink.beginPath();
      ink.arc(plot.x(plot.rec.times[i]), Number.isNaN(y) ? TOP : y, 2.4, 0, 7);
      ink.fill();
    });
  }
  ink.textAlign = 'left';
  for (const { name, colour, y } of spreadLabels(labels, plot.limit > 0 ? plot.y(plot.limit) : NaN, bottom)) {
    ink.fillStyle = colour;
    ink.fillText(fit(ink, name, RIGHT - 10), right + 8, y);
  }
}

function fit(ink, text, width) {
  if (ink.measureText(text).width <= width) return text;
  let cut = text.length;
  while (cut > 1 && ink.measureText(`${text.slice(0, cut)}…`).width > width) cut--;
  return `${text.slice(0, cut)}…`;
}

// Labels at least 12 pixels apart, in the order of their lines, clear of `taken`.
function spreadLabels(labels, taken, bottom) {
  const list = [...labels].sort((a, b) => a.y - b.y);
  if (!Number.isNaN(taken)) for (const label of list) if (Math.abs(label.y - taken) < 12) label.y = label.y < taken ? taken - 12 : taken + 12;
  for (let k = 1; k < list.length; k++) list[k].y = Math.max(list[k].y, list[k - 1].y + 12);
  for (let k = list.length - 1, limit = bottom; k >= 0; k--, limit -= 12) list[k].y = Math.min(list[k].y, limit);
  return list;
}

// A line through all values, or, where they are denser than pixels, the span of each column. NaN and log of 0 break it.
function strokeValues(plot, ink, values) {
  const n = values.length, { times } = plot.rec;
  ink.beginPath();
  let open = false, column = NaN, low = 0, high = 0;
  for (let i = 0; i < n; i++) {
    const x = plot.x(times[i]), y = plot.y(values[i]);
    if (Number.isNaN(x + y)) { open = false; continue; }
    if (!open) {
      const alone = i + 1 >= n || Number.isNaN(plot.y(values[i + 1]));
      ink.moveTo(alone ? x - 1 : x, y);
      ink.lineTo(x, y);
      open = true;
      column = Math.round(x); low = high = y;
    } else if (Math.round(x) === column) {
      if (y < low || y > high) ink.lineTo(x, y);
      low = Math.min(low, y); high = Math.max(high, y);
    } else { ink.lineTo(x, y); column = Math.round(x); low = high = y; }
  }
  ink.stroke();
}

// The plot with the cursor at picture i.
function drawPlot(plot, i, look) {
  const { canvas, ink, rec } = plot;
  const width = canvas.clientWidth, height = canvas.clientHeight, ratio = window.devicePixelRatio || 1;
  if (!width) return;
  const key = `${width} ${height} ${ratio} ${look.name}`;
  if (plot.key !== key) {
    plot.key = key;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    drawPlotBase(plot, width, height, ratio, look);
  }
  ink.setTransform(1, 0, 0, 1, 0, 0);
  ink.clearRect(0, 0, canvas.width, canvas.height);
  ink.drawImage(plot.picture, 0, 0);
  if (!rec.n) return;
  ink.scale(ratio, ratio);
  const x = plot.x(rec.times[i]);
  ink.strokeStyle = look.ink;
  ink.lineWidth = 1;
  stroke(ink, [[x, TOP - 4], [x, height - BOTTOM]]);
  plot.series.forEach(([, values], k) => {
    const y = plot.y(values[i]);
    if (Number.isNaN(y)) return;
    ink.fillStyle = look.colours[k % look.colours.length];
    ink.beginPath();
    ink.arc(x, y, 3, 0, 7);
    ink.fill();
  });
  plot.value.textContent = plot.head ? `${plot.head.name} ${show(plot.head.values[i])} ${plot.unit}`.trim() : plot.unit;
}
