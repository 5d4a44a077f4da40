import t from 'tap';
import { parseLogLine } from '../../../src/logs/lines/parse-log-line.ts';
import { compilePattern } from '../../../src/pattern/pattern.ts';

const compiled = compilePattern('^(?:40|50|60|error)$');
if ('problem' in compiled) throw new Error(compiled.problem);

const options = {
  levelField: 'level',
  errorMatch: compiled.pattern,
  sagaEvent: { field: 'event.kind', value: 'saga' },
};

t.test('a JSON line has fields and a level, and is classified by the config', async (t) => {
  const text = '{"level":50,"reqId":"tr-1","event":{"kind":"saga"}}';
  t.strictSame(parseLogLine(text, options), {
    text,
    fields: { level: 50, reqId: 'tr-1', event: { kind: 'saga' } },
    level: '50',
    isError: true,
    isSagaEvent: true,
  });
});

t.test('the whole level is compared, as text', async (t) => {
  const levels = [50, 5, 500, '50', 'error', 'terror', null, 50.5, true];
  const errors = levels.filter((level) => parseLogLine(JSON.stringify({ level }), options).isError);
  t.strictSame(errors, [50, '50', 'error']);
  t.equal(parseLogLine('{"level":50.0}', options).level, '50.0');
  t.equal(parseLogLine('{"level":null}', options).level, undefined);
});

t.test('a field is a key or names joined by dots', async (t) => {
  const parse = (levelField: string, text: string) => parseLogLine(text, { ...options, levelField }).level;
  t.equal(parse('log.level', '{"log.level":"warn","log":{"level":"no"}}'), 'warn');
  t.equal(parse('log.level', '{"log":{"level":"warn"}}'), 'warn');
  t.equal(parse('@level', '{"@level":"warn"}'), 'warn');
  t.equal(parse('the level', '{"the level":"warn"}'), 'warn');
  t.equal(parse('a b.level', '{"a b":{"level":"warn"}}'), undefined);
  t.equal(parse('toString', '{}'), undefined);
  t.equal(parse('__proto__', '{"__proto__":"x"}'), 'x');
});

t.test('text before the object does not hide it', async (t) => {
  for (const prefix of [
    'app-1  | ',
    '2026-11-20T14:30:12.345678901Z ',
    'app-1 | {blue} [1] ',
    '\u001b[36mapp |\u001b[0m ',
  ]) {
    t.equal(parseLogLine(`${prefix}{"level":40}`, options).level, '40', prefix);
  }
  t.equal(parseLogLine('app-1 | {"level":40}   ', options).level, '40');
});

t.test('a line that is not JSON is a line', async (t) => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  for (const text of ['', 'GET / tr-1', '{"level":50', '{level:50}', '[{"level":50}]!', '}{', '{{{{{{{"level":50}']) {
    t.match(parseLogLine(text, options), { text, level: undefined, isError: false, isSagaEvent: false }, text);
    t.equal(parseLogLine(text, options).fields, undefined, text);
  }
  t.equal(parseLogLine(deep, options).level, undefined);
  t.equal(parseLogLine('{'.repeat(1_000_000), options).fields, undefined);
  t.equal(parseLogLine(`${'{"a":'.repeat(200_000)}}`, options).fields, undefined);
});

t.test('without error pattern and saga event no line is classified', async (t) => {
  const line = parseLogLine('{"level":50}', { levelField: 'level', errorMatch: undefined, sagaEvent: undefined });
  t.match(line, { level: '50', isError: false, isSagaEvent: false });
});

t.test('terminal control sequences are removed, and hide nothing', async (t) => {
  const line = parseLogLine('\u001b[2Kapp-1  | \u001b[32m{"level":50,"text":"tab\there"}\u001b[0m', options);
  t.match(line, { text: 'app-1  | {"level":50,"text":"tab\there"}', isError: false });
  t.match(parseLogLine('\u001b[2Kapp-1  | {"level":50}\u001b[0m', options), {
    text: 'app-1  | {"level":50}',
    isError: true,
  });
  t.equal(parseLogLine('a\u0007b\rc\u009bd\u001b', options).text, 'a\ufffdb\ufffdc\ufffdd\ufffd');
  t.equal(parseLogLine('tab\there', options).text, 'tab\there');
});
