/** The containers of the platform: whether they are there, run, are healthy and in the right networks. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startComposeProject } from '../../../containers/compose-project.ts';
import {
  type ContainerInfo,
  describeContainer,
  listProjectContainers,
  readLastLogLines,
} from '../../../containers/containers.ts';
import type { ContainerEngine } from '../../../containers/engine.ts';
import {
  observabilityProjectName,
  routerProjectName,
  toInstanceProjectName,
} from '../../../contract/platform-names.ts';
import {
  checkFailed,
  checkPassed,
  checkSkipped,
  createProblem,
  type FixableFindings,
  mergeFindings,
  type SafeFix,
  type SetupProblem,
} from '../../checks/setup-check.ts';
import { findKitFolder, getKitPaths, getSharedStackFolder } from '../../kit/kit-paths.ts';
import type { DiagnosisTopic } from '../../platform/platform.ts';
import type { ComposeContext } from '../compose-context.ts';
import { findForeignOwner } from '../stack-owner.ts';
import { instanceRoles } from '../stacks/instance-stack.ts';
import { observabilityServices } from '../stacks/observability-stack.ts';
import { sharedNetwork } from '../stacks/stack.ts';
import { findRoleContainer } from '../stacks/stack-files.ts';
import { listMissedNetworks } from './networks.ts';

type ServicesTopic = Extract<DiagnosisTopic, { topic: 'services' }>;

/** `networks`: those that the containers of a role must be in. */
type ProjectExpectation = {
  readonly project: string;
  readonly roles: readonly string[];
  readonly folder: string;
  networks(role: string): readonly string[];
};

export async function inspectServices(context: ComposeContext, topic: ServicesTopic): Promise<FixableFindings> {
  const engine = await context.engine().catch(() => undefined);
  if (!engine) return checkSkipped('not checked without a container engine');
  const expectations = await listExpectations(context, topic);
  return mergeFindings(
    await Promise.all(expectations.map((expectation) => inspectProject(engine, expectation, topic.isExecutorOnline))),
  );
}

async function listExpectations(
  { environment: { paths } }: ComposeContext,
  { instanceId, network }: ServicesTopic,
): Promise<ProjectExpectation[]> {
  const shared = () => [sharedNetwork];
  const expectations: ProjectExpectation[] = [
    { project: routerProjectName, roles: ['router'], folder: getSharedStackFolder(paths, 'router'), networks: shared },
    {
      project: observabilityProjectName,
      roles: observabilityServices,
      folder: getSharedStackFolder(paths, 'obs'),
      networks: shared,
    },
  ];
  if (instanceId === undefined) return expectations;
  const targetNetworks = network === undefined ? [] : [network];
  return [
    {
      project: toInstanceProjectName(instanceId),
      roles: instanceRoles,
      folder: getKitPaths(await findKitFolder(paths, instanceId)).compose,
      networks: (role) => (role === 'executor' ? [...targetNetworks, sharedNetwork] : []),
    },
    ...expectations,
  ];
}

async function inspectProject(
  engine: ContainerEngine,
  expectation: ProjectExpectation,
  isExecutorOnline: boolean,
): Promise<FixableFindings> {
  const { project, roles, folder } = expectation;
  const containers = await listProjectContainers(engine, project);
  // The executor runs elsewhere, on another machine or as `vp executor`, and needs no containers here.
  if (containers.length === 0 && isExecutorOnline) return checkSkipped(`${project}: none on this machine`);
  const { program } = engine.info;
  const missingRoles = roles.filter((role) => !findRoleContainer(containers, role));
  const absences: SetupProblem[] =
    containers.length === 0
      ? [createProblem('PROJECT_ABSENT', { project })]
      : missingRoles.map((role) => createProblem('CONTAINER_ABSENT', { project, role }));
  const detached = await listDetachedContainers(engine, containers, expectation);
  const offNetwork = detached.map(({ container, network }) =>
    createProblem('EXECUTOR_OFF_NETWORK', { container: describeContainer(container), network }),
  );
  const states = mergeFindings(await Promise.all(containers.map((container) => inspectContainer(engine, container))));
  const findings = { ...states, problems: [...absences, ...offNetwork, ...states.problems] };
  const needsCompose = absences.length + offNetwork.length > 0 || states.fixes !== undefined;
  if (!needsCompose || !(await isOwnStack(containers, folder))) return findings;
  const recreate = offNetwork.length > 0;
  const fix: SafeFix = {
    what: `${recreate ? 'create anew' : 'start'} ${project} (${program} compose up)`,
    act: () => startComposeProject(engine, { name: project, folder }, { recreate }),
  };
  return { ...findings, fixes: [fix] };
}

/** Only the owner of a stack has the files that describe it. */
async function isOwnStack(containers: readonly ContainerInfo[], folder: string): Promise<boolean> {
  const file = await stat(join(folder, 'compose.yaml')).catch(() => undefined);
  return file !== undefined && (await findForeignOwner(containers, folder)) === undefined;
}

async function listDetachedContainers(
  engine: ContainerEngine,
  containers: readonly ContainerInfo[],
  { roles, networks }: ProjectExpectation,
): Promise<readonly { readonly container: ContainerInfo; readonly network: string }[]> {
  const diagnoses = roles.map(async (role) => {
    const container = findRoleContainer(containers, role);
    if (!container) return [];
    const missed = await listMissedNetworks(engine, container.id, networks(role));
    return missed.map((network) => ({ container, network }));
  });
  return (await Promise.all(diagnoses)).flat();
}

async function inspectContainer(engine: ContainerEngine, container: ContainerInfo): Promise<FixableFindings> {
  const { name, state, status } = container;
  const { program } = engine.info;
  const values = { container: describeContainer(container), name, program };
  if (state === 'running') {
    if (/\(unhealthy\)/.test(status)) {
      const log = await readLastLogLines(engine, name);
      return checkFailed(createProblem('CONTAINER_UNHEALTHY', { ...values, log }));
    }
    if (/starting\)/.test(status)) return checkFailed(createProblem('CONTAINER_STARTING', values));
    return checkPassed(`${name} ${status.toLowerCase()}`);
  }
  if (state === 'restarting') {
    const log = await readLastLogLines(engine, name);
    return checkFailed(createProblem('CONTAINER_RESTARTING', { ...values, log }));
  }
  const verb = state === 'paused' ? 'unpause' : 'start';
  const startFix = { what: `${verb} ${name}`, act: () => engine.output([verb, name]) };
  // Since when it has not run is in the status: `Exited (137) 2 minutes ago`.
  const since = state === 'exited' ? status.toLowerCase() : state;
  return { ...checkFailed(createProblem('CONTAINER_STOPPED', { ...values, state: since, verb })), fixes: [startFix] };
}
