/** Removes what onboarding has added to the folders of the agents. */
import { stat } from 'node:fs/promises';
import { toVpError, VpError } from '../../errors/vp-error.ts';
import { disconnectFolder, planDisconnection } from '../agent-folders/disconnect.ts';
import { createFolderContext } from '../agent-folders/file-access.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';
import type { TeardownContext } from './context.ts';

async function connectedFolders(context: TeardownContext): Promise<string[]> {
  const { facts, request } = context;
  const connectedPaths: string[] = [];
  for (const folder of facts ? [facts.test_dir, facts.product_dir] : []) {
    if (!(await stat(folder).catch(() => undefined))) continue;
    try {
      await planDisconnection(folder, request.instanceId, createFolderContext(context.ports.environment));
      connectedPaths.push(folder);
    } catch (error) {
      if (!(error instanceof VpError && error.code === 'FOLDER_NOT_CONNECTED')) connectedPaths.push(folder);
    }
  }
  return connectedPaths;
}

export const foldersRemovalStep: WorkflowStep<TeardownContext> = {
  id: 'folders',
  title: 'entries in the folders of the agents',
  async check(context) {
    const folders = await connectedFolders(context);
    if (folders.length > 0) return actionNeeded(folders.join(', '));
    return upToDate(context.facts ? 'none here' : 'unknown without a kit; see `vp disconnect`');
  },
  async act(context) {
    const { request, removed } = context;
    const failures: { message: string; cure: string }[] = [];
    for (const folder of await connectedFolders(context)) {
      try {
        const { changes } = await disconnectFolder(
          folder,
          request.instanceId,
          createFolderContext(context.ports.environment),
        );
        removed.push(
          ...changes.map(({ file, what, change }) => `${what} ${change === 'removed' ? 'with' : 'from'} ${file}`),
        );
      } catch (error) {
        failures.push(toVpError(error));
      }
    }
    if (failures.length === 0) return { detail: 'as before the onboarding' };
    const reason = failures.map(({ message }) => message).join('; ');
    return { detail: reason, shortfall: { reason, cure: failures.map(({ cure }) => cure).join('; '), passes: false } };
  },
};
