/** The vocabulary of docs/contributing/language.md: retired words are not identifiers, a type name means one thing. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import t from 'tap';
import { exportedType, exportedValue, findBreaches, findRepeatedNames, readSources } from './source-files.ts';
import { findNamesWithRetiredWords, findRetiredIdentifiers, hasRetiredWord } from './vocabulary.ts';

const languagePage = 'docs/contributing/language.md';
const sources = readSources(['bin/*.ts', 'src/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}', 'compose/**/*.ts']);
const productSources = sources.filter(({ file }) => file.startsWith('src/'));

t.test('retired words are not used as identifiers', async (t) => {
  t.ok(sources.length > 1000);
  const breaches = findBreaches(sources, findRetiredIdentifiers);
  t.same(breaches, []);
});

t.test('retired words are not part of identifiers', async (t) => {
  t.same(['isTold', 'tell', 'told_at', 'retell', 'EXECUTOR_DOOR_CLOSED'].map(hasRetiredWord), [
    ...[true, true, true],
    ...[false, false],
  ]);
  const breaches = findBreaches(sources, findNamesWithRetiredWords);
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
  const breaches = findBreaches(productSources, ({ lines }) => lines.join('\n').match(retiredPhrases) ?? []);
  t.same(breaches, []);
});

t.test('files are named for what they define', async (t) => {
  const retiredFile = /(?:^|[/.-])(?:words|told|asked|kept|beside|house|town|harms|doors?)(?:[.-]\w+)*\.tsx?$/;
  t.same(
    findBreaches(sources, ({ file }) => (retiredFile.test(file) ? ['has a retired name'] : [])),
    [],
  );
});

t.test('an exported type name is defined once', async (t) => {
  t.same(Object.fromEntries(findRepeatedNames(productSources, exportedType)), {});
});

/** They mean the same twice: in the terminal and in the console, which share no folder, and on the two engines of the store. */
const namesOfOneMeaning = ['formatSuiteCounts', 'migrateStore', 'toStoreError', 'toViewFilters'];

t.test('an exported value name is defined once, or means the same', async (t) => {
  const repeated = findRepeatedNames(productSources, exportedValue);
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
