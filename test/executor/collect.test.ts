import t from 'tap';
import type { ObservedLog, ObservedQuery } from '../../src/check/observed.ts';
import { type CollectOptions, collect, collectTimes } from '../../src/executor/collect.ts';
import type { LogWatch } from '../../src/logs/log-source.ts';
import type { QueryEvidence } from '../../src/run/evidence.ts';
import { type FakeClock, fakeClock } from '../environment/fake-clock.ts';

type Line = { readonly atMs: number; readonly text: string };

const startMs = fakeClock().monotonicMs();

function sinceStart(clock: FakeClock): number {
  return clock.monotonicMs() - startMs;
}

/** A watch whose lines come at set moments; waiting lets the clock jump to the next one. */
function scripted(clock: FakeClock, script: readonly Line[]): LogWatch {
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
    end: () => undefined,
  };
}

function linesOf(watch: LogWatch): ObservedLog {
  const lines = watch.lines.map((text) => ({
    text,
    fields: undefined,
    level: undefined,
    isError: false,
    isSagaEvent: false,
  }));
  return { kind: 'lines', lines, lineCount: lines.length, errorCount: 0, sagaEventCount: 0 };
}

function rows(rowCount: number): QueryEvidence {
  const observed: ObservedQuery = { kind: 'rows', columns: ['id'], rows: [], rowCount, more: false };
  return { name: 'query', sql: 'SELECT 1', line: 12, observed, durationMs: 1 };
}

function bench(script: readonly Line[] | undefined, more: Partial<CollectOptions> = {}) {
  const clock = fakeClock();
  const watch = script && scripted(clock, script);
  const options: CollectOptions = {
    clock,
    times: collectTimes,
    watch,
    readLog: () => watch && linesOf(watch),
    logChecked: false,
    logIsOver: () => false,
    ask: undefined,
    holds: () => true,
    queriesHold: (queries) => (more.holds ?? (() => true))({ log: undefined, queries }),
    isHopeless: () => false,
    ...more,
  };
  return { clock, options };
}

t.test('with nothing to look at nothing is waited for', async (t) => {
  const { clock, options } = bench(undefined);
  t.same(await collect(options), { log: undefined, queries: undefined, evidenceMs: undefined });
  t.equal(sinceStart(clock), 0);
});

t.test('a log that no check looks at is waited for until its first line, and a moment more', async (t) => {
  const { clock, options } = bench([
    { atMs: 5, text: 'one' },
    { atMs: 12, text: 'two' },
    { atMs: 900, text: 'late' },
  ]);
  const { log, evidenceMs } = await collect(options);
  t.match(log?.observed, { kind: 'lines', lineCount: 2 });
  t.ok(sinceStart(clock) < 100, `${sinceStart(clock)} ms`);
  t.equal(evidenceMs, sinceStart(clock));
});

t.test('without any line it gives up after a second', async (t) => {
  const { clock, options } = bench([]);
  const { log } = await collect(options);
  t.match(log?.observed, { kind: 'lines', lineCount: 0 });
  t.equal(sinceStart(clock), collectTimes.firstLineMs);
});

t.test('a log in trouble is not waited for where no check looks at it', async (t) => {
  const observed = { kind: 'unavailable', problem: 'gone', cure: 'bring it back' } as const;
  const { clock, options } = bench([], { readLog: () => observed });
  t.match(await collect(options), { log: { observed } });
  t.equal(sinceStart(clock), 0);
});

t.test('a line that a check asks for is waited for, and so are those behind it', async (t) => {
  const { clock, options } = bench(
    [
      { atMs: 5, text: 'received' },
      { atMs: 1700, text: 'saga' },
      { atMs: 1800, text: 'error' },
      { atMs: 4000, text: 'much later' },
    ],
    {
      logChecked: true,
      holds: ({ log }) => log?.observed.kind === 'lines' && log.observed.lineCount >= 2,
    },
  );
  const { log } = await collect(options);
  t.match(log?.observed, { lineCount: 3 });
  t.ok(sinceStart(clock) < 2500, `${sinceStart(clock)} ms`);
});

t.test('a check that never holds ends the wait after five seconds', async (t) => {
  const { clock, options } = bench([{ atMs: 5, text: 'received' }], { logChecked: true, holds: () => false });
  await collect(options);
  t.equal(sinceStart(clock), collectTimes.checkedMs);
});

t.test('queries are asked again until their checks hold', async (t) => {
  const asked: number[] = [];
  const { clock, options } = bench([], {
    ask: async () => [rows(asked.push(clock.monotonicMs()) < 4 ? 0 : 1)],
    holds: ({ queries }) => queries?.[0]?.observed.kind === 'rows' && queries[0].observed.rowCount === 1,
    readLog: () => undefined,
    watch: undefined,
  });
  const collecting = collect(options);
  while (asked.length < 4) {
    await new Promise(setImmediate);
    clock.advance(10);
  }
  t.match((await collecting).queries, [{ observed: { rowCount: 1 } }]);
  t.equal(asked.length, 4);
});

t.test('a query that holds is not asked again while the log is waited for', async (t) => {
  let asked = 0;
  const { options } = bench([{ atMs: 600, text: 'one' }], {
    ask: async () => {
      asked += 1;
      return [rows(1)];
    },
  });
  t.match(await collect(options), { log: { observed: { lineCount: 1 } }, queries: [{ name: 'query' }] });
  t.equal(asked, 1);
});

t.test('a cancelled run is not waited for', async (t) => {
  const { clock, options } = bench([], { logChecked: true, holds: () => false, signal: AbortSignal.abort() });
  await collect(options);
  t.equal(sinceStart(clock), 0);
});

t.test('a query that does not hold is not asked at every line of a busy log', async (t) => {
  const script = Array.from({ length: 2000 }, (_, index) => ({ atMs: index, text: `line ${index}` }));
  let asked = 0;
  const { options } = bench(script, {
    ask: async () => {
      asked += 1;
      return [rows(0)];
    },
    holds: () => false,
  });
  await collect(options);
  t.ok(asked < 30, `${asked} times`);
});

t.test('a query that holds is not asked again for the sake of a check of the log', async (t) => {
  let asked = 0;
  const { options } = bench([{ atMs: 5, text: 'one' }], {
    logChecked: true,
    ask: async () => {
      asked += 1;
      return [rows(1)];
    },
    holds: () => false,
    queriesHold: () => true,
  });
  await collect(options);
  t.equal(asked, 1);
});

t.test('what cannot come is not waited for', async (t) => {
  const { clock, options } = bench(undefined, {
    ask: async () => [rows(0)],
    holds: () => false,
    isHopeless: () => true,
  });
  t.match(await collect(options), { queries: [{ name: 'query' }] });
  t.equal(sinceStart(clock), 0);
});

t.test('nothing is waited for where the log has ended', async (t) => {
  const { clock, options } = bench([{ atMs: 900, text: 'never' }], {
    logChecked: true,
    logIsOver: () => true,
    holds: () => false,
  });
  await collect(options);
  t.equal(sinceStart(clock), 0);
});

t.test('a database is asked on although the log has ended', async (t) => {
  let asked = 0;
  const { clock, options } = bench([], {
    logChecked: true,
    logIsOver: () => true,
    async ask() {
      asked += 1;
      return [rows(asked)];
    },
    holds: ({ queries }) => queries?.[0]?.observed.kind === 'rows' && queries[0].observed.rowCount === 5,
  });
  const { queries } = await collect(options);
  t.match(queries, [{ observed: { rowCount: 5 } }]);
  t.ok(sinceStart(clock) < 1000);
});
