/** Containers as the engine lists them. Their environment is never read: it holds secrets. */
import { vpError } from '../errors/vp-error.ts';
import type { Engine } from './engine.ts';

/** A container. `project` and `service` are compose's, empty for one that was started by hand. */
export type Container = {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  /** `running`, `exited`, `paused`, `restarting`, `created`, `dead`. */
  readonly state: string;
  /** In words, with its health, such as `Up 2 minutes (healthy)`. */
  readonly status: string;
  readonly project: string;
  readonly service: string;
  readonly networks: readonly string[];
  /** Published ports, as the engine words them. */
  readonly ports: string;
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
];
const format = columns.join('\t');

function containerOf(line: string): Container {
  const cells = line.split('\t');
  const [id = '', name = '', image = '', state = '', status = '', project = '', service = '', networks = ''] = cells;
  if (cells.length !== columns.length || id === '')
    throw vpError('ENGINE_ANSWER_STRANGE', { command: 'docker ps', reason: line.slice(0, 100) });
  const ports = cells.at(-1) ?? '';
  return { id, name, image, state, status, project, service, networks: networks.split(',').filter(Boolean), ports };
}

/** Containers, stopped ones too, that all `filters` let through (`label=…`, `name=…`, `publish=…`, `network=…`). */
export async function containers(engine: Engine, filters: readonly string[] = []): Promise<readonly Container[]> {
  const words = ['ps', '--all', '--no-trunc', '--format', format, ...filters.flatMap((filter) => ['--filter', filter])];
  const text = await engine.output(words);
  return text.split('\n').filter(Boolean).map(containerOf);
}

/** The containers of a compose project. */
export function containersOfProject(engine: Engine, project: string): Promise<readonly Container[]> {
  return containers(engine, [`label=com.docker.compose.project=${project}`]);
}

/** The container of that very name; undefined where there is none. */
export async function containerNamed(engine: Engine, name: string): Promise<Container | undefined> {
  const found = await containers(engine, [`name=^/?${name.replaceAll(/[.]/g, '\\.')}$`]);
  return found.find((container) => container.name === name);
}

/** Who it is, for a person: `container app-1 (compose project shop, service app)`. */
export function containerText({ name, project, service }: Container): string {
  return project === '' ? `container ${name}` : `container ${name} (compose project ${project}, service ${service})`;
}
