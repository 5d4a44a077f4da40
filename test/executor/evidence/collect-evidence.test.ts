import t from 'tap';
import type { ObservedLog, ObservedQueryResult } from '../../../src/check/observation.ts';
import {
  type CollectEvidenceOptions,
  collectEvidence,
  defaultEvidenceWaitTimes,
} from '../../../src/executor/evidence/collect-evidence.ts';
import type { LogWatch } from '../../../src/logs/log-source.ts';
import type { QueryEvidence } from '../../../src/run/evidence.ts';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';

type Line = { readonly atMs: number; readonly text: string };

const startMs = fakeClock().monotonicMs();

function sinceStart(clock: FakeClock): number {
  return clock.monotonicMs() - startMs;
}

/** A watch whose lines arrive at fixed times; waiting advances the clock to the next one. */
function createScriptedWatch(clock: FakeClock, script: readonly Line[]): LogWatch {
  const lines: string[] = [];
  const waiting = [...script];
  return {
    lines,
    async changed(timeoutMs) {
      const [next] = waiting;
      const waitMs = next ? Math.max(0, next.atMs - sinceStart(clock)) : Infinity;
      clock.advance(Math.min(waitMs, timeoutMs));
      if (!next || waitMs > timeoutMs) return false;
      lines.push(next.text);
      waiting.shift();
      return true;
    },
    stop: () => undefined,
  };
}

function toObservedLog(watch: LogWatch): ObservedLog {
  const lines = watch.lines.map((text) => ({
    text,
    fields: undefined,
    level: undefined,
    isError: false,
    isSagaEvent: false,
  }));
  return { kind: 'lines', lines, lineCount: lines.length, errorCount: 0, sagaEventCount: 0, gaps: { unseen: [] } };
}

function rows(rowCount: number): QueryEvidence {
  const observed: ObservedQueryResult = { kind: 'rows', columns: ['id'], rows: [], rowCount, more: false };
  return { name: 'query', sql: 'SELECT 1', line: 12, observed, durationMs: 1 };
}

function createBench(script: readonly Line[] | undefined, more: Partial<CollectEvidenceOptions> = {}) {
  const clock = fakeClock();
  const watch = script && createScriptedWatch(clock, script);
  const options: CollectEvidenceOptions = {
    clock,
    waitTimes: defaultEvidenceWaitTimes,
    watch,
    readLog: () => watch && toObservedLog(watch),
    hasLogChecks: false,
    isLogEnded: () => false,
    runQueries: undefined,
    areChecksDecided: () => true,
    queryChecksHold: (queries) => (more.areChecksDecided ?? (() => true))({ log: undefined, queries }),
    isUnattainable: () => false,
    ...more,
  };
  return { clock, options };
}

t.test('without evidence sources there is no waiting', async (t) => {
  const { clock, options } = createBench(undefined);
  t.same(await collectEvidence(options), { log: undefined, queries: undefined, evidenceMs: undefined });
  t.equal(sinceStart(clock), 0);
});

t.test('a log without checks is awaited until shortly after its first line', async (t) => {
  const { clock, options } = createBench([
    { atMs: 5, text: 'one' },
    { atMs: 12, text: 'two' },
    { atMs: 900, text: 'late' },
  ]);
  const { log, evidenceMs } = await collectEvidence(options);
  t.match(log?.observed, { kind: 'lines', lineCount: 2 });
  t.ok(sinceStart(clock) < 100, `${sinceStart(clock)} ms`);
  t.equal(evidenceMs, sinceStart(clock));
});

t.test('without any line waiting ends after a second', async (t) => {
  const { clock, options } = createBench([]);
  const { log } = await collectEvidence(options);
  t.match(log?.observed, { kind: 'lines', lineCount: 0 });
  t.equal(sinceStart(clock), defaultEvidenceWaitTimes.firstLineMs);
});

t.test('an unavailable log without checks is not awaited', async (t) => {
  const observed = { kind: 'unavailable', problem: 'gone', cure: 'bring it back' } as const;
  const { clock, options } = createBench([], { readLog: () => observed });
  t.match(await collectEvidence(options), { log: { observed } });
  t.equal(sinceStart(clock), 0);
});

