/** The container engine, the name that the router needs, and where images and volumes are stored. */
import { findContainer } from '../../../containers/containers.ts';
import { routerProjectName } from '../../../contract/platform-names.ts';
import { checkFailed, checkPassed, checkSkipped, createProblem, type SetupFindings } from '../../checks/setup-check.ts';
import type { ComposeContext } from '../compose-context.ts';

/**
 * Seen with 4.3.1: lists of containers lack their health, so that an unhealthy one would count as healthy; health is checked only under
 * systemd; containers name their networks by other ids than the networks have.
 */
const firstPossiblePodman = 5;

/** Throws ENGINE_*. */
export async function inspectRuntime({ engine }: Pick<ComposeContext, 'engine'>): Promise<SetupFindings> {
  const { program, isPodman, version, composeVersion } = (await engine()).info;
  const facts = [`${isPodman ? 'podman' : program} ${version}`, `compose ${composeVersion}`];
  if (!isPodman) return checkPassed(...facts);
  const isOld = Number.parseInt(version, 10) < firstPossiblePodman;
  return { facts, problems: [createProblem(isOld ? 'ENGINE_PODMAN_OLD' : 'ENGINE_PODMAN_UNTRIED', { version })] };
}

/** The name of the router's container must not belong to a container that was started by hand. */
export async function inspectRouterContainerName({ engine }: ComposeContext): Promise<SetupFindings> {
  const openedEngine = await engine().catch(() => undefined);
  if (!openedEngine) return checkSkipped('not checked without a container engine');
  const container = await findContainer(openedEngine, routerProjectName);
  if (!container) return checkPassed('free');
  const { project, state, image } = container;
  if (project === routerProjectName) return checkPassed(`ours, ${state}`);
  const origin = project === '' ? 'was started by hand' : `belongs to the compose project ${project}`;
  const { program } = openedEngine.info;
  return checkFailed(createProblem('ROUTER_NAME_TAKEN', { name: routerProjectName, origin, image, program }));
}

/** Undefined without an engine, and where its files lie in a virtual machine. */
export async function findStorageFolder({ engine, environment }: ComposeContext): Promise<string | undefined> {
  if (environment.platform !== 'linux') return undefined;
  const openedEngine = await engine().catch(() => undefined);
  const format = openedEngine?.info.program === 'podman' ? '{{.Store.GraphRoot}}' : '{{.DockerRootDir}}';
  const root = (await openedEngine?.output(['info', '--format', format]))?.trim();
  return root?.startsWith('/') ? root : undefined;
}
