/** Containers as the engine lists them. Their environment is never read: it holds secrets. */
import { vpError } from '../errors/vp-error.ts';
import type { ContainerEngine } from './engine.ts';

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
  return text.split('\n').filter(Boolean).map(parseContainerLine);
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
