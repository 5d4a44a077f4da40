/** A fake machine: its engine answers from a table, and its ports have the given holders. */
import type { ContainerInfo } from '../../../src/containers/containers.ts';
import type { ContainerEngine } from '../../../src/containers/engine.ts';
import { oneOffLabel } from '../../../src/containers/one-off-container.ts';
import type { PortHolder } from '../../../src/containers/port-holders.ts';
import { resolvePaths } from '../../../src/environment/paths.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { type ComposeContext, createComposeContext } from '../../../src/onboarding/compose/compose-context.ts';
import { toPlatform } from '../../../src/onboarding/compose/compose-platform.ts';
import type { Platform } from '../../../src/onboarding/platform/platform.ts';
import type { PreflightContext } from '../../../src/onboarding/preflight/context.ts';

/** A container; by default running and without ports. */
export function container(overrides: Partial<ContainerInfo> & { readonly name: string }): ContainerInfo {
  const defaults = { id: overrides.name, image: 'debian:bookworm-slim', state: 'running', status: 'Up 2 minutes' };
  return { ...defaults, project: '', service: '', networks: [], ports: '', folder: '', ...overrides };
}

/** A process of another user that listens on `port`. */
export function processHolder(port: number, name = 'nginx'): PortHolder {
  const listener = { address: '127.0.0.1', port, holder: { pid: 412, name }, user: 'ada' };
  return { port, container: undefined, listener };
}

/** A container that has published `port`. */
export function containerHolder(port: number, overrides: Parameters<typeof container>[0]): PortHolder {
  return { port, container: container(overrides), listener: undefined };
}

/** Output of the engine by the start of a command. */
export type EngineAnswers = Readonly<Record<string, string>>;

/** An engine whose `ps` lists `listed` by its filters and whose other output is in `answers`. */
export function createFakeEngine(
  listed: readonly ContainerInfo[],
  answers: EngineAnswers = {},
  commands: string[] = [],
): ContainerEngine {
  const findAnswer = (args: readonly string[]): string => {
    const line = args.join(' ');
    commands.push(line);
    if (args[0] === 'ps')
      return listed
        .filter((listedContainer) => isListed(listedContainer, args))
        .map(formatLine)
        .join('\n');
    const networks = answerNetworkQuestion(listed, args);
    if (networks !== undefined) return networks;
    const known = Object.entries(answers).find(([begin]) => line.startsWith(begin));
    return known?.[1] ?? '';
  };
  const versions = { program: 'docker', isPodman: false, version: '26.1.5', composeVersion: '2.26.1' } as const;
  const facts = { ...versions, socketFile: '/var/run/docker.sock', selinux: false };
  return {
    info: facts,
    run: async (args) => ({ kind: 'exited', exitCode: 0, stdout: findAnswer(args), stderr: '', durationMs: 1 }),
    output: async (args) => findAnswer(args),
  };
}

/** The id of a network is `id of <name>`; a container that is listed in `<name>=<id>` is in an earlier network of that name. */
function answerNetworkQuestion(listed: readonly ContainerInfo[], args: readonly string[]): string | undefined {
  if (args[0] === 'network' && args[1] === 'inspect') return `id of ${args.at(-1)}\n`;
  if (args[0] !== 'inspect' || args[2] !== '{{json .NetworkSettings.Networks}}') return undefined;
  const attached = listed.find(({ id }) => id === args.at(-1))?.networks ?? [];
  const entries = attached.map((network) => {
    const [name = '', id = `id of ${name}`] = network.split('=');
    return [name, { NetworkID: id }] as const;
  });
  return JSON.stringify(Object.fromEntries(entries));
}

function isListed({ project, name }: ContainerInfo, args: readonly string[]): boolean {
  const filters = args.filter((_, index) => args[index - 1] === '--filter');
  return filters.every((filter) => {
    if (filter === `label=${oneOffLabel}`) return name.startsWith('vp-one-off-');
    if (filter.startsWith('label=')) return filter === `label=com.docker.compose.project=${project}`;
    return !filter.startsWith('name=') || new RegExp(filter.slice('name='.length)).test(name);
  });
}

function formatLine(listed: ContainerInfo): string {
  const { id, name, image, state, status, project, service, networks, ports, folder } = listed;
  return [id, name, image, state, status, project, service, networks.join(','), ports, folder].join('\t');
}

/** What the platform of a fake machine is built on. */
export type MachineOverrides = Partial<Pick<ComposeContext, 'engine' | 'findPortHolder'>>;

const environment = { platform: 'linux', variables: { PATH: '/usr/bin:/bin' } } as const;

/** The compose platform on a fake engine, with `holders` of ports. */
export function createTestPlatform(overrides: MachineOverrides = {}, holders: readonly PortHolder[] = []): Platform {
  const byPort = new Map(holders.map((holder) => [holder.port, holder]));
  const paths = resolvePaths({}, 'linux', '/home/ada');
  const context = createComposeContext(
    { ...environment, paths, random: systemRandom },
    {
      engine: async () => createFakeEngine([], { info: '/var/lib/docker\n' }),
      findPortHolder: async (port) => byPort.get(port),
      ...overrides,
    },
  );
  return toPlatform(context);
}

/** A machine without problems; `overrides` and `holders` change that. */
export function createPreflightTestContext(
  { engine, findPortHolder, ...overrides }: Partial<PreflightContext> & MachineOverrides = {},
  holders: readonly PortHolder[] = [],
): PreflightContext {
  const machine = { ...(engine && { engine }), ...(findPortHolder && { findPortHolder }) };
  return {
    environment,
    dataFolder: '/home/ada/.local/share/vp',
    platform: createTestPlatform(machine, holders),
    readFreeBytes: async () => 20 * 1024 ** 3,
    readAvailableMemory: async () => 4 * 1024 ** 3,
    ...overrides,
  };
}
