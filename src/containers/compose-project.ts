/** A compose project as this product runs it: from a file of its own, under a name of its own. */
import type { Engine } from './engine.ts';

/** Which project, and the folder of its `compose.yaml` and `.env`. */
export type ComposeProject = { readonly name: string; readonly folder: string };

/** How a command of compose is told and ended. */
export type ComposeCall = {
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
};

const startMs = 300_000;
const stopMs = 120_000;

function words({ name, folder }: ComposeProject, command: readonly string[]): string[] {
  return ['compose', '--project-name', name, '--project-directory', folder, '--progress', 'plain', ...command];
}

/**
 * Starts what is not running, changes what differs, and waits until all of it is running or healthy.
 * Throws ENGINE_COMMAND_FAILED, ENGINE_COMMAND_SLOW.
 */
export async function startProject(engine: Engine, project: ComposeProject, call: ComposeCall = {}): Promise<void> {
  const up = ['up', '--detach', '--wait', '--pull', 'never', '--remove-orphans'];
  await engine.output(words(project, up), { timeoutMs: startMs, ...call });
}

/** Removes containers and networks of a project, and with `volumes` those too; fine when there are none. */
export async function removeProject(
  engine: Engine,
  { name }: Pick<ComposeProject, 'name'>,
  options: ComposeCall & { readonly volumes: boolean },
): Promise<void> {
  const { volumes, ...call } = options;
  // Without its file: the containers themselves say what belongs to the project.
  const down = ['compose', '--project-name', name, 'down', '--remove-orphans', '--timeout', '10'];
  await engine.output([...down, ...(volumes ? ['--volumes'] : [])], { timeoutMs: stopMs, ...call });
}
