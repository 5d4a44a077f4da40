/** What build.mjs changes of packages and of the bundle, so that one CommonJS file starts fast. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { transform } from 'esbuild';

const require = createRequire(import.meta.url);

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
  {
    // It needs to know its caller for transports only. A position in the source makes V8 look for the ends of all its lines: 10 ms for 10 MB.
    filter: /[\\/]pino[\\/]pino\.js$/,
    from: 'normalize(instance, caller(), ...args)',
    to: 'normalize(instance, args[0]?.transport && caller(), ...args)',
  },
  {
    // For a master and its workers, which are not used; it would load what starts processes.
    filter: /[\\/]prom-client[\\/]index\.js$/,
    from: "exports.AggregatorRegistry = require('./lib/cluster');",
    to: '',
  },
  {
    // The control plane speaks HTTP/1.1 only, so that no request is of this class, which would load HTTP/2 and TLS with it.
    filter: /[\\/]@hono[\\/]node-server[\\/]dist[\\/]index\.mjs$/,
    from: 'import { Http2ServerRequest, constants } from "node:http2";',
    to: 'import { constants } from "node:http2";\nclass Http2ServerRequest {}',
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
 * Parts of the program that lack the other commands, each with the first words of its own, separated by spaces: a start reads and
 * creates the functions of a whole part.
 * In turns, `vp run --local` of four scenarios took 180 ms of processor time with its own part and 230 without.
 */
export const parts = {
  run: 'run',
  executor: 'executor',
  client:
    'agent-token approvals compare complete completion docs export failures format guide health hubs init instances login logout ' +
    'notifications open runs scenarios schedules status-pages suites system tokens usage use validate validate-config views whoami',
};

const partOfWord = Object.fromEntries(
  Object.entries(parts).flatMap(([part, words]) => words.split(' ').map((word) => [word, part])),
);

/**
 * The entry reaches the parts as assets, each with its code cache, so that their size costs no start. The rest has every command.
 * Commands that serve have a larger cache, which would only delay the others. The part `client` has help and reports unknown commands.
 * `names` are those of all commands, `valueFlags` the common flags with a value: they may precede the command.
 */
