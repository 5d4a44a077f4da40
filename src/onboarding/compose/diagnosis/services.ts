/** The containers of the instance, of the router and of the dashboard: present, running, healthy. */
import { type ContainerInfo, describeContainer, listProjectContainers } from '../../../containers/containers.ts';
import type { ContainerEngine } from '../../../containers/engine.ts';
import {
  observabilityProjectName,
  routerProjectName,
  toInstanceProjectName,
} from '../../../contract/platform-names.ts';
import {
  createProblem,
  type FixableFindings,
  failed,
  mergeFindings,
  passed,
  skipped,
} from '../../checks/setup-check.ts';
import type { ComposeContext } from '../compose-context.ts';

/** Offers to start what was stopped: the engine itself restarts what has crashed. */
export async function inspectServices(
  context: ComposeContext,
  instanceId: string | undefined,
  isExecutorOnline: boolean,
): Promise<FixableFindings> {
  const engine = await context.engine().catch(() => undefined);
  if (!engine) return skipped('not checked without a container engine');
  const instanceProjects = instanceId === undefined ? [] : [toInstanceProjectName(instanceId)];
  const projects = [...instanceProjects, routerProjectName, observabilityProjectName];
  return mergeFindings(await Promise.all(projects.map((project) => inspectProject(engine, project, isExecutorOnline))));
}

async function inspectProject(
  engine: ContainerEngine,
  project: string,
  isExecutorOnline: boolean,
): Promise<FixableFindings> {
  const containers = await listProjectContainers(engine, project);
  if (containers.length > 0)
    return mergeFindings(await Promise.all(containers.map((container) => inspectContainer(engine, container))));
  // The executor runs elsewhere, on another machine or as `vp executor`, and needs no containers here.
  if (isExecutorOnline) return passed(`${project}: none on this machine`);
  return failed(createProblem('PROJECT_ABSENT', { project }));
}

async function inspectContainer(engine: ContainerEngine, container: ContainerInfo): Promise<FixableFindings> {
  const { name, state, status } = container;
  const { program } = engine.info;
  const values = { container: describeContainer(container), name, program };
  if (state === 'running') {
    if (/\(unhealthy\)/.test(status)) {
      const log = await readLastLogLines(engine, name);
      return failed(createProblem('CONTAINER_UNHEALTHY', { ...values, log }));
    }
    if (/starting\)/.test(status)) return failed(createProblem('CONTAINER_STARTING', values));
    return passed(`${name} ${status.toLowerCase()}`);
  }
  if (state === 'restarting') {
    const log = await readLastLogLines(engine, name);
    return failed(createProblem('CONTAINER_RESTARTING', { ...values, log }));
  }
  const verb = state === 'paused' ? 'unpause' : 'start';
  const startFix = { what: `${verb} ${name}`, act: () => engine.output([verb, name]) };
  return { ...failed(createProblem('CONTAINER_STOPPED', { ...values, state, verb })), fixes: [startFix] };
}

/** The last three lines, as one line. */
async function readLastLogLines(engine: ContainerEngine, name: string): Promise<string> {
  const { stdout, stderr } = await engine.run(['logs', '--tail', '3', name]);
  const lines = `${stdout}${stderr}`.trim().split('\n').filter(Boolean);
  return lines.length === 0 ? 'nothing' : lines.slice(-3).join(' | ').slice(0, 600);
}
