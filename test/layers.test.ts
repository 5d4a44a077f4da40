/** The layout rules: which folder may import which, what pure folders may not touch, how long and how short a file may be. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import t from 'tap';
import {
  exportedValue,
  findBreaches,
  findFileCycles,
  listFunctions,
  listUsedNames,
  readSources,
  type SourceFile,
} from './source-files.ts';

type Rule = {
  readonly folder: string;
  readonly pure: boolean;
  /** Empty where everything may be imported. */
  readonly names: readonly string[];
  readonly mayImport: (target: string) => boolean;
};

/** A row of the table in ARCHITECTURE.md, whose last column reads `–`, `a, b`, `everything` or `everything but a`. */
function parseRule(row: string): Rule | undefined {
  const [, folder, pure, list = ''] = /^\| `([\w-]+)\/`( \*pure\*)? \|.*\| ([^|]+) \|$/.exec(row) ?? [];
  if (folder === undefined) return undefined;
  const names = list.replace(/^everything( but )?/, '').split(', ');
  const all = list.startsWith('everything');
  const listed = all || list === '–' ? [] : names;
  return { folder, pure: pure !== undefined, names: listed, mayImport: (target) => names.includes(target) !== all };
}

const rules = new Map(
  readFileSync('ARCHITECTURE.md', 'utf8')
    .split('\n')
    .flatMap((row) => parseRule(row) ?? [])
    .map((rule) => [rule.folder, rule]),
);
const pureFolders = [...rules.values()].filter(({ pure }) => pure).map(({ folder }) => folder);
/** Packages that one folder alone may use. */
const packageOwners: Readonly<Record<string, string>> = {
  'node:child_process': 'process',
  execa: 'process',
  'better-sqlite3': 'store',
  'node:sqlite': 'store',
  re2js: 'pattern',
  croner: 'schedule',
};
const vagueFolderNames = ['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'shared', 'core', 'lib'];

const sources = readSources('src/**/*.{ts,tsx}');
const everything = [...sources, ...readSources(['bin/*.ts', 'compose/**/*.ts'])];

/** The folder of src that a relative import leads to. */
function findTargetFolder(source: SourceFile, name: string): string | undefined {
  if (!name.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(source.file), name);
  return path.startsWith('src/') ? path.split('/')[1] : undefined;
}

t.test('the sources and the table of folders are found', async (t) => {
  t.ok(rules.size > 30, 'the table was read');
  t.same(pureFolders, [
    'errors',
    'pattern',
    'json',
    'diff',
    'addresses',
    'check',
    'scenario',
    'run',
    'judge',
    'import',
    'report',
    'insight',
    'schedule',
    'contract',
    'collections',
  ]);
  t.ok(sources.length > 30);
  t.ok(sources.some((source) => source.imports.some((name) => findTargetFolder(source, name) === 'errors')));
});

t.test('every folder is in the table, and files stand in folders', async (t) => {
  t.same(
    findBreaches(sources, ({ folder }) => (rules.has(folder) ? [] : [`${folder} is not in the table`])),
    [],
  );
});

t.test('the table allows no import that no file has', async (t) => {
  const used = new Set(
    sources.flatMap((source) => source.imports.map((name) => `${source.folder} ${findTargetFolder(source, name)}`)),
  );
  const unused = [...rules.values()].flatMap(({ folder, names }) =>
    names.map((name) => `${folder} ${name}`).filter((pair) => !used.has(pair)),
  );
  t.same(unused, []);
});

t.test('a folder imports only what the table allows', async (t) => {
  const breaches = findBreaches(sources, (source) =>
    source.imports.filter((name) => {
      const target = findTargetFolder(source, name);
      return target !== undefined && target !== source.folder && !rules.get(source.folder)?.mayImport(target);
    }),
  );
  t.same(breaches, []);
});

t.test('folders do not import each other in a cycle', async (t) => {
  const edges = new Map<string, Set<string>>();
  for (const source of sources) {
    const targets = edges.get(source.folder) ?? new Set();
    edges.set(source.folder, targets);
    for (const name of source.imports) targets.add(findTargetFolder(source, name) ?? source.folder);
  }
  const cycles: string[] = [];
  function walk(folder: string, path: readonly string[]): void {
    if (path.includes(folder)) cycles.push([...path.slice(path.indexOf(folder)), folder].join(' → '));
    else for (const next of edges.get(folder) ?? []) if (next !== folder) walk(next, [...path, folder]);
  }
  for (const folder of edges.keys()) walk(folder, []);
  t.same([...new Set(cycles)], []);
});

t.test('files do not import each other in a cycle, types and import() included', async (t) => {
  t.same(findFileCycles(sources), []);
});

t.test('pure folders touch no clock, disk, network, process or randomness', async (t) => {
  const impure =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bprocess\b\s*[.?[]|\bfetch\s*\(|\bperformance\.|\bset(?:Timeout|Interval|Immediate)\b|\bcrypto\.|\bglobalThis\b/g;
  const pure = sources.filter(({ folder }) => pureFolders.includes(folder));
  t.same(
    findBreaches(pure, ({ imports }) => imports.filter((name) => name.startsWith('node:'))),
    [],
  );
  t.same(
    findBreaches(pure, ({ code }) => code.match(impure) ?? []),
    [],
  );
});

t.test('time, randomness and the process are read in environment and bin only', async (t) => {
  // The console runs where there is no environment: one file of it has what a browser gives.
  const others = sources.filter(({ folder, file }) => folder !== 'environment' && file !== 'src/console/browser.ts');
  t.same(
    findBreaches(others, ({ code }) => code.match(/\bprocess\s*(?:\.|\?\.|\[)\s*\w*/g) ?? []),
    [],
  );
  t.same(
    findBreaches(others, ({ code }) => code.match(/\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b/g) ?? []),
    [],
  );
});

t.test('the process is ended in bin only', async (t) => {
  const breaches = findBreaches(sources, ({ code }) => code.match(/\bprocess\.(?:exit|exitCode|abort|kill)\b/g) ?? []);
  t.same(breaches, []);
});

t.test('packages with one owning folder are imported there only', async (t) => {
  const breaches = findBreaches(sources, ({ folder, imports }) =>
    imports.filter((name) => Object.hasOwn(packageOwners, name) && packageOwners[name] !== folder),
  );
  t.same(breaches, []);
});

t.test('definitions are imported from their own file, with its extension', async (t) => {
  t.same(
    findBreaches(everything, ({ file }) => (/(?:^|\/)index\.\w+$/.test(file) ? ['is an index file'] : [])),
    [],
  );
  t.same(
    findBreaches(everything, ({ code }) => code.match(/^export (?:type )?(?:\*|\{[^}]*\} from)/gm) ?? []),
    [],
  );
  t.same(
    findBreaches(everything, ({ imports }) => imports.filter((name) => name.startsWith('.') && !/\.\w+$/.test(name))),
    [],
  );
});

t.test('no folder has a name that says nothing', async (t) => {
  const breaches = findBreaches(everything, ({ file }) =>
    file.split('/').filter((part) => vagueFolderNames.includes(part)),
  );
  t.same(breaches, []);
});

t.test('a file over 250 lines says why in its header, and none is over 400', async (t) => {
  const builds = ['build.mjs'].map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n') }));
  const long = [...everything, ...builds].filter(({ lines }) => lines.length > 250);
  const breaches = long.flatMap(({ file, lines }) => {
    if (lines.length > 400) return [`${file}: ${lines.length} lines`];
    return lines.slice(0, 25).some((line) => line.includes('Length:')) ? [] : [`${file}: no reason for its length`];
  });
  t.same(breaches, []);
});

const maxFunctionLines = 75;

t.test('a function fits on a screen', async (t) => {
  const text =
    'function add({\n  a,\n  b,\n}: Pair): number {\n  return a + b;\n}\n\nconst one = () => {\n  run();\n};';
  t.same(listFunctions({ lines: text.split('\n') }), [
    { line: 1, length: 6 },
    { line: 8, length: 3 },
  ]);
  const long = findBreaches([...everything, ...readSources('build*.mjs')], (source) =>
    listFunctions(source)
      .filter(({ length }) => length > maxFunctionLines)
      .map(({ line, length }) => `${length} lines from line ${line}`),
  );
  t.same(long, []);
});

/** Each shows its files in their order: checks, steps, routes, commands, tools, migrations, areas of errors. */
const orderedLists = [
  /^src\/agents\/(?:product|test)-agent\/tools\.ts$/,
  /^src\/check\/kinds\.ts$/,
  /^src\/commands\/catalogue(?:-\w+)?\.ts$/,
  /^src\/errors\/table\.ts$/,
  /^src\/onboarding\/(?:doctor|preflight)\/checks\.ts$/,
  /^src\/onboarding\/steps\/steps\.ts$/,
  /^src\/onboarding\/compose\/compose-platform\.ts$/,
  /^src\/server\/route-table\.ts$/,
  /^src\/store\/control\/schema\/control-schema\.ts$/,
];

/** They are there for the compiler alone. */
const compileTimeChecks = ['reportSchemaMatchesReport'];

t.test('a value is exported only if another file uses it', async (t) => {
  t.same(listUsedNames("import { a, type B, c as d } from './x.ts';\nimport type { E } from './y.ts';\nconst f = 1;"), [
    ...['a', 'B', 'c', 'E'],
  ]);
  t.same(listUsedNames("const { a } = await import('./x.ts');"), ['const', 'a', 'await', 'import', 'x', 'ts']);
  const users = [
    ...everything,
    ...readSources(['test/**/*.{ts,tsx,mjs}', '*.mjs', 'compose/*.mjs', 'editors/**/*.mjs']),
  ];
  // No two files export a value of one name, or both mean the same (test/language.test.ts).
  const used = new Set(users.flatMap(({ lines }) => listUsedNames(lines.join('\n'))));
  const unused = findBreaches(
    everything.filter(({ file }) => !file.endsWith('.d.ts')),
    ({ code }) => [...code.matchAll(exportedValue)].map(([, name = '']) => name).filter((name) => !used.has(name)),
  );
  t.same(
    unused.filter((breach) => !compileTimeChecks.some((name) => breach.endsWith(`: ${name}`))),
    [],
  );
});

t.test('a file under 25 lines has two importers, is in an ordered list or is loaded lazily', async (t) => {
  const isOrderedList = (file: string): boolean => orderedLists.some((pattern) => pattern.test(file));
  const importers = new Map<string, { isLazy: boolean; readonly files: Set<string> }>();
  for (const { file, imports, staticImports } of [...everything, ...readSources('build.mjs')]) {
    for (const name of imports.filter((name) => name.startsWith('.'))) {
      const target = posix.join(posix.dirname(file), name);
      const entry = importers.get(target) ?? { isLazy: false, files: new Set() };
      importers.set(target, entry);
      entry.isLazy ||= !staticImports.includes(name);
      entry.files.add(file);
    }
  }
  const crumbs = sources.flatMap(({ file, lines }) => {
    const { isLazy, files } = importers.get(file) ?? { isLazy: false, files: new Set<string>() };
    const isSeparate = isLazy || files.size > 1 || [file, ...files].some(isOrderedList) || file.endsWith('.d.ts');
    return isSeparate || lines.length > 25 ? [] : [`${file}: belongs in ${[...files].join() || 'nothing'}`];
  });
  t.same(crumbs, []);
});
