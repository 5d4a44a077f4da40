/** The rules of the house: which folder may import which, what pure folders may not touch, how long a file may be. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import t from 'tap';

type Rule = { readonly folder: string; readonly pure: boolean; readonly mayImport: (target: string) => boolean };

/** A row of the table in ARCHITECTURE.md, whose last column reads `–`, `a, b`, `everything` or `everything but a`. */
function ruleOf(row: string): Rule | undefined {
  const [, folder, pure, list = ''] = /^\| `(\w+)\/`( \*pure\*)? \|.*\| ([^|]+) \|$/.exec(row) ?? [];
  if (folder === undefined) return undefined;
  const names = list.replace(/^everything( but )?/, '').split(', ');
  const all = list.startsWith('everything');
  return { folder, pure: pure !== undefined, mayImport: (target) => names.includes(target) !== all };
}

const rules = new Map(
  readFileSync('ARCHITECTURE.md', 'utf8')
    .split('\n')
    .flatMap((row) => ruleOf(row) ?? [])
    .map((rule) => [rule.folder, rule]),
);
const pureFolders = [...rules.values()].filter(({ pure }) => pure).map(({ folder }) => folder);
/** Packages that one folder alone may use. */
const keptPackages: Readonly<Record<string, string>> = {
  'node:child_process': 'process',
  execa: 'process',
  'better-sqlite3': 'store',
  'node:sqlite': 'store',
  re2js: 'pattern',
  yargs: 'commands',
};
const drawers = ['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'shared', 'core', 'lib'];

type Source = {
  readonly file: string;
  readonly folder: string;
  readonly lines: readonly string[];
  readonly code: string;
  readonly imports: readonly string[];
};

/** Without comments and the insides of texts, so that words in them break no rule. */
function codeOf(text: string): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  return text.replaceAll(token, (found) => (found.startsWith('/') ? ' ' : "''"));
}

function importsOf(text: string): string[] {
  const withoutComments = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/[^\n]*/gm, '');
  const found = withoutComments.matchAll(/(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)'([^']+)'/gm);
  return [...found].map(([, name = '']) => name);
}

function read(pattern: string): Source[] {
  return globSync(pattern).map((name) => {
    const file = name.replaceAll('\\', '/');
    const text = readFileSync(file, 'utf8');
    const folder = file.split('/')[1] ?? '';
    return { file, folder, lines: text.split('\n'), code: codeOf(text), imports: importsOf(text) };
  });
}

const sources = read('src/**/*.{ts,tsx}');
const everything = [...sources, ...read('bin/*.ts'), ...read('compose/**/*.ts')];

/** The folder of src that a relative import leads to. */
function targetFolder(source: Source, name: string): string | undefined {
  if (!name.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(source.file), name);
  return path.startsWith('src/') ? path.split('/')[1] : undefined;
}

/** `file: what` for each source that breaks a rule. */
function breaches(among: readonly Source[], rule: (source: Source) => Iterable<string>): string[] {
  return among.flatMap((source) => [...rule(source)].map((what) => `${source.file}: ${what}`));
}

t.test('there are sources to hold against the rules', async (t) => {
  t.ok(rules.size > 30, 'the table was read');
  t.same(pureFolders, ['errors', 'pattern', 'check', 'scenario', 'run', 'judge', 'report', 'contract']);
  t.ok(sources.length > 30);
  t.ok(sources.some((source) => source.imports.some((name) => targetFolder(source, name) === 'errors')));
});

t.test('every folder is in the table, and files stand in folders', async (t) => {
  t.same(
    breaches(sources, ({ folder }) => (rules.has(folder) ? [] : [`${folder} is not in the table`])),
    [],
  );
});

t.test('a folder imports only what the table allows', async (t) => {
  const found = breaches(sources, (source) =>
    source.imports.filter((name) => {
      const target = targetFolder(source, name);
      return target !== undefined && target !== source.folder && !rules.get(source.folder)?.mayImport(target);
    }),
  );
  t.same(found, []);
});

t.test('folders do not import each other in a circle', async (t) => {
  const edges = new Map<string, Set<string>>();
  for (const source of sources) {
    const targets = edges.get(source.folder) ?? new Set();
    edges.set(source.folder, targets);
    for (const name of source.imports) targets.add(targetFolder(source, name) ?? source.folder);
  }
  const circles: string[] = [];
  function walk(folder: string, way: readonly string[]): void {
    if (way.includes(folder)) circles.push([...way.slice(way.indexOf(folder)), folder].join(' → '));
    else for (const next of edges.get(folder) ?? []) if (next !== folder) walk(next, [...way, folder]);
  }
  for (const folder of edges.keys()) walk(folder, []);
  t.same([...new Set(circles)], []);
});

t.test('pure folders touch no clock, disk, network, process or randomness', async (t) => {
  const impure =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bprocess\b\s*[.?[]|\bfetch\s*\(|\bperformance\.|\bset(?:Timeout|Interval|Immediate)\b|\bcrypto\.|\bglobalThis\b/g;
  const pure = sources.filter(({ folder }) => pureFolders.includes(folder));
  t.same(
    breaches(pure, ({ imports }) => imports.filter((name) => name.startsWith('node:'))),
    [],
  );
  t.same(
    breaches(pure, ({ code }) => code.match(impure) ?? []),
    [],
  );
});

t.test('time, randomness and the process are read in environment and bin only', async (t) => {
  // The console runs where there is no environment: one file of it has what a browser gives.
  const others = sources.filter(({ folder, file }) => folder !== 'environment' && file !== 'src/console/browser.ts');
  t.same(
    breaches(others, ({ code }) => code.match(/\bprocess\s*(?:\.|\?\.|\[)\s*\w*/g) ?? []),
    [],
  );
  t.same(
    breaches(others, ({ code }) => code.match(/\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b/g) ?? []),
    [],
  );
});

t.test('the process is ended in bin only', async (t) => {
  const found = breaches(sources, ({ code }) => code.match(/\bprocess\.(?:exit|exitCode|abort|kill)\b/g) ?? []);
  t.same(found, []);
});

t.test('packages that one folder answers for are imported there only', async (t) => {
  const found = breaches(sources, ({ folder, imports }) =>
    imports.filter((name) => Object.hasOwn(keptPackages, name) && keptPackages[name] !== folder),
  );
  t.same(found, []);
});

t.test('definitions are imported from their own file, with its extension', async (t) => {
  t.same(
    breaches(everything, ({ file }) => (/(?:^|\/)index\.\w+$/.test(file) ? ['is an index file'] : [])),
    [],
  );
  t.same(
    breaches(everything, ({ code }) => code.match(/^export (?:type )?(?:\*|\{[^}]*\} from)/gm) ?? []),
    [],
  );
  t.same(
    breaches(everything, ({ imports }) => imports.filter((name) => name.startsWith('.') && !/\.\w+$/.test(name))),
    [],
  );
});

t.test('no folder is a drawer for everything', async (t) => {
  const found = breaches(everything, ({ file }) => file.split('/').filter((part) => drawers.includes(part)));
  t.same(found, []);
});

t.test('a file over 250 lines says why in its header, and none is over 400', async (t) => {
  const builds = ['build.mjs'].map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n') }));
  const long = [...everything, ...builds].filter(({ lines }) => lines.length > 250);
  const found = long.flatMap(({ file, lines }) => {
    if (lines.length > 400) return [`${file}: ${lines.length} lines`];
    return lines.slice(0, 25).some((line) => line.includes('Length:')) ? [] : [`${file}: no reason for its length`];
  });
  t.same(found, []);
});
