/** Removes the kit's files, and its folder if nothing else is in it. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { forgetKitFolder, getKitPaths, removeIfEmpty } from '../kit/kit-paths.ts';
import { removeKit } from '../kit/remove-kit.ts';
import { getJournalPath } from '../workflow/journal.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';
import type { TeardownContext } from './context.ts';

/** While the instance is registered, the machine key and the journal are kept for a retry. */
export const kitStep: WorkflowStep<TeardownContext> = {
  id: 'kit',
  title: 'files of the kit',
  async check({ request }) {
    return (await stat(request.kit).catch(() => undefined)) ? actionNeeded(request.kit) : upToDate('none here');
  },
  async act({ request, ports, state, removed, retained }) {
    const { kit, instanceId } = request;
    const { compose, machineKey } = getKitPaths(kit);
    await rm(compose, { recursive: true, force: true });
    ports.forgetScenarios(instanceId);
    if (!state.isUnregistered) {
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
