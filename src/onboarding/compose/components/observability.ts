/** Dashboard and metrics store of this machine, started or joined. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startComposeProject } from '../../../containers/compose-project.ts';
import { type ContainerInfo, listProjectContainers } from '../../../containers/containers.ts';
import type { ContainerEngine } from '../../../containers/engine.ts';
import { listNetworkNames } from '../../../containers/engine-resources.ts';
import { hasImage, pullImage } from '../../../containers/images.ts';
import { observabilityProjectName } from '../../../contract/platform-names.ts';
import { formatError, VpError } from '../../../errors/vp-error.ts';
import { getSharedStackFolder } from '../../kit/kit-paths.ts';
import { writeOnboardingFile } from '../../onboarding-file.ts';
import { hostPorts } from '../../platform/host-ports.ts';
import type { ComponentSpec, PlatformCallOptions } from '../../platform/platform.ts';
import { actionNeeded, upToDate } from '../../workflow/step.ts';
import type { ComposeContext } from '../compose-context.ts';
import { listMissedNetworks } from '../diagnosis/networks.ts';
import { recordIfNew } from '../new-projects.ts';
import { findForeignOwner } from '../stack-owner.ts';
import {
  buildObservabilityStack,
  type ObservabilityStackOptions,
  observabilityServices,
  prometheusImage,
  type ScrapeKeys,
  writeObservabilityConfig,
} from '../stacks/observability-stack.ts';
import { sharedNetwork, supportsStartInterval } from '../stacks/stack.ts';
import { listRoleProblems, listStaleFiles, writeStackFiles } from '../stacks/stack-files.ts';
import type { ComposeComponent } from './component.ts';
import { saveControlPlane, selectControlPlane } from './watched-control-plane.ts';

type ObservabilitySpec = ComponentSpec<'observability'>;

const addresses = `127.0.0.1:${hostPorts.dashboard} and 127.0.0.1:${hostPorts.metrics}`;
const localDashboardUrl = /^https?:\/\/(127\.0\.0\.1|localhost)(:3000)?\/?$/;

export const observabilityComponent: ComposeComponent<'observability'> = {
  async inspect(context, spec) {
    const engine = await context.engine();
    const containers = await listProjectContainers(engine, observabilityProjectName);
    const { stack, folder, keysHash, watched } = await prepareStack(context, engine, spec);
    const owner = await findForeignOwner(containers, folder);
    if (owner !== undefined) return actionNeeded(`they belong to another user (${owner})`);
    const writtenHash = await readFile(keysHashPath(folder), 'utf8').catch(() => '');
    if ((await listStaleFiles(stack, folder)).length > 0 || writtenHash.trim() !== keysHash)
      return actionNeeded('to be written');
    const problems = listRoleProblems(containers, observabilityServices);
    if (problems.length > 0) return actionNeeded(problems.join(', '));
    return (await isOffNetwork(engine, containers))
      ? actionNeeded(`not in the network ${sharedNetwork} as it is now`)
      : upToDate(`${watched}runs on ${addresses}`);
  },
  async apply(context, spec, options) {
    const engine = await context.engine();
    const containers = await listProjectContainers(engine, observabilityProjectName);
    const owner = await findForeignOwner(containers, getSharedStackFolder(context.environment.paths, 'obs'));
    if (owner !== undefined) {
      const values = { owner: `another user (${owner})`, program: engine.info.program };
      const failure = formatError('DASHBOARD_OF_ANOTHER', { ...values, project: observabilityProjectName });
      return { detail: failure.message, failure };
    }
    await recordIfNew(context, observabilityProjectName);
    try {
      const { watched } = await startStack(context, engine, spec, options);
      return { detail: `${watched}started on ${addresses}` };
    } catch (error) {
      options.signal.throwIfAborted();
      // The other projects need its network, and nothing else of it.
      const networks = await listNetworkNames(engine);
      if (!(error instanceof VpError) || !networks.includes(sharedNetwork)) throw error;
      return { detail: error.message, failure: error };
    }
  },
};

async function isOffNetwork(engine: ContainerEngine, containers: readonly ContainerInfo[]): Promise<boolean> {
  const missed = await Promise.all(containers.map(({ id }) => listMissedNetworks(engine, id, [sharedNetwork])));
  return missed.flat().length > 0;
}

/** Contains the hash of the keys that were written last: the keys themselves are only in a volume. */
function keysHashPath(folder: string): string {
  return join(folder, 'placed.sha256');
}

async function prepareStack(context: ComposeContext, engine: ContainerEngine, spec: ObservabilitySpec) {
  const { image, dashboardUrl, scrapeKey } = spec;
  const folder = getSharedStackFolder(context.environment.paths, 'obs');
  const selection = await selectControlPlane(context.environment.paths, folder, spec);
  const { endpoint } = selection;
  // The control plane's own scrape key is next to its socket folder, readable by its user only.
  const keyFile = endpoint.kind === 'socket' ? join(dirname(endpoint.folder), 'scrape.key') : undefined;
  const controlPlaneKey = keyFile === undefined ? '' : (await readFile(keyFile, 'utf8').catch(() => '')).trim();
  const isPublic = dashboardUrl !== undefined && !localDashboardUrl.test(dashboardUrl);
  const options: ObservabilityStackOptions = {
    image,
    controlPlane: controlPlaneKey === '' ? undefined : endpoint,
    publicUrl: isPublic ? dashboardUrl : undefined,
    selinux: engine.info.selinux,
    startInterval: supportsStartInterval(engine.info),
  };
  const keys: ScrapeKeys = {
    executors: scrapeKey,
    controlPlane: controlPlaneKey === '' ? undefined : controlPlaneKey,
  };
  const keysHash = createHash('sha256').update(JSON.stringify(keys)).digest('hex');
  const watched = selection.isOther ? `shows the control plane ${selection.control_plane}, ` : '';
  return { stack: buildObservabilityStack(options), options, keys, keysHash, folder, selection, watched };
}

async function startStack(
  context: ComposeContext,
  engine: ContainerEngine,
  spec: ObservabilitySpec,
  { signal, report }: PlatformCallOptions,
): Promise<{ readonly watched: string }> {
  const { random } = context.environment;
  const { stack, options, keys, keysHash, folder, selection, watched } = await prepareStack(context, engine, spec);
  const recreate = await isOffNetwork(engine, await listProjectContainers(engine, observabilityProjectName));
  if (!(await hasImage(engine, prometheusImage))) {
    report(`pulling ${prometheusImage}`);
    await pullImage(engine, prometheusImage, { onLine: report, signal });
  }
  await writeObservabilityConfig(engine, options, keys, signal);
  await writeStackFiles(stack, folder, random);
  await startComposeProject(engine, { name: stack.name, folder }, { onLine: report, signal, recreate });
  signal.throwIfAborted();
  await writeOnboardingFile(keysHashPath(folder), `${keysHash}\n`, random);
  await saveControlPlane(folder, selection, random);
  return { watched };
}
