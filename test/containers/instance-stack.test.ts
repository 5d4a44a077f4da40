/** The stack of an instance on a real engine: what it finds, what it survives, and what it may not do. */
import t, { type Test } from 'tap';
import { removeProject } from '../../src/containers/compose-project.ts';
import { volumesOfProject } from '../../src/containers/networks.ts';
import { crashed, ended, heldRun, passes, until } from './instance-runs.ts';
import { docker, hidden, image, logOf, names, type Stage, scrapeKey, stage } from './instance-stage.ts';

const { executor, reader } = names;

async function survivesKilling(t: Test, stage: Stage): Promise<void> {
  const run = await heldRun(stage, names.app);
  const startedMs = Date.now();
  await crashed(executor);
  const { state, failure_kind } = await ended(stage, run);
  t.match({ state, failure_kind }, { state: 'failed', failure_kind: 'executor_lost' });
  t.comment(`the run ended ${Date.now() - startedMs} ms after the crash`);
  await docker('unpause', names.app);
  await passes(t, stage);
  t.comment(`the next one has passed ${Date.now() - startedMs} ms after the crash`);
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
    const whole = JSON.stringify(told) + text + (await logOf(name));
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
