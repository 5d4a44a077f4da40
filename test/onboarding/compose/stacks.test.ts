import t from 'tap';
import { parse } from 'yaml';
import type { ContainerEngine } from '../../../src/containers/engine.ts';
import { readSocketGroup } from '../../../src/onboarding/compose/components/stack-files.ts';
import { selectEndpoint } from '../../../src/onboarding/compose/select-endpoint.ts';
import { buildInstanceStack } from '../../../src/onboarding/compose/stacks/instance-stack.ts';
import { buildRouterStack } from '../../../src/onboarding/compose/stacks/router-stack.ts';
import { supportsStartInterval } from '../../../src/onboarding/compose/stacks/stack.ts';
import { writeInstanceConfig } from '../../../src/onboarding/compose/write-config.ts';
import type { ControlPlaneEndpoint } from '../../../src/onboarding/platform/platform.ts';
import type { ProcessResult } from '../../../src/process/run-process.ts';

const stackOptions = {
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

function parseCompose({ files }: { readonly files: Readonly<Record<string, string>> }) {
  return parse(files['compose.yaml'] ?? '');
}

/** An engine that returns `result` for every command, and records the commands. */
function createFakeEngine(result: Partial<ProcessResult>) {
  const commands: { args: readonly string[]; input: string | undefined }[] = [];
  const attempt: ContainerEngine['run'] = async (args, call) => {
    commands.push({ args, input: call?.input });
    return { kind: 'exited', exitCode: 0, stdout: '', stderr: '', durationMs: 1, ...result };
  };
  const facts = {
    program: 'docker',
    isPodman: false,
    version: '26.1.5',
    composeVersion: '2.26.1',
    selinux: false,
  } as const;
  const engine: ContainerEngine = {
    info: { ...facts, socketFile: '/var/run/docker.sock' },
    run: attempt,
    output: async (args, call) => (await attempt(args, call)).stdout,
  };
  return { engine, commands };
}

t.test('every container of a stack is confined', async (t) => {
  for (const stack of [buildInstanceStack(stackOptions), buildRouterStack({ image: stackOptions.image })]) {
    const { services } = parseCompose(stack);
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

t.test('no service of an instance brings a generic name into the target’s network', async (t) => {
  const { services } = parseCompose(buildInstanceStack(stackOptions));
  for (const [name, { networks, container_name }] of Object.entries<Record<string, unknown>>(services)) {
    if (networks === undefined) continue;
    // Compose makes the name of the service an alias in each of its networks.
    t.equal(name, 'platform-inst-shop');
    t.equal(container_name, 'platform-inst-shop-executor-1', 'people find it by the usual name');
  }
});

t.test('only the log reader of an instance has the engine socket, and it has no network', async (t) => {
  const stack = buildInstanceStack(stackOptions);
  const { services, networks } = parseCompose(stack);
  const reader = services['log-reader'];
  t.equal(reader.network_mode, 'none');
  t.same(reader.group_add, ['998']);
  t.notOk(JSON.stringify(services['platform-inst-shop']).includes('engine.sock'));
  t.match(services['platform-inst-shop'].ports, [{ host_ip: '127.0.0.1', published: '8766', target: 8765 }]);
  t.same(services['platform-inst-shop'].networks, { target: {}, obs: { aliases: ['vp-executors'] } });
  t.same(networks.target, { name: 'shop_default', external: true });
  t.same(stack.volumes, ['platform-inst-shop_config', 'platform-inst-shop_data', 'platform-inst-shop_logs']);
  t.same(stack.ports, [8766]);
});

t.test('the log reader of an instance can write to the logs volume only', async (t) => {
  const { services } = parseCompose(buildInstanceStack(stackOptions));
  const writable = (name: string) =>
    services[name].volumes
      .filter((volume: { read_only?: boolean }) => !volume.read_only)
      .map(({ target = '' }) => target);
  t.same(writable('log-reader'), ['/run/vp-logs']);
  t.same(writable('platform-inst-shop'), ['/data']);
});

t.test('a control plane by URL gets its certificates and hosts, and no mount', async (t) => {
  const controlPlane: ControlPlaneEndpoint = {
    kind: 'url',
    url: 'https://control.example.com',
    ca: '-----BEGIN CERTIFICATE-----',
    hosts: ['control.example.com:10.0.0.1'],
  };
  const { services } = parseCompose(buildInstanceStack({ ...stackOptions, controlPlane }));
  const { command, extra_hosts, volumes } = services['platform-inst-shop'];
  t.match(command.join(' '), '--control-plane https://control.example.com --ca /config/ca.pem');
  t.same(extra_hosts, ['control.example.com:10.0.0.1']);
  t.notOk(JSON.stringify(volumes).includes('vp-control'));
  t.notOk(buildInstanceStack({ ...stackOptions, controlPlane }).files['compose.yaml']?.includes('BEGIN CERTIFICATE'));
});

t.test('names from users are neither expanded nor parsed as YAML', async (t) => {
  const folderWithSpecials = 'a"b: $HOME ${SECRET}\n  - x';
  const stack = buildInstanceStack({ ...stackOptions, controlPlane: { kind: 'socket', folder: folderWithSpecials } });
  const mount = parseCompose(stack).services['platform-inst-shop'].volumes.at(-1);
  t.equal(mount.source, folderWithSpecials.replaceAll('$', '$$$$'));
});

t.test('SELinux labels are disabled only where a socket of the host is mounted', async (t) => {
  const { services } = parseCompose(buildInstanceStack({ ...stackOptions, selinux: true }));
  t.ok(services['log-reader'].security_opt.includes('label=disable'));
  t.ok(services['platform-inst-shop'].security_opt.includes('label=disable'));
  const byUrl = buildInstanceStack({
    ...stackOptions,
    selinux: true,
    controlPlane: { kind: 'url', url: 'https://c.example' },
  });
  t.notOk(parseCompose(byUrl).services['platform-inst-shop'].security_opt.includes('label=disable'));
});

t.test('start_interval is omitted for engines that do not support it', async (t) => {
  t.notOk(
    JSON.stringify(parseCompose(buildInstanceStack({ ...stackOptions, startInterval: false }))).includes(
      'start_interval',
    ),
  );
  t.ok(supportsStartInterval({ program: 'docker', version: '26.1.5' }));
  t.notOk(supportsStartInterval({ program: 'docker', version: '24.0.7' }));
  t.notOk(supportsStartInterval({ program: 'podman', version: '4.3.1' }));
});

t.test('config is passed on standard input into a volume of the compose project', async (t) => {
  const { engine, commands } = createFakeEngine({});
  await writeInstanceConfig(engine, {
    instanceId: 'shop',
    image: stackOptions.image,
    files: { '.env': 'TOKEN=abc123' },
  });
  t.match(commands[0]?.args.join(' '), /volume create --label com.docker.compose.project=platform-inst-shop/);
  t.equal(commands[1]?.input, '{".env":"TOKEN=abc123"}');
  t.notOk(commands.some(({ args }) => args.join(' ').includes('abc123')));
});

t.test('config that cannot be written is reported with the volume', async (t) => {
  const { engine } = createFakeEngine({ exitCode: 2, stderr: 'no room\n' });
  const writing = writeInstanceConfig(engine, { instanceId: 'shop', image: stackOptions.image, files: {} });
  await t.rejects(writing, { code: 'CONFIG_NOT_PLACED', values: { volume: 'platform-inst-shop_config' } });
});

t.test('the group of the engine socket is read, or the reason is reported', async (t) => {
  t.equal(await readSocketGroup(createFakeEngine({ stdout: '998\n' }).engine, stackOptions.image), 998);
  const failing = createFakeEngine({ exitCode: 125, stderr: 'bind source path does not exist\n' }).engine;
  await t.rejects(readSocketGroup(failing, stackOptions.image), { code: 'ENGINE_SOCKET_ABSENT' });
});

t.test('the first endpoint that answers is selected, with reasons for the rejected ones', async (t) => {
  const candidates: ControlPlaneEndpoint[] = [
    { kind: 'socket', folder: '/data/executors' },
    { kind: 'url', url: 'http://host.docker.internal:7700' },
  ];
  const ends = [
    { exitCode: 4, stdout: '{"reachable":false,"reason":"the socket does not exist"}\n' },
    { exitCode: 0, stdout: '{"reachable":true,"version":"0.4.0"}\n' },
  ];
  const { engine, commands } = createFakeEngine({});
  const attempt: ContainerEngine['run'] = async (args, call) => ({
    ...(await engine.run(args, call)),
    ...ends[commands.length - 1],
  });
  const chosen = await selectEndpoint(
    { ...engine, run: attempt },
    { image: stackOptions.image, network: 'shop', candidates },
  );
  t.same(chosen.endpoint, candidates[1]);
  t.equal(chosen.version, '0.4.0');
  t.match(chosen.rejected, [{ reason: 'the socket does not exist' }]);
  t.match(commands[0]?.args.join(' '), 'type=bind,source=/data/executors,target=/run/vp-control,readonly');
});

t.test('a probe that does not start reports the engine’s reason', async (t) => {
  const stderr = 'docker: Error response from daemon: network shop not found.\nRun docker run --help\n';
  const { engine } = createFakeEngine({ exitCode: 125, stderr });
  const candidates: ControlPlaneEndpoint[] = [{ kind: 'url', url: 'http://c.example' }];
  const { endpoint, rejected: refused } = await selectEndpoint(engine, {
    image: stackOptions.image,
    network: 'shop',
    candidates,
  });
  t.equal(endpoint, undefined);
  t.match(refused[0]?.reason, /network shop not found/);
});
