/** What an onboarding would do, without doing any of it: what is read is read, what is asked is asked of the engine alone. */
import { join } from 'node:path';
import { containers } from '../containers/containers.ts';
import { hasImage } from '../containers/images.ts';
import { networkNames } from '../containers/networks.ts';
import { vpError } from '../errors/vp-error.ts';
import { known, type OnboardingContext } from './context.ts';
import { readJournal } from './engine/journal.ts';
import { kitPlaces, knownKit, sharedFolder } from './engine/kit.ts';
import type { Step } from './engine/step.ts';
import { transcriptFile } from './engine/transcript.ts';
import { planConnection } from './folders/connect.ts';
import { isInstanceName, nameFrom } from './instance-name.ts';
import { routerUrl } from './router-stack-of.ts';
import { scrapeKeyFile } from './scrape-key.ts';
import { configVolume, instanceProject } from './stacks/instance.ts';
import { observabilityProject, prometheusImage } from './stacks/observability.ts';
import { routerProject } from './stacks/router.ts';
import { sharedNetwork } from './stacks/stack.ts';
import { configStep } from './steps/config.ts';
import { folderPlace, foldersStep } from './steps/folders.ts';
import { releaseOf } from './steps/image.ts';
import { portStep } from './steps/port.ts';
import { preflightStep } from './steps/preflight.ts';

/** One thing. `kept`: it is there already and stays as it is, or is brought up to date where it differs. */
export type PlanItem = {
  readonly kind: 'image' | 'file' | 'container' | 'network' | 'volume' | 'port' | 'registration';
  readonly name: string;
  readonly change: 'pulled' | 'created' | 'changed' | 'kept' | 'joined' | 'made';
};

/** The plan. */
export type Plan = {
  readonly instance: string;
  readonly control_plane: string;
  readonly items: readonly PlanItem[];
  readonly notes: readonly string[];
};

/** Throws what would stop the onboarding before anybody is asked to sign in. */
export async function planOnboarding(context: OnboardingContext): Promise<Plan> {
  const { asked, ports, found, journal } = context;
  const looks: readonly Step<OnboardingContext>[] = [preflightStep, foldersStep, configStep];
  for (const step of looks) await step.check(context);
  releaseOf(asked.image);
  const wanted = asked.instanceId ?? nameFrom(known(context, 'project').project.name);
  if (!isInstanceName(wanted)) throw vpError('INSTANCE_ID_INVALID', { instance: wanted });
  found.instanceId = wanted;
  found.kit = asked.kit ?? (await knownKit(ports.environment.paths, wanted));
  const before = await readJournal(found.kit);
  if (before) journal.settle(found.kit, before.facts, before);
  await portStep.check(context);
  const items = [...(await engineItems(context)), ...(await fileItems(context)), ...registrations(context)];
  const notes = [
    'whether the instance id is free is known after the sign-in; if not, `-v1`, `-v2` … is appended to it',
    'the way from the containers to the control plane is found by a probe from the target’s network',
    'the target’s own containers, network and compose file stay as they are',
  ];
  return { instance: wanted, control_plane: asked.controlPlane, items, notes };
}