export const partsFromAssets = (names, valueFlags) => ({
  name: 'parts-from-assets',
  setup(bundle) {
    const words = new Set(names.map((name) => name.split(' ')[0]));
    const unknownWord = Object.keys(partOfWord).find((word) => !words.has(word));
    if (unknownWord) throw new Error(`no command starts with ${unknownWord}, which a part of the program names`);
    const wordsOfOtherParts = [...words].filter((word) => partOfWord[word] !== 'client');
    const table = Object.fromEntries(wordsOfOtherParts.map((word) => [word, partOfWord[word] ?? 'rest']));
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
        // The same in build-code-caches.mjs.
        script.runInThisContext()(part, part.exports, require, loadRest);
        return part.exports;
      }
      let rest;
      const loadRest = () => (rest ??= loadPart('rest'));
      const valueFlags = ${JSON.stringify(valueFlags)};
      const line = process.argv.slice(2);
      while (line[0]?.startsWith('-')) line.splice(0, valueFlags.includes(line[0]) ? 2 : 1);
      const [command] = line;
      const name = new Map(Object.entries(${JSON.stringify(table)})).get(command) ?? 'client';
      const isRole = command === 'serve' || command === 'demo';
      export const { dispatch, reportOutputFailure, reportStalledCommand } = loadPart(name, isRole ? 'role' : name);`;
    bundle.onResolve({ filter: /^\.\/dispatch\.ts$/ }, () => ({ path: 'parts', namespace: 'asset' }));
    bundle.onLoad({ filter: /.*/, namespace: 'asset' }, () => ({ contents: load }));
  },
});

const entryForm =
  /name: '([^']+)',(\s+summary:[^\n]*(?:\n[^\n]*)?,\s+load:) async \(\) => \(await import\('[^']+'\)\)\.\w+,/g;

/** In such a part the catalogue has every command, and takes the others from the rest: for help, completion and fixes. */
export const otherCommandsFromRest = (part) => ({
  name: 'other-commands-from-rest',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]src[\\/]commands[\\/]catalogue(?:-\w+)?\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      let ownCount = 0;
      const contents = source.replaceAll(entryForm, (whole, name, middle) => {
        const isOwn = partOfWord[name.split(' ')[0]] === part;
        if (isOwn) ownCount += 1;
        return isOwn ? whole : `name: '${name}',${middle} () => __loadRest().loadCommand('${name}'),`;
      });
      const loads = contents.match(/await import\(/g)?.length ?? 0;
      if (loads > ownCount) throw new Error(`${path} has entries of another form`);
      return { contents, loader: 'ts' };
    });
  },
});

/** What has every command; the parts ask it for those that they lack. */
export const restEntry = `
  export * from './src/commands/dispatch.ts';
  export const loadCommand = async (name) =>
    (await import('./src/commands/catalogue.ts')).catalogue.find((entry) => entry.name === name).load();`;

/**
 * The source in ASCII. esbuild leaves other characters in regular expressions and tagged templates, where `\\uXXXX` means the same,
 * except after a backslash and in raw templates. Of the latter only `String.raw` by that name is found.
 */
export function escapeUnicode(source) {
  const ambiguous = /\\[\u0080-\uffff]|String\.raw`[^`]*[\u0080-\uffff]/.exec(source);
  if (ambiguous) {
    const { 0: match, index } = ambiguous;
    throw new Error(`the bundle cannot be written in ASCII: ${source.slice(Math.max(0, index - 40), index)}${match}`);
  }
  return source.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Modules of Node that a start loads without a use of them, and packages likewise: each becomes an object that loads it when one of its
 * members is read. TLS reads some 140 certificates when it is loaded.
 */
const loadedAtFirstUse = [
  ...['child_process', 'http2', 'https', 'readline', 'tls', 'worker_threads', 'zlib'],
  ...['execa', 'marked'],
];

export const modulesAtFirstUse = {
  name: 'modules-at-first-use',
  setup(bundle) {
    const filter = new RegExp(`^(?:node:)?(?:${loadedAtFirstUse.join('|')})$`);
    const namespace = 'at-first-use';
    bundle.onResolve({ filter }, ({ path, namespace: importer }) =>
      importer === namespace ? undefined : { path: path.replace(/^node:/, ''), namespace },
    );
    bundle.onLoad({ filter: /.*/, namespace }, ({ path }) => {
      // Some constants of zlib are not enumerable.
      const members = Object.getOwnPropertyNames(require(path)).filter(
        (name) => name !== 'default' && /^[\w$]+$/.test(name),
      );
      const getters = members.map((name) => `get ${name}() { return require('${path}').${name}; },`);
      return { contents: `module.exports = {\n${getters.join('\n')}\n};`, resolveDir: process.cwd() };
    });
  },
};

/** Packages that read names: oidc-provider finds its models by those of their classes. */
const readsNames = /[\\/]node_modules[\\/](?:oidc-provider|ohm-js|keygrip)[\\/]/;
/** Errors are named by their class. Packages that are bundled already set names themselves, or none is read. */
const errorClass = /\bclass (\w+) extends (?:\w*Error|\w+Exception)\b[^{;]*\{/g;

/** Lets these have their names when others are made short; a name of each function would be a call for each at the start, 20 ms for `vp serve`. */
export const namesThatAreRead = {
  name: 'names-that-are-read',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/](?:src|node_modules)[\\/].*\.(?:[mc]?js|ts)$/ }, async ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const options = { loader: path.endsWith('.ts') ? 'ts' : 'js', target: 'node26' };
      if (readsNames.test(path)) return { contents: (await transform(source, { ...options, keepNames: true })).code };
      const named = source.replaceAll(
        errorClass,
        (head, name) =>
          `${head} static { Object.defineProperty(this, 'name', { value: '${name}', configurable: true }); }`,
      );
      return named === source ? undefined : { contents: named, loader: options.loader };
    });
  },
};
