import t from 'tap';
import type { LogGaps, ObservedLog, ObservedQueryResult } from '../../src/check/observation.ts';
import { formatError } from '../../src/errors/vp-error.ts';
import { findRequiredEvidence, isEvidenceDecided } from '../../src/judge/evidence-checks.ts';
import { judge } from '../../src/judge/judge.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import type { Evidence } from '../../src/run/evidence.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { noGaps } from '../check/evidence-fixtures.ts';
import { createEvidence, createFailure, scenarioText } from './evidence-fixtures.ts';

const queries = '## VERIFY\n\n```sql one\nSELECT 1 AS a\n```\n\n```sql two\nSELECT 2 AS b\n```\n';

/** A scenario of the layer with database and log, with two queries. */
function createScenario(...checks: string[]): Scenario {
  const text = scenarioText(checks).replace('HTTP Ingestion', 'HTTP Ingestion + Database + Log') + queries;
  const errors: string[] = [];
  const scenario = parseScenario(text, {}, ({ severity, message }) => severity === 'error' && errors.push(message));
  if (!scenario) throw new Error(errors.join('; '));
  return scenario;
}

function rows(count: number): ObservedQueryResult {
  return { kind: 'rows', columns: ['a'], rows: Array.from({ length: count }, () => [1]), rowCount: count, more: false };
}

function log(lineCount: number, errorCount = 0, gaps: LogGaps = noGaps): ObservedLog {
  const line = { text: 'x', fields: { level: 'info' }, level: 'info', isError: false, isSagaEvent: false };
  return {
    kind: 'lines',
    lines: Array.from({ length: lineCount }, () => line),
    lineCount,
    errorCount,
    sagaEventCount: 0,
    gaps,
  };
}

const unavailable = { kind: 'unavailable', problem: 'it is away', cure: 'start it' } as const;

type FixtureEvidence = {
  readonly one?: ObservedQueryResult;
  readonly two?: ObservedQueryResult;
  readonly log?: ObservedLog;
};

function createLaterEvidence({ one, two, log }: FixtureEvidence): Pick<Evidence, 'log' | 'queries'> {
  const queryEntries = Object.entries({ one, two }).flatMap(([name, observed]) =>
    observed === undefined ? [] : [{ name, sql: 'SELECT 1', line: 1, observed, durationMs: 1 }],
  );
  return { log: log && { observed: log, waitedMs: 0 }, queries: queryEntries.length === 0 ? undefined : queryEntries };
}

function judgeWith(scenario: Scenario, evidence: FixtureEvidence, status = 200): Verdict {
  const sent = [['X-Request-Id', 'tr-1']] as const;
  return judge(scenario, { ...createEvidence({ status, body: { a: 1 }, sent }), ...createLaterEvidence(evidence) });
}

t.test('checks of the log and the database are counted separately', async (t) => {
  const scenario = createScenario('status=200', 'body has a', 'db one rows=1', 'db one has a equals 1', 'log errors=0');
  const verdict = judgeWith(scenario, { one: rows(1), log: log(2) });
  t.match(verdict, { result: 'passed', failure: undefined, assertionsEnforcedCount: 1, evidenceAssertionsCount: 3 });
  t.same(verdict.notes, []);
});

t.test('the message names the evidence that did not satisfy the scenario', async (t) => {
  const scenario = createScenario('status=200', 'db one rows=1', 'log errors=0');
  const failure = (evidence: FixtureEvidence): Verdict['failure'] => judgeWith(scenario, evidence).failure;
  const start = 'the response satisfied the scenario but';
  t.match(failure({ one: rows(2), log: log(1) }), {
    kind: 'evidence_mismatch',
    message: `${start} the database did not`,
    cure: 'compare expected and actual of line 19 `db one rows=1`; then correct the target or the scenario',
  });
  t.equal(failure({ one: rows(1), log: log(1, 1) })?.message, `${start} the log did not`);
  t.equal(failure({ one: rows(0), log: log(1, 1) })?.message, `${start} the database and the log did not`);
});

t.test('status and body decide before log and database, which are judged all the same', async (t) => {
  const scenario = createScenario('status=200', 'body has a equals 2', 'db one rows=1', 'log errors=0');
  const evidence = { one: rows(0), log: unavailable };
  t.equal(judgeWith(scenario, evidence, 500).failure?.kind, 'status_mismatch');
  const verdict = judgeWith(scenario, evidence);
  t.equal(verdict.failure?.kind, 'body_mismatch');
  t.notMatch(verdict.failure?.cure, 'db one');
  t.same(
    verdict.checks.map(({ outcome }) => outcome?.passed),
    [true, false, false, undefined],
  );
  t.equal(verdict.evidenceAssertionsCount, 1);
});

t.test('unavailable evidence is reported before failing evidence', async (t) => {
  const scenario = createScenario('status=200', 'db one rows=1', 'db one has a', 'db two rows=1', 'log errors=0');
  const verdict = judgeWith(scenario, { one: unavailable, two: rows(0), log: log(1) });
  t.same(verdict.failure, {
    kind: 'evidence_unavailable',
    message: 'the query `one` could not be read: it is away',
    cure: 'start it',
  });
  t.equal(verdict.evidenceAssertionsCount, 2);
});

t.test('where no source is configured, the fix says how to configure it', async (t) => {
  const { failure } = judgeWith(createScenario('status=200', 'db one rows=1', 'log errors=0'), {});
  t.equal(failure?.kind, 'evidence_unavailable');
  const [database, log] = [formatError('EVIDENCE_DATABASE_ABSENT', {}), formatError('EVIDENCE_LOG_ABSENT', {})];
  const describeMissing = (where: string, { message }: { message: string }): string =>
    `${where} could not be read: ${message}`;
  t.equal(failure?.message, `${describeMissing('the query `one`', database)}; ${describeMissing('the log', log)}`);
  t.equal(failure?.cure, `${database.cure}; ${log.cure}`);
});

