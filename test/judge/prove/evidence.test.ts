import t from 'tap';
import type { Json } from '../../../src/check/json/json.ts';
import { getCheckKind } from '../../../src/check/kinds.ts';
import {
  emptyObservation,
  type Observation,
  type ObservedLine,
  type ObservedLog,
  type ObservedQueryResult,
} from '../../../src/check/observation.ts';
import { parseCheck } from '../../../src/check/parse-check.ts';
import type { Proof } from '../../../src/judge/prove/proof.ts';
import { prove } from '../../../src/judge/prove/prove.ts';
import { judgeCheck } from '../../check/check-fixtures.ts';
import { noGaps } from '../../check/evidence-fixtures.ts';

const position = { line: 1, column: 1, offset: 0 };

/** The proof of checks of the log and the database. The first check stands in line 1. */
function createProof(texts: readonly string[], more: Pick<Observation, 'log' | 'database' | 'conceal'>): Proof {
  const observed: Observation = { ...emptyObservation, status: 200, ...more };
  const checks = texts.map((text, index) => {
    const check = parseCheck(text, () => {});
    if (!check) throw new Error(`no check: ${text}`);
    const outcome = judgeCheck(check, observed);
    if (!outcome.passed) throw new Error(`${text}: ${outcome.actual}`);
    const start = { ...position, line: index + 1 };
    return { check, text, range: { start, end: start }, outcome, counted: false, definition: getCheckKind(check) };
  });
  return prove({ result: 'passed', checks }, observed);
}

function createLine(fields: { readonly [key: string]: Json }, more: Partial<ObservedLine> = {}): ObservedLine {
  return { text: JSON.stringify(fields), fields, level: undefined, isError: false, isSagaEvent: false, ...more };
}

function createLog(...lines: ObservedLine[]): ObservedLog {
  const errorCount = lines.filter(({ isError }) => isError).length;
  const sagaEventCount = lines.filter(({ isSagaEvent }) => isSagaEvent).length;
  return { kind: 'lines', lines, lineCount: lines.length, errorCount, sagaEventCount, gaps: noGaps };
}

function createRows(columns: readonly string[], ...rows: Json[][]): ObservedQueryResult {
  return { kind: 'rows', columns, rows, rowCount: rows.length, more: false };
}

const verdicts = ({ checks }: Proof): [string, string | undefined][] =>
  checks.map(({ verdict, example }) => [verdict, example]);

t.test('checks of the log are proven by other lines, levels and events', async (t) => {
  const log = createLog(
    createLine({ level: 'info', to: 'signed' }, { isSagaEvent: true }),
    createLine({ level: 'info' }),
  );
  const checks = ['log errors=0', 'log saga_events=1', 'log has to equals signed', 'log has level matching .*'];
  t.same(verdicts(createProof(checks, { log })), [
    ['proven', 'the log has one error more'],
    ['proven', 'the log has one saga event more'],
    ['proven', '`to` of the run’s lines is null'],
    ['never_fails', '`level` of the run’s lines is gone'],
  ]);
});

t.test('a bound that every number of lines satisfies never fails', async (t) => {
  const log = createLog(createLine({ a: 1 }));
  t.match(verdicts(createProof(['log lines>=0'], { log })), [['never_fails', undefined]]);
  t.match(verdicts(createProof(['log lines>=1'], { log })), [['proven', 'the log has no line of the run']]);
  t.match(verdicts(createProof(['log has a'], { log })), [['proven', '`a` of the run’s lines is gone']]);
});

t.test('checks of the database are proven by other rows and columns', async (t) => {
  const database = new Map([['document', createRows(['id', 'status'], [7, 'signed'])]]);
  const checks = ['db rows=1', 'db has status equals signed', 'db document has id matching .*'];
  t.same(verdicts(createProof(checks, { database })), [
    ['proven', 'query `document` gives one row more'],
    ['proven', 'column `status` is an empty text'],
    ['never_fails', 'column `id` is gone'],
  ]);
  t.match(verdicts(createProof(['db rows>=0'], { database })), [['never_fails', undefined]]);
  t.match(verdicts(createProof(['db has id'], { database })), [['proven', 'column `id` is gone']]);
});

t.test('each check is proven with mutations of its own query', async (t) => {
  const database = new Map([
    ['one', createRows(['a'], [1], [1])],
    ['two', createRows(['a'], [2])],
  ]);
  const { checks } = createProof(['db one has a equals 1', 'db one rows>=1', 'db two rows=1'], { database });
  t.same(
    checks.map(({ verdict, coveredBy }) => [verdict, coveredBy]),
    [
      ['proven', []],
      ['covered', [1]],
      ['proven', []],
    ],
  );
});

t.test('descriptions contain no values of the log or the database', async (t) => {
  const log = createLog(createLine({ who: 'ana-of-accounts' }));
  const database = new Map([['q', createRows(['who'], ['ana-of-accounts'])]]);
  const proof = createProof(['log has who matching ^ana', 'db has who matching ^ana'], { log, database });
  t.notMatch(JSON.stringify(proof), 'ana-of-accounts');
});

