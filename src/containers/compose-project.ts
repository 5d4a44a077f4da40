/** Starting and removing compose projects. */
import type { ContainerEngine } from './engine.ts';

/** `folder` contains the project's `compose.yaml` and `.env`. */
export type ComposeProject = { readonly name: string; readonly folder: string };

export type ComposeOptions = {
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
};

const startTimeoutMs = 300_000;
const stopTimeoutMs = 120_000;

function composeArgs({ name, folder }: ComposeProject, command: readonly string[]): string[] {
  return ['compose', '--project-name', name, '--project-directory', folder, '--progress', 'plain', ...command];
}

/**
 * Starts what is not running, recreates what differs, and waits until everything is running or healthy.
 * Throws ENGINE_COMMAND_FAILED, ENGINE_COMMAND_SLOW.
 */
export async function startComposeProject(
  engine: ContainerEngine,
  project: ComposeProject,
  options: ComposeOptions = {},
): Promise<void> {
  const up = ['up', '--detach', '--wait', '--pull', 'never', '--remove-orphans'];
  await engine.output(composeArgs(project, up), { timeoutMs: startTimeoutMs, ...options });
}

/** Removes the containers and networks of a project, and with `volumes` its volumes. Does nothing where there are none. */
export async function removeComposeProject(
  engine: ContainerEngine,
  { name }: Pick<ComposeProject, 'name'>,
  options: ComposeOptions & { readonly volumes: boolean },
): Promise<void> {
  const { volumes, ...call } = options;
  // Without the compose file: the labels of the containers say what belongs to the project.
  const down = ['compose', '--project-name', name, 'down', '--remove-orphans', '--timeout', '10'];
  await engine.output([...down, ...(volumes ? ['--volumes'] : [])], { timeoutMs: stopTimeoutMs, ...call });
}
