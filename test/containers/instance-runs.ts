/** Requests runs on a test instance and waits for their results. */
import type { Test } from 'tap';
import type { RunDocument } from '../../src/contract/api.ts';
import { eventually } from '../eventually.ts';
import { directKey, docker, type TestInstance } from './test-instance.ts';

/** Has the tools that our image lacks. */
export const debian = 'debian:bookworm-slim';

type ScenarioOptions = {
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly checks?: readonly string[];
  readonly seconds?: number;
};

/** A scenario that needs the target, its log and its database. */
export function evidenceScenario({ seconds = 60 }: Pick<ScenarioOptions, 'seconds'> = {}): string {
  const query = '## VERIFY\n\n```sql documents\nSELECT count(*) AS known FROM document\n```\n\n';
  const own = ['db documents rows=1', 'db documents has known matching ^[0-9]+$', 'log errors=0'];
  const checks = ['status=200', 'body has count matching ^[0-9]+$', ...own];
  return formatScenario('HTTP Ingestion + Database + Log', query, { checks, seconds });
}

/** A scenario that needs only the target. */
export function plainScenario(options: ScenarioOptions = {}): string {
  return formatScenario('HTTP Ingestion', '', options);
}

function formatScenario(layer: string, verify: string, options: ScenarioOptions): string {
  const { path = '/api/v2/document', headers = [], checks = ['status=200'], seconds = 20 } = options;
  const trigger = [`GET \${INGESTION_URL}${path}`, 'X-Request-Id: ${correlation_id}', ...headers].join('\n');
  const expected = checks.map((check) => `- ${check}`).join('\n');
  return `# Scenario: GET document

## Metadata

- ID: RT-GET-document
- Layer: ${layer}

## TRIGGER

${trigger}

${verify}## EXPECT

### Runnable

${expected}

## TIMEOUT

${seconds}s
`;
}

/** Requests a run through the control plane and returns its id. */
export async function requestRun({ client, names }: TestInstance, text = evidenceScenario()): Promise<string> {
  const [run] = await client.runs.request(names.instance, { scenarios: [{ text }] });
  return run?.run_id ?? '';
}

/** Waits for the end of a run; throws after two minutes. */
export async function waitForRunEnd({ client }: TestInstance, run: string): Promise<RunDocument> {
  for (let attempts = 0; attempts < 12; attempts += 1) {
    const document = await client.runs.get(run, { waitMs: 10_000 });
    if (document.finished_at !== null) return document;
  }
  throw new Error(`run ${run} does not end`);
}

/** Requests a run and waits for its end. */
export async function runToEnd(instance: TestInstance, text?: string): Promise<RunDocument> {
  return waitForRunEnd(instance, await requestRun(instance, text));
}

/** Milliseconds until `check` holds; throws after `seconds`. */
export async function measureUntil(check: () => Promise<unknown>, seconds: number): Promise<number> {
  const startMs = Date.now();
  await eventually(check, { timeoutMs: seconds * 1000 });
  return Date.now() - startMs;
}

/** A run whose request gets no response, because `container`, the target or its database, is paused. */
export async function startBlockedRun(instance: TestInstance, container: string, text?: string): Promise<string> {
  await docker('pause', container);
  const run = await requestRun(instance, text);
  await eventually(() => instance.client.runs.get(run), { until: ({ state }) => state === 'in_progress' });
  await new Promise((done) => setTimeout(done, 1000));
  return run;
}

/** A run passes with its log line and its query. */
export async function assertRunPasses(t: Test, instance: TestInstance): Promise<void> {
  const { state, report } = await runToEnd(instance);
  t.equal(state, 'passed', JSON.stringify(report?.failed_checks ?? report?.failure));
  t.match(report?.log, { problem: null, error_count: 0 });
  t.ok((report?.log?.line_count ?? 0) > 0, 'its log line was found');
  t.match(report?.queries, [{ name: 'documents' }]);
}

/** Calls the executor's own API with its key. */
export async function callExecutor({ address }: TestInstance, path: string, body?: object) {
  const headers = { authorization: `Bearer ${directKey}`, 'content-type': 'application/json' };
  const response = await fetch(
    `${address}${path}`,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
  );
  return { status: response.status, body: await response.json() };
}

/** Kills the first process of a container. */
export async function killContainer(container: string): Promise<void> {
  process.kill(Number(await docker('inspect', '--format', '{{.State.Pid}}', container)), 'SIGKILL');
}
