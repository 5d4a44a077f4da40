/** What onboarding an instance would create at the container engine, and which files it would write. */
import { join } from 'node:path';
import { listContainers } from '../../containers/containers.ts';
import { listNetworkNames } from '../../containers/engine-resources.ts';
import { hasImage } from '../../containers/images.ts';
import { observabilityProjectName, routerProjectName, toInstanceProjectName } from '../../contract/platform-names.ts';
import { getKitPaths, getSharedStackFolder } from '../kit/kit-paths.ts';
import { hostPorts } from '../platform/host-ports.ts';
import type { InstanceDeployment, PlanItem, PlatformPlan } from '../platform/platform.ts';
import type { ComposeContext } from './compose-context.ts';
import { getInstanceContainerName, instanceRoles } from './stacks/instance-stack.ts';
import { observabilityServices, prometheusImage } from './stacks/observability-stack.ts';
import { sharedNetwork } from './stacks/stack.ts';

type PlannedDeployment = Omit<InstanceDeployment, 'endpoint'>;

export async function planDeployment(context: ComposeContext, deployment: PlannedDeployment): Promise<PlatformPlan> {
  const { paths } = context.environment;
  return {
    resources: await planResources(context, deployment),
    instanceFiles: [join(getKitPaths(deployment.kit).compose, 'compose.yaml')],
    sharedFiles: (['obs', 'router'] as const).map((stack) => join(getSharedStackFolder(paths, stack), 'compose.yaml')),
  };
}

async function planResources(context: ComposeContext, deployment: PlannedDeployment): Promise<PlanItem[]> {
  const { image, instanceId, target } = deployment;
  const engine = await context.engine();
  const project = toInstanceProjectName(instanceId);
  const containerNames = new Set((await listContainers(engine)).map(({ name }) => name));
  const networks = await listNetworkNames(engine);
  const volumes = new Set((await engine.output(['volume', 'ls', '--format', '{{.Name}}'])).split('\n'));
  const item = (kind: PlanItem['kind'], name: string, exists: boolean): PlanItem => ({
    kind,
    name,
    change: exists ? 'kept' : 'created',
  });
  const images = [image, prometheusImage].map(
    async (name): Promise<PlanItem> => ({
      kind: 'image',
      name,
      change: (await hasImage(engine, name)) ? 'kept' : 'pulled',
    }),
  );
  const plannedContainers = [
    ...observabilityServices.toReversed().map((service) => `${observabilityProjectName}-${service}-1`),
    routerProjectName,
    ...instanceRoles.map((role) => getInstanceContainerName(instanceId, role)),
  ];
  const plannedVolumes = [
    ...['config', 'metrics'].map((volume) => `${observabilityProjectName}_${volume}`),
    `${routerProjectName}_config`,
    ...['config', 'data', 'logs'].map((volume) => `${project}_${volume}`),
  ];
  return [
    ...(await Promise.all(images)),
    ...plannedContainers.map((name) => item('container', name, containerNames.has(name))),
    item('network', sharedNetwork, networks.includes(sharedNetwork)),
    { kind: 'network', name: target.network, change: 'joined' },
    ...plannedVolumes.map((name) => item('volume', name, volumes.has(name))),
    ...planPorts(deployment, containerNames),
  ];
}

function planPorts({ instanceId, port }: PlannedDeployment, containerNames: ReadonlySet<string>): PlanItem[] {
  const rows: readonly (readonly [port: number, container: string])[] = [
    [hostPorts.dashboard, `${observabilityProjectName}-dashboard-1`],
    [hostPorts.metrics, `${observabilityProjectName}-prometheus-1`],
    [hostPorts.router, routerProjectName],
    [port, getInstanceContainerName(instanceId, 'executor')],
  ];
  return rows.map(([hostPort, container]) => ({
    kind: 'port',
    name: `127.0.0.1:${hostPort} (${container})`,
    change: containerNames.has(container) ? 'kept' : 'made',
  }));
}
