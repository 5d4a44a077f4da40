/** compose/control-plane/replicas.yaml: started by one command, with runs that go on while replicas are killed. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { createClient } from '../../src/client/client.ts';
import { startGatedTarget } from '../e2e/gated-target.ts';
import { sandboxTest } from '../e2e/sandbox.ts';
import { configText, instance, scenarioId, scenarioText } from '../e2e/test-environment.ts';
import { eventually } from '../eventually.ts';
import { createLogFolder } from '../logs/log-folder.ts';
import { killContainer } from './instance-runs.ts';

const run = promisify(execFile);
const [port, subnet] = [23_305, '172.30.80'];
const origin = 'https://vp.example.com';
const balancerImage = 'vp-test-haproxy';
const replicaNames = ['replica-1', 'replica-2'] as const;

/** HAProxy from Debian: tests pull no image. */
function buildBalancer(): void {
  const packages = 'apt-get update -qq && apt-get install -y -qq --no-install-recommends haproxy >/dev/null';
  const input = `FROM debian:bookworm-slim\nRUN ${packages}\n`;
  execFileSync('docker', ['build', '--quiet', '--tag', balancerImage, '-'], {
    input,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
}

type Stack = {
  readonly url: string;
  readonly standby: string;
  compose(...args: string[]): Promise<string>;
};

/** Takes the database's network away from a standby for some time: the load balancer sends it nothing until it is ready again. */
async function showStandbyLeftOut(t: Test, { url, standby, compose }: Stack): Promise<void> {
  const container = (await compose('ps', '--quiet', standby)).trim();
  const network = (change: 'connect' | 'disconnect') =>
    run('docker', ['network', change, 'vp-test-replicas_database', container]);
  const waitForLog = (pattern: RegExp) =>
    eventually(() => compose('logs', '--no-log-prefix', 'balancer'), {
      until: (text) => pattern.test(text),
      description: `${pattern} in the log of the load balancer`,
      timeoutMs: 60_000,
    });
  await network('disconnect');
  await waitForLog(new RegExp(`Server replicas/${standby} is DOWN.*\\b503\\b`));
  const statuses: number[] = [];
  for (let request = 0; request < 20; request += 1)
    statuses.push((await fetch(`${url}/readyz`, { headers: { connection: 'close' } })).status);
  t.same([...new Set(statuses)], [200], 'no request comes to the standby');
  await network('connect');
  await waitForLog(new RegExp(`Server replicas/${standby} is DOWN[^]*Server replicas/${standby} is UP`));
}

sandboxTest('two replicas behind a load balancer, of which one after the other is killed', async (t, sandbox) => {
  buildBalancer();
  const folder = join(createLogFolder(t), 'control-plane');
  cpSync('compose/control-plane', folder, { recursive: true });
  const file = join(folder, 'replicas.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('vp-replicas', 'vp-test-replicas'));
  const network = `VP_SUBNET=${subnet}.0/24\nVP_GATEWAY=${subnet}.1\nVP_BALANCER=${subnet}.10\n`;
  const images = `VP_BALANCER_IMAGE=${balancerImage}\n${process.env.VP_IMAGE ? `VP_IMAGE=${process.env.VP_IMAGE}\n` : ''}`;
  writeFileSync(join(folder, '.env'), `VP_PUBLIC_URL=${origin}\nVP_PORT=${port}\n${network}${images}`);
  const compose = async (...args: string[]): Promise<string> => {
    const command = ['compose', '--file', 'replicas.yaml', ...args];
    return (await run('docker', command, { cwd: folder, timeout: 180_000 })).stdout;
  };
  const inspect = async (service: string, format: string): Promise<string> => {
    const container = (await compose('ps', '--all', '--quiet', service)).trim();
    return (await run('docker', ['inspect', '--format', format, container])).stdout.trim();
  };
  await compose('down', '--volumes');
  t.teardown(() => compose('down', '--volumes'));

  await compose('up', '--detach', '--wait');
  const url = `http://127.0.0.1:${port}`;
  const readActive = async (): Promise<{ active: string; live: number }> => {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) });
    return ((await response.json()) as { replica: { active: string; live: number } }).replica;
  };
  const findActive = async (): Promise<(typeof replicaNames)[number]> => {
    const { active } = await eventually(readActive);
    return active.startsWith('replica-1-') ? 'replica-1' : 'replica-2';
  };
  const first = await findActive();
  t.match(await compose('exec', '-T', first, 'vp', 'setup-link'), 'setup-link.txt');
  await compose('cp', `${first}:/data/owner.key`, 'owner.key');
  const client = createClient({ baseUrl: url, token: readFileSync(join(folder, 'owner.key'), 'utf8').trim(), fetch });

  for (const service of ['balancer', ...replicaNames, 'database', 'secrets']) {
    t.equal(await inspect(service, '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}'), 'true [ALL]', service);
    const visible = await inspect(service, '{{json .Config.Env}} {{json .Config.Cmd}} {{json .Config.Entrypoint}}');
    t.notMatch(visible, /postgres:\/\/|[A-Za-z0-9+/_-]{40}/, `${service}: no secret is in its variables or arguments`);
  }
  /** A killed replica is listed until it was silent for five seconds. */
  const waitForBoth = (isGone: (id: string) => boolean = () => false) =>
    eventually(
      async () => {
        const replicas = (await client.system.get()).replication?.replicas ?? [];
        return replicas.length === 2 && !replicas.some(({ id }) => isGone(id));
      },
      { timeoutMs: 60_000 },
    );
  await waitForBoth();
  t.match(await client.system.get(), {
    store: { engine: 'postgresql', connection: 'direct', notices: 'hint' },
    replication: { replicas: { length: 2 } },
  });
  const select = "SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication FROM pg_roles WHERE rolname = 'vp'";
  t.equal((await compose('exec', '-T', 'database', 'psql', '-U', 'postgres', '-Atc', select)).trim(), 'f');

  await showStandbyLeftOut(t, { url, compose, standby: first === 'replica-1' ? 'replica-2' : 'replica-1' });
  await waitForBoth();

  const target = await startGatedTarget(t);
  const { executor_key } = await client.instances.create({ instance_id: instance });
  await client.scenarios.write(instance, scenarioId, { text: scenarioText() });
  sandbox.write('product/platform-config.yaml', configText(target.origin));
  const args = ['executor', '--json', '--port', '0', '--data', 'executor', '--product-dir', 'product'];
  const executor = sandbox.vp([...args, '--control-plane', url], {
    variables: { VP_EXECUTOR_KEY: executor_key },
    lifetimeMs: 300_000,
  });
  await executor.waitForOutput(/"event":"listening"/);
  const acknowledged: string[] = [];
  let isOver = false;
  let attempts = 0;
  const caller = (async () => {
    for (let request = 0; !isOver; request += 1) {
      const idempotencyKey = `request-${request}`;
      const runs = await eventually(
        () => {
          attempts += 1;
          const scenarios = [{ id: scenarioId }, { id: scenarioId }];
          return client.runs.request(instance, { scenarios }, { idempotencyKey }).catch(() => undefined);
        },
        { timeoutMs: 60_000 },
      );
      acknowledged.push(...runs.map(({ run_id: id }) => id));
    }
  })();
  const waitForMore = (count: number) => eventually(() => acknowledged.length >= count, { timeoutMs: 90_000 });
  await waitForMore(10);
  for (let kill = 0; kill < 4; kill += 1) {
    const { active: killed } = await eventually(readActive);
    const active = await findActive();
    const [container = ''] = (await compose('ps', '--quiet', active)).split('\n');
    const startedMs = performance.now();
    await killContainer(container);
    await waitForMore(acknowledged.length + 4);
    t.comment(
      `kill of ${active}: the next requests were acknowledged after ${Math.round(performance.now() - startedMs)} ms`,
    );
    await waitForBoth((id) => id === killed);
  }
  isOver = true;
  await caller;
  const states = new Map<string, number>();
  for (const id of acknowledged) {
    const { state } = await eventually(() => client.runs.get(id, { waitMs: 10_000 }).catch(() => undefined), {
      until: (document) => document !== undefined && document.finished_at !== null,
      timeoutMs: 120_000,
    });
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  t.comment(`${acknowledged.length} runs of ${attempts} requests, ${JSON.stringify([...states])}`);
  t.same([...states], [['passed', acknowledged.length]], 'every acknowledged run has passed');
  t.equal(new Set(acknowledged).size, acknowledged.length);
  t.equal(new Set(target.log).size, target.log.length, 'nothing was sent twice');
  t.equal(target.log.length, acknowledged.length, 'each run was sent, and nothing else');

  await compose('down');
  await compose('up', '--detach', '--wait');
  const known = await eventually(() => client.runs.get(acknowledged[0] ?? ''));
  t.equal(known.state, 'passed', 'the volumes have everything');
});

t.setTimeout(600_000);
