import fc from 'fast-check';
import t from 'tap';
import type { CheckOutcome } from '../../../src/check/check-kind.ts';
import { Numeral } from '../../../src/check/json/json.ts';
import { readJson } from '../../../src/check/json/read-json.ts';
import { judge as judgedValue } from '../check-fixtures.ts';

const judgeText = (text: string, body: string): CheckOutcome => judgedValue(text, readJson(body));
const holds = (text: string, body: string): boolean => judgeText(text, body).passed;

/** Numbers that JavaScript writes otherwise. */
const changing = [
  '1234567890123456789',
  '12345678901234567890',
  '9007199254740993',
  '0.1000000000000000055',
  '1.0',
  '-1.50',
  '19.90',
  '0.0',
  '1e2',
  '1E2',
  '1.5e300',
  '1e400',
  '-0',
  '-0.0',
  '0.0000001',
  '-0.0000001',
];
const usual = ['0', '1', '-1', '10', '100', '1.5', '-0.05', '1764000000000', '0.000001', '123456789012345'];

t.test('a number equals its source text, and nothing else', async (t) => {
  for (const source of [...changing, ...usual]) {
    t.ok(holds(`body has id equals ${source}`, `{"id":${source}}`), source);
    t.ok(holds('body has id matching ^[-+.0-9eE]+$', `{"id":${source}}`), source);
  }
  t.notOk(holds('body has id equals 12345678901234567000', '{"id":12345678901234567890}'));
  t.notOk(holds('body has id equals 1234567890123456800', '{"id":1234567890123456789}'));
  t.notOk(holds('body has price equals 1', '{"price":1.0}'));
  t.notOk(holds('body has price equals 100', '{"price":1e2}'));
  t.notOk(holds('body has n equals 0', '{"n":-0}'));
});

t.test('only numbers that would change become numerals', async (t) => {
  for (const source of changing) t.strictSame(readJson(`[${source}]`), [new Numeral(source)], source);
  for (const source of usual) t.strictSame(readJson(` ${source} `), Number(source), source);
  t.strictSame(readJson('{"a":"1.0, 1e2, -0","b\\"":1,"c\\\\":"\\\\\\"1.0"}'), {
    a: '1.0, 1e2, -0',
    'b"': 1,
    'c\\': '\\"1.0',
  });
});

t.test('numerals inside objects and lists are printed as sent', async (t) => {
  const body = '{"page":{"id":12345678901234567890,"price":19.90,"list":[1.0,1,{"n":-0}]}}';
  t.ok(holds('body has page containing "id":12345678901234567890,"price":19.90', body));
  t.ok(holds('body has page.list equals [1.0,1,{"n":-0}]', body));
  t.notOk(holds('body has page containing 12345678901234567000', body));
  t.ok(holds('body has page.list[2].n equals -0', body));
});

t.test('the outcome shows the source; a number has neither fields nor elements', async (t) => {
  t.match(judgeText('body has id equals 1', '{"id":12345678901234567890}'), { actual: '12345678901234567890' });
  t.match(judgeText('body has id', '{"id":1.0}'), { passed: true, actual: '1.0' });
  t.match(judgeText('body has id.text', '{"id":1.0}'), { passed: false, actual: /`id` is 1\.0/ });
  t.match(judgeText('body has id[0]', '{"id":1.0}'), { passed: false, actual: /`id` is 1\.0/ });
  const long = `1${'0'.repeat(10_000)}`;
  t.ok(judgeText('body has id', `{"id":${long}}`).actual.length < 300);
  t.ok(holds(`body has id equals ${long}`, `{"id":${long}}`));
});

t.test('the compact form of any JSON equals its source', async () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 20 });
  const integer = fc.oneof(
    fc.constant('0'),
    digits.map((text) => `1${text}`),
  );
  const tail = fc.oneof(
    fc.constant(''),
    digits.map((text) => `.${text}`),
  );
  const power = fc.oneof(fc.constant(''), fc.constantFrom('e5', 'E-3', 'e+400'));
  const number = fc.tuple(fc.constantFrom('', '-'), integer, tail, power).map((parts) => parts.join(''));
  const string = fc
    .string({ unit: fc.constantFrom(...'a"\\1.0e,:'), maxLength: 8 })
    .map((text) => JSON.stringify(text));
  const leaf = fc.oneof(number, string, fc.constantFrom('null', 'true'));
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      fc
        .array(tie('value'), { maxLength: 4 })
        .map((items) => `{${items.map((element, index) => `"k${index}":${element}`).join(',')}}`),
    ),
  }));
  fc.assert(fc.property(value, (text) => JSON.stringify(readJson(text)) === text));
});

t.test('JSON that is nested too deeply is read without number sources', async (t) => {
  const deep = 100_000;
  const value = readJson(`${'['.repeat(deep)}1.0${']'.repeat(deep)}`);
  t.ok(Array.isArray(value));
});

t.test('invalid JSON throws a SyntaxError', async (t) => {
  for (const text of ['', '01', '{"a":1.0,}', '"1.0', '1.0 x']) t.throws(() => readJson(text), SyntaxError, text);
});
