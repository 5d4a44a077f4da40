/** Runs on the stage of an instance, and waiting for what becomes of it. */
import type { Test } from 'tap';
import type { RunDocument } from '../../src/contract/api.ts';
import { docker, type Stage } from './instance-stage.ts';

/** Has the programs that our image does without. */
export const debian = 'debian:bookworm-slim';

type Asked = {
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly checks?: readonly string[];
  readonly seconds?: number;
};

/** A scenario that needs the target, its log and its database. */
export function evidenceScenario({ seconds = 60 }: Pick<Asked, 'seconds'> = {}): string {
  const query = '## VERIFY\n\n```sql documents\nSELECT count(*) AS known FROM document\n```\n\n';
  const own = ['db documents rows=1', 'db documents has known matching ^[0-9]+$', 'log errors=0'];
  const checks = ['status=200', 'body has count matching ^[0-9]+$', ...own];
  return written('HTTP Ingestion + Database + Log', query, { checks, seconds });
}

/** One that needs the target alone. */
export function plainScenario(asked: Asked = {}): string {
  return written('HTTP Ingestion', '', asked);
}

function written(layer: string, verify: string, asked: Asked): string {
  const { path = '/api/v2/document', headers = [], checks = ['status=200'], seconds = 20 } = asked;
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

/** Requests a run through the control plane and gives its id. */
export async function requested({ client, names }: Stage, text = evidenceScenario()): Promise<string> {
  const [run] = await client.runs.request(names.instance, { scenarios: [{ text }] });
  return run?.run_id ?? '';
}

/** The run at its end; throws after two minutes. */
export async function ended({ client }: Stage, run: string): Promise<RunDocument> {
  for (let tries = 0; tries < 12; tries += 1) {
    const document = await client.runs.get(run, { waitMs: 10_000 });
    if (document.finished_at !== null) return document;
  }
  throw new Error(`run ${run} does not end`);
}

/** Requests a run and gives it at its end. */
export async function ran(stage: Stage, text?: string): Promise<RunDocument> {
  return ended(stage, await requested(stage, text));
}

/** Milliseconds until `holds`; throws when it does not within `seconds`. */
export async function until(holds: () => Promise<boolean>, seconds: number): Promise<number> {
  const startedMs = Date.now();
  while (!(await holds())) {
    if (Date.now() - startedMs > seconds * 1000) throw new Error(`not within ${seconds} s`);
    await new Promise((done) => setTimeout(done, 100));
  }
  return Date.now() - startedMs;
}

/** A run that has been sent and gets no answer, because `container`, the target or its database, is frozen. */
export async function heldRun(stage: Stage, container: string, text?: string): Promise<string> {
  await docker('pause', container);
  const run = await requested(stage, text);
  await until(async () => (await stage.client.runs.get(run)).state === 'in_progress', 20);
  await new Promise((done) => setTimeout(done, 1000));
  return run;
}

/** A run passes with its log line and its query. */
export async function passes(t: Test, stage: Stage): Promise<void> {
  const { state, report } = await ran(stage);
  t.equal(state, 'passed', JSON.stringify(report?.failed_checks ?? report?.failure));
  t.match(report?.log, { problem: null, error_count: 0 });
  t.ok((report?.log?.line_count ?? 0) > 0, 'its log line was found');
  t.match(report?.queries, [{ name: 'documents' }]);
}

/** The executor's own API, asked with its key, which lies in its volume. */
export async function askedDirectly({ address, names }: Stage, path: string, body?: object) {
  const mounted = `${names.project}_data:/data:ro`;
  const key = await docker('run', '--rm', '--network', 'none', '--volume', mounted, debian, 'cat', '/data/direct.key');
  const headers = { authorization: `Bearer ${key.trim()}`, 'content-type': 'application/json' };
  const answer = await fetch(
    `${address}${path}`,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
  );
  return { status: answer.status, body: await answer.json() };
}

/** Ends the first process of a container as a crash would. */
export async function crashed(container: string): Promise<void> {
  process.kill(Number(await docker('inspect', '--format', '{{.State.Pid}}', container)), 'SIGKILL');
}
