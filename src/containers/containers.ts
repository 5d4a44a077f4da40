/** Containers as the engine lists them. Their environment is never read: it holds secrets. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { vpError } from '../errors/vp-error.ts';
import { tryParseJson } from '../json/json-object.ts';
import { type ContainerEngine, describeEngineFailure } from './engine.ts';

/** `project` and `service` are empty for a container that compose did not start. */
export type ContainerInfo = {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  /** `running`, `exited`, `paused`, `restarting`, `created`, `dead`. */
  readonly state: string;
  /** As the engine prints it, such as `Up 2 minutes (healthy)`. */
  readonly status: string;
  readonly project: string;
  readonly service: string;
  readonly networks: readonly string[];
  /** Published ports, as the engine prints them. */
  readonly ports: string;
  /** Folder of its compose file; empty for a container that compose did not start. */
  readonly folder: string;
};

const columns = [
  '{{.ID}}',
  '{{.Names}}',
  '{{.Image}}',
  '{{.State}}',
  '{{.Status}}',
  '{{.Label "com.docker.compose.project"}}',
  '{{.Label "com.docker.compose.service"}}',
  '{{.Networks}}',
  '{{.Ports}}',
  '{{.Label "com.docker.compose.project.working_dir"}}',
];
const format = columns.join('\t');

function parseContainerLine(line: string): ContainerInfo {
  const cells = line.split('\t');
  const [id = '', name = '', image = '', state = '', status = '', project = '', service = ''] = cells;
  const [networks = '', ports = '', folder = ''] = cells.slice(7);
  if (cells.length !== columns.length || id === '')
    throw vpError('ENGINE_ANSWER_STRANGE', { command: 'docker ps', reason: line.slice(0, 100) });
  const networkNames = networks.split(',').filter(Boolean);
  return { id, name, image, state, status, project, service, networks: networkNames, ports, folder };
}

/** Containers, including stopped ones, that match all `filters` (`label=…`, `name=…`, `publish=…`, `network=…`). */
export async function listContainers(
  engine: ContainerEngine,
  filters: readonly string[] = [],
): Promise<readonly ContainerInfo[]> {
  const args = ['ps', '--all', '--no-trunc', '--format', format, ...filters.flatMap((filter) => ['--filter', filter])];
  const text = await engine.output(args);
  const containers = text.split('\n').filter(Boolean).map(parseContainerLine);
  return engine.info.isPodman ? await completeStates(engine, containers) : containers;
}

/** Without a health check, `Health` is null or missing. A status is `healthy`, `unhealthy` or `starting`. */
const ContainerState = Type.Object({
  Health: Type.Optional(Type.Union([Type.Null(), Type.Object({ Status: Type.String() })])),
  StoppedByUser: Type.Optional(Type.Boolean()),
});
/** `restarts`: by the engine, since somebody started the container. */
type InspectedState = { readonly health: string; readonly restarts: number; readonly isStopped: boolean };

/**
 * podman's lists leave the health out when they are read through its socket, and otherwise write it in another form. The state
 * `restarting` is docker's: podman starts a container that keeps ending again at once, and lists it as running or ended.
 */
async function completeStates(
  engine: ContainerEngine,
  containers: readonly ContainerInfo[],
): Promise<readonly ContainerInfo[]> {
  const ids = containers.filter(({ state }) => state !== 'created').map(({ id }) => id);
  if (ids.length === 0) return containers;
  const args = ['container', 'inspect', '--format', '{{.Id}}\t{{.RestartCount}}\t{{json .State}}', ...ids];
  const result = await engine.run(args);
  // A container that was removed meanwhile is missing in the answer, which says the rest of them.
  if (result.exitCode !== 0 && !/no such container/i.test(result.stderr)) {
    const reason = describeEngineFailure(result);
    throw vpError('ENGINE_COMMAND_FAILED', { command: `${engine.info.program} ${args.join(' ')}`, reason });
  }
  const inspected = new Map(result.stdout.split('\n').filter(Boolean).map(parseStateLine));
  return containers.map((container) => {
    const state = inspected.get(container.id);
    if (state && isCrashLooping(container, state)) return { ...container, state: 'restarting' };
    return container.state === 'running'
      ? { ...container, status: formatStatus(container.status, state?.health) }
      : container;
  });
}

/** Started again by the engine more than once, the last time within ten seconds, as podman writes the duration. */
function isCrashLooping({ state, status }: ContainerInfo, { restarts, isStopped }: InspectedState): boolean {
  const hasJustChanged = /^(Up|Exited \(\d+\)) (Less than a second|\d seconds?)\b/.test(status);
  return restarts > 1 && hasJustChanged && !isStopped && state !== 'paused';
}

function parseStateLine(line: string): readonly [id: string, state: InspectedState] {
  const [id = '', restarts = '', text = ''] = line.split('\t');
  const state = tryParseJson(text);
  if (Value.Check(ContainerState, state) && /^\d+$/.test(restarts)) {
    const { Health: health, StoppedByUser: isStopped = false } = state;
    return [id, { health: health?.Status ?? '', restarts: Number(restarts), isStopped }];
  }
  throw vpError('ENGINE_ANSWER_STRANGE', { command: 'podman container inspect', reason: line.slice(0, 100) });
}

/** As docker prints it. */
function formatStatus(status: string, health: string | undefined): string {
  const text = status.replace(/ \((healthy|unhealthy|starting)\)$/, '');
  return health ? `${text} (${health === 'starting' ? 'health: starting' : health})` : text;
}

export function listProjectContainers(engine: ContainerEngine, project: string): Promise<readonly ContainerInfo[]> {
  return listContainers(engine, [`label=com.docker.compose.project=${project}`]);
}

/** The container with exactly that name. */
export async function findContainer(engine: ContainerEngine, name: string): Promise<ContainerInfo | undefined> {
  const containers = await listContainers(engine, [`name=^/?${name.replaceAll(/[.]/g, '\\.')}$`]);
  return containers.find((container) => container.name === name);
}

/** For people: `container app-1 (compose project shop, service app)`. */
export function describeContainer({ name, project, service }: ContainerInfo): string {
  return project === '' ? `container ${name}` : `container ${name} (compose project ${project}, service ${service})`;
}

/** The last three lines, as one line. */
export async function readLastLogLines(engine: ContainerEngine, name: string): Promise<string> {
  const { stdout, stderr } = await engine.run(['logs', '--tail', '3', name]);
  const lines = `${stdout}${stderr}`.trim().split('\n').filter(Boolean);
  return lines.length === 0 ? 'nothing' : lines.slice(-3).join(' | ').slice(0, 600);
}
