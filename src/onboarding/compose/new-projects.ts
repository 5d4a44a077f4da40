/** Undoes the interrupted start of a compose project, unless it ran before. */
import { removeComposeProject } from '../../containers/compose-project.ts';
import { listProjectContainers } from '../../containers/containers.ts';
import type { ComposeContext } from './compose-context.ts';

/** Call it before a start: remembers whether `project` has containers by then. */
export async function recordIfNew(context: ComposeContext, project: string): Promise<void> {
  const containers = await listProjectContainers(await context.engine(), project);
  if (containers.length === 0) context.newProjects.add(project);
}

/** Removes the containers of a new project. Throws for one that ran before: the next onboarding repairs it. */
export async function removeNewProject(context: ComposeContext, project: string): Promise<void> {
  if (!context.newProjects.has(project)) throw new Error(`${project} existed before this run`);
  await removeComposeProject(await context.engine(), { name: project }, { volumes: false });
}
