import t from 'tap';
import type { Check } from '../../../src/check/check-kind.ts';
import type { Json } from '../../../src/check/json/json.ts';
import { readJson } from '../../../src/check/json/read-json.ts';
import { equalsFileKind } from '../../../src/check/kinds/equals-file.ts';
import { judgeCheck, observeBody, parse, parseValid } from '../check-fixtures.ts';

const expectedText =
  '{ "id": 1, "total": 9.50, "items": [{ "sku": "a", "at": "2026-01-01" }, { "sku": "b", "at": "x" }] }';

function readCheck(text: string, content = expectedText): Check {
  const check = equalsFileKind.withFile?.(equalsFileKind.parse(text, () => {}) as never, content);
  if (check === undefined || typeof check === 'string') throw new Error(String(check));
  return check;
}

const judgeBody = (check: Check, body: string) => judgeCheck(check, observeBody(readJson(body) as Json));

t.test('a body equals the file whatever the order of its fields, and numbers as they are written', async (t) => {
  const check = readCheck('body equals file order.json');
  t.match(judgeBody(check, expectedText), { passed: true, actual: 'the same' });
  const reordered = '{"items":[{"at":"2026-01-01","sku":"a"},{"at":"x","sku":"b"}],"total":9.50,"id":1}';
  t.equal(judgeBody(check, reordered).passed, true);
  t.match(judgeBody(check, expectedText.replace('9.50', '9.5')), {
    passed: false,
    actual: /total.* is 9\.5, not 9\.50/,
  });
});

t.test('the differences are named with their places', async (t) => {
  const check = readCheck('body equals file order.json');
  const { passed, actual, pointer } = judgeBody(
    check,
    '{"total": "9.50", "items": [{"sku": "c", "at": "2026-01-01"}], "x": 1}',
  );
  t.equal(passed, false);
  t.match(actual, /`?id`? is missing/);
  t.match(actual, /total`? is "9\.50", not 9\.50/);
  t.match(actual, /items`? has 1 elements, not 2/);
  t.match(actual, /is "c", not "a"/);
  t.match(actual, /x`? is not in the file/);
  t.equal(pointer, '/id');
  const many = judgeBody(
    readCheck('body equals file order.json', '{}'),
    JSON.stringify(Object.fromEntries('abcdefgh'.split('').map((key) => [key, 1]))),
  );
  t.match(many.actual, '; and 3 more differences');
});

t.test(
  'ignored fields may differ, be missing, or be in one of both only, also in the elements of a list',
  async (t) => {
    const check = readCheck('body equals file order.json ignoring id, items.at, added');
    t.equal(
      judgeBody(check, '{"total": 9.50, "items": [{"sku": "a", "at": 3}, {"sku": "b"}], "added": true}').passed,
      true,
    );
    t.equal(judgeBody(check, '{"total": 9.50, "items": [{"sku": "a", "at": 3}, {"sku": "z"}]}').passed, false);
  },
);

t.test('no other kind of value passes', async (t) => {
  const values = ['null', '"null"', '1', '1.0', '"1"', 'true', '"true"', '[]', '{}', '[null]', '{"a":null}', '{"a":1}'];
  for (const expected of values)
    for (const body of values)
      t.equal(
        judgeBody(readCheck('body equals file x.json', expected), body).passed,
        expected === body,
        `${expected} ${body}`,
      );
});

t.test('the form is read, and what is none is reported', async (t) => {
  t.match(parseValid('body equals file a.json'), { kind: 'equals_file', file: 'a.json', ignored: [] });
  t.match(parse('body equals file a.json ignoring id, a..b').problems, [['SCENARIO_FIELD_INVALID']]);
  t.equal(equalsFileKind.withFile?.(parseValid('body equals file a.json') as never, '{'), 'it is not JSON');
  t.match(judgeBody(parseValid('body equals file a.json'), '{}'), { passed: false, actual: 'the file was not read' });
});

t.test('a concealed secret is never displayed, and compared as it is displayed', async (t) => {
  const conceal = (text: string): string => text.replaceAll('s3cret', '[redacted]');
  const observation = { ...observeBody({ token: 's3cret' }), conceal };
  const outcome = judgeCheck(readCheck('body equals file a.json', '{"token":"other"}'), observation);
  t.equal(outcome.passed, false);
  t.notMatch(outcome.actual, 's3cret');
  t.equal(judgeCheck(readCheck('body equals file a.json', '{"token":"s3cret"}'), observation).passed, false);
});
