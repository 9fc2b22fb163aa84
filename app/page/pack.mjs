// node pack.mjs ASSETS FONTS PROGRAMS OUT: what a page carries, in parts, packed: the start's (target, small draft model, three heads,
// texts, fonts) and one for each other head. parts.json says what is in them. Numbers of two bytes are split into their low and their
// high bytes first, which makes a tenth less.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const [assets, fonts, programs, out] = process.argv.slice(2);
const at_start = ['target', 'small', 'eagle3', 'dflash', 'medusa'];
const left_out = ['recipe', 'traces', 'pictures', 'README.md']; // those of training and tests, as in a package (cmake/SpecPackages.cmake)

function files_below(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
    if (left_out.includes(entry.name)) return [];
    const file = path.join(folder, entry.name);
    return fs.statSync(file).isDirectory() ? files_below(file) : [file];
  });
}

function planes_of(bytes) {
  const split = Buffer.alloc(bytes.length), half = bytes.length >> 1;
  for (let i = 0; i < half; ++i) {
    split[i] = bytes[2 * i];
    split[half + i] = bytes[2 * i + 1];
  }
  if (bytes.length & 1) split[bytes.length - 1] = bytes[bytes.length - 1];
  return split;
}

function write_part(name, first, files) {
  const listed = [], pieces = [];
  for (const [from, to] of files) {
    const bytes = fs.readFileSync(from), planes = from.endsWith('.safetensors');
    listed.push({ path: to, bytes: bytes.length, planes });
    pieces.push(planes ? planes_of(bytes) : bytes);
  }
  const packed = zlib.gzipSync(Buffer.concat(pieces), { level: 9 });
  fs.writeFileSync(path.join(out, name + '.part.gz'), packed);
  return { name, first, file: name + '.part.gz', packed: packed.length, files: listed };
}

fs.mkdirSync(out, { recursive: true });
const models = path.join(assets, 'models');
// Every other model of the bundle, so that a new head is never forgotten; a folder of heads for another target has no weights at its top.
const later = fs.readdirSync(models).sort().filter((name) => !at_start.includes(name) && fs.existsSync(path.join(models, name, 'model.safetensors')));
const in_page = (file) => [file, '/assets/' + path.relative(assets, file)];
const with_models = (names) => names.flatMap((name) => files_below(path.join(models, name)).map(in_page));
const texts = files_below(assets).filter((file) => !path.relative(models, file).includes(path.sep) || path.relative(models, file).startsWith('..'));
const shown = fs.readFileSync(fonts, 'utf8').trim().split('\n').map((file) => [file, file]);
const parts = [
  write_part('start', true, [...texts.map(in_page), ...shown, ...with_models(at_start)]),
  ...later.map((name) => write_part(name, false, with_models([name]))),
];
const sizes = {};
for (const program of ['speclens', 'speclens_alone']) {
  const packed = zlib.gzipSync(fs.readFileSync(path.join(programs, program + '.wasm')), { level: 9 });
  fs.writeFileSync(path.join(out, program + '.wasm.gz'), packed);
  sizes[program] = packed.length;
}
fs.writeFileSync(path.join(out, 'parts.json'), JSON.stringify({ programs: sizes, parts }));
console.log(`first start: ${((parts[0].packed + sizes.speclens) / 1e6).toFixed(1)} MB`);
