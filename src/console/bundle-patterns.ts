/**
 * Build step, no browser code: RE2 as pages need it. They tell whether a pattern is one and why not, and match nothing,
 * so that they carry the parser alone: without the engines that match, and without the tables of characters, of which
 * the parser asks only whether a name is known. 14 KB gzipped in place of 48.
 */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** A class at the top, up to the brace in the first column that ends it. */
const classes = /^var (\w+) = (class[^\n]*\{\n[\s\S]*?^\});$/gm;
/** A table, written as one text. */
const tables = /(decode(?:Ranges|Orbit)\()"[^"]*"/g;

/** What stands for the library. Throws when it is written otherwise than this knows. */
export function parserOnly(source: string): string {
  // Their static members keep a bundler from leaving out classes that nobody uses, unless it is told that they are pure.
  const pure = replaced(source, classes, 'var $1 = /* @__PURE__ */ (() => ($2))();');
  const untabled = replaced(pure, tables, '$1""');
  const bare = replaced(untabled, /^export \{[^}]*\};?$/gm, '');
  return `${bare}
export const RE2JS = {
  compile(source) {
    Parser.parse(source, RE2Flags.PERL);
    return { test() { throw new TypeError('pages do not match patterns'); } };
  },
};`.replace('var RE2JS =', 'var Whole =');
}

function replaced(source: string, what: RegExp, by: string): string {
  const made = source.replaceAll(what, by);
  if (made === source) throw new Error(`re2js has changed: nothing in it is like ${what.source} now`);
  return made;
}

/** Puts {@link parserOnly} in place of the library. */
export const pagePatterns: Plugin = {
  name: 'page-patterns',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]re2js[\\/]build[\\/]index\.js$/ }, ({ path }) => ({
      contents: parserOnly(readFileSync(path, 'utf8')),
    })),
};
