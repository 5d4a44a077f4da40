/** The router of this machine, started or joined. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startComposeProject } from '../../../containers/compose-project.ts';
import { listProjectContainers } from '../../../containers/containers.ts';
import { routerProjectName } from '../../../contract/platform-names.ts';
import { getSharedStackFolder } from '../../kit/kit-paths.ts';
import { writeOnboardingFile } from '../../onboarding-file.ts';
import { hostPorts } from '../../platform/host-ports.ts';
import type { ComponentSpec } from '../../platform/platform.ts';
import { actionNeeded, upToDate } from '../../workflow/step.ts';
import type { ComposeContext } from '../compose-context.ts';
import { listMissedNetworks } from '../diagnosis/networks.ts';
import { recordIfNew } from '../new-projects.ts';
import { findForeignOwner } from '../stack-owner.ts';
import { sharedNetwork } from '../stacks/stack.ts';
import { listRoleProblems } from '../stacks/stack-files.ts';
import { writeProjectConfig } from '../write-config.ts';
import type { ComposeComponent } from './component.ts';

const address = `127.0.0.1:${hostPorts.router}`;

export const routerComponent: ComposeComponent<'router'> = {
  async inspect(context, spec) {
    const { containers, folder, owner } = await readRouter(context);
    const problems = listRoleProblems(containers, ['router']);
    if (problems.length > 0) return actionNeeded(problems.join(', '));
    if (owner !== undefined) return upToDate(`runs on ${address}, started by another user (${owner})`);
    if (await isOffNetwork(context)) return actionNeeded(`it is not in the network ${sharedNetwork} as it is now`);
    if ((await readWrittenHash(folder)) !== hashKey(spec)) return actionNeeded('its key changed');
    return context.staleProjects.has(routerProjectName)
      ? actionNeeded('its compose file changed')
      : upToDate(`runs on ${address}`);
  },
  async apply(context, spec, { report, signal }) {
    const engine = await context.engine();
    const { containers, folder, owner } = await readRouter(context);
    if (owner !== undefined) {
      await engine.output(['start', ...containers.map(({ id }) => id)], { signal });
      return { detail: `started that of another user (${owner})` };
    }
    await recordIfNew(context, routerProjectName);
    const { image, scrapeKey } = spec;
    // It reads its key when it starts, and compose does not see what is in a volume.
    const recreate = (await readWrittenHash(folder)) !== hashKey(spec) || (await isOffNetwork(context));
    await writeProjectConfig(engine, {
      project: routerProjectName,
      image,
      files: { 'scrape.key': scrapeKey },
      signal,
    });
    await startComposeProject(engine, { name: routerProjectName, folder }, { onLine: report, signal, recreate });
    signal.throwIfAborted();
    await writeOnboardingFile(writtenHashPath(folder), `${hashKey(spec)}\n`, context.environment.random);
    return { detail: `started on ${address}` };
  },
};

async function readRouter(context: ComposeContext) {
  const folder = getSharedStackFolder(context.environment.paths, 'router');
  const containers = await listProjectContainers(await context.engine(), routerProjectName);
  return { containers, folder, owner: await findForeignOwner(containers, folder) };
}

async function isOffNetwork(context: ComposeContext): Promise<boolean> {
  const engine = await context.engine();
  const [router] = await listProjectContainers(engine, routerProjectName);
  return router !== undefined && (await listMissedNetworks(engine, router.id, [sharedNetwork])).length > 0;
}

/** Contains the hash of the key that was written last: the key itself is only in a volume. */
function writtenHashPath(folder: string): string {
  return join(folder, 'placed.sha256');
}

async function readWrittenHash(folder: string): Promise<string> {
  return (await readFile(writtenHashPath(folder), 'utf8').catch(() => '')).trim();
}

function hashKey({ scrapeKey }: ComponentSpec<'router'>): string {
  return createHash('sha256').update(scrapeKey).digest('hex');
}
