/** The index of the tools that a caller may see: what is found, in which order, and how often over a labelled catalogue. */
import fc from 'fast-check';
import t from 'tap';
import { ToolIndex } from '../../../src/hub/tool-search/tool-index.ts';
import { createCatalogue, findMisses, type QuestionSet, readBlindQuestions, readQuestions } from './corpus/corpus.ts';

const noUse = new Map<string, number>();
const catalogue = createCatalogue();
const index = await ToolIndex.create(catalogue);
const search = (query: string, limit = 5): readonly string[] => index.search(query, limit, noUse).map(({ key }) => key);

t.test('tools are found by their names, whatever the spelling, and by synonyms', async (t) => {
  for (const query of ['github__create_issue', 'create issue github', 'createIssue github', 'new ticket on GitHub'])
    t.ok(search(query).includes('github__create_issue'), query);
  t.ok(
    search('kubernets pods').some((key) => key.startsWith('kubernetes__pods')),
    'with a typing error',
  );
  t.same(search('xyzzy'), []);
  t.same(search('the of and'), []);
});

t.test('of tools that fit equally, the one that the caller has used comes first', async (t) => {
  const tools = ['a__report', 'b__report', 'c__report'].map((key) => ({
    key,
    publicItem: { name: key, description: 'A report', inputSchema: { type: 'object' as const } },
  }));
  const equalTools = await ToolIndex.create(tools);
  const find = (counts: ReadonlyMap<string, number>) => equalTools.search('report', 5, counts).map(({ key }) => key);
  t.same(find(noUse), ['a__report', 'b__report', 'c__report']);
  t.same(find(new Map([['c__report', 4]])), ['c__report', 'a__report', 'b__report']);
  t.same(index.search('convert time', 1, new Map([['weather__get_alerts', 500]]))[0]?.key, 'time__convert_time');
});

t.test('any query has an answer within the limit, of tools in the index', async () => {
  const keys = new Set(catalogue.map(({ key }) => key));
  fc.assert(
    fc.property(fc.string({ maxLength: 500, unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (query, limit) => {
      const matches = search(query, limit);
      return (
        matches.length <= limit && new Set(matches).size === matches.length && matches.every((key) => keys.has(key))
      );
    }),
    { numRuns: 100 },
  );
});

t.test('the form of a part of a query says what it is', async (t) => {
  t.ok(search('tell me about PROJ-123').includes('jira__jira_get_issue'));
  t.match(search('send it to kim@example.com', 1)[0], /^gmail__/);
});

t.test('a name in capitals is the name of a connection, and not two words', async (t) => {
  t.same(search('report a bug on GitHub', 3), search('report a bug on github', 3));
  t.match(search('GitHub releases')[0], /^github__/);
});

function checkLabels({ tuning, heldOut }: QuestionSet): string[] {
  const known = new Set(catalogue.map(({ key }) => key));
  t.equal(tuning.length + heldOut.length, 200);
  return [...tuning, ...heldOut].flatMap(({ expected }) => expected.filter((key) => !known.has(key)));
}

const calculateHitRate = (questions: QuestionSet['tuning']): number =>
  1 - findMisses((query, limit) => index.search(query, limit, noUse), questions, 5).length / questions.length;

t.test('nine of ten questions have their tool among the first five', async (t) => {
  t.ok(catalogue.length >= 200);
  const questions = readQuestions();
  t.same(checkLabels(questions), [], 'each label is a tool');
  for (const [name, list] of Object.entries(questions)) {
    const hitRate = calculateHitRate(list);
    t.comment(`${name}: hit rate at 5 of ${hitRate.toFixed(2)}`);
    t.ok(hitRate >= 0.9, name);
  }
});

t.test('questions that were written blind have theirs in nearly as many cases', async (t) => {
  const blind = readBlindQuestions();
  t.same(checkLabels(blind), [], 'each label is a tool');
  const rates = { tuning: calculateHitRate(blind.tuning), heldOut: calculateHitRate(blind.heldOut) };
  t.comment(`blind: hit rate at 5 of ${rates.tuning.toFixed(2)}, held out ${rates.heldOut.toFixed(2)}`);
  t.ok(rates.tuning >= 0.9);
  t.ok(rates.heldOut >= 0.9);
});
