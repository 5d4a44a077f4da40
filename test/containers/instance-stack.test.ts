/** The stack of an instance on a real engine: evidence, recovery and confinement. */
import t, { type Test } from 'tap';
import { removeComposeProject } from '../../src/containers/compose-project.ts';
import { listProjectVolumes } from '../../src/containers/engine-resources.ts';
import { assertRunPasses, killContainer, measureUntil, startBlockedRun, waitForRunEnd } from './instance-runs.ts';
import {
  defaultNames,
  docker,
  hiddenSecrets,
  image,
  readContainerLog,
  scrapeKey,
  startTestInstance,
  type TestInstance,
} from './test-instance.ts';

const { executor, reader } = defaultNames;

async function assertSurvivesKill(t: Test, instance: TestInstance): Promise<void> {
  const run = await startBlockedRun(instance, defaultNames.app);
  const startedMs = Date.now();
  await killContainer(executor);
  const { state, failure_kind } = await waitForRunEnd(instance, run);
  t.match({ state, failure_kind }, { state: 'failed', failure_kind: 'executor_lost' });
  t.comment(`the run ended ${Date.now() - startedMs} ms after the crash`);
  await docker('unpause', defaultNames.app);
  await assertRunPasses(t, instance);
  t.comment(`the next one has passed ${Date.now() - startedMs} ms after the crash`);
}

async function assertSurvivesControlPlaneRestart(t: Test, instance: TestInstance): Promise<void> {
  await instance.controlPlane.stop();
  const status = async () => (await fetch(`${instance.address}/healthz`)).status;
  t.equal(await status(), 200, 'the executor keeps running meanwhile');
  await instance.controlPlane.start();
  const ms = await measureUntil(
    async () => (await instance.client.instances.get(defaultNames.instance)).executor_status === 'REGISTERED',
    30,
  );
  t.comment(`registered again ${ms} ms after the start`);
  await assertRunPasses(t, instance);
}

async function assertConfined(t: Test, { composeText: text }: TestInstance): Promise<void> {
  for (const name of [executor, reader]) {
    const inspected = JSON.parse(await docker('inspect', name))[0];
    const { ReadonlyRootfs, CapDrop, Privileged, SecurityOpt, Memory, PidsLimit } = inspected.HostConfig;
    t.match({ ReadonlyRootfs, CapDrop, Privileged }, { ReadonlyRootfs: true, CapDrop: ['ALL'], Privileged: false });
    t.ok(SecurityOpt.includes('no-new-privileges:true'));
    t.ok(Memory > 0 && PidsLimit > 0, 'bounded');
    t.equal(inspected.Config.User, '10001:10001');
    t.equal(inspected.State.Health.Status, 'healthy');
    const allText = JSON.stringify(inspected) + text + (await readContainerLog(name));
    for (const secret of hiddenSecrets) t.notOk(allText.includes(secret), `${name} shows no secret`);
  }
  const networks = '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}';
  t.equal((await docker('inspect', '--format', networks, reader)).trim(), 'none');
  const sockets = await docker('inspect', '--format', '{{json .Mounts}}', executor);
  t.notMatch(sockets, /docker\.sock|engine\.sock/);
}

/** From a container on the shared network, as Prometheus and the router are. */
async function assertReachableByName(t: Test, { address }: TestInstance): Promise<void> {
  const metrics = (key: string) => fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  t.equal((await metrics('vps_other')).status, 401);
  // The first scrape learns the instance's id, which is a label of all series.
  await (await metrics(scrapeKey)).text();
  const text = await (await metrics(scrapeKey)).text();
  t.match(text, `vp_executor_runs_total{instance_id="${defaultNames.instance}",result="passed"}`);
  const reachArgs = ['run', '--rm', '--network', defaultNames.shared, image, 'reach'];
  const ip = `{{(index .NetworkSettings.Networks "${defaultNames.shared}").IPAddress}}`;
  const own = (await docker('inspect', '--format', ip, executor)).trim();
  for (const host of [`platform-inst-${defaultNames.instance}`, 'vp-executors', own])
    t.match(await docker(...reachArgs, `http://${host}:8765`), '"reachable":true', host);
}

t.test('the stack of an instance', { timeout: 340_000 }, async (t) => {
  const instance = await startTestInstance(t);
  await t.test('a queued run passes, with its log line and its query', (t) => assertRunPasses(t, instance));
  await t.test('its containers are confined and reveal no secret', (t) => assertConfined(t, instance));
  await t.test('router and Prometheus reach it by name, metrics by the scrape key', (t) =>
    assertReachableByName(t, instance),
  );
  await t.test('a run whose executor is killed ends, and the next one runs', (t) => assertSurvivesKill(t, instance));
  await t.test('an executor continues after a restart of the control plane', (t) =>
    assertSurvivesControlPlaneRestart(t, instance),
  );
  await t.test('only the target is left after removal', async (t) => {
    const project = `platform-inst-${defaultNames.instance}`;
    await removeComposeProject(instance.engine, { name: project }, { volumes: true });
    t.same(await listProjectVolumes(instance.engine, project), []);
    t.equal(await docker('ps', '--all', '--quiet', '--filter', `label=com.docker.compose.project=${project}`), '');
    t.match(await docker('ps', '--format', '{{.Names}}'), `${defaultNames.target}-app-1`);
  });
});
