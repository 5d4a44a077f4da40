import t from 'tap';
import { readRunLine } from '../../src/logs/read-run-line.ts';
import { compilePattern } from '../../src/pattern/pattern.ts';

const compiled = compilePattern('^(?:40|50|60|error)$');
if ('problem' in compiled) throw new Error(compiled.problem);

const options = {
  levelField: 'level',
  errorMatch: compiled.pattern,
  sagaEvent: { field: 'event.kind', value: 'saga' },
};

t.test('a line of JSON has fields, a level, and counts as what the config says', async (t) => {
  const text = '{"level":50,"reqId":"tr-1","event":{"kind":"saga"}}';
  t.strictSame(readRunLine(text, options), {
    text,
    fields: { level: 50, reqId: 'tr-1', event: { kind: 'saga' } },
    level: '50',
    isError: true,
    isSagaEvent: true,
  });
});

t.test('a level is compared whole, as text', async (t) => {
  const levels = [50, 5, 500, '50', 'error', 'terror', null, 50.5, true];
  const errors = levels.filter((level) => readRunLine(JSON.stringify({ level }), options).isError);
  t.strictSame(errors, [50, '50', 'error']);
  t.equal(readRunLine('{"level":50.0}', options).level, '50.0');
  t.equal(readRunLine('{"level":null}', options).level, undefined);
});

t.test('a field is a key as it is, or names joined by dots', async (t) => {
  const of = (levelField: string, text: string) => readRunLine(text, { ...options, levelField }).level;
  t.equal(of('log.level', '{"log.level":"warn","log":{"level":"no"}}'), 'warn');
  t.equal(of('log.level', '{"log":{"level":"warn"}}'), 'warn');
  t.equal(of('@level', '{"@level":"warn"}'), 'warn');
  t.equal(of('the level', '{"the level":"warn"}'), 'warn');
  t.equal(of('a b.level', '{"a b":{"level":"warn"}}'), undefined);
  t.equal(of('toString', '{}'), undefined);
  t.equal(of('__proto__', '{"__proto__":"x"}'), 'x');
});

t.test('what stands before the object does not hide it', async (t) => {
  for (const before of [
    'app-1  | ',
    '2026-11-20T14:30:12.345678901Z ',
    'app-1 | {blue} [1] ',
    '\u001b[36mapp |\u001b[0m ',
  ]) {
    t.equal(readRunLine(`${before}{"level":40}`, options).level, '40', before);
  }
  t.equal(readRunLine('app-1 | {"level":40}   ', options).level, '40');
});

t.test('a line that is no JSON is a line', async (t) => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  for (const text of ['', 'GET / tr-1', '{"level":50', '{level:50}', '[{"level":50}]!', '}{', '{{{{{{{"level":50}']) {
    t.match(readRunLine(text, options), { text, level: undefined, isError: false, isSagaEvent: false }, text);
    t.equal(readRunLine(text, options).fields, undefined, text);
  }
  t.equal(readRunLine(deep, options).level, undefined);
  t.equal(readRunLine('{'.repeat(1_000_000), options).fields, undefined);
  t.equal(readRunLine(`${'{"a":'.repeat(200_000)}}`, options).fields, undefined);
});

t.test('without error pattern and saga event nothing counts', async (t) => {
  const line = readRunLine('{"level":50}', { levelField: 'level', errorMatch: undefined, sagaEvent: undefined });
  t.match(line, { level: '50', isError: false, isSagaEvent: false });
});

t.test('what would steer a terminal is taken out, and hides nothing', async (t) => {
  const line = readRunLine('\u001b[2Kapp-1  | \u001b[32m{"level":50,"text":"tab\there"}\u001b[0m', options);
  t.match(line, { text: 'app-1  | {"level":50,"text":"tab\there"}', isError: false });
  t.match(readRunLine('\u001b[2Kapp-1  | {"level":50}\u001b[0m', options), {
    text: 'app-1  | {"level":50}',
    isError: true,
  });
  t.equal(readRunLine('a\u0007b\rc\u009bd\u001b', options).text, 'a\ufffdb\ufffdc\ufffdd\ufffd');
  t.equal(readRunLine('tab\there', options).text, 'tab\there');
});
