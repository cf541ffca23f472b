// A thin layer over WebGL 2: programs with their uniforms, copies of solids, the picture they are drawn on.

function glProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const uniforms = {};
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
  for (let i = 0; i < count; i++) {
    const info = gl.getActiveUniform(program, i);
    uniforms[info.name] = { at: gl.getUniformLocation(program, info.name), type: info.type };
  }
  return { program, uniforms };
}

// Sets the uniforms that the program has; others are passed over.
function glUse(gl, { program, uniforms }, values) {
  gl.useProgram(program);
  for (const [name, value] of Object.entries(values)) {
    const uniform = uniforms[name];
    if (!uniform) continue;
    switch (uniform.type) {
      case gl.FLOAT: gl.uniform1f(uniform.at, value); break;
      case gl.FLOAT_VEC2: gl.uniform2fv(uniform.at, value); break;
      case gl.FLOAT_VEC3: gl.uniform3fv(uniform.at, value); break;
      case gl.FLOAT_VEC4: gl.uniform4fv(uniform.at, value); break;
      case gl.FLOAT_MAT4: gl.uniformMatrix4fv(uniform.at, false, value); break;
      default: gl.uniform1i(uniform.at, value);
    }
  }
}

const QUAD = { vertices: new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), index: new Uint32Array([0, 1, 2, 0, 2, 3]), layout: [2] };
const ITEM_WIDTH = 1024;
const BATCH_VERTICES = 16384;

// Copies of a solid, many in one call: software renderers take each instance of an instanced call as a call of its own. The vertex shader reads the numbers of its
// copy from a texture, `texels` times four for each.
function glCopies(gl, solid, texels) {
  const perVertex = solid.layout.reduce((a, b) => a + b, 0), vertices = solid.vertices.length / perVertex;
  const set = { count: 0, batch: 0, texels, rows: 0, texture: gl.createTexture(), vao: gl.createVertexArray(), buffers: [gl.createBuffer(), gl.createBuffer()] };
  const limit = Math.max(1, Math.floor(BATCH_VERTICES / vertices));
  set.grow = (count) => {
    if (set.batch >= Math.min(count, limit)) return;
    set.batch = Math.min(limit, Math.max(count, 2 * set.batch));
    const { data, index } = repeated(solid, perVertex, set.batch);
    gl.bindVertexArray(set.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, set.buffers[0]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    let offset = 0;
    [...solid.layout, 1].forEach((size, k) => {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, gl.FLOAT, false, 4 * (perVertex + 1), offset);
      offset += 4 * size;
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, set.buffers[1]);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, index, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  };
  // The first `count` items of a list made by `itemList`.
  set.fill = (list) => {
    set.count = list.count;
    set.grow(list.count);
    const rows = Math.ceil((list.count * texels) / ITEM_WIDTH);
    if (!rows) return;
    gl.bindTexture(gl.TEXTURE_2D, set.texture);
    if (rows > set.rows) {
      set.rows = list.data.length / (4 * ITEM_WIDTH);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, ITEM_WIDTH, set.rows, 0, gl.RGBA, gl.FLOAT, null);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    }
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ITEM_WIDTH, rows, gl.RGBA, gl.FLOAT, list.data);
  };
  set.draw = (program) => {
    if (!set.count) return;
    gl.bindTexture(gl.TEXTURE_2D, set.texture);
    gl.bindVertexArray(set.vao);
    for (let first = 0; first < set.count; first += set.batch) {
      gl.uniform1i(program.uniforms.first.at, first);
      gl.drawElements(gl.TRIANGLES, solid.index.length * Math.min(set.batch, set.count - first), gl.UNSIGNED_INT, 0);
    }
  };
  return set;
}

// The vertices of a solid `times` over, each with the number of its copy as a last component.
function repeated(solid, perVertex, times) {
  const n = solid.vertices.length / perVertex, m = solid.index.length, width = perVertex + 1;
  const data = new Float32Array(times * n * width), index = new Uint32Array(times * m);
  for (let t = 0; t < times; t++) {
    for (let v = 0; v < n; v++) {
      const o = (t * n + v) * width;
      data.set(solid.vertices.subarray(v * perVertex, (v + 1) * perVertex), o);
      data[o + perVertex] = t;
    }
    for (let k = 0; k < m; k++) index[t * m + k] = solid.index[k] + t * n;
  }
  return { data, index };
}

// A picture with four samples per pixel, copied to the canvas when it is done. `samples` 0: drawn on the canvas itself.
function makeTarget(gl) {
  const target = { samples: 4, width: 0, height: 0, frame: gl.createFramebuffer(), colour: gl.createRenderbuffer(), depth: gl.createRenderbuffer() };
  const store = (buffer, format, place) => {
    gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
    gl.renderbufferStorageMultisample(gl.RENDERBUFFER, target.samples, format, target.width, target.height);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
  };
  target.begin = (width, height) => {
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.samples ? target.frame : null);
    if (target.samples && (target.width !== width || target.height !== height)) {
      Object.assign(target, { width, height });
      store(target.colour, gl.RGB8, gl.COLOR_ATTACHMENT0);
      store(target.depth, gl.DEPTH24_STENCIL8, gl.DEPTH_STENCIL_ATTACHMENT);
    }
    gl.viewport(0, 0, width, height);
  };
  target.end = () => {
    if (!target.samples) return;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, target.frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, target.width, target.height, 0, 0, target.width, target.height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  };
  return target;
}

// Numbers of items, written anew for each picture; whole rows of a texture. `next()`: where the next item goes.
function itemList(texels) {
  const list = { data: new Float32Array(4 * ITEM_WIDTH), count: 0 };
  list.next = () => {
    const at = list.count++ * 4 * texels;
    if (at + 4 * texels > list.data.length) {
      const larger = new Float32Array(list.data.length * 2);
      larger.set(list.data);
      list.data = larger;
    }
    return at;
  };
  return list;
}
