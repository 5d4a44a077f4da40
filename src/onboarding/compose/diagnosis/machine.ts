/** The container engine, the name that the router needs, and where images and volumes are stored. */
import { findContainer } from '../../../containers/containers.ts';
import { routerProjectName } from '../../../contract/platform-names.ts';
import { checkFailed, checkPassed, checkSkipped, createProblem, type SetupFindings } from '../../checks/setup-check.ts';
import type { ComposeContext } from '../compose-context.ts';

/** Throws ENGINE_*. */
export async function inspectRuntime({ engine }: ComposeContext): Promise<SetupFindings> {
  const { program, version, composeVersion } = (await engine()).info;
  return checkPassed(`${program} ${version}`, `compose ${composeVersion}`);
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
