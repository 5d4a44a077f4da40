/** What an onboarding would do (`vp onboard --dry-run`). Files and the container engine are only read, and nobody signs in. */
import { join } from 'node:path';
import { toInstanceId } from '../contract/instance-id.ts';
import { planConnection } from './agent-folders/connect.ts';
import { createFolderContext } from './agent-folders/file-access.ts';
import { type OnboardingContext, requireState } from './context.ts';
import { selectInstanceId } from './instance-id.ts';
import { findKitFolder, getKitPaths } from './kit/kit-paths.ts';
import { getScrapeKeyPath } from './machine-keys.ts';
import { assertRequest } from './onboard.ts';
import { routerUrl } from './platform/host-ports.ts';
import type { PlanItem } from './platform/platform.ts';
import { configStep } from './steps/config.ts';
import { foldersStep } from './steps/folders.ts';
import { getInstanceIdStatus } from './steps/instance-id.ts';
import { portStep } from './steps/port.ts';
import { preflightStep } from './steps/preflight.ts';
import { readJournal } from './workflow/journal.ts';
import type { WorkflowStep } from './workflow/step.ts';
import { getTranscriptPath } from './workflow/transcript.ts';

export type OnboardingPlan = {
  readonly instance: string;
  readonly control_plane: string;
  readonly items: readonly PlanItem[];
  readonly notes: readonly string[];
};

/** Throws what would stop the onboarding before the sign-in. */
export async function planOnboarding(givenContext: OnboardingContext): Promise<OnboardingPlan> {
  const warnings: string[] = [];
  const warn = (text: string, cure: string): void => void warnings.push(`${text}: ${cure}`);
  const context = { ...givenContext, ports: { ...givenContext.ports, warn } };
  const { request, ports, state, journal } = context;
  const steps: readonly WorkflowStep<OnboardingContext>[] = [preflightStep, foldersStep, configStep];
  for (const step of steps) await step.check(context);
  await assertRequest(request);
  const requestedId = request.instanceId ?? toInstanceId(requireState(context, 'project').project.name);
  const client = await ports.existingClient();
  if (client) state.client = client;
  const instanceId = client
    ? await selectInstanceId(requestedId, (id) => getInstanceIdStatus(context, id, requestedId))
    : requestedId;
  state.instanceId = instanceId;
  state.kit = request.kit ?? (await findKitFolder(ports.environment.paths, instanceId));
  const journalBefore = await readJournal(state.kit);
  if (journalBefore) journal.attach(state.kit, journalBefore.facts, journalBefore);
  await portStep.check(context);
  const deployment = {
    ...{ instanceId, image: request.image, port: requireState(context, 'port'), kit: state.kit },
    target: requireState(context, 'project').deploy ?? { composeProject: '', network: '' },
  };
  const { resources, instanceFiles, sharedFiles } = await ports.platform.plan(deployment);
  const files = await planFileItems(context, instanceFiles, sharedFiles);
  const items = [...resources, ...files, ...planRegistrations(context)];
  const notes = [
    ...warnings,
    describeId(requestedId, instanceId, client !== undefined),
    'the log reader gets the socket of the container engine, and no network; the executor does not get it',
    'how the containers reach the control plane is found by a probe from the target’s network',
    'the target’s own containers, network and compose file stay as they are',
  ];
  return { instance: instanceId, control_plane: request.controlPlane, items, notes };
}

function describeId(requestedId: string, id: string, isSignedIn: boolean): string {
  if (!isSignedIn)
    return 'whether the instance id is free is known after the sign-in; if not, `-v1`, `-v2` … is appended to it';
  return id === requestedId
    ? `the instance id ${id} can be used`
    : `the instance id ${requestedId} is taken: ${id} is used`;
}

async function planFileItems(
  context: OnboardingContext,
  instanceFiles: readonly string[],
  sharedFiles: readonly string[],
): Promise<PlanItem[]> {
  const { request, ports } = context;
  const { paths } = ports.environment;
  const [kit, id] = [requireState(context, 'kit'), requireState(context, 'instanceId')];
  const folderContext = createFolderContext(ports.environment);
  const connections = [
    { folder: request.testDir, role: 'test', instance: id, routerUrl } as const,
    { folder: request.productDir, role: 'product', instance: id, routerUrl } as const,
  ];
  const changes = (
    await Promise.all(connections.map((connection) => planConnection(connection, folderContext)))
  ).flat();
  const ownFiles = [
    ...instanceFiles,
    getKitPaths(kit).machineKey,
    getKitPaths(kit).directKey,
    `${kit}/`,
    join(kit, 'journal.json'),
    ...sharedFiles,
    getScrapeKeyPath(paths),
    getTranscriptPath(paths, id),
  ];
  const agentItems = changes.map(
    ({ file, change }): PlanItem => ({ kind: 'file', name: file, change: toPlanChange(change) }),
  );
  return [...agentItems, ...ownFiles.map((name): PlanItem => ({ kind: 'file', name, change: 'made' }))];
}

function toPlanChange(change: 'created' | 'changed' | 'removed' | 'kept'): PlanItem['change'] {
  return change === 'removed' ? 'changed' : change;
}

function planRegistrations(context: OnboardingContext): PlanItem[] {
  const { request, ports, journal } = context;
  const id = requireState(context, 'instanceId');
  const count = ports.readScenarios(request.testDir).length;
  const isRegistered = journal.facts?.registered === true;
  const newItem = (name: string): PlanItem => ({ kind: 'registration', name, change: 'made' });
  return [
    { kind: 'registration', name: `instance ${id} at ${request.controlPlane}`, change: isRegistered ? 'kept' : 'made' },
    newItem('executor key, machine key, a token for each agent'),
    newItem(`${count} scenarios of ${request.testDir}`),
  ];
}

/** For people. */
export function formatPlan({ instance, control_plane, items, notes }: OnboardingPlan): string {
  const lines = items.map(({ kind, name, change }) => `  ${change.padEnd(7)}  ${kind.padEnd(12)}  ${name}`);
  const noteLines = notes.map((note) => `  note: ${note}`);
  return `${[`plan for ${instance} at ${control_plane}; nothing was changed`, ...lines, ...noteLines].join('\n')}\n`;
}
