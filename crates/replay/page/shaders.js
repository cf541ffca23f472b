// Programs of the view. Each copy of a solid reads its numbers from a texture of items.

const itemGlsl = (location, texels) => `
layout(location=${location}) in float copy;
uniform highp sampler2D items;
uniform int first;
vec4 item(int k) {
  int i = (first + int(copy)) * ${texels} + k;
  return texelFetch(items, ivec2(i % ${ITEM_WIDTH}, i / ${ITEM_WIDTH}), 0);
}`;

// Solids, and with `shadow` their projection along the light on a plane.
const SOLID_VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec3 position;
layout(location=1) in vec3 normal;
layout(location=2) in vec3 mark;
layout(location=3) in vec3 edges;
layout(location=4) in vec3 colour;
layout(location=5) in float body;
uniform mat4 camera;
uniform vec4 plane;
uniform vec3 light, centre;
uniform float reach, strength;
uniform bool shadow;
out vec3 vNormal, vMark;
out float vShade;
flat out vec3 vColour, vEdges;
flat out float vBody;
void main() {
  vec3 world = position;
  if (shadow) {
    float height = max(dot(plane.xyz, world) - plane.w, 0.0);
    world -= light * (height / dot(plane.xyz, light));
    vShade = strength * (1.0 - smoothstep(0.3, 0.9, distance(world, centre) / reach));
  }
  vNormal = normal;
  vMark = mark;
  vEdges = edges;
  vColour = colour;
  vBody = body;
  gl_Position = camera * vec4(world, 1.0);
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
in vec3 vNormal, vMark;
flat in vec3 vColour, vEdges;
flat in float vBody;
uniform vec3 light, toEye, sky, earth, accent;
uniform float picked;
uniform int marking;
out vec4 colour;
void main() {
  vec3 n = normalize(gl_FrontFacing ? vNormal : -vNormal);
  float ink = 0.0;
  if (marking == 1) {
    vec3 e = vEdges - abs(vMark);
    float d = min(e.x, min(e.y, e.z)), w = fwidth(d);
    ink = 0.42 * clamp(1.7 - d / w, 0.0, 1.0);
  } else if (marking >= 2) {
    float s = vMark.x * vMark.y * (marking == 2 ? vMark.z : 1.0);
    ink = 0.22 * clamp(0.5 + s / (fwidth(s) + 1e-5), 0.0, 1.0);
  }
  vec3 lit = mix(earth, sky, 0.5 + 0.5 * n.z) + 0.62 * max(dot(n, light), 0.0);
  lit *= vColour * vColour * (1.0 - ink);
  if (vBody == picked) {
    float rim = 1.0 - max(dot(n, toEye), 0.0);
    lit = mix(lit, accent * accent, 0.18 + 0.72 * rim * rim);
  }
  colour = vec4(sqrt(lit), 1.0);
}`;

const SHADOW_FRAGMENT = `#version 300 es
precision highp float;
in float vShade;
out vec4 colour;
void main() { colour = vec4(0.0, 0.0, 0.0, vShade); }`;

// A half-space: a disc of its plane around a centre, with lines that fade out.
const PLANE_VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec2 corner;
${itemGlsl(1, 1)}
uniform mat4 camera;
uniform vec3 origin, axisX, axisY;
uniform vec2 middle;
uniform float reach;
out vec2 vPlane;
void main() {
  vPlane = item(0).xy + corner * reach;
  gl_Position = camera * vec4(origin + axisX * vPlane.x + axisY * vPlane.y, 1.0);
}`;

const PLANE_FRAGMENT = `#version 300 es
precision highp float;
in vec2 vPlane;
uniform vec2 middle;
uniform float reach, spacing, opacity;
uniform vec3 ground, ink;
uniform bool lines;
out vec4 colour;
float grid(float step, vec2 w) {
  vec2 p = vPlane / step, f = w / step;
  vec2 d = abs(fract(p - 0.5) - 0.5);
  vec2 line = (1.0 - smoothstep(0.2 * f, 1.0 * f, d)) * clamp(1.4 - 3.0 * f, 0.0, 1.0);
  return max(line.x, line.y);
}
void main() {
  float r = length(vPlane - middle) / reach;
  float fade = 1.0 - smoothstep(0.35, 1.0, r);
  if (fade < 0.004) discard;
  vec3 c = ground;
  if (lines) {
    vec2 w = fwidth(vPlane);
    c = mix(c, ink, max(0.22 * grid(spacing, w), 0.5 * grid(10.0 * spacing, w)));
  }
  colour = vec4(c, fade * opacity);
}`;

// Dots of a fixed size on the screen. Items: place and radius [pixels], colour.
const DOT_VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec2 corner;
${itemGlsl(1, 2)}
uniform mat4 camera;
uniform vec2 pixel;
uniform float lift;
out vec2 vCorner;
flat out vec4 vColour;
flat out float vRadius;
void main() {
  vec4 place = item(0);
  vec4 at = camera * vec4(place.xyz, 1.0);
  vRadius = place.w;
  vCorner = corner * (vRadius + 1.0);
  vColour = item(1);
  at.xy += vCorner * pixel * at.w;
  at.z -= lift * at.w;
  gl_Position = at;
}`;

const DOT_FRAGMENT = `#version 300 es
precision highp float;
in vec2 vCorner;
flat in vec4 vColour;
flat in float vRadius;
uniform vec3 rim;
uniform float opacity;
out vec4 colour;
void main() {
  float d = length(vCorner);
  float inside = clamp(vRadius + 0.5 - d, 0.0, 1.0);
  if (inside <= 0.0) discard;
  vec3 c = mix(vColour.rgb, rim, clamp(d - (vRadius - 1.5), 0.0, 1.0));
  colour = vec4(c, inside * opacity * vColour.a);
}`;

// Arrows and friction cones. Items: foot, vector and thickness (of cones the radius at unit height), colour.
const ARROW_VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec4 position;
layout(location=1) in vec3 normal;
${itemGlsl(2, 3)}
uniform mat4 camera;
uniform bool cone;
out vec3 vNormal;
flat out vec4 vColour;
void main() {
  vec3 from = item(0).xyz;
  vec4 to = item(1);
  float len = length(to.xyz);
  vec3 z = to.xyz / max(len, 1e-20);
  vec3 x = normalize(abs(z.z) < 0.9 ? cross(z, vec3(0, 0, 1)) : cross(z, vec3(1, 0, 0)));
  vec3 y = cross(z, x);
  vec3 p;
  if (cone) p = position.xyz * vec3(to.w * len, to.w * len, len);
  else {
    float thick = min(to.w, 0.12 * len);
    float head = 7.0 * thick;
    p = vec3(position.xy * thick, position.w * (len - head) + position.z * head);
  }
  vNormal = x * normal.x + y * normal.y + z * normal.z;
  vColour = item(2);
  gl_Position = camera * vec4(from + x * p.x + y * p.y + z * p.z, 1.0);
}`;

const ARROW_FRAGMENT = `#version 300 es
precision highp float;
in vec3 vNormal;
flat in vec4 vColour;
uniform vec3 light;
uniform float opacity;
uniform bool cone;
out vec4 colour;
void main() {
  float shade = cone ? 1.0 : 0.78 + 0.3 * dot(normalize(vNormal), light);
  colour = vec4(vColour.rgb * shade, vColour.a * opacity);
}`;

// Segments of a fixed width on the screen. Items: from, to, colour.
const LINE_VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec2 corner;
${itemGlsl(1, 3)}
uniform mat4 camera;
uniform vec2 pixel;
uniform float width;
out vec4 vColour;
void main() {
  vec4 a = camera * vec4(item(0).xyz, 1.0), b = camera * vec4(item(1).xyz, 1.0);
  vec2 d = b.xy / b.w - a.xy / a.w;
  d /= pixel;
  d = length(d) > 1e-6 ? normalize(d) : vec2(1.0, 0.0);
  vec4 at = corner.x < 0.0 ? a : b;
  at.xy += vec2(-d.y, d.x) * corner.y * width * pixel * at.w;
  vColour = item(2);
  gl_Position = min(a.w, b.w) > 0.0 ? at : vec4(0.0, 0.0, 2.0, 1.0);
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 vColour;
out vec4 colour;
void main() { colour = vColour; }`;
