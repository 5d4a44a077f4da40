import t from 'tap';
import { parse } from 'yaml';
import type { Engine } from '../../src/containers/engine.ts';
import { chooseWay } from '../../src/onboarding/stacks/choose-way.ts';
import { instanceStack } from '../../src/onboarding/stacks/instance.ts';
import { placeConfig } from '../../src/onboarding/stacks/place-config.ts';
import { routerStack } from '../../src/onboarding/stacks/router.ts';
import { socketGroupOf } from '../../src/onboarding/stacks/socket-group.ts';
import { knowsStartInterval } from '../../src/onboarding/stacks/stack.ts';
import type { ControlPlaneWay } from '../../src/onboarding/stacks/way.ts';
import type { ProgramEnd } from '../../src/process/run-program.ts';

const given = {
  instanceId: 'shop',
  image: 'vp:v0.4.0-slim',
  port: 8766,
  network: 'shop_default',
  composeProject: 'shop',
  engineSocket: '/var/run/docker.sock',
  socketGroup: 998,
  controlPlane: { kind: 'socket', folder: '/home/ada/.local/share/vp/executors' },
  selinux: false,
} as const;

function composeOf({ files }: { readonly files: Readonly<Record<string, string>> }) {
  return parse(files['compose.yaml'] ?? '');
}

/** An engine that answers every command with `end`, and keeps what it was asked. */
function engineSaying(end: Partial<ProgramEnd>) {
  const asked: { words: readonly string[]; input: string | undefined }[] = [];
  const attempt: Engine['attempt'] = async (words, call) => {
    asked.push({ words, input: call?.input });
    return { kind: 'exited', exitCode: 0, stdout: '', stderr: '', durationMs: 1, ...end };
  };
  const facts = { program: 'docker', version: '26.1.5', composeVersion: '2.26.1', selinux: false } as const;
  const engine: Engine = {
    facts: { ...facts, socketFile: '/var/run/docker.sock' },
    attempt,
    output: async (words, call) => (await attempt(words, call)).stdout,
  };
  return { engine, asked };
}

t.test('every container of a stack is confined', async (t) => {
  for (const stack of [instanceStack(given), routerStack({ image: given.image })]) {
    const { services } = composeOf(stack);
    for (const [name, service] of Object.entries<Record<string, unknown>>(services)) {
      t.match(service, {
        user: '10001:10001',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        pull_policy: 'never',
        restart: 'always',
        mem_limit: String,
        pids_limit: Number,
        logging: { options: { 'max-size': '10m', 'max-file': '3' } },
        healthcheck: { start_interval: '500ms' },
      });
      t.notOk('environment' in service || 'privileged' in service, name);
    }
  }
});

t.test('an instance: the engine socket is the log reader’s alone, which has no network', async (t) => {
  const stack = instanceStack(given);
  const { services, networks } = composeOf(stack);
  const reader = services['log-reader'];
  t.equal(reader.network_mode, 'none');
  t.same(reader.group_add, ['998']);
  t.notOk(JSON.stringify(services.executor).includes('engine.sock'));
  t.match(services.executor.ports, [{ host_ip: '127.0.0.1', published: '8766', target: 8765 }]);
  t.same(services.executor.networks.obs.aliases, ['platform-inst-shop', 'vp-executors']);
  t.same(networks.target, { name: 'shop_default', external: true });
  t.same(stack.volumes, ['platform-inst-shop_config', 'platform-inst-shop_data', 'platform-inst-shop_logs']);
  t.same(stack.ports, [8766]);
});

t.test('an instance: only the logs volume is written to by the log reader', async (t) => {
  const { services } = composeOf(instanceStack(given));
  const writable = (name: string) =>
    services[name].volumes.filter((one: { read_only?: boolean }) => !one.read_only).map(({ target = '' }) => target);
  t.same(writable('log-reader'), ['/run/vp-logs']);
  t.same(writable('executor'), ['/data']);
});

t.test('an instance: a control plane by URL has its root and its hosts, and no mount', async (t) => {
  const controlPlane: ControlPlaneWay = {
    kind: 'url',
    url: 'https://control.example.com',
    ca: '-----BEGIN CERTIFICATE-----',
    hosts: ['control.example.com:10.0.0.1'],
  };
  const { services } = composeOf(instanceStack({ ...given, controlPlane }));
  const { command, extra_hosts, volumes } = services.executor;
  t.match(command.join(' '), '--control-plane https://control.example.com --ca /config/ca.pem');
  t.same(extra_hosts, ['control.example.com:10.0.0.1']);
  t.notOk(JSON.stringify(volumes).includes('vp-control'));
  t.notOk(instanceStack({ ...given, controlPlane }).files['compose.yaml']?.includes('BEGIN CERTIFICATE'));
});

