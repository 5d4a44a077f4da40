/** The vocabulary of docs/contributing/language.md: retired words are not identifiers, a type name means one thing. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import t from 'tap';
import { findBreaches, readSources } from './source-files.ts';

const languagePage = 'docs/contributing/language.md';
const sources = readSources(['bin/*.ts', 'src/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}', 'compose/**/*.ts']);

/** Identifiers that language.md retires, as whole words and as parts of compound names. */
const retired =
  /\b(?:told|told[A-Z]\w*|Told\w*|asked|asked[A-Z]\w*|Asked\w*|asking|Asking|kept|kept[A-Z]\w*|Kept\w*|demand[A-Z]\w*|most[A-Z]\w*|shown|shown[A-Z]\w*|Shown\w*|begun|begun[A-Z]\w*|Begun\w*|heard|heard[A-Z]\w*|hearing|Found|Place|Places|placed|Placed|Giving|giving|Trying|trying|Flying|flying|Patience|patience|Insistence|insistence|Leg|Legs|sift\w*|lookBeside|beside|knocks|house|House|town|Town|harms|rubbish|nobody|somebody|whoever|leaving|wordsOf|Words)\b/g;

/** Members of `--json` documents, whose names do not change. */
const wireMembers = /\bkept\??:|\bfacts\.kept\b/g;
/** Text between tags. */
const jsxText = /[>}][^<>={};]*[<{]/g;

t.test('retired words are not used as identifiers', async (t) => {
  t.ok(sources.length > 1000);
  const breaches = findBreaches(sources, ({ code }) => {
    return new Set(code.replaceAll(wireMembers, '').replaceAll(jsxText, '').match(retired));
  });
  t.same(breaches, []);
});

/** Words that language.md retires, in any form of an identifier: `isTold`, `#tell`, `told_at`. */
const retiredWords = new Set([
  ...['told', 'tell', 'tells', 'telling', 'asked', 'shown', 'began', 'begun', 'heard', 'hearing', 'wanted'],
  ...[
    'demand',
    'demands',
    'carry',
    'carries',
    'carried',
    'witness',
    'rig',
    'odd',
    'rubbish',
    'knock',
    'knocks',
    'door',
  ],
  ...['insist', 'insistence', 'patience', 'flying', 'giving', 'trying', 'leaving', 'beside', 'nobody', 'somebody'],
  ...['whoever', 'house', 'town', 'harms', 'sift', 'unbegun'],
]);
/** Members of documents and journals, and a schema of the API: their names do not change. */
const wireNames = new Set(['asked_id', 'HubTokenShown']);

function hasRetiredWord(name: string): boolean {
  // Codes of errors and environment variables are in capitals.
  if (wireNames.has(name) || name === name.toUpperCase()) return false;
  return name.split(/(?<=[a-z\d])(?=[A-Z])|_/).some((word) => retiredWords.has(word.toLowerCase()));
}

t.test('retired words are not part of identifiers', async (t) => {
  t.same(['isTold', 'tell', 'told_at', 'retell', 'EXECUTOR_DOOR_CLOSED'].map(hasRetiredWord), [
    ...[true, true, true],
    ...[false, false],
  ]);
  const breaches = findBreaches(sources, ({ code }) => {
    const names = new Set(code.replaceAll(jsxText, '').match(/[A-Za-z_$][\w$]*/g));
    return [...names].filter(hasRetiredWord);
  });
  t.same(breaches, []);
});

/** Usual English within a name (`HeldTask`, `notFound`), but no name of a value by itself. */
const vagueNames = /\b(?:const|let|function|class|type) +#?(?:place|made|found|kept|told|asked)\b/gi;

t.test('a participle or `place` alone is no name of a value', async (t) => {
  t.same('const found = 1; let foundRuns; type Place = 1'.match(vagueNames), ['const found', 'type Place']);
  t.same(
    findBreaches(sources, ({ code }) => new Set(code.match(vagueNames))),
    [],
  );
});

/** Translations that the glossary names. */
const retiredPhrases = /\b(?:rubbish|leaves? away|back-off|can be asked here|is no [a-z]+ any more|knocks?)\b/g;

t.test('retired phrases are not in comments and texts', async (t) => {
  const breaches = findBreaches(
    sources.filter(({ file }) => file.startsWith('src/')),
    ({ lines }) => lines.join('\n').match(retiredPhrases) ?? [],
  );
  t.same(breaches, []);
});

t.test('files are named for what they define', async (t) => {
  const retiredFile = /(?:^|[/.-])(?:words|told|asked|kept|beside|house|town|harms|doors?)(?:[.-]\w+)*\.tsx?$/;
  t.same(
    findBreaches(sources, ({ file }) => (retiredFile.test(file) ? ['has a retired name'] : [])),
    [],
  );
});

/** Names that are exported by several files of src, with the files. `definition` captures the name. */
function findRepeatedNames(definition: RegExp): Map<string, readonly string[]> {
  const definitions = new Map<string, string[]>();
  for (const { file, code } of sources.filter(({ file }) => file.startsWith('src/'))) {
    for (const [, name = ''] of code.matchAll(definition))
      definitions.set(name, [...(definitions.get(name) ?? []), file]);
  }
  return new Map([...definitions].filter(([, files]) => files.length > 1));
}

t.test('an exported type name is defined once', async (t) => {
  t.same(Object.fromEntries(findRepeatedNames(/^export (?:declare )?(?:type|interface|class) (\w+)/gm)), {});
});

/** They mean the same twice: in the terminal and in the console, which share no folder, and on the two engines of the store. */
const namesOfOneMeaning = [
  'formatRouting',
  'formatSelection',
  'formatSuiteCounts',
  'formatWhen',
  'migrateStore',
  'toStoreError',
  'toViewFilters',
];

t.test('an exported value name is defined once, or means the same', async (t) => {
  const repeated = findRepeatedNames(/^export (?:async )?(?:const|let|enum|function\*?) (\w+)/gm);
  const others = [...repeated].filter(([name]) => !namesOfOneMeaning.includes(name));
  t.same(Object.fromEntries(others), {});
  t.same([...repeated.keys()].filter((name) => namesOfOneMeaning.includes(name)).sort(), namesOfOneMeaning);
});

t.test('commit subjects have at most 72 characters', async (t) => {
  if (!existsSync('.git')) return t.notOk(process.env.CI, 'a continuous integration run has the history');
  const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  // The rule holds from the commit that brought it.
  const first = git('log', '--diff-filter=A', '--format=%H', '--', languagePage).split('\n').at(-1);
  if (!first) return t.notOk(process.env.CI, `${languagePage} is committed`);
  const subjects = git('log', '--format=%s', `${first}..HEAD`).split('\n');
  t.same(
    subjects.filter((subject) => subject.length > 72),
    [],
  );
});
