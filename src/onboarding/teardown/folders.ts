/** What onboarding has put into the folders of the agents. */
import { stat } from 'node:fs/promises';
import { asVpError, VpError } from '../../errors/vp-error.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { disconnectFolder, planDisconnection } from '../folders/disconnect.ts';
import type { FolderPlace } from '../folders/place.ts';
import type { TeardownContext } from './context.ts';

function placeOf({ ports }: TeardownContext): FolderPlace {
  const { paths, random, variables } = ports.environment;
  return { config: paths.config, random, variables };
}

async function connectedFolders(context: TeardownContext): Promise<string[]> {
  const { facts, asked } = context;
  const connected: string[] = [];
  for (const folder of facts ? [facts.test_dir, facts.product_dir] : []) {
    if (!(await stat(folder).catch(() => undefined))) continue;
    try {
      await planDisconnection(folder, asked.instanceId, placeOf(context));
      connected.push(folder);
    } catch (error) {
      if (!(error instanceof VpError && error.code === 'FOLDER_NOT_CONNECTED')) connected.push(folder);
    }
  }
  return connected;
}

/** The step. */
export const foldersStep: Step<TeardownContext> = {
  id: 'folders',
  title: 'entries in the folders of the agents',
  async check(context) {
    const folders = await connectedFolders(context);
    if (folders.length > 0) return todo(folders.join(', '));
    return done(context.facts ? 'none here' : 'no kit says which; see `vp disconnect`');
  },
  async act(context) {
    const { asked, removed } = context;
    const troubles: { message: string; cure: string }[] = [];
    for (const folder of await connectedFolders(context)) {
      try {
        const { changes } = await disconnectFolder(folder, asked.instanceId, placeOf(context));
        removed.push(
          ...changes.map(({ file, what, change }) => `${what} ${change === 'removed' ? 'with' : 'from'} ${file}`),
        );
      } catch (error) {
        troubles.push(asVpError(error));
      }
    }
    if (troubles.length === 0) return { detail: 'as before the onboarding' };
    const reason = troubles.map(({ message }) => message).join('; ');
    return { detail: reason, shortfall: { reason, cure: troubles.map(({ cure }) => cure).join('; '), passes: false } };
  },
};
