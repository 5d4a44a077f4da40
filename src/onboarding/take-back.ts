/** Takes back a compose project whose start was interrupted, where it was not there before. */
import { removeProject } from '../containers/compose-project.ts';
import { containersOfProject } from '../containers/containers.ts';
import { known, type OnboardingContext } from './context.ts';

/** Remembers whether `project` has containers before this run starts it. */
export async function noteFresh(context: OnboardingContext, project: string): Promise<void> {
  const containers = await containersOfProject(known(context, 'engine'), project);
  context.found.fresh ??= new Set();
  if (containers.length === 0) context.found.fresh.add(project);
}

/** Removes its containers. Throws where they were there before: the next run brings those into order. */
export async function takeBackProject(context: OnboardingContext, project: string): Promise<void> {
  if (!context.found.fresh?.has(project)) throw new Error(`${project} was there before`);
  await removeProject(known(context, 'engine'), { name: project }, { volumes: false });
}
