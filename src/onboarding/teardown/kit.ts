/** Removes the kit's files, and its folder if nothing else is in it. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findKitFolder, forgetKitFolder, getKitPaths, removeIfEmpty } from '../kit/kit-paths.ts';
import { removeKit } from '../kit/remove-kit.ts';
import { getJournalPath } from '../workflow/journal.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';
import type { TeardownContext } from './context.ts';

/** A kit that no onboarding of this instance has used stays: a mistyped id must not remove it. */
async function isKitOfInstance({ facts, state, request, ports }: TeardownContext): Promise<boolean> {
  if (facts !== undefined || state.registration === 'removed') return true;
  return request.kit === (await findKitFolder(ports.environment.paths, request.instanceId));
}

/** While the instance is registered, the machine key and the journal are kept for a retry. */
export const kitStep: WorkflowStep<TeardownContext> = {
  id: 'kit',
  title: 'files of the kit',
  async check(context) {
    const { request, retained } = context;
    if (!(await stat(request.kit).catch(() => undefined))) return upToDate('none here');
    if (await isKitOfInstance(context)) return actionNeeded(request.kit);
    retained.push({ what: request.kit, why: `${request.instanceId} was not onboarded with this kit` });
    return upToDate('the kit is not of this instance');
  },
  async act({ request, ports, state, removed, retained }) {
    const { kit, instanceId } = request;
    const { compose, machineKey, directKey } = getKitPaths(kit);
    await rm(compose, { recursive: true, force: true });
    await rm(directKey, { force: true });
    ports.forgetScenarios(instanceId);
    if (state.registration === 'unknown') {
      retained.push({
        what: `${getJournalPath(kit)} and ${machineKey}`,
        why: 'needed to remove what remains',
      });
      return { detail: 'kept what a retry needs' };
    }
    for (const file of [machineKey, getJournalPath(kit)]) await rm(file, { force: true });
    await removeKit(kit);
    const isFolderRemoved = await removeIfEmpty(kit);
    await forgetKitFolder(ports.environment.paths, instanceId);
    await removeIfEmpty(join(ports.environment.paths.config, 'connections'));
    removed.push(isFolderRemoved ? `kit folder ${kit}` : `the kit's files in ${kit}`);
    if (isFolderRemoved) return { detail: `removed ${kit}` };
    const otherFiles = (await readdir(kit)).slice(0, 5).join(', ');
    retained.push({ what: kit, why: `other files are in it: ${otherFiles}` });
    return { detail: `removed the kit's files; other files stay in ${kit}` };
  },
};
