import t from 'tap';
import type { ObservedQuery } from '../../src/check/observed.ts';
import { askQueries } from '../../src/executor/ask-queries.ts';
import type { TargetDatabase } from '../../src/executor/database/target-database.ts';
import { type FakeClock, fakeClock } from '../environment/fake-clock.ts';
import { scenarioOf, textOf } from '../scenario/samples.ts';

const found: ObservedQuery = { kind: 'rows', columns: ['n'], rows: [[1]], rowCount: 1, more: false };
const cancelled: ObservedQuery = { kind: 'unavailable', problem: 'cancelled', cure: 'again' };

/** A database whose every answer takes `eachMs`, unless it is given up. */
function slow(clock: FakeClock, eachMs: number): TargetDatabase & { asked: number } {
  const database = {
    asked: 0,
    async query(_query: unknown, { signal }: { signal?: AbortSignal } = {}) {
      database.asked += 1;
      if (signal?.aborted) return cancelled;
      for (let passedMs = 0; passedMs < eachMs; passedMs += 100) {
        clock.advance(100);
        if (signal?.aborted) return cancelled;
      }
      return found;
    },
    describe: async () => [],
    grants: async () => ({ writable: [], unreadable: [], tooPowerful: [] }),
    close: async () => undefined,
  };
  return database;
}

const texts = Array.from({ length: 20 }, (_, at) => `\`\`\`sql q${at}\nSELECT ${at} AS n\n\`\`\``);
const queries = scenarioOf(
  textOf({
    metadata: '- ID: RT-1\n- Layer: HTTP Ingestion + Database',
    checks: texts.map((_, at) => `- db q${at} rows=1`).join('\n'),
    more: `## VERIFY\n\n${texts.join('\n\n')}`,
  }),
).queries;

function asking(clock: FakeClock, database: TargetDatabase, limitMs: number) {
  const values = { origin: 'http://app', correlationId: 'tr-1', variables: {} };
  return { queries, database, values, body: { kind: 'empty' as const }, conceal: undefined, clock, limitMs };
}

t.test('queries that are fast enough together are all answered', async (t) => {
  const clock = fakeClock();
  const database = slow(clock, 400);
  const answers = await askQueries(asking(clock, database, 10_000));
  t.equal(database.asked, 20);
  t.ok(answers.every(({ observed }) => observed.kind === 'rows'));
});

t.test('twenty slow queries take no longer together than the TIMEOUT of their scenario, and it is told', async (t) => {
  const clock = fakeClock();
  const startMs = clock.monotonicMs();
  const answers = await askQueries(asking(clock, slow(clock, 4000), 10_000));
  t.equal(clock.monotonicMs() - startMs, 10_000);
  t.strictSame(
    answers.map(({ observed }) => observed.kind),
    [...Array(2).fill('rows'), ...Array(18).fill('unavailable')],
  );
  t.match(answers.at(-1), {
    name: 'q19',
    observed: { problem: /longer together than the scenario’s TIMEOUT of 10 s/, cure: /raise TIMEOUT/ },
  });
  t.not(answers.at(-1)?.observed, cancelled, 'EVIDENCE_QUERIES_SLOW');
});

t.test('a cancel is told as one, whatever time is left', async (t) => {
  const clock = fakeClock();
  const answers = await askQueries(asking(clock, slow(clock, 100), 10_000), AbortSignal.abort());
  t.ok(answers.every(({ observed }) => observed === cancelled));
});
