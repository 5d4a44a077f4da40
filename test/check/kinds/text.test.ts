import t from 'tap';
import { emptyObservation, type Observation } from '../../../src/check/observation.ts';
import { parseBody } from '../../../src/executor/response/parse-body.ts';
import { judgeCheck, observeBody, parse, parseValid } from '../check-fixtures.ts';

function observeText(text: string): Observation {
  return { ...emptyObservation, body: parseBody(Buffer.from(text), 'text/html').observed };
}

function passes(check: string, observation: Observation): boolean {
  return judgeCheck(parseValid(check), observation).passed;
}

t.test('a body that is not JSON is tested as text, whole', async (t) => {
  const page = observeText(`<html>${' '.repeat(5000)}<h1>Orders</h1></html>\n`);
  t.ok(passes('body text containing <h1>Orders</h1>', page), 'beyond the excerpt');
  t.ok(passes('body text matching </html>$', page), 'without the line break at its end');
  t.notOk(passes('body text containing <h1>orders', page));
  t.ok(passes('body text equals ok', observeText('ok\n')));
  t.notOk(passes('body text equals ok', observeText('ok, more')));
});

t.test('a JSON body is tested in its compact form', async (t) => {
  t.ok(passes('body text equals 42', observeText('42')));
  t.ok(passes('body text containing "a":1', observeBody({ a: 1 })));
});

t.test('without a text nothing passes', async (t) => {
  t.match(judgeCheck(parseValid('body text matching .*'), emptyObservation), {
    passed: false,
    actual: 'an empty body',
  });
  const binary = { ...emptyObservation, body: parseBody(Buffer.from([0x89, 0xff, 0xfe]), undefined).observed };
  t.match(judgeCheck(parseValid('body text matching .*'), binary), { passed: false, actual: /not text in UTF-8/ });
});

t.test('a secret in the text is concealed before it is compared', async (t) => {
  const conceal = (text: string): string => text.replaceAll('s3cret', '[redacted]');
  const observation = { ...observeText('key s3cret'), conceal };
  t.match(judgeCheck(parseValid('body text containing s3c'), observation), {
    passed: false,
    actual: '"key [redacted]"',
  });
});

t.test('malformed checks are refused', async (t) => {
  t.match(parse('body text containing').problems, [['SCENARIO_CHECK_OPERAND_MISSING']]);
  t.match(parse('body text matching (').problems, [['SCENARIO_CHECK_PATTERN']]);
  t.equal(parseValid('body text length = 3').kind, 'length', 'a field of that name');
});
