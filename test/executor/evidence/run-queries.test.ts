import t from 'tap';
import type { ObservedQueryResult } from '../../../src/check/observation.ts';
import type { TargetDatabase } from '../../../src/executor/database/target-database.ts';
import { runQueries } from '../../../src/executor/evidence/run-queries.ts';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';
import { buildScenarioText, parseValid } from '../../scenario/samples.ts';

const foundRows: ObservedQueryResult = { kind: 'rows', columns: ['n'], rows: [[1]], rowCount: 1, more: false };
const cancelled: ObservedQueryResult = { kind: 'unavailable', problem: 'cancelled', cure: 'again' };

/** A database whose queries take `eachMs` unless cancelled. */
function createSlowDatabase(clock: FakeClock, eachMs: number): TargetDatabase & { queryCount: number } {
  const database = {
    queryCount: 0,
    async query(_query: unknown, { signal }: { signal?: AbortSignal } = {}) {
      database.queryCount += 1;
      if (signal?.aborted) return cancelled;
      for (let passedMs = 0; passedMs < eachMs; passedMs += 100) {
        clock.advance(100);
        if (signal?.aborted) return cancelled;
      }
      return foundRows;
    },
    describe: async () => [],
    grants: async () => ({ writable: [], unreadable: [], hidden: [], tooPowerful: [] }),
    close: async () => undefined,
  };
  return database;
}

const texts = Array.from({ length: 20 }, (_, index) => `\`\`\`sql q${index}\nSELECT ${index} AS n\n\`\`\``);
const queries = parseValid(
  buildScenarioText({
    metadata: '- ID: RT-1\n- Layer: HTTP Ingestion + Database',
    checks: texts.map((_, index) => `- db q${index} rows=1`).join('\n'),
    more: `## VERIFY\n\n${texts.join('\n\n')}`,
  }),
).queries;

function createOptions(clock: FakeClock, database: TargetDatabase, timeoutMs: number) {
  const values = { origin: 'http://app', correlationId: 'tr-1', variables: {} };
  return {
    queries,
    database,
    values,
    body: { kind: 'empty' as const },
    conceal: undefined,
    clock,
    timeoutMs,
    startMonotonicMs: 0,
  };
}

t.test('queries that are fast enough in total all run', async (t) => {
  const clock = fakeClock();
  const database = createSlowDatabase(clock, 400);
  const results = await runQueries(createOptions(clock, database, 10_000));
  t.equal(database.queryCount, 20);
  t.ok(results.every(({ observed }) => observed.kind === 'rows'));
});

t.test('twenty slow queries take at most the TIMEOUT of their scenario in total, which is reported', async (t) => {
  const clock = fakeClock();
  const startMs = clock.monotonicMs();
  const results = await runQueries(createOptions(clock, createSlowDatabase(clock, 4000), 10_000));
  t.equal(clock.monotonicMs() - startMs, 10_000);
  t.strictSame(
    results.map(({ observed }) => observed.kind),
    [...Array(2).fill('rows'), ...Array(18).fill('unavailable')],
  );
  t.match(results.at(-1), {
    name: 'q19',
    observed: { problem: /longer in total than the scenario’s TIMEOUT of 10 s/, cure: /raise TIMEOUT/ },
  });
  t.not(results.at(-1)?.observed, cancelled, 'EVIDENCE_QUERIES_SLOW');
});

t.test('a cancellation is reported as such, whatever time remains', async (t) => {
  const clock = fakeClock();
  const results = await runQueries(createOptions(clock, createSlowDatabase(clock, 100), 10_000), AbortSignal.abort());
  t.ok(results.every(({ observed }) => observed === cancelled));
});
