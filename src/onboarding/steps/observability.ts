/** Dashboard and metrics store of this machine, started or joined. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startProject } from '../../containers/compose-project.ts';
import { hasImage, pullImage } from '../../containers/images.ts';
import { networkNames } from '../../containers/networks.ts';
import { VpError } from '../../errors/vp-error.ts';
import { known, type OnboardingContext } from '../context.ts';
import { sharedFolder } from '../engine/kit.ts';
import { type Act, done, type Step, todo } from '../engine/step.ts';
import { writeWhole } from '../engine/whole-file.ts';
import { scrapeKey } from '../scrape-key.ts';
import { notRunning, staleFiles, writeFiles } from '../stack-files.ts';
import {
  type ObservabilityOptions,
  observabilityProject,
  observabilityStack,
  placeObservability,
  prometheusImage,
  type ScrapeKeys,
} from '../stacks/observability.ts';
import { knowsStartInterval, sharedNetwork } from '../stacks/stack.ts';
import { noteFresh, takeBackProject } from '../take-back.ts';

/** Its services. */
export const observabilityServices = ['prometheus', 'dashboard'] as const;

/** The step. Without the dashboard the rest works: what is wrong with it makes the outcome partial. */
export const observabilityStep: Step<OnboardingContext> = {
  id: 'observability',
  title: 'dashboard and metrics (platform-obs)',
  async check(context) {
    const { stack, folder, keysHash } = await plan(context);
    const placed = await readFile(keysFile(folder), 'utf8').catch(() => '');
    if ((await staleFiles(stack, folder)).length > 0 || placed.trim() !== keysHash) return todo('to be written');
    const missing = await notRunning(known(context, 'engine'), observabilityProject, observabilityServices);
    if (missing.length > 0) return todo(missing.join(', '));
    context.found.dashboard = 'up';
    return done('runs on 127.0.0.1:3000 and 127.0.0.1:9095');
  },
  async act(context) {
    const { found, signal } = context;
    await noteFresh(context, observabilityProject);
    try {
      await start(context);
      found.dashboard = 'up';
      return { detail: 'started on 127.0.0.1:3000 and 127.0.0.1:9095' };
    } catch (error) {
      signal.throwIfAborted();
      found.dashboard = 'down';
      // The other projects need its network.
      const networks = await networkNames(known(context, 'engine'));
      if (!(error instanceof VpError) || !networks.includes(sharedNetwork)) throw error;
      return short(error);
    }
  },
  undo: (context) => takeBackProject(context, observabilityProject),
};

function short({ message, cure }: VpError): Act {
  const reason = `the dashboard is not up: ${message}`;
  return { detail: reason, shortfall: { reason, cure, passes: false } };
}

function keysFile(folder: string): string {
  return join(folder, 'placed.sha256');
}

async function plan(context: OnboardingContext) {
  const { asked, found, ports } = context;
  const { facts } = known(context, 'engine');
  const way = known(context, 'way');
  // The control plane's own key lies beside its socket, for its user alone.
  const file = way.kind === 'socket' ? join(dirname(way.folder), 'scrape.key') : undefined;
  const own = file === undefined ? '' : (await readFile(file, 'utf8').catch(() => '')).trim();
  const publicUrl = found.project?.dashboardUrl;
  const isElsewhere = publicUrl !== undefined && !/^https?:\/\/(127\.0\.0\.1|localhost)(:3000)?\/?$/.test(publicUrl);
  const options: ObservabilityOptions = {
    image: asked.image,
    controlPlane: own === '' ? undefined : way,
    publicUrl: isElsewhere ? publicUrl : undefined,
    selinux: facts.selinux,
    startInterval: knowsStartInterval(facts),
  };
  const keys: ScrapeKeys = { executors: await scrapeKey(context), controlPlane: own === '' ? undefined : own };
  const keysHash = createHash('sha256').update(JSON.stringify(keys)).digest('hex');
  return {
    stack: observabilityStack(options),
    options,
    keys,
    keysHash,
    folder: sharedFolder(ports.environment.paths, 'obs'),
  };
}

async function start(context: OnboardingContext): Promise<void> {
  const { ports, signal, say } = context;
  const engine = known(context, 'engine');
  const { stack, options, keys, keysHash, folder } = await plan(context);
  if (!(await hasImage(engine, prometheusImage))) {
    say(`pulling ${prometheusImage}`);
    await pullImage(engine, prometheusImage, { onLine: say, signal });
  }
  await placeObservability(engine, options, keys, signal);
  await writeFiles(stack, folder, ports.environment.random);
  await startProject(engine, { name: stack.name, folder }, { onLine: say, signal });
  signal.throwIfAborted();
  await writeWhole(keysFile(folder), `${keysHash}\n`, ports.environment.random);
}