t.test('unchecked columns, rows and counts are listed with a check that passes', async (t) => {
  const columns = ['id', 'status', 'sent at', 'gone', 'copies'];
  const row = (id: string, status: string): Json[] => [id, status, '2026-01-06 10:00:00', null, 2];
  const database = new Map([
    ['query', createRows(columns, row('document-1', 'signed'), row('document-2', 'open'))],
    ['empty', createRows(['id'])],
  ]);
  const log = createLog(createLine({ a: 1 }, { isSagaEvent: true }));
  const { unchecked } = createProof(['status=200', 'db query has id', 'log lines=1'], { database, log });
  t.same(
    unchecked.map(({ suggestion, value }) => [suggestion, value]),
    [
      ['db query rows=2', '2'],
      ['db query has status matching \\S', '"signed"'],
      ['db query has "sent at" matching ^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}', '"2026-01-06 10:00:00"'],
      ['db query has copies matching ^[0-9]+$', '2'],
      ['db empty rows=0', '0'],
      ['log errors=0', '0'],
      ['log saga_events>=1', '1'],
      ['log has a matching ^[0-9]+$', '1'],
    ],
  );
  const suggested = unchecked.map(({ suggestion }) => suggestion);
  t.same(createProof(['status=200', 'db query has id', 'log lines=1', ...suggested], { database, log }).unchecked, []);
});

t.test(
  'unchecked log fields are listed, rare ones first, without those that the logger adds to every line',
  async (t) => {
    const common = {
      level: 30,
      time: 1_763_649_012_345,
      pid: 7,
      hostname: 'app-1',
      reqId: 'tr-20261120T143012345-abc',
    };
    const log = createLog(
      createLine({ ...common, service: 'signing', msg: 'document is signed by ana' }),
      createLine({ ...common, service: 'signing', event: 'document_signed', doc: { state: 'signed', durationMs: 12 } }),
    );
    const suggestions = (checks: readonly string[]) =>
      createProof(['status=200', ...checks], { log }).unchecked.map(({ suggestion }) => suggestion);
    t.same(suggestions(['log errors=0']), [
      'log has event equals document_signed',
      'log has doc.state equals signed',
      'log has service equals signing',
    ]);
    t.same(suggestions(['log errors=0', 'log has event equals document_signed', 'log has service']), [
      'log has doc.state equals signed',
    ]);
    t.same(suggestions([]), [], 'only where a check looks at the log');
    const many = createLog(createLine(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${n}`, 'on']))));
    t.equal(createProof(['status=200', 'log errors=0'], { log: many }).unchecked.length, 8);
  },
);

t.test('a secret in a log line is not disclosed', async (t) => {
  const conceal = (text: string): string => text.replaceAll('sekrit-token-1', '[redacted]');
  const log = createLog(createLine({ sent: 'sekrit-token-1', mode: 'live' }));
  const proof = createProof(['status=200', 'log errors=0'], { log, conceal });
  t.notMatch(JSON.stringify(proof), 'sekrit');
  t.match(JSON.stringify(proof), 'log has mode equals live');
});

t.test('no check of an unchecked log is suggested, and a secret in a column is not disclosed', async (t) => {
  const log = createLog(createLine({ a: 1 }, { isSagaEvent: true }));
  t.same(createProof(['status=200'], { log }).unchecked, []);
  const database = new Map([['query', createRows(['token'], ['sekrit-token-1'])]]);
  const conceal = (text: string): string => text.replaceAll('sekrit-token-1', '[redacted]');
  const proof = createProof(['status=200', 'db rows=1'], { database, conceal });
  t.notMatch(JSON.stringify(proof), 'sekrit');
  t.same(
    proof.unchecked.map(({ suggestion }) => suggestion),
    ['db has token matching \\S'],
  );
});

t.test('a count of saga events is not proven while no line has their field', async (t) => {
  const line = createLine({ level: 30 });
  const unseen = [{ member: 'saga_event_field', field: 'event' }] as const;
  const log: ObservedLog = { ...noLog, lines: [line], lineCount: 1, gaps: { unseen } };
  t.match(createProof(['log saga_events=0', 'log errors=0'], { log }).checks, [
    { verdict: 'not_tried', advice: /no line of the run has the field `event`/ },
    { verdict: 'proven' },
  ]);
  const gaps = { ...noGaps, errors: { lineCount: 'every', problem: 'no error_match', cure: 'add it' } } as const;
  const unknown = createProof(['log lines=1'], { log: { ...log, gaps } });
  t.notMatch(JSON.stringify(unknown.unchecked), 'log errors', 'no check is proposed that could not be judged');
});

const noLog = { kind: 'lines', lines: [], lineCount: 0, errorCount: 0, sagaEventCount: 0 } as const;
