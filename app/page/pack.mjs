// node pack.mjs ASSETS FONTS PROGRAMS OUT: what a page carries, in parts, packed: texts and fonts, which is all that a saved run needs, the
// target with the small draft model and one head, and one for each other head. parts.json says what is in them. Numbers of bf16
// are split first into what hardly packs, sign and mantissa, and their exponents, which are packed by how often each occurs: that makes an
// eighth less. Of a font only the tables that glyphs are drawn from are taken: that makes a sixth less.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const [assets, fonts, programs, out] = process.argv.slice(2);
const models_at_start = ['target', 'small', 'eagle3']; // whose head most scenes show
// What is of training and tests, as in a package (cmake/SpecPackages.cmake), the records of it beside the models, and what only `check` reads.
const left_out = ['recipe', 'traces', 'pictures', 'README.md', 'drafter_gates.json', 'domino_cases.json', 'originals.txt', 'MANIFEST.json', 'reference'];

function files_below(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
    if (left_out.includes(entry.name)) return [];
    const file = path.join(folder, entry.name);
    return fs.statSync(file).isDirectory() ? files_below(file) : [file];
  });
}

// Sign and mantissa of each number and an odd byte at the end, then the exponents.
function planes_of(bytes) {
  const half = bytes.length >> 1, rest = Buffer.alloc(bytes.length - half), exponents = Buffer.alloc(half);
  for (let i = 0; i < half; ++i) {
    const low = bytes[2 * i], high = bytes[2 * i + 1];
    rest[i] = (high & 0x80) | (low & 0x7f);
    exponents[i] = ((high & 0x7f) << 1) | (low >> 7);
  }
  if (bytes.length & 1) rest[half] = bytes[bytes.length - 1];
  return [rest, exponents];
}

// Without what nothing here reads: which glyphs are joined or moved together, hints, names of glyphs.
function drawn_tables(font) {
  const read = ['CFF ', 'OS/2', 'cmap', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'name'], kept = [];
  for (let i = 0, at = 12; i < font.readUInt16BE(4); ++i, at += 16) {
    const entry = Buffer.from(font.subarray(at, at + 16)), offset = entry.readUInt32BE(8);
    if (read.includes(entry.toString('latin1', 0, 4))) kept.push([entry, font.subarray(offset, offset + entry.readUInt32BE(12))]);
  }
  const header = Buffer.alloc(12), steps = 31 - Math.clz32(kept.length), range = 16 << steps;
  font.copy(header, 0, 0, 4);
  [kept.length, range, steps, 16 * kept.length - range].forEach((number, i) => header.writeUInt16BE(number, 4 + 2 * i));
  let end = header.length + 16 * kept.length;
  const padded = kept.map(([entry, table]) => {
    entry.writeUInt32BE(end, 8);
    const piece = Buffer.alloc((table.length + 3) & ~3);
    table.copy(piece);
    end += piece.length;
    return piece;
  });
  return Buffer.concat([header, ...kept.map(([entry]) => entry), ...padded]);
}

// A part is two files: bytes as they are, and exponents, for which looking for repetitions only costs. What is in it twice, as the
// tokenizer of two models is, is packed once.
function write_part(name, first, files) {
  const listed = [], pieces = [], counted = [], seen = new Map();
  for (const [from, to] of files) {
    const whole = fs.readFileSync(from), bytes = /\.[ot]tf$/.test(from) ? drawn_tables(whole) : whole;
    const planes = from.endsWith('.safetensors'), content = bytes.toString('latin1');
    if (seen.has(content)) {
      listed.push({ path: to, as: seen.get(content) });
      continue;
    }
    seen.set(content, to);
    listed.push({ path: to, bytes: bytes.length, planes });
    const [rest, exponents] = planes ? planes_of(bytes) : [bytes, Buffer.alloc(0)];
    pieces.push(rest);
    counted.push(exponents);
  }
  const part = { name, first, packed: 0, file: name + '.part.gz', exponents: name + '.exponents.gz', files: listed };
  const write = (file, all, strategy) => {
    const packed = zlib.gzipSync(Buffer.concat(all), { level: 9, strategy });
    fs.writeFileSync(path.join(out, file), packed);
    part.packed += packed.length;
  };
  write(part.file, pieces, zlib.constants.Z_DEFAULT_STRATEGY);
  write(part.exponents, counted, zlib.constants.Z_HUFFMAN_ONLY);
  return part;
}

fs.mkdirSync(out, { recursive: true });
const models = path.join(assets, 'models');
// Every other model of the bundle, so that a new head is never forgotten; a folder of heads for another target has no weights at its top.
const later = fs.readdirSync(models).sort().filter((name) => !models_at_start.includes(name) && fs.existsSync(path.join(models, name, 'model.safetensors')));
const in_page = (file) => [file, '/assets/' + path.relative(assets, file)];
const with_models = (names) => names.flatMap((name) => files_below(path.join(models, name)).map(in_page));
const texts = files_below(assets).filter((file) => !path.relative(models, file).includes(path.sep) || path.relative(models, file).startsWith('..'));
const shown = fs.readFileSync(fonts, 'utf8').trim().split('\n').map((file) => [file, file]);
const parts = [
  write_part('texts', true, [...texts.map(in_page), ...shown]),
  write_part('models', true, with_models(models_at_start)),
  ...later.map((name) => write_part(name, false, with_models([name]))),
];
const sizes = {}; // of a program with what starts it
for (const program of ['speclens', 'speclens_alone']) {
  sizes[program] = 0;
  for (const file of [program + '.wasm', program + '.js']) {
    const packed = zlib.gzipSync(fs.readFileSync(path.join(programs, file)), { level: 9 });
    fs.writeFileSync(path.join(out, file + '.gz'), packed);
    sizes[program] += packed.length;
  }
}
fs.writeFileSync(path.join(out, 'parts.json'), JSON.stringify({ programs: sizes, parts }));
const first = parts.filter((part) => part.first).reduce((sum, part) => sum + part.packed, sizes.speclens);
console.log(`first start: ${(first / 1e6).toFixed(1)} MB`);
