/** The rules of waiting in docs/contributing/tests.md: no fixed wait of 100 ms or more, no assertion on elapsed time. */
import t from 'tap';
import { findBreaches, readSources } from './source-files.ts';

const sources = readSources('test/**/*.{ts,tsx}').filter(({ file }) => !file.startsWith('test/bench/'));

/** Nothing else says that the moment has come. */
const fixedWaits: Readonly<Record<string, string>> = {
  'test/containers/instance-runs.ts': 'a target that is paused cannot say that it has a request',
  'test/notifications/kill-drill-process.ts': 'shows that no further change is computed',
  'test/replicas/replica.test.ts': 'shows that a role is kept for longer than a lost connection is noticed',
  'test/store/postgres/database.test.ts': 'shows that a commit of another process is not noticed before it is there',
  'test/commands/run/run-limits.test.ts': 'a target that takes its time',
};
const fixedWait =
  /\bsetTimeout\(\s*(?:\w+|\(\)\s*=>\s*\w+\(\)),\s*(?:\d{3,}|\d[\d_]{3,})\s*\)|\b(?:sleep|sleepFor|pause|delay|waitForTimeout)\(\s*\d[\d_]{2,}\s*\)/g;

t.test('tests wait for a condition, not for a time', async (t) => {
  t.ok(sources.length > 900);
  const breaches = findBreaches(sources, ({ code }) => code.match(fixedWait) ?? []);
  const files = new Set(breaches.map((breach) => breach.split(': ')[0] ?? ''));
  t.same(
    breaches.filter((breach) => fixedWaits[breach.split(': ')[0] ?? ''] === undefined),
    [],
  );
  t.same([...files].sort(), Object.keys(fixedWaits).sort(), 'each exception is needed');
});

const elapsedTime = /\bt\.\w+\([^;\n]*(?:\b(?:performance|Date)\.now|\.monotonicMs)\(\)\s*-[^;\n]*[<>]/g;

t.test('tests assert nothing about how long the machine took', async (t) => {
  t.same(
    findBreaches(sources, ({ code }) => code.match(elapsedTime) ?? []),
    [],
  );
  t.ok(elapsedTime.test('t.ok(performance.now() - startMs < 4_500)'));
});
