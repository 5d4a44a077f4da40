import t from 'tap';
import { createRedactor } from '../../../src/executor/redaction/redactor.ts';
import { createLogObserver, type LogObserverOptions } from '../../../src/logs/lines/observed-log.ts';

const options = {
  levelField: 'level',
  errorMatch: { test: (level: string) => level === '50' },
  sagaEvent: { field: 'saga', value: 'done' },
};
const runId = 'tr-20261120T143012345';
const buildObservedLog = (
  texts: readonly string[],
  format: LogObserverOptions['format'],
  redact: LogObserverOptions['redact'],
) => createLogObserver({ format, runId, redact, startMonotonicMs: 0 })(texts, false);
const { redactText: redact } = createRedactor(['s3cr3t-value', '73519284']);

function lines(log: ReturnType<typeof buildObservedLog>) {
  if (log.kind !== 'lines') throw new Error(log.problem);
  return log;
}

t.test('every line is counted, the first 200 are reported', async (t) => {
  const texts = Array.from({ length: 1000 }, (_, n) =>
    JSON.stringify({ n, level: n % 10 ? 30 : 50, saga: n % 4 ? 'x' : 'done' }),
  );
  const log = lines(buildObservedLog(texts, options, redact));
  t.match(log, { lineCount: 1000, errorCount: 100, sagaEventCount: 250 });
  t.equal(log.lines.length, 200);
  t.match(log.lines[199], { text: texts[199], fields: { n: 199 } });
});

t.test('an empty list of lines is not unavailable evidence', async (t) => {
  t.strictSame(buildObservedLog([], options, redact), {
    kind: 'lines',
    lines: [],
    lineCount: 0,
    errorCount: 0,
    sagaEventCount: 0,
    gaps: { lines: undefined, errors: undefined, sagaEvents: undefined, fields: undefined, unseen: [] },
  });
});

t.test('secrets are removed from the text and every field, including numbers and names', async (t) => {
  const text = '{"level":30,"a":{"b":["Bearer s3cr3t-value",73519284,1.50]},"s3cr3t-value":null,"ok":true}';
  const [line] = lines(buildObservedLog([text], options, redact)).lines;
  t.notMatch(JSON.stringify(line), /s3cr3t|73519284/);
  t.match(line?.fields, { a: { b: ['Bearer [redacted]', '[redacted]'] }, '[redacted]': null, ok: true, level: 30 });
  t.equal(
    JSON.stringify(line?.fields),
    '{"level":30,"a":{"b":["Bearer [redacted]","[redacted]",1.50]},"[redacted]":null,"ok":true}',
  );
});

t.test('a level that is a secret still counts, and is not displayed', async (t) => {
  const log = lines(buildObservedLog(['{"level":50}'], options, (text) => text.replaceAll('50', '[redacted]')));
  t.equal(log.errorCount, 1);
  t.equal(log.lines[0]?.level, '[redacted]');
});

t.test('long text is cut after redaction, and never within a secret', async (t) => {
  const secrets = `${'x'.repeat(4085)}s3cr3t-value${'y'.repeat(500_000)}`;
  const [line] = lines(buildObservedLog([secrets], options, redact)).lines;
  t.equal(line?.text, `${'x'.repeat(4085)}[redacted]…`);
  const many = Array.from({ length: 7000 }, () => 's3cr3t-value').join('');
  t.notMatch(lines(buildObservedLog([many], options, redact)).lines[0]?.text, /s3c/);
  const emoji = lines(buildObservedLog(['😀'.repeat(3000)], options, redact)).lines[0]?.text ?? '';
  t.ok(emoji.isWellFormed());
  t.ok(emoji.length <= 4096);
});

t.test('a line nested too deeply keeps its text', async (t) => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const log = lines(buildObservedLog([deep], options, redact));
  t.equal(log.lineCount, 1);
  t.equal(log.lines[0]?.text.length, 4096);
});

t.test('an observer of a growing list parses each line once', async (t) => {
  let read = 0;
  const countReads = (text: string): string => {
    read += 1;
    return text;
  };
  const observe = createLogObserver({ format: options, runId, redact: countReads, startMonotonicMs: 0 });
  const texts = ['one'];
  const first = observe(texts, false);
  texts.push('{"level":50}');
  const second = lines(observe(texts, false));
  t.match(first, { lineCount: 1, lines: [{ text: 'one' }] });
  t.match(second, { lineCount: 2, errorCount: 1 });
  t.equal(lines(first).lines.length, 1, 'what was given before does not grow');
  t.equal(read, 2 + 1 + 1 + 2, 'two texts, the first also as an example, a level, a field with its name');
});

t.test('each line knows when it came, counted from the start of the run', async (t) => {
  const observe = createLogObserver({ format: undefined, runId, redact: (text) => text, startMonotonicMs: 1000 });
  const observed = lines(observe(['one', 'two', 'three'], false, [1012.5, 990]));
  t.same(
    observed.lines.map(({ atMs }) => atMs),
    [12.5, 0, undefined],
  );
});
