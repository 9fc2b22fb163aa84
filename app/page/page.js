// The browser's side of the page (docs/web.md): fetches the program and its files, and does for it what a desktop does for the
// program itself. app/window/page.h is the other side. No library, no other host than the one the page came from. In a notebook
// (packaging/python/speclens_widget) it has no host at all: the element of its frame says what an address would, and hands over files.
(() => {
'use strict';

const canvas = document.getElementById('canvas');
const cover = document.getElementById('cover');
const said = document.getElementById('said');
const notebook = self.frameElement && self.frameElement.speclens; // { query, hash, run, file(name), ready(), failed(words), shown(words, picture) }
const query = new URLSearchParams(notebook ? notebook.query : location.search);
const german = /^de\b/i.test(query.get('language') || navigator.language || '');
const texts = german ? {
  loading: 'SpecLens wird geladen',
  missing: 'Dieser Browser kann SpecLens nicht zeigen: es fehlt ',
  failed: 'SpecLens konnte nicht geladen werden: ',
  clock: (ms) => `Die Uhr dieses Browsers geht in Schritten von ${ms.toFixed(1).replace('.', ',')} ms, weil die Seite nicht isoliert ist: kurze Zeiten sind ungenau.`,
  reading: (name, part) => `${name}: ${part} % gelesen. Nichts wird hochgeladen.`,
  unread: (name) => `${name} konnte nicht gelesen werden: `,
  heads: (names, part) => `Weitere Köpfe werden geladen (${names}): ${part} %`,
  headless: (names) => `Diese Köpfe konnten nicht geladen werden (${names}): `,
  keep: (name) => `${name} bleibt auf diesem Gerät. Für das nächste Mal im Speicher des Browsers behalten?`,
  kept: (name) => `${name} liegt im Speicher dieses Browsers.`,
  full: (name) => `${name} wurde nicht behalten: `,
  yes: 'Behalten', no: 'Nein', open: 'Öffnen', forget: 'Löschen', close: 'Schließen',
} : {
  loading: 'Loading SpecLens',
  missing: 'This browser cannot show SpecLens: it lacks ',
  failed: 'SpecLens could not be loaded: ',
  clock: (ms) => `This browser's clock goes in steps of ${ms.toFixed(1)} ms, because the page is not isolated: short times are rough.`,
  reading: (name, part) => `${name}: ${part} % read. Nothing is uploaded.`,
  unread: (name) => `${name} could not be read: `,
  heads: (names, part) => `Fetching more heads (${names}): ${part} %`,
  headless: (names) => `These heads could not be fetched (${names}): `,
  keep: (name) => `${name} stays on this device. Keep it in the browser's storage for the next time?`,
  kept: (name) => `${name} is in this browser's storage.`,
  full: (name) => `${name} was not kept: `,
  yes: 'Keep', no: 'No', open: 'Open', forget: 'Delete', close: 'Close',
};
document.documentElement.lang = german ? 'de' : 'en';
said.textContent = texts.loading;

const hash = () => (notebook ? notebook.hash : location.hash);
const saved = notebook && notebook.run ? ['/opened/run.jsonl'] : []; // opened in the place of a live run
const threads = self.crossOriginIsolated && !query.has('one'); // ?one: one thread also where there could be more
const config = '/home/config/';                               // what is kept here is kept in the browser
const keeps = !notebook;                                      // a frame shows what its cell says, not what another one chose

function give_up(words) {
  if (notebook) notebook.failed(words);
  cover.hidden = false;
  document.getElementById('progress').hidden = true;
  said.textContent = words;
}

function lacks() {
  if (typeof WebAssembly !== 'object') return 'WebAssembly';
  if (typeof DecompressionStream !== 'function') return 'DecompressionStream';
  if (!document.createElement('canvas').getContext('webgl2')) return 'WebGL 2';
  return '';
}

// ---- files -----------------------------------------------------------------------------------------------------------

let expected = 1, arrived = 0;
function at_the_start(bytes) {
  arrived += bytes;
  document.getElementById('progress').value = Math.min(1, arrived / expected);
}

const file_of_page = (name) => (notebook ? notebook.file(name) : fetch(name));

async function unpacked(name, packed, tell = at_the_start) {
  const answer = await file_of_page(name);
  if (!answer.ok) throw new Error(name + ' (' + answer.status + ')');
  const counted = answer.body.pipeThrough(new TransformStream({
    transform(piece, on) {
      tell(piece.byteLength);
      on.enqueue(piece);
    },
  }));
  const stream = packed ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Numbers of bf16 come as sign and mantissa of each, their exponents in another file (app/page/pack.mjs): that packs better.
function joined(rest, exponents) {
  const half = exponents.length, whole = new Uint8Array(rest.length + half);
  for (let i = 0; i < half; ++i) {
    whole[2 * i] = (rest[i] & 0x7f) | ((exponents[i] & 1) << 7);
    whole[2 * i + 1] = (rest[i] & 0x80) | (exponents[i] >> 1);
  }
  if (rest.length > half) whole[2 * half] = rest[half];
  return whole;
}

function put(FS, path, bytes) {
  const folder = path.substring(0, path.lastIndexOf('/'));
  FS.mkdirTree(folder || '/');
  FS.writeFile(path, bytes);
}

const fetched = (part, tell) => Promise.all([unpacked(part.file, true, tell), unpacked(part.exponents, true, tell)]);

function unpack(FS, part, [bytes, exponents]) {
  let at = 0, next = 0;
  for (const file of part.files) {
    if (file.as) {
      put(FS, file.path, FS.readFile(file.as));
      continue;
    }
    const half = file.planes ? file.bytes >> 1 : 0, rest = bytes.subarray(at, at + file.bytes - half);
    put(FS, file.path, file.planes ? joined(rest, exponents.subarray(next, next + half)) : rest);
    at += rest.length;
    next += half;
  }
}

// ---- the line below the canvas ----------------------------------------------------------------------------------------------

// What is said for a while gives way to what always holds here, if anything does.
let always = '';
function strip(words, buttons = []) {
  const shown = words || always;
  const line = document.getElementById('strip');
  line.hidden = !shown;
  document.getElementById('strip_words').textContent = shown;
  document.getElementById('strip_buttons').replaceChildren(...(words ? buttons : []).map(([name, work]) => {
    const button = document.createElement('button');
    button.textContent = name;
    button.onclick = () => {
      strip('');
      canvas.focus();
      if (work) work();
    };
    return button;
  }));
}

const asks = () => document.getElementById('strip_buttons').hasChildNodes(); // and stays until it is answered

// The step of the clock that times are taken with. A page that is isolated has one of .005 ms, in Firefox .02.
function clock_step() {
  let least = Infinity;
  for (let i = 0; i < 20; ++i) {
    const before = performance.now();
    let now = before;
    while (now === before) now = performance.now();
    least = Math.min(least, now - before);
  }
  return least;
}

// ---- files of the user ------------------------------------------------------------------------------------------------------

// Piece by piece, so that a model is never in memory twice.
async function read_in(blob, path) {
  const { FS } = Module;
  FS.mkdirTree('/opened');
  const file = FS.open(path, 'w+');
  try {
    FS.ftruncate(file.fd, blob.size);
    const reader = blob.stream().getReader();
    let at = 0, told = -1;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      FS.write(file, piece.value, 0, piece.value.length, at);
      at += piece.value.length;
      const part = Math.floor(100 * at / blob.size);
      if (blob.size > 4e6 && part !== told) strip(texts.reading(blob.name, told = part));
    }
  } finally {
    FS.close(file);
  }
}

const may_keep = () => navigator.storage && navigator.storage.getDirectory;

async function keep(blob) {
  try {
    // Firefox asks the user, and answers when they do: the file is kept meanwhile, and whatever they say.
    if (navigator.storage.persist) navigator.storage.persist().catch(() => {});
    const folder = await navigator.storage.getDirectory();
    const out = await (await folder.getFileHandle(blob.name, { create: true })).createWritable();
    await blob.stream().pipeTo(out);
    strip(texts.kept(blob.name), [[texts.close]]);
  } catch (error) {
    strip(texts.full(blob.name) + error.message, [[texts.close]]);
  }
}

// A file goes to the program as a path; a model may be kept.
async function take_in(blob, kept = false) {
  const path = '/opened/' + blob.name.replace(/\//g, '_');
  try {
    await read_in(blob, path);
    strip('');
    page.drops.push(path);
    if (!kept && /\.gguf$/i.test(blob.name) && may_keep())
      strip(texts.keep(blob.name), [[texts.yes, () => keep(blob)], [texts.no]]);
  } catch (error) {
    strip(texts.unread(blob.name) + error.message, [[texts.close]]);
  }
}

// Models of another time, to be opened at a press.
async function offer_kept() {
  if (!may_keep()) return;
  try {
    const folder = await navigator.storage.getDirectory();
    for await (const [name, handle] of folder.entries()) {
      if (!/\.gguf$/i.test(name)) continue;
      strip(texts.kept(name), [[texts.open, async () => take_in(await handle.getFile(), true)], [texts.forget, () => folder.removeEntry(name)],
        [texts.close]]);
      return;
    }
  } catch { /* a browser that keeps nothing */ }
}

// ---- characters that the page's own fonts lack ------------------------------------------------------------------------------

const pen = self.OffscreenCanvas ? new OffscreenCanvas(64, 64).getContext('2d', { willReadFrequently: true }) : null;

// How wide it is, in em, and its coverage at so many pixels per em, moved right by a part of one: (h, w), from the pen on the baseline.
function drawn(text, pixels, shift) {
  const font = `${pixels}px sans-serif`;
  pen.font = font;
  const size = pen.measureText(text), margin = 1;
  const x = Math.floor(shift - size.actualBoundingBoxLeft) - margin, y = -Math.ceil(size.actualBoundingBoxAscent) - margin;
  const w = Math.ceil(shift + size.actualBoundingBoxRight) + margin - x, h = Math.ceil(size.actualBoundingBoxDescent) + margin - y;
  const glyph = { x, y, w, h, advance: size.width / pixels, coverage: new Uint8Array(w * h) };
  if (pen.canvas.width < w) pen.canvas.width = w;
  if (pen.canvas.height < h) pen.canvas.height = h;
  pen.font = font; // a canvas of another size has forgotten it
  pen.clearRect(0, 0, w, h);
  pen.fillText(text, shift - x, -y);
  const { data } = pen.getImageData(0, 0, w, h);
  for (let i = 0; i < w * h; ++i) glyph.coverage[i] = data[4 * i + 3];
  return glyph;
}

// A browser has a picture for what none of its fonts has: as large as that of a character that does not exist. What is a picture in
// colours would become a blot.
function has_glyph(code) {
  const text = String.fromCodePoint(code);
  if (!pen || !/^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(text) || /\p{Emoji_Presentation}/u.test(text)) return false;
  const is = drawn(text, 100, 0), none = drawn(code < 0x10000 ? '\u2FEF' : '\u{EFFFD}', 100, 0);
  return is.coverage.some((one) => one > 0) && (is.advance !== none.advance || is.w !== none.w || is.h !== none.h);
}

// ---- what the program asks for ------------------------------------------------------------------------------------------

// Heads that the start left out: those that a scene is about, all of them where heads are compared.
let list = { parts: [] };
const asked = new Set();
function parts_for(scene) {
  const compares = ['drafters', 'race', 'training', 'advice', 'speedup'].includes(scene);
  return list.parts.filter((part) => compares || part.name === scene || scene.includes(part.name));
}

// Said below the picture where it takes longer than a moment.
async function fetch_parts(parts) {
  const names = parts.map((part) => part.name).join(', '), all = parts.reduce((sum, part) => sum + part.packed, 0);
  let here = 0, late = false;
  const say = () => {
    if (late && !asks()) strip(texts.heads(names, Math.min(100, Math.floor(100 * here / all))));
  };
  const tell = (bytes) => {
    here += bytes;
    say();
  };
  const clock = setTimeout(() => {
    late = true;
    say();
  }, 500);
  try {
    for (const part of parts) {
      unpack(Module.FS, part, await fetched(part, tell));
      page.more = 1;
    }
    if (late && !asks()) strip('');
  } catch (error) {
    parts.forEach((part) => asked.delete(part.name));
    strip(texts.headless(names) + error.message, [[texts.close]]);
  } finally {
    clearTimeout(clock);
  }
}

function fetch_for(parts) {
  const wanted = parts.filter((part) => !asked.has(part.name));
  wanted.forEach((part) => asked.add(part.name));
  if (wanted.length > 0) fetch_parts(wanted);
}

const own_link = 'speclens://';
const page = {
  stage: document.getElementById('stage'),
  drops: [],
  fingers: null, // where two of them are: their middle and how far they are apart
  moved: { down: 0, apart: 1, dx: 0, dy: 0 },
  text: '',
  clipboard: '',
  chosen: '',
  link: '',
  pasted: 0,
  words: '',
  copy(text) {
    page.clipboard = text;
    // A link to a frame is a link to this page here.
    if (navigator.clipboard) navigator.clipboard.writeText(page.addressOf(text)).catch(() => {});
  },
  addressOf(text) {
    return text.startsWith(own_link) && !notebook ? location.href.split('#')[0] + '#' + text.substring(own_link.length) : text;
  },
  fullscreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(() => {});
  },
  say(words) {
    page.words = words;
    document.getElementById('words').textContent = words;
    if (notebook) canvas.toBlob((picture) => notebook.shown(words, picture)); // what was drawn just now is still there
  },
  showLink(link) {
    if (notebook) return;
    page.shown = '#' + link.substring(own_link.length);
    history.replaceState(null, '', page.shown);
  },
  // The last frames' times, for whoever measures (docs/web.md): the program says how long each took to build.
  frame_ms: [],
  built(ms) {
    page.frame_ms.push(ms);
    if (page.frame_ms.length > 2000) page.frame_ms.splice(0, 1000);
  },
  want(scene) {
    if (page.wanted === scene) return;
    page.wanted = scene;
    fetch_for(parts_for(scene));
  },
  glyphs: [], // that the browser drew for the program
  hasGlyph: has_glyph,
  glyphAdvance: (code) => drawn(String.fromCodePoint(code), 100, 0).advance,
  glyph(code, pixels, shift) {
    page.glyphs.push(code);
    if (page.glyphs.length > 2000) page.glyphs.splice(0, 1000);
    return drawn(String.fromCodePoint(code), pixels, shift);
  },
  fetchHead(network) {
    const part = list.parts.find((part) => part.name === network && !part.first);
    if (part) fetch_for([part]);
    return Boolean(part);
  },
  takeMore() {
    const more = page.more || 0;
    page.more = 0;
    return more;
  },
  takePaste() {
    const pasted = page.pasted;
    page.pasted = 0;
    return pasted;
  },
  takeFinger(which) {
    const name = ['down', 'apart', 'dx', 'dy'][which], value = page.moved[name];
    page.moved[name] = name === 'down' ? (page.fingers ? 1 : 0) : name === 'apart' ? 1 : 0;
    return value;
  },
  typing(wanted) {
    page.wants_text = wanted;
    if (wanted && page.touched) typed.focus();
    else if (!wanted && document.activeElement === typed) canvas.focus();
  },
  takeTyped() {
    const text = page.text;
    page.text = '';
    return text;
  },
  takeDropped() {
    return page.drops.shift() || '';
  },
  takeLink() {
    const link = page.link;
    page.link = '';
    return link;
  },
  ready() {
    cover.hidden = true;
    if (notebook) notebook.ready(); // whose reader writes elsewhere, perhaps
    else canvas.focus();
    page.began = true;
    if (!self.crossOriginIsolated && saved.length === 0) { // the times of a saved run are those of another clock
      const step = clock_step();
      if (step > 0.02) always = texts.clock(step);
      strip('');
    }
    offer_kept();
  },
  browse(patterns) {
    const input = document.getElementById('file');
    input.accept = patterns;
    input.value = '';
    input.oncancel = () => chose('');
    input.onchange = async () => {
      const file = input.files[0];
      if (!file) return chose('');
      if (/\.gguf$/i.test(file.name)) {
        chose('');
        return take_in(file);
      }
      const path = '/opened/' + file.name.replace(/\//g, '_');
      await read_in(file, path);
      chose(path);
    };
    input.click();
  },
  // A file was written: preferences stay in the browser, everything else is handed to its reader.
  wrote(path) {
    if (path.startsWith(config)) {
      if (!keeps) return;
      try {
        localStorage.setItem('speclens:' + path, Module.FS.readFile(path, { encoding: 'utf8' }));
      } catch { /* a browser that keeps nothing */ }
      return;
    }
    const shared = path.includes('/shared/') && !path.endsWith('.txt'); // the link is in the address
    if (path.startsWith('/home/') && !path.includes('/sessions/') && !shared) return; // what the program remembers for itself
    const bytes = Module.FS.readFile(path);
    page.saved = { name: path.substring(path.lastIndexOf('/') + 1), path, bytes: bytes.length };
    page.files = (page.files || []).concat(page.saved.name);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes]));
    link.download = page.saved.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  },
};

