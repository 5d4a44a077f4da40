/** Whether the containers of the target run now. */
import { type ContainerInfo, describeContainer, listProjectContainers } from '../../../containers/containers.ts';
import type { ContainerEngine } from '../../../containers/engine.ts';
import { checkFailed, checkPassed, checkSkipped, createProblem, type SetupFindings } from '../../checks/setup-check.ts';
import type { DiagnosisTopic } from '../../platform/platform.ts';
import type { ComposeContext } from '../compose-context.ts';

type TargetTopic = Extract<DiagnosisTopic, { topic: 'target' }>;

/**
 * The containers that the base URL names must run; where it names an alias, at least one of the project. Others may have ended by
 * design, such as those that migrate a database.
 */
export async function inspectTarget(
  context: ComposeContext,
  { composeProject, host }: TargetTopic,
): Promise<SetupFindings> {
  const engine = await context.engine().catch(() => undefined);
  if (!engine) return checkSkipped('not checked without a container engine');
  const containers = await listProjectContainers(engine, composeProject);
  const { program } = engine.info;
  if (containers.length === 0) return checkFailed(createProblem('TARGET_ABSENT', { project: composeProject, program }));
  const named = containers.filter(({ service, name }) => service === host || name === host);
  const required = named.length > 0 ? named : containers;
  const running = required.filter(({ state }) => state === 'running');
  const [stopped] = required;
  if (running.length > 0 || !stopped) return checkPassed(`${running[0]?.name} ${running[0]?.status.toLowerCase()}`);
  return checkFailed(
    createProblem('TARGET_STOPPED', { ...describeState(stopped), cure: describeFix(engine, stopped) }),
  );
}

function describeState(container: ContainerInfo): { container: string; state: string } {
  const { state, status } = container;
  return { container: describeContainer(container), state: state === 'exited' ? status.toLowerCase() : state };
}

function describeFix({ info: { program } }: ContainerEngine, { name, state }: ContainerInfo): string {
  if (state === 'restarting') return `see why it ends (\`${program} logs ${name}\`)`;
  const verb = state === 'paused' ? 'unpause' : 'start';
  return `start it (\`${program} ${verb} ${name}\`, or \`${program} compose up --detach\` in its folder)`;
}