async function engineItems(context: OnboardingContext): Promise<PlanItem[]> {
  const { asked } = context;
  const engine = known(context, 'engine');
  const id = known(context, 'instanceId');
  const project = instanceProject(id);
  const there = new Set((await containers(engine)).map(({ name }) => name));
  const networks = await networkNames(engine);
  const volumes = new Set((await engine.output(['volume', 'ls', '--format', '{{.Name}}'])).split('\n'));
  const item = (kind: PlanItem['kind'], name: string, isThere: boolean): PlanItem => ({
    kind,
    name,
    change: isThere ? 'kept' : 'created',
  });
  const images = [asked.image, prometheusImage].map(
    async (name): Promise<PlanItem> => ({
      kind: 'image',
      name,
      change: (await hasImage(engine, name)) ? 'kept' : 'pulled',
    }),
  );
  const names = [
    ...['dashboard', 'prometheus'].map((service) => `${observabilityProject}-${service}-1`),
    routerProject,
    ...['executor', 'log-reader'].map((service) => `${project}-${service}-1`),
  ];
  const made = [
    ...['config', 'metrics'].map((volume) => `${observabilityProject}_${volume}`),
    ...[configVolume(id), `${project}_data`, `${project}_logs`],
  ];
  return [
    ...(await Promise.all(images)),
    ...names.map((name) => item('container', name, there.has(name))),
    item('network', sharedNetwork, networks.includes(sharedNetwork)),
    { kind: 'network', name: known(context, 'project').deploy?.network ?? '', change: 'joined' },
    ...made.map((name) => item('volume', name, volumes.has(name))),
    ...portItems(context, there),
  ];
}

function portItems(context: OnboardingContext, there: ReadonlySet<string>): PlanItem[] {
  const project = instanceProject(known(context, 'instanceId'));
  const rows: readonly (readonly [port: number, container: string])[] = [
    [3000, `${observabilityProject}-dashboard-1`],
    [9095, `${observabilityProject}-prometheus-1`],
    [9765, routerProject],
    [known(context, 'port'), `${project}-executor-1`],
  ];
  return rows.map(([port, container]) => ({
    kind: 'port',
    name: `127.0.0.1:${port} (${container})`,
    change: there.has(container) ? 'kept' : 'made',
  }));
}

async function fileItems(context: OnboardingContext): Promise<PlanItem[]> {
  const { asked, ports } = context;
  const { paths } = ports.environment;
  const [kit, id] = [known(context, 'kit'), known(context, 'instanceId')];
  const { compose, machineKey } = kitPlaces(kit);
  const place = folderPlace(context);
  const wishes = [
    { folder: asked.testDir, role: 'test', instance: id, routerUrl } as const,
    { folder: asked.productDir, role: 'product', instance: id, routerUrl } as const,
  ];
  const changes = (await Promise.all(wishes.map((wish) => planConnection(wish, place)))).flat();
  const own = [
    join(compose, 'compose.yaml'),
    machineKey,
    join(kit, 'journal.json'),
    join(sharedFolder(paths, 'obs'), 'compose.yaml'),
    join(sharedFolder(paths, 'router'), 'compose.yaml'),
    scrapeKeyFile(paths),
    transcriptFile(paths, id),
  ];
  const ofAgents = changes.map(
    ({ file, change }): PlanItem => ({ kind: 'file', name: file, change: fileChange(change) }),
  );
  return [...ofAgents, ...own.map((name): PlanItem => ({ kind: 'file', name, change: 'made' }))];
}

function fileChange(change: 'created' | 'changed' | 'removed' | 'kept'): PlanItem['change'] {
  return change === 'removed' ? 'changed' : change;
}

function registrations(context: OnboardingContext): PlanItem[] {
  const { asked, ports, journal } = context;
  const id = known(context, 'instanceId');
  const count = ports.readScenarios(asked.testDir).length;
  const isThere = journal.facts?.registered === true;
  const made = (name: string): PlanItem => ({ kind: 'registration', name, change: 'made' });
  return [
    { kind: 'registration', name: `instance ${id} at ${asked.controlPlane}`, change: isThere ? 'kept' : 'made' },
    made('executor key, machine key, a token for each agent'),
    made(`${count} scenarios of ${asked.testDir}`),
  ];
}

/** For people. */
export function planText({ instance, control_plane, items, notes }: Plan): string {
  const lines = items.map(({ kind, name, change }) => `  ${change.padEnd(7)}  ${kind.padEnd(12)}  ${name}`);
  const noted = notes.map((note) => `  note: ${note}`);
  return `${[`plan for ${instance} at ${control_plane}; nothing was changed`, ...lines, ...noted].join('\n')}\n`;
}
