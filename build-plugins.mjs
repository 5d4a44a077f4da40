/** What build.mjs changes of packages and of the bundle, so that one CommonJS file starts fast. */
import { readFileSync } from 'node:fs';

/**
 * A CommonJS main cannot wait at its top, which ink and its layout engine do. Ink's two waits are for its developer tools:
 * cut out. The layout engine is given a `ready` to be awaited before rendering (src/commands/onboard/onboarding-view.ts).
 */
export const withoutTopLevelAwait = {
  name: 'without-top-level-await',
  setup(bundle) {
    const layoutEngine = `
      import { loadYoga } from 'yoga-layout/load';
      const engine = {};
      export default engine;
      export * from 'yoga-layout/load';
      export async function ready() { if (!engine.Node) Object.assign(engine, await loadYoga()); }`;
    bundle.onResolve({ filter: /^yoga-layout$/ }, () => ({ path: 'yoga-layout', namespace: 'ready' }));
    bundle.onLoad({ filter: /.*/, namespace: 'ready' }, () => ({ contents: layoutEngine, resolveDir: process.cwd() }));
    bundle.onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: 'nothing', namespace: 'nothing' }));
    bundle.onResolve({ filter: /^\.\/devtools\.js$/ }, ({ importer }) =>
      /[\\/]ink[\\/]build[\\/]/.test(importer) ? { path: 'nothing', namespace: 'nothing' } : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'export default {};' }));
    bundle.onLoad({ filter: /[\\/]ink[\\/]build[\\/]reconciler\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replaceAll(/if \(process\.env\['DEV'\] === 'true'\) \{[\s\S]*?\n\}\n/g, '');
      if (contents === source) throw new Error("ink's reconciler has changed: see what waits at its top now");
      return { contents };
    });
  },
};

/** Each makes something load or run only when it is needed; together they are a tenth of the start of `vp run --local`. */
const edits = [
  {
    // HTTP/2 is loaded where a connection has negotiated it.
    filter: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client\.js$/,
    from: "const connectH2 = require('./client-h2.js')",
    to: "const connectH2 = (...args) => require('./client-h2.js')(...args)",
  },
  {
    // Only patterns that ignore case need the table of cases, which takes milliseconds to decode. The flag stays off without it.
    filter: /[\\/]re2js[\\/]build[\\/]index\.js$/,
    from: 'if (runes.length !== 1 || Unicode.simpleFold(runes[0]) === runes[0]) flags &= ~RE2Flags.FOLD_CASE;',
    to: 'if (flags !== 0 && (runes.length !== 1 || Unicode.simpleFold(runes[0]) === runes[0])) flags &= ~RE2Flags.FOLD_CASE;',
  },
];

export const startUpEdits = {
  name: 'start-up-edits',
  setup(bundle) {
    for (const { filter, from, to } of edits)
      bundle.onLoad({ filter }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        if (!source.includes(from)) throw new Error(`${path} has changed: it does not contain ${from}`);
        return { contents: source.replace(from, () => to) };
      });
  },
};

/**
 * The source in ASCII. esbuild leaves other characters in regular expressions and tagged templates, where `\\uXXXX` means the same,
 * except after a backslash and in raw templates.
 */
export function escapeUnicode(source) {
  const ambiguous = /.{0,40}(?:\\[\u0080-\uffff]|String\.raw`[^`]*[\u0080-\uffff])/.exec(source);
  if (ambiguous) throw new Error(`the bundle cannot be written in ASCII: ${ambiguous[0]}`);
  return source.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
