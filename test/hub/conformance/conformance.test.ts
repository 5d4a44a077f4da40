/**
 * The official conformance suite of the revisions that it has against an upstream alone and through a hub: the hub must add no
 * failure, and the counts are those of the table in `docs/contributing/tests.md`.
 */
import t, { type Test } from 'tap';
import { startTestServer } from '../fixtures/test-server.ts';
import { startConformanceHub } from './conformance-hub.ts';
import { formatRow, readRow } from './conformance-table.ts';
import { createConformanceServer } from './everything.ts';
import { startExampleServer } from './example-server.ts';
import { type SuiteResult, startConformanceSuite } from './suite.ts';

/**
 * Not compared. A hub answers lists of older eras as plain JSON, as the protocol allows, instead of one stream each; and it
 * resumes a stream that the server ends within a call itself, so that its client's stream is not interrupted.
 */
const streamDifferences = [
  'server-sse-multiple-streams: server-sse-streams-functional',
  'server-sse-polling: server-sse-priming-event',
  'server-sse-polling: server-sse-retry-field',
  'server-sse-polling: server-sse-disconnect-resume',
];
/** These call tools that the example answers but does not list, or does not have, and a hub offers what is listed. */
const unlistedTools = [
  'tasks-lifecycle: tasks-sync-tool-call',
  'tasks-dispatch-and-envelope: tasks-immediate-result-shortcut',
  'tasks-capability-negotiation: sep-2663-server-rejects-undeclared-client',
  'server-stateless: sep-2575-server-sends-prompts-list-changed-on-subscription',
  'server-stateless: sep-2575-server-sends-tools-list-changed-on-subscription',
];

type Upstream = {
  /** As in the table. */
  readonly name: string;
  readonly start: (t: Test) => Promise<Started>;
  /** It has everything that the suite tests. */
  readonly isComplete: boolean;
  readonly differences: readonly string[];
};

type Started = {
  readonly url: string;
  /** The headers of each request, where they are known. */
  readonly receivedHeaders?: readonly Headers[];
};

const all: Upstream = {
  name: 'ours, all revisions',
  start: (t) => startTestServer(t, createConformanceServer('both')),
  isComplete: true,
  differences: streamDifferences,
};
const older: Upstream = {
  name: 'ours, older revisions only',
  start: (t) => startTestServer(t, createConformanceServer('older')),
  isComplete: true,
  differences: streamDifferences,
};
const example: Upstream = {
  name: "the suite's example",
  start: async (t) => ({ url: await startExampleServer(t) }),
  isComplete: false,
  differences: [...streamDifferences, ...unlistedTools],
};

const [directSuite, hubSuite] = [startConformanceSuite(t), startConformanceSuite(t)];

/** Runs both at once. */
async function compareRuns(
  t: Test,
  revision: string,
  { name, start, isComplete, differences }: Upstream,
): Promise<void> {
  const [upstream, standalone] = [await start(t), await start(t)];
  const { url, token } = await startConformanceHub(t, upstream.url);
  const runs = await Promise.all([directSuite.run(standalone.url, revision), hubSuite.run(url, revision)]);
  const [directRun, hubRun] = runs.map((run) => withoutChecks(run, differences)) as [SuiteResult, SuiteResult];
  if (isComplete) t.same([...directRun.failed], [], 'the upstream passes on its own');
  t.same(findAddedFailures(directRun, hubRun), [], 'nothing fails only through the hub');
  const missing = directRun.passed.filter((check) => !hubRun.passed.includes(check));
  t.same(missing, [], 'nothing is missing');
  t.equal(formatRow({ revision, name, directRun, hubRun }), readRow(revision, name), 'the documented counts');
  t.notMatch(JSON.stringify((upstream.receivedHeaders ?? []).map((headers) => [...headers])), token);
}

function withoutChecks({ passed, failed }: SuiteResult, checks: readonly string[]): SuiteResult {
  return {
    passed: passed.filter((check) => !checks.includes(check)),
    failed: new Map([...failed].filter(([check]) => !checks.includes(check))),
  };
}

/** What fails only through the hub, with the suite's message. */
function findAddedFailures(directRun: SuiteResult, hubRun: SuiteResult): string[] {
  return [...hubRun.failed].filter(([check]) => !directRun.failed.has(check)).map((entry) => entry.join(': '));
}

const timeout = 200_000;

// The suite has no scenarios of servers for 2025-03-26.
// A server of older revisions alone is not a server of the newest.
for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28'])
  for (const upstream of [all, older, example])
    if (upstream !== older || revision !== '2026-07-28')
      t.test(`a client of ${revision}, upstream: ${upstream.name}`, { timeout }, (t) =>
        compareRuns(t, revision, upstream),
      );
