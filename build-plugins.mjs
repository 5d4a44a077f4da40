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
 * The entry reaches the rest as an asset, with the code cache of a run of it, so that its size costs no start. Commands that serve
 * have a larger cache, which would only delay the others. `vp run` has a smaller part, without the other commands: in turns, four
 * scenarios took 180 ms of processor time with it and 230 without.
 */
export const restFromAsset = {
  name: 'rest-from-asset',
  setup(bundle) {
    const load = `
      import { getAssetKeys, getRawAsset } from 'node:sea';
      import { Script } from 'node:vm';
      const keys = getAssetKeys();
      function loadPart(name, cache = name) {
        const cachedData = keys.includes(cache + '.cache') ? Buffer.from(getRawAsset(cache + '.cache')) : undefined;
        // Latin 1, as the file is ASCII: a text of V8's own would be decoded and collected, 8 MB at every start.
        const source = Buffer.from(getRawAsset(name + '.cjs')).latin1Slice();
        const script = new Script(source, { filename: name + '.cjs', cachedData });
        const part = { exports: {} };
        script.runInThisContext()(part, part.exports, require, () => loadPart('rest'));
        return part.exports;
      }
      const [, , command] = process.argv;
      const cache = ['serve', 'executor', 'demo'].includes(command) ? 'role' : 'rest';
      export const { dispatch, reportOutputFailure, reportStalledCommand } =
        command === 'run' ? loadPart('run') : loadPart('rest', cache);`;
    bundle.onResolve({ filter: /^\.\/dispatch\.ts$/ }, () => ({ path: 'rest', namespace: 'asset' }));
    bundle.onLoad({ filter: /.*/, namespace: 'asset' }, () => ({ contents: load }));
  },
};

const entryForm =
  /name: '([^']+)',(\s+summary:[^\n]*(?:\n[^\n]*)?,\s+load:) async \(\) => \(await import\('[^']+'\)\)\.\w+,/g;

/** In the part for `vp run` the catalogue has every command, and takes the others from the rest: for help, completion and fixes. */
export const otherCommandsFromRest = {
  name: 'other-commands-from-rest',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]src[\\/]commands[\\/]catalogue(?:-\w+)?\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replaceAll(entryForm, (whole, name, middle) =>
        name === 'run' ? whole : `name: '${name}',${middle} () => __loadRest().loadCommand('${name}'),`,
      );
      const loads = contents.match(/await import\(/g)?.length ?? 0;
      if (loads > (source.includes("name: 'run',") ? 1 : 0)) throw new Error(`${path} has entries of another form`);
      return { contents, loader: 'ts' };
    });
  },
};

/** What has every command; the part for `vp run` asks it for the others. */
export const restEntry = `
  export * from './src/commands/dispatch.ts';
  export const loadCommand = async (name) =>
    (await import('./src/commands/catalogue.ts')).catalogue.find((entry) => entry.name === name).load();`;

/**
 * The source in ASCII. esbuild leaves other characters in regular expressions and tagged templates, where `\\uXXXX` means the same,
 * except after a backslash and in raw templates.
 */
export function escapeUnicode(source) {
  const ambiguous = /.{0,40}(?:\\[\u0080-\uffff]|String\.raw`[^`]*[\u0080-\uffff])/.exec(source);
  if (ambiguous) throw new Error(`the bundle cannot be written in ASCII: ${ambiguous[0]}`);
  return source.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
