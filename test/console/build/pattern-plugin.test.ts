import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import t from 'tap';
import { patternPlugin, stripToParser } from '../../../src/console/build/pattern-plugin.ts';
import { compilePattern } from '../../../src/pattern/pattern.ts';

const patternFile = join(import.meta.dirname, '../../../src/pattern/pattern.ts');
const validPatterns = [
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
const invalidPatterns = [
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

t.test('a bundled page validates patterns like the server, with far fewer bytes', async (t) => {
  const outfile = join(t.testdir(), 'page.mjs');
  const { metafile } = await build({
    entryPoints: [patternFile],
    bundle: true,
    format: 'esm',
    minify: true,
    outfile,
    metafile: true,
    plugins: [patternPlugin],
  });
  const page: { compilePattern: typeof compilePattern } = await import(pathToFileURL(outfile).href);
  for (const source of validPatterns) t.ok('pattern' in page.compilePattern(source), `${source} is valid`);
  for (const source of invalidPatterns) {
    const expected = compilePattern(source);
    t.ok('problem' in expected, `${source} is invalid`);
    t.same(page.compilePattern(source), expected, source);
  }
  const [size = 0] = Object.values(metafile.outputs).map(({ bytes }) => bytes);
  t.ok(size < 60_000, `${size} bytes`);
});

t.test('an unexpected structure of the library fails the build', async (t) => {
  t.throws(() => stripToParser('export const RE2JS = 1;'), /re2js has changed/);
  const file = join(t.testdir(), 'reduced.js');
  const librarySource = readFileSync(join(import.meta.dirname, '../../../node_modules/re2js/build/index.js'), 'utf8');
  writeFileSync(file, stripToParser(librarySource));
  t.type((await import(pathToFileURL(file).href)).RE2JS.compile, 'function');
});
