/** The stack of an instance on a real engine: what it finds, what it survives, and what it may not do. */
import t, { type Test } from 'tap';
import type { Client } from '../../src/client/client.ts';
import { removeProject } from '../../src/containers/compose-project.ts';
import { volumesOfProject } from '../../src/containers/networks.ts';
import { docker, hidden, image, names, type Stage, scrapeKey, stage } from './instance-stage.ts';

const scenario = `# Scenario: GET document

## Metadata

- ID: RT-GET-document
- Layer: HTTP Ingestion + Database + Log

## TRIGGER

GET \${INGESTION_URL}/api/v2/document
X-Request-Id: \${correlation_id}

## VERIFY

\`\`\`sql documents
SELECT count(*) AS known FROM document
\`\`\`

## EXPECT

### Runnable

- status=200
- body has count matching ^[0-9]+$
- db documents rows=1
- db documents has known matching ^[0-9]+$
- log errors=0

## TIMEOUT

60s
`;

const executor = `platform-inst-${names.instance}-executor-1`;
const reader = `platform-inst-${names.instance}-log-reader-1`;

async function requested(client: Client): Promise<string> {
  const [run] = await client.runs.request(names.instance, { scenarios: [{ text: scenario }] });
  return run?.run_id ?? '';
}

async function ended(client: Client, run: string) {
  for (let tries = 0; tries < 12; tries += 1) {
    const document = await client.runs.get(run, { waitMs: 10_000 });
    if (document.finished_at !== null) return document;
  }
  throw new Error(`run ${run} does not end`);
}

async function until(holds: () => Promise<boolean>, seconds: number): Promise<number> {
  const startedMs = Date.now();
  while (!(await holds())) {
    if (Date.now() - startedMs > seconds * 1000) throw new Error(`not within ${seconds} s`);
    await new Promise((done) => setTimeout(done, 100));
  }
  return Date.now() - startedMs;
}

async function passes(t: Test, { client }: Stage): Promise<void> {
  const { state, report } = await ended(client, await requested(client));
  t.equal(state, 'passed', JSON.stringify(report?.failed_checks ?? report?.failure));
  t.match(report?.log, { problem: null, error_count: 0 });
  t.ok((report?.log?.line_count ?? 0) > 0, 'its log line was found');
  t.match(report?.queries, [{ name: 'documents' }]);
}

async function survivesKilling(t: Test, stage: Stage): Promise<void> {
  const { client } = stage;
  // Frozen, it takes the request and does not answer, so the run stays in hand.
  await docker('pause', `${names.target}-app-1`);
  const run = await requested(client);
  await until(async () => (await client.runs.get(run)).state === 'in_progress', 20);
  await new Promise((done) => setTimeout(done, 1000));
  const pid = Number(await docker('inspect', '--format', '{{.State.Pid}}', executor));
  process.kill(pid, 'SIGKILL');
  const { state, failure_kind } = await ended(client, run);
  t.match({ state, failure_kind }, { state: 'failed', failure_kind: 'executor_lost' });
  await docker('unpause', `${names.target}-app-1`);
  await passes(t, stage);
}

async function survivesRestart(t: Test, stage: Stage): Promise<void> {
  await stage.plane.stop();
  const status = async () => (await fetch(`${stage.address}/healthz`)).status;
  t.equal(await status(), 200, 'the executor goes on meanwhile');
  await stage.plane.start();
  const ms = await until(
    async () => (await stage.client.instances.get(names.instance)).executor_status === 'REGISTERED',
    30,
  );
  t.comment(`registered again ${ms} ms after the start`);
  await passes(t, stage);
}

async function isConfined(t: Test, { text }: Stage): Promise<void> {
  for (const name of [executor, reader]) {
    const told = JSON.parse(await docker('inspect', name))[0];
    const { ReadonlyRootfs, CapDrop, Privileged, SecurityOpt, Memory, PidsLimit } = told.HostConfig;
    t.match({ ReadonlyRootfs, CapDrop, Privileged }, { ReadonlyRootfs: true, CapDrop: ['ALL'], Privileged: false });
    t.ok(SecurityOpt.includes('no-new-privileges:true'));
    t.ok(Memory > 0 && PidsLimit > 0, 'bounded');
    t.equal(told.Config.User, '10001:10001');
    t.equal(told.State.Health.Status, 'healthy');
    const whole = JSON.stringify(told) + text + (await docker('logs', name));
    for (const secret of hidden) t.notOk(whole.includes(secret), `${name} shows no secret`);
  }
  const networks = '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}';
  t.equal((await docker('inspect', '--format', networks, reader)).trim(), 'none');
  const sockets = await docker('inspect', '--format', '{{json .Mounts}}', executor);
  t.notMatch(sockets, /docker\.sock|engine\.sock/);
}

/** From a container on the shared network, as Prometheus and the router are. */
async function reachedByOthers(t: Test, { address }: Stage): Promise<void> {
  const metrics = (key: string) => fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  t.equal((await metrics('vps_other')).status, 401);
  // The first scrape learns the instance's id, which all series bear.
  await (await metrics(scrapeKey)).text();
  const text = await (await metrics(scrapeKey)).text();
  t.match(text, `vp_executor_runs_total{instance_id="${names.instance}",result="passed"}`);
  const among = ['run', '--rm', '--network', names.shared, image, 'reach'];
  const ip = `{{(index .NetworkSettings.Networks "${names.shared}").IPAddress}}`;
  const own = (await docker('inspect', '--format', ip, executor)).trim();
  for (const host of [`platform-inst-${names.instance}`, 'vp-executors', own])
    t.match(await docker(...among, `http://${host}:8765`), '"reachable":true', host);
}

t.test('the stack of an instance', { timeout: 340_000 }, async (t) => {
  const there = await stage(t);
  await t.test('a queued run passes, with its log line and its query', (t) => passes(t, there));
  await t.test('its containers are confined, and show no secret', (t) => isConfined(t, there));
  await t.test('router and Prometheus reach it by name, metrics by the scrape key', (t) => reachedByOthers(t, there));
  await t.test('a run whose executor is killed ends, and the next one goes on', (t) => survivesKilling(t, there));
  await t.test('an executor goes on when the control plane comes back', (t) => survivesRestart(t, there));
  await t.test('nothing is left of it but the target', async (t) => {
    const project = `platform-inst-${names.instance}`;
    await removeProject(there.engine, { name: project }, { volumes: true });
    t.same(await volumesOfProject(there.engine, project), []);
    t.equal(await docker('ps', '--all', '--quiet', '--filter', `label=com.docker.compose.project=${project}`), '');
    t.match(await docker('ps', '--format', '{{.Names}}'), `${names.target}-app-1`);
  });
});
