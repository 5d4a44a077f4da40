/** Removes what the compose tier has set up: what one run started, an instance, or what the instances of a machine share. */
import { rm } from 'node:fs/promises';
import { removeComposeProject } from '../../containers/compose-project.ts';
import { listProjectContainers } from '../../containers/containers.ts';
import type { ContainerEngine } from '../../containers/engine.ts';
import { listProjectNames, listProjectVolumes } from '../../containers/engine-resources.ts';
import { removeOldOneOffContainers } from '../../containers/one-off-container.ts';
import {
  observabilityProjectName,
  parseInstanceProjectName,
  routerProjectName,
  toInstanceProjectName,
} from '../../contract/platform-names.ts';
import { getSharedStackFolder } from '../kit/kit-paths.ts';
import type { PlatformCallOptions, PlatformResources, RemovalPlan, RemovalScope } from '../platform/platform.ts';
import type { ComposeContext } from './compose-context.ts';
import { removeNewProject } from './new-projects.ts';

function getProjectName({ scope, ...removal }: RemovalScope): string {
  if (scope === 'shared') return routerProjectName;
  const component = 'component' in removal ? removal.component : 'instance';
  if (component === 'router') return routerProjectName;
  return component === 'observability' ? observabilityProjectName : toInstanceProjectName(removal.instanceId);
}

export async function planRemoval(context: ComposeContext, removal: RemovalScope): Promise<RemovalPlan> {
  const engine = await context.engine();
  const usedBy = removal.scope === 'shared' ? await listOtherInstances(engine, removal.instanceId) : [];
  if (usedBy.length > 0) {
    const what = `${routerProjectName} and ${observabilityProjectName}`;
    return { containers: [], volumes: [], usedBy, retained: [{ what, why: `they serve ${usedBy.join(', ')}` }] };
  }
  const resources = await listResources(engine, getProjectName(removal));
  return { ...resources, usedBy, retained: removal.scope === 'shared' ? await listRetained(engine) : [] };
}

export async function applyRemoval(
  context: ComposeContext,
  removal: RemovalScope,
  { report, signal }: PlatformCallOptions,
): Promise<PlatformResources> {
  const name = getProjectName(removal);
  if (removal.scope === 'started') {
    await removeNewProject(context, name);
    return { containers: [], volumes: [] };
  }
  const engine = await context.engine();
  await removeOldOneOffContainers(engine);
  const resources = await listResources(engine, name);
  if (resources.containers.length > 0 || removal.scope === 'instance')
    await removeComposeProject(engine, { name }, { volumes: true, onLine: report, signal });
  // Compose removes no volume that none of its containers mounts.
  const force = removal.scope === 'instance' ? ['--force'] : [];
  for (const volume of await listProjectVolumes(engine, name)) await engine.output(['volume', 'rm', ...force, volume]);
  signal.throwIfAborted();
  if (removal.scope === 'shared') {
    for (const stack of ['router', 'obs'] as const)
      await rm(getSharedStackFolder(context.environment.paths, stack), { recursive: true, force: true });
  }
  return resources;
}

async function listResources(engine: ContainerEngine, project: string): Promise<PlatformResources> {
  const containers = (await listProjectContainers(engine, project)).map(({ name }) => name);
  return { containers, volumes: await listProjectVolumes(engine, project) };
}

async function listOtherInstances(engine: ContainerEngine, instanceId: string): Promise<string[]> {
  const projects = await listProjectNames(engine);
  return projects.flatMap((name) => parseInstanceProjectName(name) ?? []).filter((id) => id !== instanceId);
}

/** The dashboard stays with its history: the user removes it by hand. */
async function listRetained(engine: ContainerEngine): Promise<RemovalPlan['retained']> {
  const { containers, volumes } = await listResources(engine, observabilityProjectName);
  if (containers.length + volumes.length === 0) return [];
  const command = `${engine.info.program} compose --project-name ${observabilityProjectName} down --volumes`;
  const what = `${observabilityProjectName} (${containers.length} containers, ${volumes.length} volumes, 1 network)`;
  return [{ what, why: `remove it, with the history of measurements, by \`${command}\`` }];
}
