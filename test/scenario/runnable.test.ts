import t from 'tap';
import { buildScenarioText, codes, listDiagnostics, parseValid } from './samples.ts';

function texts(checks: string): string[] {
  return parseValid(buildScenarioText({ checks })).checks.map(({ text }) => text);
}

t.test('bullets of every kind are checks', async (t) => {
  const checks =
    '- status=200\n* body has a\n+ body has b\n1. body has c\n  - body has d\n- [ ] body has e\n- [x] body has f';
  t.same(texts(checks), ['status=200', ...[...'abcdef'].map((name) => `body has ${name}`)]);
});

t.test('code marks around a whole check are not part of it', async (t) => {
  t.same(texts('- `body has a matching ^[0-9]*$`\n- ` status=200 `'), ['body has a matching ^[0-9]*$', 'status=200']);
});

t.test('a check is the source text, not the rendered Markdown', async (t) => {
  for (const check of [
    'body has a matching .*foo.*',
    'body has a matching \\.\\*_x_',
    'body has a containing <b>&amp;</b> [x](y) ~~z~~',
    'body has a matching ^- #1$',
    'body has a matching ^\\d{3}-\\d{2}$',
    'body has a equals **bold**',
  ]) {
    t.same(texts(`- ${check}`), [check]);
  }
});

t.test('a check has its position', async (t) => {
  const text = buildScenarioText({ checks: '- status=200\n-   `body has a`' });
  const [, check] = parseValid(text).checks;
  t.equal(text.slice(check?.range.start.offset, check?.range.end.offset), 'body has a');
  t.match(check?.range.start, { line: 19, column: 6 });
});

t.test('blank lines, comments and rules between checks are ignored', async (t) => {
  t.same(texts('- status=200\n\n<!-- one\ntwo -->\n- body has a\n\n---'), ['status=200', 'body has a']);
});

t.test('everything else is reported', async (t) => {
  const told1 = listDiagnostics(
    buildScenarioText({ checks: 'status=200\n- body has a\n  and more\n-\n```\n- status=200\n```\n| a |' }),
  );
  t.same(told1, [
    ['SCENARIO_CHECK_NOT_BULLET', 'status=200'],
    ['SCENARIO_CHECK_NOT_BULLET', '  and more'],
    ['SCENARIO_CHECK_NOT_BULLET', '-'],
    ['SCENARIO_CHECK_NOT_BULLET', '```'],
    ['SCENARIO_CHECK_NOT_BULLET', '| a |'],
  ]);
  t.same(codes(buildScenarioText({ checks: '' })), ['SCENARIO_RUNNABLE_EMPTY']);
  t.same(codes(buildScenarioText({ checks: '<!-- - status=200 -->' })), ['SCENARIO_RUNNABLE_EMPTY']);
});

t.test('the position of an error is correct inside code marks too', async (t) => {
  t.same(listDiagnostics(buildScenarioText({ checks: '- ` body has a matching ( `' })), [
    ['SCENARIO_CHECK_PATTERN', '('],
  ]);
});

t.test('two statuses are an error, a repeated check is a warning', async (t) => {
  t.same(listDiagnostics(buildScenarioText({ checks: '- status=200\n- status=201\n- status=201' })), [
    ['SCENARIO_STATUS_DOUBLED', 'status=201'],
    ['SCENARIO_CHECK_DOUBLED', 'status=201'],
  ]);
  t.equal(texts('- body has a\n- body has a').length, 2);
});

t.test('at most a thousand checks are allowed', async (t) => {
  const many = (count: number): string =>
    Array.from({ length: count }, (_, index) => `- body has f${index}`).join('\n');
  t.equal(texts(many(1000)).length, 1000);
  t.same(codes(buildScenarioText({ checks: many(1001) })), ['SCENARIO_CHECKS_TOO_MANY']);
});