function chose(path) {
  page.chosen = path;
  Module._page_file_was_chosen();
}

// ---- dropping, fingers, the keyboard of a phone -----------------------------------------------------------------------------

// Whoever scrolls through a notebook scrolls on over a frame that they did not click.
if (notebook) addEventListener('wheel', (event) => { if (!document.hasFocus()) event.stopImmediatePropagation(); }, true);
addEventListener('dragover', (event) => event.preventDefault(), true);
addEventListener('drop', (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  for (const file of event.dataTransfer.files) take_in(file);
}, true);

function two(touches) {
  const [a, b] = touches;
  return { x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2, apart: Math.max(20, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)) };
}
for (const kind of ['touchstart', 'touchmove', 'touchend', 'touchcancel'])
  addEventListener(kind, (event) => {
    page.touched = true;
    if (event.touches.length === 2) {
      const now = two(event.touches), before = page.fingers;
      page.fingers = now;
      page.moved.down = 1;
      if (kind === 'touchmove' && before) {
        page.moved.apart *= now.apart / before.apart;
        page.moved.dx += now.x - before.x;
        page.moved.dy += now.y - before.y;
      }
      if (event.target === canvas) event.preventDefault();
      event.stopImmediatePropagation();
    } else {
      page.fingers = null;
    }
    if (kind === 'touchend' && page.wants_text && document.activeElement !== typed) typed.focus(); // some show a keyboard only now
  }, { capture: true, passive: false });