t.test('what users name stays a value: nothing of it is expanded or becomes structure', async (t) => {
  const odd = 'a"b: $HOME ${SECRET}\n  - x';
  const stack = instanceStack({ ...given, controlPlane: { kind: 'socket', folder: odd } });
  const mount = composeOf(stack).services.executor.volumes.at(-1);
  t.equal(mount.source, odd.replaceAll('$', '$$$$'));
});

t.test('SELinux labels are lifted where a socket of the host is mounted, and nowhere else', async (t) => {
  const { services } = composeOf(instanceStack({ ...given, selinux: true }));
  t.ok(services['log-reader'].security_opt.includes('label=disable'));
  t.ok(services.executor.security_opt.includes('label=disable'));
  const byUrl = instanceStack({ ...given, selinux: true, controlPlane: { kind: 'url', url: 'https://c.example' } });
  t.notOk(composeOf(byUrl).services.executor.security_opt.includes('label=disable'));
});

t.test('engines that do not know start_interval are not given it', async (t) => {
  t.notOk(JSON.stringify(composeOf(instanceStack({ ...given, startInterval: false }))).includes('start_interval'));
  t.ok(knowsStartInterval({ program: 'docker', version: '26.1.5' }));
  t.notOk(knowsStartInterval({ program: 'docker', version: '24.0.7' }));
  t.notOk(knowsStartInterval({ program: 'podman', version: '4.3.1' }));
});

t.test('config goes through standard input into a volume that compose takes as its own', async (t) => {
  const { engine, asked } = engineSaying({});
  await placeConfig(engine, { instanceId: 'shop', image: given.image, files: { '.env': 'TOKEN=abc123' } });
  t.match(asked[0]?.words.join(' '), /volume create --label com.docker.compose.project=platform-inst-shop/);
  t.equal(asked[1]?.input, '{".env":"TOKEN=abc123"}');
  t.notOk(asked.some(({ words }) => words.join(' ').includes('abc123')));
});

t.test('config that cannot be placed is told with the volume', async (t) => {
  const { engine } = engineSaying({ exitCode: 2, stderr: 'no room\n' });
  const placing = placeConfig(engine, { instanceId: 'shop', image: given.image, files: {} });
  await t.rejects(placing, { code: 'CONFIG_NOT_PLACED', values: { volume: 'platform-inst-shop_config' } });
});

t.test('the group of the engine socket is a number, or the reason is told', async (t) => {
  t.equal(await socketGroupOf(engineSaying({ stdout: '998\n' }).engine, given.image), 998);
  const failing = engineSaying({ exitCode: 125, stderr: 'bind source path does not exist\n' }).engine;
  await t.rejects(socketGroupOf(failing, given.image), { code: 'ENGINE_SOCKET_ABSENT' });
});

t.test('the first way that leads to the control plane is taken, with reasons for the others', async (t) => {
  const candidates: ControlPlaneWay[] = [
    { kind: 'socket', folder: '/data/executors' },
    { kind: 'url', url: 'http://host.docker.internal:7700' },
  ];
  const ends = [
    { exitCode: 4, stdout: '{"reachable":false,"reason":"the socket does not exist"}\n' },
    { exitCode: 0, stdout: '{"reachable":true,"version":"0.4.0"}\n' },
  ];
  const { engine, asked } = engineSaying({});
  const attempt: Engine['attempt'] = async (words, call) => ({
    ...(await engine.attempt(words, call)),
    ...ends[asked.length - 1],
  });
  const chosen = await chooseWay({ ...engine, attempt }, { image: given.image, network: 'shop', candidates });
  t.same(chosen.way, candidates[1]);
  t.equal(chosen.version, '0.4.0');
  t.match(chosen.refused, [{ reason: 'the socket does not exist' }]);
  t.match(asked[0]?.words.join(' '), 'type=bind,source=/data/executors,target=/run/vp-control,readonly');
});

t.test('a probe that does not start gives the engine’s reason', async (t) => {
  const stderr = 'docker: Error response from daemon: network shop not found.\nRun docker run --help\n';
  const { engine } = engineSaying({ exitCode: 125, stderr });
  const candidates: ControlPlaneWay[] = [{ kind: 'url', url: 'http://c.example' }];
  const { way, refused } = await chooseWay(engine, { image: given.image, network: 'shop', candidates });
  t.equal(way, undefined);
  t.match(refused[0]?.reason, /network shop not found/);
});
