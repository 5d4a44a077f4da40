/** Ports of this machine: those that the platform needs, and one for another executor. */
import { describePortHolder, type PortHolder } from '../../../containers/port-holders.ts';
import {
  observabilityProjectName,
  parseInstanceProjectName,
  routerProjectName,
  toInstanceProjectName,
} from '../../../contract/platform-names.ts';
import { checkFailed, checkPassed, createProblem, type SetupFindings } from '../../checks/setup-check.ts';
import { executorPortRange, hostPorts } from '../../platform/host-ports.ts';
import type { ExecutorPortChoice, PlatformPortHolder } from '../../platform/platform.ts';
import type { ComposeContext } from '../compose-context.ts';

type PortService = keyof typeof hostPorts;

const purposes: Readonly<Record<PortService, string>> = {
  dashboard: 'the dashboard',
  metrics: 'the metrics store',
  router: 'the router of agents',
};

/** A port is free, or held by the project that is to have it. */
export async function inspectHostPort(context: ComposeContext, service: PortService): Promise<SetupFindings> {
  const port = hostPorts[service];
  const holder = await context.findPortHolder(port);
  if (!holder) return checkPassed('free');
  const description = describePortHolder(holder);
  const owner = service === 'router' ? routerProjectName : observabilityProjectName;
  if (holder.container?.project === owner) return checkPassed(`held by ${description}, as expected`);
  // Where another process answers agents, it recognizes none of their tokens.
  if (service === 'router') return checkFailed(createProblem('ROUTER_PORT_TAKEN', { port, holder: description }));
  return checkFailed(createProblem('PORT_TAKEN', { port, use: purposes[service], holder: description }));
}

/** The first free port of the range. A port that the instance's own executor holds is its port. */
export async function chooseExecutorPort(
  context: ComposeContext,
  instanceId: string | undefined,
): Promise<ExecutorPortChoice> {
  const portsByHolder = new Map<string, number[]>();
  for (let port: number = executorPortRange.first; port <= executorPortRange.last; port += 1) {
    const holder = await context.findPortHolder(port);
    const isOwn = instanceId !== undefined && holder?.container?.project === toInstanceProjectName(instanceId);
    if (!holder || isOwn) return { port };
    const description = describePortHolder(holder);
    portsByHolder.set(description, [...(portsByHolder.get(description) ?? []), port]);
  }
  return { holders: [...portsByHolder].map(([description, ports]) => `${ports.join(', ')}: ${description}`) };
}

export async function inspectExecutorPort(
  context: ComposeContext,
  instanceId: string | undefined,
): Promise<SetupFindings> {
  const choice = await chooseExecutorPort(context, instanceId);
  if ('port' in choice) return checkPassed(`${choice.port} is available`);
  const { first, last } = executorPortRange;
  return checkFailed(createProblem('EXECUTOR_PORTS_TAKEN', { first, last, holders: choice.holders.join('; ') }));
}

export function toPlatformPortHolder(holder: PortHolder): PlatformPortHolder {
  const project = holder.container?.project ?? '';
  const instanceId = parseInstanceProjectName(project);
  const components: Readonly<Record<string, PlatformPortHolder['component']>> = {
    [routerProjectName]: 'router',
    [observabilityProjectName]: 'observability',
  };
  return {
    description: describePortHolder(holder),
    component: instanceId === undefined ? components[project] : 'instance',
    instanceId,
  };
}
