// Pixels of a PNG as Chromium writes them: eight bits, RGB or RGBA, not interlaced.

import { inflateSync } from 'node:zlib';

function pixels(png) {
  let at = 8, header = null;
  const parts = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at), kind = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') header = { width: body.readUInt32BE(0), height: body.readUInt32BE(4), channels: { 2: 3, 6: 4 }[body[9]] };
    if (kind === 'IDAT') parts.push(body);
    at += 12 + length;
  }
  return { ...header, data: unfiltered(inflateSync(Buffer.concat(parts)), header) };
}

// Undoes the filter of each line.
function unfiltered(raw, { width, height, channels }) {
  const line = width * channels, out = Buffer.alloc(line * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (line + 1)];
    for (let x = 0; x < line; x++) {
      const o = y * line + x;
      const left = x >= channels ? out[o - channels] : 0, up = y > 0 ? out[o - line] : 0;
      const corner = x >= channels && y > 0 ? out[o - line - channels] : 0;
      out[o] = raw[y * (line + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
    }
  }
  return out;
}

function paeth(a, b, c) {
  const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

export function distinctColours(png) {
  const { data, channels } = pixels(png), seen = new Set();
  for (let o = 0; o < data.length; o += channels) seen.add((data[o] << 16) | (data[o + 1] << 8) | data[o + 2]);
  return seen.size;
}

// Mean of all channels, 0 to 255.
export function brightness(png) {
  const { data, channels } = pixels(png);
  let sum = 0;
  for (let o = 0; o < data.length; o += channels) sum += data[o] + data[o + 1] + data[o + 2];
  return sum / ((3 * data.length) / channels);
}