t.test('a line required by a check is awaited, and so are those after it', async (t) => {
  const { clock, options } = createBench(
    [
      { atMs: 5, text: 'received' },
      { atMs: 1700, text: 'saga' },
      { atMs: 1800, text: 'error' },
      { atMs: 4000, text: 'much later' },
    ],
    {
      hasLogChecks: true,
      areChecksDecided: ({ log }) => log?.observed.kind === 'lines' && log.observed.lineCount >= 2,
    },
  );
  const { log } = await collectEvidence(options);
  t.match(log?.observed, { lineCount: 3 });
  t.ok(sinceStart(clock) < 2500, `${sinceStart(clock)} ms`);
});

t.test('a check that never holds ends the wait after five seconds', async (t) => {
  const { clock, options } = createBench([{ atMs: 5, text: 'received' }], {
    hasLogChecks: true,
    areChecksDecided: () => false,
  });
  await collectEvidence(options);
  t.equal(sinceStart(clock), defaultEvidenceWaitTimes.checkedMs);
});

t.test('queries are repeated until their checks hold', async (t) => {
  const queryCalls: number[] = [];
  const { clock, options } = createBench([], {
    runQueries: async () => [rows(queryCalls.push(clock.monotonicMs()) < 4 ? 0 : 1)],
    areChecksDecided: ({ queries }) => queries?.[0]?.observed.kind === 'rows' && queries[0].observed.rowCount === 1,
    readLog: () => undefined,
    watch: undefined,
  });
  const collecting = collectEvidence(options);
  while (queryCalls.length < 4) {
    await new Promise(setImmediate);
    clock.advance(10);
  }
  t.match((await collecting).queries, [{ observed: { rowCount: 1 } }]);
  t.equal(queryCalls.length, 4);
});

t.test('a query whose checks hold is not repeated while waiting for the log', async (t) => {
  let queryCalls = 0;
  const { options } = createBench([{ atMs: 600, text: 'one' }], {
    runQueries: async () => {
      queryCalls += 1;
      return [rows(1)];
    },
  });
  t.match(await collectEvidence(options), { log: { observed: { lineCount: 1 } }, queries: [{ name: 'query' }] });
  t.equal(queryCalls, 1);
});

t.test('a cancelled run does not wait', async (t) => {
  const { clock, options } = createBench([], {
    hasLogChecks: true,
    areChecksDecided: () => false,
    signal: AbortSignal.abort(),
  });
  await collectEvidence(options);
  t.equal(sinceStart(clock), 0);
});

t.test('a query is not repeated for every line of a busy log', async (t) => {
  const script = Array.from({ length: 2000 }, (_, index) => ({ atMs: index, text: `line ${index}` }));
  let queryCalls = 0;
  const { options } = createBench(script, {
    runQueries: async () => {
      queryCalls += 1;
      return [rows(0)];
    },
    areChecksDecided: () => false,
  });
  await collectEvidence(options);
  t.ok(queryCalls < 30, `${queryCalls} times`);
});

t.test('a query whose checks hold is not repeated because of a log check', async (t) => {
  let queryCalls = 0;
  const { options } = createBench([{ atMs: 5, text: 'one' }], {
    hasLogChecks: true,
    runQueries: async () => {
      queryCalls += 1;
      return [rows(1)];
    },
    areChecksDecided: () => false,
    queryChecksHold: () => true,
  });
  await collectEvidence(options);
  t.equal(queryCalls, 1);
});

t.test('evidence that cannot arrive is not awaited', async (t) => {
  const { clock, options } = createBench(undefined, {
    runQueries: async () => [rows(0)],
    areChecksDecided: () => false,
    isUnattainable: () => true,
  });
  t.match(await collectEvidence(options), { queries: [{ name: 'query' }] });
  t.equal(sinceStart(clock), 0);
});

t.test('there is no waiting when the log has ended', async (t) => {
  const { clock, options } = createBench([{ atMs: 900, text: 'never' }], {
    hasLogChecks: true,
    isLogEnded: () => true,
    areChecksDecided: () => false,
  });
  await collectEvidence(options);
  t.equal(sinceStart(clock), 0);
});

t.test('queries continue although the log has ended', async (t) => {
  let queryCalls = 0;
  const { clock, options } = createBench([], {
    hasLogChecks: true,
    isLogEnded: () => true,
    async runQueries() {
      queryCalls += 1;
      return [rows(queryCalls)];
    },
    areChecksDecided: ({ queries }) => queries?.[0]?.observed.kind === 'rows' && queries[0].observed.rowCount === 5,
  });
  const { queries } = await collectEvidence(options);
  t.match(queries, [{ observed: { rowCount: 5 } }]);
  t.ok(sinceStart(clock) < 1000);
});