addEventListener('mousemove', () => { page.touched = page.touched && document.activeElement === typed; }, true);

// Behind what is typed stand two spaces, so that there is always something to take back.
const typed = document.getElementById('typed');
const nothing = '  ';
let before = typed.value = nothing;
typed.addEventListener('focus', () => { before = typed.value = nothing; });
typed.addEventListener('input', () => {
  const old = [...before], now = [...typed.value];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) ++same;
  page.text += '\b'.repeat(old.length - same) + now.slice(same).join('');
  before = typed.value;
  if (now.length < 2 || now.length > 200) before = typed.value = nothing;
});
// What it writes arrives as text: the program is not to see keys as well, but those that a phone has no text for.
for (const kind of ['keydown', 'keypress', 'keyup'])
  addEventListener(kind, (event) => {
    if (event.target === typed && !['Enter', 'Escape', 'Tab'].includes(event.key) && !event.key.startsWith('Arrow')) event.stopImmediatePropagation();
  }, true);

// ---- keys, links, text that is pasted -----------------------------------------------------------------------------------

// What a browser would do with the program's keys. Ctrl+N, T, W and Page Up and Down stay the browser's whatever a page says.
addEventListener('keydown', (event) => {
  const control = event.ctrlKey || event.metaKey;
  if (control && /^v$/i.test(event.key)) { // the text comes with the event `paste`
    event.stopImmediatePropagation();
    return;
  }
  if (/^F([1-9]|10)$/.test(event.key) || (control && /^[a-z+=,-]$/i.test(event.key) && !/^[ntwrc]$/i.test(event.key)) ||
      ['Tab', 'Alt', 'Backspace'].includes(event.key) || event.key.startsWith('Arrow') || event.key.startsWith('Page') ||
      event.key === 'Home' || event.key === 'End')
    event.preventDefault();
}, true);
// Firefox looks for text at these; a page scrolls at a space. Later than the key, so that it can still be typed.
addEventListener('keypress', (event) => {
  if ([' ', '/', "'"].includes(event.key)) event.preventDefault();
});
addEventListener('paste', (event) => {
  page.clipboard = event.clipboardData.getData('text/plain');
  page.pasted = 1;
});
addEventListener('hashchange', () => {
  if (location.hash && location.hash !== page.shown) page.link = own_link + location.hash.substring(1);
});
canvas.addEventListener('contextmenu', (event) => event.preventDefault());

