import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import t from 'tap';
import { pagePatterns, parserOnly } from '../../src/console/bundle-patterns.ts';
import { compilePattern } from '../../src/pattern/pattern.ts';

const patternFile = join(import.meta.dirname, '../../src/pattern/pattern.ts');
const good = [
  'a',
  '^[0-9]+$',
  '\\p{Greek}',
  '\\P{L}',
  '(?i)é',
  '[^\\p{L}\\d]',
  '\\pN',
  '(?i)[\\p{Lu}]',
  '\\Qabc',
  '😀+',
];
const bad = [
  '(',
  '[',
  '\\p{Nope}',
  '[\\p{L',
  'a{1001}',
  '((a{100}){100}){100}',
  '(?<n>a)(?<n>b)',
  '\\1',
  '(?=a)',
].concat(['[z-a]', 'a**', '(?P<x', '\\C', '[[:nope:]]', 'x{2,1}', '\\x{110000}', '\\p{Script=Greek}', '😀[']);

t.test('a bundled page says of every pattern what the server says, in far fewer bytes', async (t) => {
  const outfile = join(t.testdir(), 'page.mjs');
  const { metafile } = await build({
    entryPoints: [patternFile],
    bundle: true,
    format: 'esm',
    minify: true,
    outfile,
    metafile: true,
    plugins: [pagePatterns],
  });
  const page: { compilePattern: typeof compilePattern } = await import(pathToFileURL(outfile).href);
  for (const source of good) t.ok('pattern' in page.compilePattern(source), `${source} is one`);
  for (const source of bad) {
    const told = compilePattern(source);
    t.ok('problem' in told, `${source} is none`);
    t.same(page.compilePattern(source), told, source);
  }
  const [size = 0] = Object.values(metafile.outputs).map(({ bytes }) => bytes);
  t.ok(size < 60_000, `${size} bytes`);
});

t.test('a library that is written otherwise is refused while building', async (t) => {
  t.throws(() => parserOnly('export const RE2JS = 1;'), /re2js has changed/);
  const file = join(t.testdir(), 'whole.js');
  const whole = readFileSync(join(import.meta.dirname, '../../node_modules/re2js/build/index.js'), 'utf8');
  writeFileSync(file, parserOnly(whole));
  t.type((await import(pathToFileURL(file).href)).RE2JS.compile, 'function');
});
