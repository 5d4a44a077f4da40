/** Which id the instance gets, and so which kit folder: what is noted before stands there. */
import { stat } from 'node:fs/promises';
import { containersOfProject } from '../../containers/containers.ts';
import { vpError } from '../../errors/vp-error.ts';
import { known, type OnboardingContext } from '../context.ts';
import { type JournalFacts, readJournal } from '../engine/journal.ts';
import { knownKit } from '../engine/kit.ts';
import { done, type Step } from '../engine/step.ts';
import { transcriptFile } from '../engine/transcript.ts';
import { chosenName, nameFrom, type Standing } from '../instance-name.ts';
import { instanceProject } from '../stacks/instance.ts';

/** The step. */
export const instanceIdStep: Step<OnboardingContext> = {
  id: 'instance-id',
  title: 'instance id',
  async check(context) {
    const { asked, ports, found, journal, transcript } = context;
    const wanted = asked.instanceId ?? nameFrom(known(context, 'project').project.name);
    const served = asked.kit === undefined ? undefined : (await readJournal(asked.kit))?.facts;
    demandOwnKit(asked.kit, served, wanted);
    const id = served?.instance_id ?? (await chosenName(wanted, (id) => standingOf(context, id, wanted)));
    const kit = await kitOf(context, id);
    const before = await readJournal(kit);
    if (before && before.facts.instance_id !== id) {
      throw vpError('KIT_SERVES_ANOTHER', { kit, instance: before.facts.instance_id, asked: id });
    }
    found.instanceId = id;
    found.kit = kit;
    journal.settle(kit, factsFor(context, id, wanted, before?.facts), before);
    transcript.settle(transcriptFile(ports.environment.paths, id));
    if (id !== wanted) ports.warn(`the instance id ${wanted} is taken: going on as ${id}`, `use ${id} from now on`);
    return done(id === wanted ? id : `${id}, because ${wanted} is taken`);
  },
};

/** A kit that serves one instance refuses another id; the id that was asked for when its own was proposed is its own too. */
function demandOwnKit(
  kit: string | undefined,
  served: { readonly instance_id: string; readonly asked_id: string } | undefined,
  wanted: string,
): void {
  if (kit === undefined || !served || served.instance_id === wanted || served.asked_id === wanted) return;
  throw vpError('KIT_SERVES_ANOTHER', {
    kit,
    instance: served.instance_id,
    asked: wanted,
  });
}

/** The kit that is named; but an instance that these very folders have already is served by the kit it was onboarded with. */
async function kitOf({ asked, ports }: OnboardingContext, id: string): Promise<string> {
  const home = await knownKit(ports.environment.paths, id);
  if (asked.kit === undefined || asked.kit === home) return home;
  const isThere = (await readJournal(asked.kit)) !== undefined;
  const facts = isThere ? undefined : (await readJournal(home).catch(() => undefined))?.facts;
  if (facts?.product_dir !== asked.productDir || facts.control_plane !== asked.controlPlane) return asked.kit;
  ports.warn(`${id} is served by the kit ${home}`, `use that one, or tear ${id} down first`);
  return home;
}

/** Other folders on the same machine are another project; folders that are gone were moved. */
async function isOfFolders({ asked }: OnboardingContext, facts: JournalFacts, kit: string): Promise<boolean> {
  if (kit === asked.kit || facts.product_dir === asked.productDir || facts.test_dir === asked.testDir) return true;
  return (await stat(facts.product_dir).catch(() => undefined)) === undefined;
}

/** An id is this machine's own when its kit says so; one that was proposed is, when it was proposed for the same wish. */
async function standingOf(context: OnboardingContext, id: string, wanted: string): Promise<Standing> {
  const { asked, ports } = context;
  const client = known(context, 'client');
  const all = await client.instances.list({ signal: context.signal });
  const named = asked.kit === undefined ? undefined : await readJournal(asked.kit).catch(() => undefined);
  const kit = named ? (asked.kit ?? '') : await knownKit(ports.environment.paths, id);
  const journal = named ?? (await readJournal(kit).catch(() => undefined));
  const facts = journal?.facts;
  const there = all.find(({ instance_id }) => instance_id === id);
  // A run that was killed right after it had registered: nobody has served the instance yet.
  const isHalf = journal?.in_hand === 'registration' && there?.executor_status === 'NEVER_SEEN';
  const isNoted =
    facts?.instance_id === id && facts.control_plane === asked.controlPlane && (facts.registered || isHalf);
  const isSame = id === wanted || facts?.asked_id === wanted;
  if (isNoted && isSame && (await isOfFolders(context, facts, kit))) return 'own';
  if (there) return 'taken';
  // Containers of that name serve another control plane: they must not be run over.
  const containers = await containersOfProject(known(context, 'engine'), instanceProject(id));
  const servesOther = containers.length > 0 && facts?.control_plane !== asked.controlPlane;
  return servesOther ? 'taken' : 'free';
}

function factsFor(
  context: OnboardingContext,
  id: string,
  wanted: string,
  before: Parameters<OnboardingContext['journal']['settle']>[1] | undefined,
) {
  const { asked } = context;
  const deploy = known(context, 'project').deploy ?? { composeProject: '', network: '' };
  const isSame = before?.control_plane === asked.controlPlane;
  return {
    ...(isSame ? before : {}),
    instance_id: id,
    asked_id: isSame ? before.asked_id : wanted,
    control_plane: asked.controlPlane,
    product_dir: asked.productDir,
    test_dir: asked.testDir,
    image: asked.image,
    compose_project: deploy.composeProject,
    network: deploy.network,
    registered: isSame && before.registered,
  };
}
