/** The tier `compose`: instances in containers of this machine, each a compose project of its own beside the target's. */
import { dirname } from 'node:path';
import { listProjectContainers } from '../../containers/containers.ts';
import { listNetworkNames, listProjectNames } from '../../containers/engine-resources.ts';
import { parseImageTag } from '../../containers/images.ts';
import { isPlatformProject, toInstanceProjectName } from '../../contract/platform-names.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { FixableFindings } from '../checks/setup-check.ts';
import { getKitPaths } from '../kit/kit-paths.ts';
import type {
  ApplyResult,
  ComponentName,
  ComponentSpec,
  DeployTarget,
  DiagnosisTopic,
  Platform,
  PlatformCallOptions,
} from '../platform/platform.ts';
import type { StepFinding } from '../workflow/step.ts';
import type { ComponentCatalogue } from './components/component.ts';
import { executorConfigComponent } from './components/executor-config.ts';
import { imageComponent } from './components/image.ts';
import { instanceComponent } from './components/instance.ts';
import { observabilityComponent } from './components/observability.ts';
import { routerComponent } from './components/router.ts';
import { stackFilesComponent } from './components/stack-files.ts';
import { type ComposeContext, type ComposeEnvironment, createComposeContext } from './compose-context.ts';
import {
  chooseExecutorPort,
  inspectExecutorPort,
  inspectHostPort,
  toPlatformPortHolder,
} from './diagnosis/host-ports.ts';
import { findStorageFolder, inspectRouterContainerName, inspectRuntime } from './diagnosis/machine.ts';
import { inspectServices } from './diagnosis/services.ts';
import { inspectTarget } from './diagnosis/target.ts';
import { inspectTargetPorts } from './diagnosis/target-ports.ts';
import { findEndpoint } from './endpoint-search.ts';
import { planDeployment } from './plan.ts';
import { applyRemoval, planRemoval } from './removal.ts';
import { findForeignOwner } from './stack-owner.ts';

const components: ComponentCatalogue = {
  image: imageComponent,
  observability: observabilityComponent,
  'executor-config': executorConfigComponent,
  'stack-files': stackFilesComponent,
  router: routerComponent,
  instance: instanceComponent,
};

/** The platform of a process. The engine is opened at its first use; aborting `signal` ends that and what is under way. */
export function createComposePlatform(environment: ComposeEnvironment, signal?: AbortSignal): Platform {
  return toPlatform(createComposeContext(environment, { signal }));
}

/** The platform on a given context, such as a test's. */
export function toPlatform(context: ComposeContext): Platform {
  return {
    tier: 'compose',
    plan: (deployment) => planDeployment(context, deployment),
    inspect: (spec) => inspectComponent(context, spec),
    apply: (spec, options) => applyComponent(context, spec, options),
    planRemoval: (scope) => planRemoval(context, scope),
    remove: (scope, options) => applyRemoval(context, scope, options),
    diagnose: (topic) => diagnose(context, topic),
    describeRuntime: () => describeEngine(context),
    assertTarget: (target) => assertTarget(context, target),
    hasInstance: async (instanceId) => (await listInstanceContainers(context, instanceId)).length > 0,
    findForeignKit: (instanceId, kit) => findForeignKit(context, instanceId, kit),
    listInstanceImages: (instanceId) => listInstanceImages(context, instanceId),
    findEndpoint: (search, options) => findEndpoint(context, search, options),
    async findPortHolder(port) {
      const holder = await context.findPortHolder(port);
      return holder && toPlatformPortHolder(holder);
    },
    chooseExecutorPort: (instanceId) => chooseExecutorPort(context, instanceId),
    findStorageFolder: () => findStorageFolder(context),
  };
}

function inspectComponent<N extends ComponentName>(
  context: ComposeContext,
  spec: ComponentSpec<N>,
): Promise<StepFinding> {
  return components[spec.component].inspect(context, spec);
}

function applyComponent<N extends ComponentName>(
  context: ComposeContext,
  spec: ComponentSpec<N>,
  options: PlatformCallOptions,
): Promise<ApplyResult> {
  return components[spec.component].apply(context, spec, options);
}

function diagnose(context: ComposeContext, topic: DiagnosisTopic): Promise<FixableFindings> {
  switch (topic.topic) {
    case 'runtime':
      return inspectRuntime(context);
    case 'host-port':
      return inspectHostPort(context, topic.service);
    case 'router-name':
      return inspectRouterContainerName(context);
    case 'executor-port':
      return inspectExecutorPort(context, topic.instanceId);
    case 'target-ports':
      return inspectTargetPorts(context, topic.composeProject);
    case 'target':
      return inspectTarget(context, topic);
    case 'services':
      return inspectServices(context, topic);
  }
}

async function describeEngine({ engine }: ComposeContext): Promise<string> {
  const { program, isPodman, version, composeVersion } = (await engine()).info;
  return `${isPodman ? 'podman' : program} ${version}, compose ${composeVersion}`;
}

async function assertTarget({ engine }: ComposeContext, { composeProject, network }: DeployTarget): Promise<void> {
  const openedEngine = await engine();
  const [projects, networks] = [await listProjectNames(openedEngine), await listNetworkNames(openedEngine)];
  const format = (names: readonly string[]): string =>
    names.filter((name) => !isPlatformProject(name)).join(', ') || 'none';
  if (!projects.includes(composeProject))
    throw vpError('DEPLOY_PROJECT_UNKNOWN', { name: composeProject, known: format(projects) });
  if (!networks.includes(network)) throw vpError('DEPLOY_NETWORK_UNKNOWN', { name: network, known: format(networks) });
}

async function listInstanceContainers({ engine }: Pick<ComposeContext, 'engine'>, instanceId: string) {
  return listProjectContainers(await engine(), toInstanceProjectName(instanceId));
}

async function findForeignKit(context: ComposeContext, instanceId: string, kit: string): Promise<string | undefined> {
  const engine = await context.engine().catch(() => undefined);
  if (!engine) return undefined;
  const containers = await listProjectContainers(engine, toInstanceProjectName(instanceId));
  const folder = await findForeignOwner(containers, getKitPaths(kit).compose);
  return folder === undefined ? undefined : dirname(folder);
}

async function listInstanceImages(context: ComposeContext, instanceId: string) {
  const engine = await context.engine().catch(() => undefined);
  if (!engine) return [];
  const containers = await listInstanceContainers({ engine: async () => engine }, instanceId);
  const images = new Set(containers.map(({ image }) => image));
  return [...images].map((image) => ({ image, tag: parseImageTag(image) }));
}
