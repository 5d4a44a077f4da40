/**
 * The official conformance suite of the revisions that it has against an upstream alone and through a hub: the hub must add no
 * failure.
 */
import t, { type Test } from 'tap';
import { startTestServer } from '../fixtures/test-server.ts';
import { startConformanceHub } from './conformance-hub.ts';
import { createConformanceServer, type Eras } from './everything.ts';
import { runConformance, type SuiteResult } from './suite.ts';

/**
 * Informational in the suite: a hub answers lists of older eras as plain JSON, as the protocol allows, instead of one
 * stream each.
 */
const acceptedDifferences = ['server-sse-multiple-streams: server-sse-streams-functional'];

/** Runs both at once and reports how many checks pass. */
async function compareRuns(t: Test, revision: string, eras: Eras, minPassed = 70): Promise<void> {
  const upstream = await startTestServer(t, createConformanceServer(eras));
  const standalone = await startTestServer(t, createConformanceServer(eras));
  const { url, token } = await startConformanceHub(t, upstream.url);
  const [directRun, hubRun] = await Promise.all([
    runConformance(standalone.url, revision),
    runConformance(url, revision),
  ]);
  t.comment(`${revision}: ${summarize(directRun)} directly, ${summarize(hubRun)} through the hub`);
  t.ok(directRun.passed.length > minPassed, 'the upstream has the features of the suite');
  t.same([...directRun.failed], [], 'the upstream passes on its own');
  t.same(findAddedFailures(directRun, hubRun), [], 'nothing fails only through the hub');
  const missing = directRun.passed.filter(
    (check) => !hubRun.passed.includes(check) && !acceptedDifferences.includes(check),
  );
  t.same(missing, [], 'nothing is missing');
  t.notMatch(JSON.stringify(upstream.receivedHeaders.map((headers) => [...headers])), token);
}

function summarize({ passed, failed }: SuiteResult): string {
  return `${passed.length} passed, ${failed.size} failed`;
}

/** What fails only through the hub, with the suite's message. */
function findAddedFailures(directRun: SuiteResult, hubRun: SuiteResult): string[] {
  return [...hubRun.failed].filter(([check]) => !directRun.failed.has(check)).map((entry) => entry.join(': '));
}

const timeout = 200_000;

t.test('a client of the newest revision with an upstream of all revisions', { timeout }, (t) =>
  compareRuns(t, '2026-07-28', 'both'),
);

t.test('an older client with an upstream of the newest revision', { timeout }, (t) =>
  compareRuns(t, '2025-11-25', 'both'),
);

t.test('an older client with an older upstream', { timeout }, (t) => compareRuns(t, '2025-11-25', 'older'));

// The suite has no scenarios of servers for 2025-03-26.
t.test('a client of 2025-06-18 with an upstream of all revisions', { timeout }, (t) =>
  compareRuns(t, '2025-06-18', 'both', 25),
);
