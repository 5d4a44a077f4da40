import t from 'tap';
import type { ObservedLog, ObservedQuery } from '../../src/check/observed.ts';
import { wordsOf } from '../../src/errors/vp-error.ts';
import { evidenceHolds, evidenceNeeded } from '../../src/judge/evidence-checks.ts';
import { judge } from '../../src/judge/judge.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import type { Evidence } from '../../src/run/evidence.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { evidenceOf, faultOf, scenarioText } from './samples.ts';

const queries = '## VERIFY\n\n```sql one\nSELECT 1 AS a\n```\n\n```sql two\nSELECT 2 AS b\n```\n';

/** A scenario of the layer that sees everything, with two queries. */
function scenarioOf(...checks: string[]): Scenario {
  const text = scenarioText(checks).replace('HTTP Ingestion', 'HTTP Ingestion + Database + Log') + queries;
  const told: string[] = [];
  const scenario = parseScenario(text, {}, ({ severity, message }) => severity === 'error' && told.push(message));
  if (!scenario) throw new Error(told.join('; '));
  return scenario;
}

function rows(count: number): ObservedQuery {
  return { kind: 'rows', columns: ['a'], rows: Array.from({ length: count }, () => [1]), rowCount: count, more: false };
}

function log(lineCount: number, errorCount = 0): ObservedLog {
  const line = { text: 'x', fields: { level: 'info' }, level: 'info', isError: false, isSagaEvent: false };
  return {
    kind: 'lines',
    lines: Array.from({ length: lineCount }, () => line),
    lineCount,
    errorCount,
    sagaEventCount: 0,
  };
}

const away = { kind: 'unavailable', problem: 'it is away', cure: 'start it' } as const;

type Seen = { readonly one?: ObservedQuery; readonly two?: ObservedQuery; readonly log?: ObservedLog };

function besideOf({ one, two, log }: Seen): Pick<Evidence, 'log' | 'queries'> {
  const found = Object.entries({ one, two }).flatMap(([name, observed]) =>
    observed === undefined ? [] : [{ name, sql: 'SELECT 1', line: 1, observed, durationMs: 1 }],
  );
  return { log: log && { observed: log, waitedMs: 0 }, queries: found.length === 0 ? undefined : found };
}

function verdictOf(scenario: Scenario, seen: Seen, status = 200): Verdict {
  const sent = [['X-Request-Id', 'tr-1']] as const;
  return judge(scenario, { ...evidenceOf({ status, body: { a: 1 }, sent }), ...besideOf(seen) });
}

t.test('checks of log and database are counted on their own', async (t) => {
  const scenario = scenarioOf('status=200', 'body has a', 'db one rows=1', 'db one has a equals 1', 'log errors=0');
  const verdict = verdictOf(scenario, { one: rows(1), log: log(2) });
  t.match(verdict, { result: 'passed', failure: undefined, assertionsEnforcedCount: 1, evidenceAssertionsCount: 3 });
  t.same(verdict.notes, []);
});

t.test('the message says what did not satisfy the scenario', async (t) => {
  const scenario = scenarioOf('status=200', 'db one rows=1', 'log errors=0');
  const failure = (seen: Seen): Verdict['failure'] => verdictOf(scenario, seen).failure;
  const start = 'the response satisfied the scenario but';
  t.match(failure({ one: rows(2), log: log(1) }), {
    kind: 'evidence_mismatch',
    message: `${start} the database did not`,
    cure: 'compare expected and actual of line 19 `db one rows=1`; then correct the target or the scenario',
  });
  t.equal(failure({ one: rows(1), log: log(1, 1) })?.message, `${start} the log did not`);
  t.equal(failure({ one: rows(0), log: log(1, 1) })?.message, `${start} the database and the log did not`);
});

t.test('status and body decide before the evidence, which is judged all the same', async (t) => {
  const scenario = scenarioOf('status=200', 'body has a equals 2', 'db one rows=1', 'log errors=0');
  const seen = { one: rows(0), log: away };
  t.equal(verdictOf(scenario, seen, 500).failure?.kind, 'status_mismatch');
  const verdict = verdictOf(scenario, seen);
  t.equal(verdict.failure?.kind, 'body_mismatch');
  t.notMatch(verdict.failure?.cure, 'db one');
  t.same(
    verdict.checks.map(({ outcome }) => outcome?.passed),
    [true, false, false, undefined],
  );
  t.equal(verdict.evidenceAssertionsCount, 1);
});

