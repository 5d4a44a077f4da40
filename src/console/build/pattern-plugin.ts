/**
 * Build step, no browser code: reduces RE2 to its parser. Pages validate patterns and match nothing, so the bundle needs
 * neither the matching engines nor the contents of the character tables, of which the parser reads only the names. This
 * takes 14 KB gzipped instead of 48.
 */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** A top-level class, up to its closing brace in the first column. */
const classPattern = /^var (\w+) = (class[^\n]*\{\n[\s\S]*?^\});$/gm;
/** A character table, encoded as a string. */
const tablePattern = /(decode(?:Ranges|Orbit)\()"[^"]*"/g;

/** Returns the reduced source of the library. Throws when the library's source no longer has the expected structure. */
export function stripToParser(source: string): string {
  // Classes with static members are tree-shaken only when they are marked as pure.
  const withPureClasses = replaceOrThrow(source, classPattern, 'var $1 = /* @__PURE__ */ (() => ($2))();');
  const withoutTables = replaceOrThrow(withPureClasses, tablePattern, '$1""');
  const withoutExports = replaceOrThrow(withoutTables, /^export \{[^}]*\};?$/gm, '');
  return `${withoutExports}
export const RE2JS = {
  compile(source) {
    Parser.parse(source, RE2Flags.PERL);
    return { test() { throw new TypeError('pages do not match patterns'); } };
  },
};`.replace('var RE2JS =', 'var FullRE2JS =');
}

function replaceOrThrow(source: string, pattern: RegExp, replacement: string): string {
  const result = source.replaceAll(pattern, replacement);
  if (result === source) throw new Error(`re2js has changed: nothing in it matches ${pattern.source}`);
  return result;
}

/** Replaces the library by the result of {@link stripToParser}. */
export const patternPlugin: Plugin = {
  name: 're2-parser',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]re2js[\\/]build[\\/]index\.js$/ }, ({ path }) => ({
      contents: stripToParser(readFileSync(path, 'utf8')),
    })),
};