// ---- the start -------------------------------------------------------------------------------------------------------------

function arguments_of_page(link) {
  const words = link ? [link] : [];
  for (const name of ['language', 'theme', 'zoom']) if (query.has(name)) words.push('--' + name, query.get(name));
  if (query.has('presenter')) words.push('--presenter');
  return words;
}

const Module = self.Module = {
  canvas,
  page,
  threads: Math.min(navigator.hardwareConcurrency || 1, 16) + 2, // the kernels' and the engine's
  noInitialRun: true, // begin() does
  print: (text) => console.log(text),
  printErr: (text) => { page.told = (page.told || '') + text + '\n'; console.error(text); },
  onAbort: (why) => give_up(texts.failed + why),
  postRun: [begin],
};

// With a link that cannot be followed (a model that is not here, an option of another version) the page begins without it, and its
// window says why.
function begin() {
  const link = hash().length > 1 ? own_link + hash().substring(1) : '';
  let code = Module.callMain([...saved, ...arguments_of_page(link)]);
  if (code !== 0 && link) {
    page.told = '';
    code = Module.callMain([...saved, ...arguments_of_page('')]);
    page.link = link;
  }
  if (code !== 0) give_up(texts.failed + (page.told || code));
}

// Without isolation: once more by way of the service worker, where the browser has those.
async function isolated() {
  if (self.crossOriginIsolated || !navigator.serviceWorker || query.has('one')) return true;
  if (sessionStorage.getItem('speclens:isolating')) return true; // it did not help
  try {
    sessionStorage.setItem('speclens:isolating', '1');
    await navigator.serviceWorker.register('isolate.js');
    await navigator.serviceWorker.ready;
    location.reload();
    return false;
  } catch {
    return true;
  }
}