t.test('evidence that is not to be had comes before evidence that is false', async (t) => {
  const scenario = scenarioOf('status=200', 'db one rows=1', 'db one has a', 'db two rows=1', 'log errors=0');
  const verdict = verdictOf(scenario, { one: away, two: rows(0), log: log(1) });
  t.same(verdict.failure, {
    kind: 'evidence_unavailable',
    message: 'the query `one` could not be looked at: it is away',
    cure: 'start it',
  });
  t.equal(verdict.evidenceAssertionsCount, 2);
});

t.test('where nobody looked, the cure says how to let somebody', async (t) => {
  const { failure } = verdictOf(scenarioOf('status=200', 'db one rows=1', 'log errors=0'), {});
  t.equal(failure?.kind, 'evidence_unavailable');
  const [database, log] = [wordsOf('EVIDENCE_DATABASE_ABSENT', {}), wordsOf('EVIDENCE_LOG_ABSENT', {})];
  const told = (where: string, { message }: { message: string }): string =>
    `${where} could not be looked at: ${message}`;
  t.equal(failure?.message, `${told('the query `one`', database)}; ${told('the log', log)}`);
  t.equal(failure?.cure, `${database.cure}; ${log.cure}`);
});

t.test('after a fault nothing beside the answer is judged', async (t) => {
  const scenario = scenarioOf('status=200', 'db one rows=1', 'log errors=0');
  const verdict = judge(scenario, evidenceOf({ status: 200, body: {}, fault: faultOf('timeout') }));
  t.same(
    verdict.checks.map(({ outcome }) => outcome?.passed),
    [true, undefined, undefined],
  );
  t.match(verdict, { failure: { kind: 'timeout' }, evidenceAssertionsCount: 0, assertionsEnforcedCount: 0 });
});

t.test('a run without a line in the log passes where none is asked for, and a note says why', async (t) => {
  const scenario = scenarioOf('status=200', 'body has a');
  const verdict = verdictOf(scenario, { log: log(0) });
  t.equal(verdict.result, 'passed');
  t.match(verdict.notes[0], /^no line .* request-id logging is not in the running target/);
  const without = judge(scenario, { ...evidenceOf({ status: 200, body: { a: 1 } }), ...besideOf({ log: log(0) }) });
  t.match(without.notes[0], 'add the header line `X-Request-Id: ${correlation_id}` to the scenario');
  t.match(verdictOf(scenario, { log: away }).notes[0], 'the log could not be looked at: it is away; start it');
});

t.test('without a line of the run no check of its log holds, and the cure is told once', async (t) => {
  for (const text of ['log errors=0', 'log saga_events=0']) {
    const verdict = verdictOf(scenarioOf('status=200', text), { log: log(0) });
    t.match(verdict, {
      result: 'failed',
      failure: { kind: 'evidence_mismatch', cure: /request-id logging/ },
      notes: [],
    });
  }
  const failed = verdictOf(scenarioOf('status=200', 'log lines>=1'), { log: log(0) });
  t.match(failed.failure?.cure, 'request-id logging');
  t.same(failed.notes, [], 'and once only');
});

t.test('a scenario with a status check and one of the database is none of the status alone', async (t) => {
  const verdict = verdictOf(scenarioOf('status=200', 'db one rows=1'), { one: rows(1) });
  t.same(verdict.notes, []);
  t.equal(verdict.assertionsEnforcedCount, 0);
  const bare = verdictOf(scenarioOf('db one rows=1'), { one: rows(1) }, 500);
  t.match(bare.notes[0], 'no check names the status, so 500 was accepted');
});

t.test('what is needed is what the checks look at', async (t) => {
  t.same(evidenceNeeded(scenarioOf('status=200')), { log: false, queries: [] });
  t.same(evidenceNeeded(scenarioOf('db two rows=1', 'db two has a', 'log errors=0')), { log: true, queries: ['two'] });
});

t.test('evidence holds when every check beside the answer does', async (t) => {
  const scenario = scenarioOf('status=500', 'body has nothing', 'db one rows=1', 'log lines>=1');
  const holds = (seen: Seen): boolean => evidenceHolds(scenario, besideOf(seen));
  t.ok(holds({ one: rows(1), log: log(1) }));
  t.notOk(holds({ one: rows(0), log: log(1) }));
  t.notOk(holds({ one: rows(1), log: log(0) }));
  t.notOk(holds({ one: rows(1), log: away }));
  t.notOk(holds({}));
  t.ok(evidenceHolds(scenarioOf('status=500'), {}), 'where there is none, all of it does');
});