t.test('after a failure checks of the log and the database are not judged', async (t) => {
  const scenario = createScenario('status=200', 'db one rows=1', 'log errors=0');
  const verdict = judge(scenario, createEvidence({ status: 200, body: {}, fault: createFailure('timeout') }));
  t.same(
    verdict.checks.map(({ outcome }) => outcome?.passed),
    [true, undefined, undefined],
  );
  t.match(verdict, { failure: { kind: 'timeout' }, evidenceAssertionsCount: 0, assertionsEnforcedCount: 0 });
});

t.test('a run without a log line passes where no check needs one, with a note', async (t) => {
  const scenario = createScenario('status=200', 'body has a');
  const verdict = judgeWith(scenario, { log: log(0) });
  t.equal(verdict.result, 'passed');
  t.match(verdict.notes[0], /^no line .* request-id logging is not in the running target/);
  const without = judge(scenario, {
    ...createEvidence({ status: 200, body: { a: 1 } }),
    ...createLaterEvidence({ log: log(0) }),
  });
  t.match(without.notes[0], 'add the header line `X-Request-Id: ${correlation_id}` to the scenario');
  t.match(judgeWith(scenario, { log: unavailable }).notes[0], 'the log could not be read: it is away; start it');
});

t.test('without a log line no check of the log passes, and the fix is given once', async (t) => {
  for (const text of ['log errors=0', 'log saga_events=0']) {
    const verdict = judgeWith(createScenario('status=200', text), { log: log(0) });
    t.match(verdict, {
      result: 'failed',
      failure: { kind: 'evidence_mismatch', cure: /request-id logging/ },
      notes: [],
    });
  }
  const failed = judgeWith(createScenario('status=200', 'log lines>=1'), { log: log(0) });
  t.match(failed.failure?.cure, 'request-id logging');
  t.same(failed.notes, [], 'and once only');
});

t.test('a scenario with a status check and a database check does not count as status only', async (t) => {
  const verdict = judgeWith(createScenario('status=200', 'db one rows=1'), { one: rows(1) });
  t.same(verdict.notes, []);
  t.equal(verdict.assertionsEnforcedCount, 0);
  const bare = judgeWith(createScenario('db one rows=1'), { one: rows(1) }, 500);
  t.match(bare.notes[0], 'no check names the status, so 500 was accepted');
});

t.test('the required evidence is what the checks look at', async (t) => {
  t.same(findRequiredEvidence(createScenario('status=200')), { log: false, queries: [] });
  t.same(findRequiredEvidence(createScenario('db two rows=1', 'db two has a', 'log errors=0')), {
    log: true,
    queries: ['two'],
  });
});

t.test('evidence holds when every check of the log and the database passes', async (t) => {
  const scenario = createScenario('status=500', 'body has nothing', 'db one rows=1', 'log lines>=1');
  const holds = (evidence: FixtureEvidence): boolean => isEvidenceDecided(scenario, createLaterEvidence(evidence));
  t.ok(holds({ one: rows(1), log: log(1) }));
  t.notOk(holds({ one: rows(0), log: log(1) }));
  t.notOk(holds({ one: rows(1), log: log(0) }));
  t.notOk(holds({ one: rows(1), log: unavailable }));
  t.notOk(holds({}));
  t.ok(isEvidenceDecided(createScenario('status=500'), {}), 'where there is none, all of it does');
});

t.test('a count that is exceeded is decided, because lines only come; one that may be reached is not', async (t) => {
  const isDecided = (check: string, lines: number, errors: number): boolean =>
    isEvidenceDecided(createScenario('status=200', check), createLaterEvidence({ log: log(lines, errors) }));
  t.ok(isDecided('log errors=0', 2, 1));
  t.ok(isDecided('log lines<=1', 2, 0));
  t.ok(isDecided('log lines<2', 2, 0));
  t.notOk(isDecided('log lines=3', 2, 0));
  t.notOk(isDecided('log lines>=3', 2, 0));
  t.notOk(isDecided('log errors!=1', 2, 1));
  const both = createScenario('status=200', 'log errors=0', 'log lines>=3');
  t.notOk(isEvidenceDecided(both, createLaterEvidence({ log: log(2, 1) })), 'the other one may still pass');
  t.ok(isEvidenceDecided(both, createLaterEvidence({ log: log(3, 1) })));
});

t.test('a configured field that no line has is noted; that of saga events where a check counts them', async (t) => {
  const unseen = [
    { member: 'correlation_field', field: 'reqId', instead: 'requestId' },
    { member: 'saga_event_field', field: 'event' },
  ] as const;
  const { message, cure } = formatError('EVIDENCE_FIELD_UNSEEN', {
    member: 'correlation_field',
    field: 'reqId',
    missing: 'has its id there',
    instead: ', here `requestId`',
  });
  const evidence = { log: log(1, 0, { unseen }) };
  t.same(judgeWith(createScenario('status=200', 'body has a', 'log errors=0'), evidence).notes, [
    `${message}: ${cure}`,
  ]);
  const { result, notes } = judgeWith(createScenario('status=200', 'body has a', 'log saga_events=0'), evidence);
  t.equal(result, 'passed');
  t.match(notes[1], '`observability.logstore.saga_event_field` is `event`, and no line of the run has that field');
});
