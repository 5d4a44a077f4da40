/** Chooses the id of the instance, and with it the kit folder, where the journal of earlier runs is. */
import { stat } from 'node:fs/promises';
import { toInstanceId } from '../../contract/instance-id.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { type InstanceIdStatus, selectInstanceId } from '../instance-id.ts';
import { findKitFolder } from '../kit/kit-paths.ts';
import { type JournalFacts, readJournal } from '../workflow/journal.ts';
import { upToDate, type WorkflowStep } from '../workflow/step.ts';
import { getTranscriptPath } from '../workflow/transcript.ts';

export const instanceIdStep: WorkflowStep<OnboardingContext> = {
  id: 'instance-id',
  title: 'instance id',
  async check(context) {
    const { request, ports, state, journal, transcript } = context;
    const requestedId = request.instanceId ?? toInstanceId(requireState(context, 'project').project.name);
    const kitFacts = request.kit === undefined ? undefined : (await readJournal(request.kit))?.facts;
    assertKitInstance(request.kit, kitFacts, requestedId);
    const id =
      kitFacts?.instance_id ??
      (await selectInstanceId(requestedId, (id) => getInstanceIdStatus(context, id, requestedId)));
    const kit = await selectKit(context, id);
    const journalBefore = await readJournal(kit);
    if (journalBefore && journalBefore.facts.instance_id !== id) {
      throw vpError('KIT_SERVES_ANOTHER', { kit, instance: journalBefore.facts.instance_id, requested: id });
    }
    state.instanceId = id;
    state.kit = kit;
    journal.attach(kit, createFacts(context, id, requestedId, journalBefore?.facts), journalBefore);
    transcript.attach(getTranscriptPath(ports.environment.paths, id));
    if (id !== requestedId) ports.warn(`the instance id ${requestedId} is taken: using ${id}`, `use ${id} from now on`);
    return upToDate(id === requestedId ? id : `${id}, because ${requestedId} is taken`);
  },
};

/** Throws KIT_SERVES_ANOTHER unless the kit is of the requested id, or of the one that was proposed when that was requested. */
export function assertKitInstance(
  kit: string | undefined,
  kitFacts: { readonly instance_id: string; readonly asked_id: string } | undefined,
  requestedId: string,
): void {
  if (kit === undefined || !kitFacts || kitFacts.instance_id === requestedId || kitFacts.asked_id === requestedId)
    return;
  throw vpError('KIT_SERVES_ANOTHER', {
    kit,
    instance: kitFacts.instance_id,
    requested: requestedId,
  });
}

/** The named kit, unless these folders were onboarded with another one: that stays the kit of the instance. */
async function selectKit({ request, ports }: OnboardingContext, id: string): Promise<string> {
  const knownKitFolder = await findKitFolder(ports.environment.paths, id);
  if (request.kit === undefined || request.kit === knownKitFolder) return knownKitFolder;
  const hasJournal = (await readJournal(request.kit)) !== undefined;
  const facts = hasJournal ? undefined : (await readJournal(knownKitFolder).catch(() => undefined))?.facts;
  if (facts?.product_dir !== request.productDir || facts.control_plane !== request.controlPlane) return request.kit;
  ports.warn(`${id} is served by the kit ${knownKitFolder}`, `use that one, or tear ${id} down first`);
  return knownKitFolder;
}

/** Other folders on the same machine are another project, unless the first ones no longer exist: then they were moved. */
async function servesSameFolders({ request }: OnboardingContext, facts: JournalFacts, kit: string): Promise<boolean> {
  if (kit === request.kit || facts.product_dir === request.productDir || facts.test_dir === request.testDir)
    return true;
  return (await stat(facts.product_dir).catch(() => undefined)) === undefined;
}

/** `own`: the kit on this machine says so. A proposed id counts as own only for the request that it was proposed for. */
export async function getInstanceIdStatus(
  context: OnboardingContext,
  id: string,
  requestedId: string,
): Promise<InstanceIdStatus> {
  const { request, ports } = context;
  const client = requireState(context, 'client');
  const instances = await client.instances.list({ signal: context.signal });
  const namedJournal = request.kit === undefined ? undefined : await readJournal(request.kit).catch(() => undefined);
  const kit = namedJournal ? (request.kit ?? '') : await findKitFolder(ports.environment.paths, id);
  const journal = namedJournal ?? (await readJournal(kit).catch(() => undefined));
  const facts = journal?.facts;
  const registered = instances.find(({ instance_id }) => instance_id === id);
  // A run was killed right after the registration: no executor has served the instance yet.
  const isHalfRegistered = journal?.in_hand === 'registration' && registered?.executor_status === 'NEVER_SEEN';
  const isRegisteredHere =
    facts?.instance_id === id && facts.control_plane === request.controlPlane && (facts.registered || isHalfRegistered);
  const isSameRequest = id === requestedId || facts?.asked_id === requestedId;
  if (isRegisteredHere && isSameRequest && (await servesSameFolders(context, facts, kit))) return 'own';
  if (registered) return 'taken';
  // Containers of that name that serve another control plane must not be replaced.
  const servesOtherControlPlane =
    facts?.control_plane !== request.controlPlane && (await ports.platform.hasInstance(id));
  return servesOtherControlPlane ? 'taken' : 'free';
}

function createFacts(
  context: OnboardingContext,
  id: string,
  requestedId: string,
  before: Parameters<OnboardingContext['journal']['attach']>[1] | undefined,
) {
  const { request } = context;
  const deploy = requireState(context, 'project').deploy ?? { composeProject: '', network: '' };
  const isSameRequest = before?.control_plane === request.controlPlane;
  return {
    ...(isSameRequest ? before : {}),
    instance_id: id,
    asked_id: isSameRequest ? before.asked_id : requestedId,
    control_plane: request.controlPlane,
    product_dir: request.productDir,
    test_dir: request.testDir,
    image: request.image,
    compose_project: deploy.composeProject,
    network: deploy.network,
    registered: isSameRequest && before.registered,
  };
}
