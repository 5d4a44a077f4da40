import { PassThrough } from 'node:stream';
import t, { type Test } from 'tap';
import type { ObservedQueryResult } from '../../../src/check/observation.ts';
import { ReportSchema } from '../../../src/contract/report-schema.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import type { DatabaseQuery, TargetDatabase } from '../../../src/executor/database/target-database.ts';
import { defaultEvidenceWaitTimes } from '../../../src/executor/evidence/collect-evidence.ts';
import { listGrantWarnings } from '../../../src/executor/evidence/evidence-sources.ts';
import { createRunner } from '../../../src/executor/runs/runner.ts';
import { createValidator } from '../../../src/http/schema/validator.ts';
import { openStreamSource } from '../../../src/logs/sources/stream-source.ts';
import { createTargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import { compilePattern } from '../../../src/pattern/pattern.ts';
import type { LogStoreConfig } from '../../../src/project/project-config.ts';
import type { Report } from '../../../src/report/report.ts';
import { type RequestHandler, startHttpTarget } from '../../targets/http-target.ts';
import { createRunRequest, createTestProject } from '../test-project.ts';

const token = 'sekrit-token-0123456789';
const wire = createValidator<Report>(ReportSchema);
const times = { ...defaultEvidenceWaitTimes, checkedMs: 600, firstLineMs: 150, quietCheckedMs: 40 };

function logstore(): LogStoreConfig {
  const compiled = compilePattern('^(?:50|60)$');
  const errorMatch = 'pattern' in compiled ? compiled.pattern : undefined;
  const sagaEvent = { field: 'event', value: 'saga' };
  return { logFormat: 'json', correlationField: 'requestId', levelField: 'level', errorMatch, sagaEvent, services: [] };
}

/** A scenario of `layer`, with `queries` in VERIFY. */
function scenario(layer: string, checks: readonly string[], queries = ''): string {
  return `# Scenario: POST document

## Metadata

- ID: RT-POST-document
- Layer: ${layer}

## TRIGGER

POST \${INGESTION_URL}/api/v2/document
X-Request-Id: \${correlation_id}

## VERIFY

${queries}

## EXPECT

### Runnable

${checks.map((check) => `- ${check}`).join('\n')}
`;
}

type Bench = {
  readonly endLog: () => void;
  run(text: string, signal?: AbortSignal): Promise<Report>;
  readonly queries: DatabaseQuery[];
};
type BenchOptions = {
  /** Of the config's `logstore`. */
  readonly logstore?: Partial<LogStoreConfig> | 'none';
  /** Lines that the target writes for a request, with their delay in milliseconds. */
  readonly lines?: (id: string) => readonly { readonly afterMs: number; readonly text: string }[];
  readonly queryResults?: (queries: number) => ObservedQueryResult;
};

/** A target that responds with 201 and an id, writes a log, and has a database with scripted results. */
async function createBench(t: Test, { lines, queryResults, logstore: changes = {} }: BenchOptions): Promise<Bench> {
  const stream = new PassThrough();
  const log = lines && openStreamSource(stream, systemClock);
  const queries: DatabaseQuery[] = [];
  const handleRequest: RequestHandler = (request, response) => {
    for (const { afterMs, text } of lines?.(String(request.headers['x-request-id'])) ?? []) {
      setTimeout(() => stream.write(`${text}\n`), afterMs);
    }
    response.writeHead(201, { 'Content-Type': 'application/json' }).end('{"id":42,"kind":"contract"}');
  };
  const database: TargetDatabase | undefined = queryResults && {
    query: async (query) => queryResults(queries.push(query)),
    describe: async () => [],
    grants: async () => ({ writable: ['document'], unreadable: ['audit'], hidden: [], tooPowerful: ['SUPERUSER'] }),
    close: async () => undefined,
  };
  const target = await startHttpTarget(handleRequest);
  const dispatcher = createTargetDispatcher();
  const project = {
    ...createTestProject({ baseUrl: target.origin, token }),
    logstore: changes === 'none' ? undefined : { ...logstore(), ...changes },
  };
  const evidenceSources = { log, database };
  const runner = createRunner({
    project,
    dispatcher,
    clock: systemClock,
    version: '0.4.0',
    evidenceSources: evidenceSources,
    evidenceWaitTimes: times,
  });
  t.teardown(async () => {
    dispatcher.close();
    await log?.close();
    await target.close();
  });
  let runs = 0;
  const run = async (text: string, signal?: AbortSignal): Promise<Report> => {
    runs += 1;
    const report = await runner.execute(createRunRequest(text, { runId: `20261120T14301234${runs}` }), { signal });
    t.strictSame(wire.isValid(report) ? [] : wire.listViolations(report, true), [], 'the report fits the wire');
    return report;
  };
  return { run, queries, endLog: () => void stream.end() };
}

const json = (value: object): string => JSON.stringify(value);
const rows = (...values: readonly (readonly (string | number | null)[])[]): ObservedQueryResult => ({
  kind: 'rows',
  columns: ['id', 'status'],
  rows: values,
  rowCount: values.length,
  more: false,
});

t.test('the log line of a scenario without log checks is reported and does not change the result', async (t) => {
  const { run } = await createBench(t, {
    lines: (id) => [
      { afterMs: 0, text: json({ level: 30, requestId: 'tr-of-another', msg: 'noise' }) },
      { afterMs: 25, text: json({ level: 50, requestId: id, msg: 'request completed' }) },
    ],
  });
  const report = await run(scenario('HTTP Ingestion', ['status=201']));
  t.match(report, {
    result: 'passed',
    log: { line_count: 1, error_count: 1, saga_event_count: 0, lines: [{ level: '50', error: true }], problem: null },
  });
  t.ok((report.timings.evidence_ms ?? 0) >= 20);
  t.ok(report.timings.total_ms < (report.timings.evidence_ms ?? 0) + report.timings.total_ms);
});

t.test('a log that has ended is not awaited, and is reported', async (t) => {
  const { run, endLog } = await createBench(t, { lines: () => [] });
  endLog();
  await new Promise((resolve) => setImmediate(resolve));
  const report = await run(scenario('HTTP Ingestion + Log', ['status=201', 'log lines>=1']));
  t.match(report, { result: 'failed', failure: { kind: 'evidence_unavailable' } });
  t.match(JSON.stringify(report), /standard input has ended/);
  t.ok((report.timings.evidence_ms ?? 0) < 100, `${report.timings.evidence_ms} ms`);
});

t.test('a missing line is reported with a fix', async (t) => {
  const { run } = await createBench(t, { lines: () => [] });
  const report = await run(scenario('HTTP Ingestion', ['status=201', 'body has id']));
  t.match(report, { result: 'passed', log: { line_count: 0 } });
  t.match(report.notes.join('\n'), /request-id logging is not in the running target/);
});

t.test('log checks wait for lines written after the response', async (t) => {
  const { run } = await createBench(t, {
    lines: (id) => [
      { afterMs: 0, text: json({ level: 30, requestId: id, msg: 'created' }) },
      { afterMs: 200, text: `${json({ level: 30, requestId: id, event: 'saga', step: 'notified' })}` },
    ],
  });
  const layer = 'HTTP Ingestion + Log';
  const passing = await run(
    scenario(layer, ['status=201', 'log errors=0', 'log saga_events>=1', 'log has step equals notified']),
  );
  t.match(passing, { result: 'passed', assertions_enforced_count: 0, evidence_assertions_count: 3 });
  const [created, notified] = passing.log?.lines.map(({ at_ms: atMs = -1 }) => atMs) ?? [];
  const { first_byte_ms: firstByteMs, total_ms: totalMs, evidence_ms: evidenceMs } = passing.timings;
  const lineTimes = [0, created ?? -1, notified ?? -1, totalMs + (evidenceMs ?? 0)];
  t.same(
    lineTimes,
    lineTimes.toSorted((a, b) => a - b),
    'in the time of the run',
  );
  t.ok((notified ?? 0) > (firstByteMs ?? 0), 'the second line came after the response');
  const failing = await run(scenario(layer, ['status=201', 'log saga_events>=2']));
  t.match(failing, {
    result: 'failed',
    failure: { kind: 'evidence_mismatch' },
    failed_checks: [{ text: 'log saga_events>=2' }],
  });
});

const layerWithLog = 'HTTP Ingestion + Log';
const failingLine = (id: string) => [{ afterMs: 0, text: json({ level: 50, requestId: id, msg: 'disk full' }) }];

t.test('log errors=0 is not judged while the config does not tell errors', async (t) => {
  const incomplete: (readonly [BenchOptions['logstore'], RegExp])[] = [
    ['none', /level_field` and `observability\.logstore\.error_match/],
    [{ errorMatch: undefined }, /^the log does not tell which lines are errors: .*error_match` missing/],
    [{ levelField: undefined }, /level_field` missing/],
    [{ levelField: 'lvl' }, /the field `lvl` .* is missing in the line of the run/],
  ];
  for (const [logstore, message] of incomplete) {
    const { run } = await createBench(t, { lines: failingLine, logstore });
    const report = await run(scenario(layerWithLog, ['status=201', 'log errors=0']));
    t.match(report, {
      result: 'failed',
      failure: { kind: 'evidence_unavailable', message, cure: /observability\.logstore/ },
      checks: [{ outcome: 'passed' }, { outcome: 'not_judged' }],
      evidence_assertions_count: 0,
      log: { errors_unknown: { cure: /level_field|error_match/ } },
    });
    t.ok((report.timings.evidence_ms ?? 0) < 550, 'waiting would not help');
    t.match(await run(scenario(layerWithLog, ['status=201', 'log lines>=1', 'log has msg'])), { result: 'passed' });
  }
});

t.test('a line of another form leaves errors=0 open, and one known error decides it', async (t) => {
  const accessLog = (id: string) => ({ afterMs: 0, text: `GET /api/v2/document 201 ${id}` });
  const mixed = await createBench(t, {
    lines: (id) => [accessLog(id), { afterMs: 0, text: json({ level: 30, requestId: id }) }],
  });
  t.match(await mixed.run(scenario(layerWithLog, ['status=201', 'log errors=0'])), {
    failure: { kind: 'evidence_unavailable', message: /no JSON object in 1 of the 2 lines of the run/ },
  });
  t.match(await mixed.run(scenario(layerWithLog, ['status=201', 'log errors<=1', 'log saga_events<2'])), {
    result: 'passed',
  });
  const failing = await createBench(t, { lines: (id) => [accessLog(id), ...failingLine(id)] });
  t.match(await failing.run(scenario(layerWithLog, ['status=201', 'log errors=0'])), {
    failure: { kind: 'evidence_mismatch' },
  });
});

t.test('a wrong correlation_field is told with the field that held the id', async (t) => {
  const lines = (id: string) => [{ afterMs: 0, text: json({ level: 30, traceId: id }) }];
  const { run } = await createBench(t, { lines });
  const report = await run(scenario(layerWithLog, ['status=201', 'log errors=0']));
  t.match(report, {
    result: 'passed',
    log: {
      unseen: [
        { member: 'correlation_field', field: 'requestId' },
        { member: 'saga_event_field', field: 'event' },
      ],
    },
  });
  t.same(report.notes, [
    '`observability.logstore.correlation_field` is `requestId`, and no line of the run has its id there: set it to the ' +
      'field that the target writes, here `traceId`',
  ]);
});

t.test('a log that never gave a line satisfies no bound', async (t) => {
  const silent = await createBench(t, { lines: () => [] });
  t.match(await silent.run(scenario(layerWithLog, ['status=201', 'log lines<=3'])), {
    failure: { kind: 'evidence_unavailable', message: /no line at all has come from the log/ },
  });
  const alive = await createBench(t, { lines: () => [{ afterMs: 0, text: 'of nobody' }] });
  t.match(await alive.run(scenario(layerWithLog, ['status=201', 'log lines=0'])), { result: 'passed' });
});

t.test('queries use values of the response, and are repeated until their checks hold', async (t) => {
  const { run, queries } = await createBench(t, {
    queryResults: (count) => (count < 3 ? rows() : rows([42, 'stored'])),
  });
  const sql = '```sql\nSELECT id, status FROM document WHERE id = ${body.id} AND request = ${correlation_id}\n```';
  const report = await run(
    scenario(
      'HTTP Ingestion + Database',
      ['status=201', 'db rows=1', 'db has status equals stored', 'db has id > 41'],
      sql,
    ),
  );
  t.match(report, {
    result: 'passed',
    evidence_assertions_count: 3,
    queries: [{ name: 'query', row_count: 1, columns: ['id', 'status'], rows: [['42', 'stored']], problem: null }],
  });
  t.ok((report.queries[0]?.at_ms ?? 0) > report.timings.total_ms, 'the last time that it was sent');
  t.equal(queries.length, 3);
  t.match(queries[0], { sql: /id = \$1 AND request = \$2/, values: ['42', report.correlation_id] });
});

t.test('unavailable evidence fails the run with a fix', async (t) => {
  const { run } = await createBench(t, {});
  const sql = '```sql\nSELECT 1\n```';
  const database = await run(scenario('HTTP Ingestion + Database', ['status=201', 'db rows=1'], sql));
  t.match(database, { result: 'failed', failure: { kind: 'evidence_unavailable', cure: /targets\.database/ } });
  t.match(database.queries, [{ problem: /names no database/ }]);
  const log = await run(scenario('HTTP Ingestion + Log', ['status=201', 'log errors=0']));
  t.match(log, { result: 'failed', failure: { kind: 'evidence_unavailable', cure: /--log/ } });
  for (const { timings } of [database, log]) t.ok((timings.evidence_ms ?? 0) < 300, 'and is not waited for');
});

t.test('a text that ends in an ellipsis does not reveal the beginning of a secret', async (t) => {
  const guesses = [`${token.slice(0, 9)}…`, 'sekrit-xx…', `${token.slice(0, -1)}…`];
  const { run } = await createBench(t, { queryResults: () => rows([1, guesses.join(' ')]) });
  const sql = '```sql\nSELECT id, status FROM document\n```';
  const report = await run(
    scenario('HTTP Ingestion + Database', ['status=201', `db has status equals ${guesses.join(' ')}`], sql),
  );
  t.match(report, { result: 'passed', queries: [{ rows: [['1', guesses.join(' ')]] }] });
});

t.test('a refused query is sent once', async (t) => {
  const refusedRows: ObservedQueryResult = {
    kind: 'unavailable',
    problem: 'it calls pg_sleep',
    cure: 'remove it',
    isFinal: true,
  };
  const { run, queries } = await createBench(t, { queryResults: () => refusedRows });
  const sql = '```sql\nSELECT pg_sleep(1)\n```';
  const report = await run(scenario('HTTP Ingestion + Database', ['status=201', 'db rows=1'], sql));
  t.match(report, { failure: { kind: 'evidence_unavailable' }, queries: [{ problem: 'it calls pg_sleep' }] });
  t.equal(queries.length, 1);
});

t.test('a cancellation while waiting for evidence cancels the run unless its evidence was complete', async (t) => {
  const cancellation = new AbortController();
  const { run, queries } = await createBench(t, {
    queryResults: () => {
      if (queries.length > 1) cancellation.abort();
      return rows();
    },
  });
  const sql = '```sql\nSELECT id, status FROM document\n```';
  const text = (check: string): string => scenario('HTTP Ingestion + Database', ['status=201', check], sql);
  const waiting = await run(text('db rows=1'), cancellation.signal);
  t.match(waiting, { result: null, failure: null });
  t.match(waiting.notes.join(), /cancelled while its log and database were being read/);
  t.match(await run(text('db rows=0'), AbortSignal.timeout(60_000)), { result: 'passed' });
});

t.test('secrets in the log and in rows are neither displayed nor guessable', async (t) => {
  const { run } = await createBench(t, {
    lines: (id) => [{ afterMs: 0, text: json({ level: 30, requestId: id, authorization: `Bearer ${token}` }) }],
    queryResults: () => rows([1, token]),
  });
  const sql = '```sql\nSELECT id, status FROM document\n```';
  const guesses = ['log has authorization matching ^Bearer s', 'db has status matching ^sekrit'];
  const report = await run(scenario('HTTP Ingestion + Database + Log', ['status=201', ...guesses], sql));
  t.same(
    report.checks.map(({ outcome }) => outcome),
    ['passed', 'failed', 'failed'],
  );
  t.notMatch(JSON.stringify(report), /sekrit-token/);
});

t.test('a run that queries says when the database user may write', async (t) => {
  const { run } = await createBench(t, { queryResults: () => rows([1, 'stored']) });
  const sql = '```sql\nSELECT id, status FROM document\n```';
  const { result, notes } = await run(scenario('HTTP Ingestion + Database', ['status=201', 'db rows=1'], sql));
  t.equal(result, 'passed');
  t.match(
    notes.join('\n'),
    /may do more than read: SUPERUSER(?:.|\n)*has permission to write: document: give it SELECT only/,
  );
  t.same((await run(scenario('HTTP Ingestion', ['status=201', 'body has id']))).notes, []);
});

t.test('excess permissions of the database user cause a warning', async (t) => {
  const grants = async () => ({
    writable: ['document'],
    unreadable: ['audit'],
    hidden: [],
    tooPowerful: ['SUPERUSER'],
  });
  const database = { grants, query: async () => rows(), describe: async () => [], close: async () => undefined };
  t.match(await listGrantWarnings(database, 'reader'), [
    { code: 'EVIDENCE_DATABASE_POWERFUL', message: /SUPERUSER/ },
    { code: 'EVIDENCE_DATABASE_WRITABLE', cure: /REVOKE .* FROM reader/ },
    { code: 'EVIDENCE_DATABASE_UNREADABLE', message: /audit/, cure: /GRANT SELECT/ },
  ]);
});
