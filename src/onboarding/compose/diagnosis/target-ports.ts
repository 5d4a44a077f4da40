/** The target's published ports: held by the target itself or free; any other holder keeps it from starting. */
import { type ContainerInfo, listProjectContainers } from '../../../containers/containers.ts';
import type { ContainerEngine } from '../../../containers/engine.ts';
import { describePortHolder } from '../../../containers/port-holders.ts';
import {
  checkFailed,
  checkPassed,
  checkSkipped,
  createProblem,
  mergeFindings,
  type SetupFindings,
} from '../../checks/setup-check.ts';
import type { ComposeContext } from '../compose-context.ts';

export async function inspectTargetPorts(context: ComposeContext, project: string): Promise<SetupFindings> {
  const engine = await context.engine().catch(() => undefined);
  if (!engine) return checkSkipped('not checked without a container engine');
  const containers = await listProjectContainers(engine, project);
  if (containers.length === 0)
    return checkFailed(createProblem('TARGET_ABSENT', { project, program: engine.info.program }));
  return mergeFindings(
    await Promise.all(containers.map((container) => inspectContainerPorts(context, engine, container))),
  );
}

async function inspectContainerPorts(
  { findPortHolder }: ComposeContext,
  engine: ContainerEngine,
  container: ContainerInfo,
): Promise<SetupFindings> {
  const { name, state, project } = container;
  const ports = await readPublishedPorts(engine, container);
  const findings = ports.map(async (port): Promise<SetupFindings> => {
    const holder = await findPortHolder(port);
    if (holder?.container?.project === project) return checkPassed(`${port} held by ${name}, as expected`);
    if (!holder) return checkPassed(`${port} free for ${name}, which is ${state}`);
    const use = `the target's container ${name}`;
    return checkFailed(createProblem('PORT_TAKEN', { port, use, holder: describePortHolder(holder) }));
  });
  return mergeFindings(await Promise.all(findings));
}

/** As the container was started with: the list of a stopped one is empty. No other setting is read, because some hold secrets. */
async function readPublishedPorts(engine: ContainerEngine, { id }: ContainerInfo): Promise<number[]> {
  const text = await engine.output(['inspect', '--format', '{{json .HostConfig.PortBindings}}', id]);
  const ports = [...text.matchAll(/"HostPort":"(\d+)"/g)].map(([, port]) => Number(port));
  return [...new Set(ports)].filter((port) => port > 0);
}