async function start() {
  const missing = lacks();
  if (missing) return give_up(texts.missing + missing + '.');
  if (!await isolated()) return;
  const name = threads ? 'speclens' : 'speclens_alone';
  list = await (await file_of_page('parts.json')).json();
  const first = list.parts.filter((part) => (saved.length > 0 ? part.name === 'texts' : part.first || hash().includes(part.name)));
  (saved.length > 0 ? list.parts : first).forEach((part) => asked.add(part.name)); // no engine runs beside a saved run
  expected = list.programs[name] + first.reduce((sum, part) => sum + part.packed, 0);
  const [program, starter, ...parts] = await Promise.all(
    [unpacked(name + '.wasm.gz', true), unpacked(name + '.js.gz', true), ...first.map((part) => fetched(part))]);
  Module.wasmBinary = program.buffer;
  Module.mainScriptUrlOrBlob = new Blob([starter], { type: 'text/javascript' }); // for its threads, too
  Module.preRun = [() => {
    Object.assign(Module.ENV, {
      SPECLENS_ASSETS: '/assets', HOME: '/home', XDG_CONFIG_HOME: '/home/config', XDG_DATA_HOME: '/home/data',
      LANG: (navigator.language || 'en').replace('-', '_') + '.UTF-8',
    });
    Module.FS.mkdirTree('/saved');
    Module.FS.mkdirTree('/opened');
    Module.FS.mkdirTree('/home/data');
    Module.FS.mkdirTree(config);
    first.forEach((part, i) => unpack(Module.FS, part, parts[i]));
    saved.forEach((path) => put(Module.FS, path, notebook.run));
    try {
      for (let i = 0; keeps && i < localStorage.length; ++i) {
        const key = localStorage.key(i);
        if (key.startsWith('speclens:' + config)) put(Module.FS, key.substring('speclens:'.length), localStorage.getItem(key));
      }
    } catch { /* a browser that keeps nothing */ }
  }];
  const script = document.createElement('script');
  if (notebook) script.textContent = new TextDecoder().decode(starter); // some forbid scripts of an address
  else script.src = URL.createObjectURL(Module.mainScriptUrlOrBlob);
  script.onerror = () => give_up(texts.failed + name + '.js');
  document.body.append(script);
}
start().catch((error) => give_up(texts.failed + error.message));
})();
