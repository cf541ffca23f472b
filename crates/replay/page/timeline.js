// The bar below the view: buttons, scrubber with marks, clock, speed.

const SPEEDS = [-4, -3, -2, -1, 0, 1, 2, 3, 4];
const speedText = (power) => (power < 0 ? `1/${2 ** -power}×` : `${2 ** power}×`);

// A short run starts slower, so that there is time to look.
function startingSpeed(rec) {
  const [t0, t1] = timeSpan(rec);
  return clamp(-Math.ceil(Math.log2(2 / (t1 - t0))), -4, 0);
}

function makeTimeline(rec, on) {
  const bar = { rec, scrub: byId('scrub'), marks: byId('marks'), key: '' };
  bar.scrub.max = String(Math.max(rec.n - 1, 0));
  const click = (id, act) => byId(id).addEventListener('click', act);
  click('play', on.toggle);
  click('back', (event) => on.step(event.shiftKey ? -10 : -1));
  click('forth', (event) => on.step(event.shiftKey ? 10 : 1));
  click('to-start', () => on.seek(0));
  click('to-end', () => on.seek(rec.n - 1));
  click('slower', () => on.pace(-1));
  click('faster', () => on.pace(1));
  click('loop', on.loop);
  bar.scrub.addEventListener('input', () => on.seek(Number(bar.scrub.value)));
  const { h } = rec.drawing;
  bar.decimals = clamp(h > 0 ? Math.ceil(-Math.log10(h) - 1e-9) : 3, 2, 6);
  return bar;
}

function showTimeline(bar, i, time, look) {
  const { rec } = bar;
  if (Number(bar.scrub.value) !== i) bar.scrub.value = String(i);
  bar.scrub.setAttribute('aria-valuetext', `step ${rec.n ? rec.steps[i] : 0}`);
  byId('time').textContent = `${(rec.n ? time : 0).toFixed(bar.decimals).replace('-', '−')} s`;
  byId('step').textContent = `step ${rec.n ? rec.steps[i] : 0}`;
  drawMarks(bar, i, look);
}

// The groove, uncertified pictures in red above it, impacts as ticks below it.
function drawMarks(bar, i, look) {
  const { marks, rec } = bar;
  const width = marks.clientWidth, height = marks.clientHeight, ratio = window.devicePixelRatio || 1;
  if (!width) return;
  const key = `${width} ${height} ${ratio} ${look.name}`;
  const x = (k) => 7 + (rec.n > 1 ? k / (rec.n - 1) : 0) * (width - 14);
  const y = height / 2;
  if (bar.key !== key) {
    bar.key = key;
    marks.width = width * ratio;
    marks.height = height * ratio;
    bar.base = document.createElement('canvas');
    bar.base.width = marks.width;
    bar.base.height = marks.height;
    const ink = bar.base.getContext('2d');
    ink.scale(ratio, ratio);
    ink.fillStyle = look.line;
    ink.fillRect(7, y - 2, width - 14, 4);
    for (let k = 0; k < rec.n; k++) {
      if (rec.col.impacts[k] > 0) { ink.fillStyle = look.muted; ink.fillRect(x(k) - 0.5, y + 7, 1, 5); }
      if (rec.col.uncertified[k] > 0) { ink.fillStyle = look.bad; ink.fillRect(x(k) - 1, y - 11, 2, 7); }
    }
  }
  const ink = marks.getContext('2d');
  ink.setTransform(1, 0, 0, 1, 0, 0);
  ink.clearRect(0, 0, marks.width, marks.height);
  ink.drawImage(bar.base, 0, 0);
  ink.scale(ratio, ratio);
  ink.fillStyle = look.accent;
  ink.fillRect(7, y - 2, x(i) - 7, 4);
}
