/** The doctor's access to this machine, the control plane and local services. */
import type { Client } from '../../client/client.ts';
import type { FlagValues } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { createFolderContext } from '../../onboarding/agent-folders/file-access.ts';
import { createComposePlatform } from '../../onboarding/compose/compose-platform.ts';
import { listConnectedInstances } from '../../onboarding/doctor/agent-entry.ts';
import type { DoctorContext, DoctorRequest, HttpPage } from '../../onboarding/doctor/context.ts';
import { findOnboardedInstance } from '../../onboarding/onboarded-instances.ts';
import { readFreeBytes } from '../../onboarding/preflight/context.ts';
import {
  type ControlPlaneFlagValues,
  openClient,
  resolveControlPlane,
  selectInstance,
} from '../control-plane/control-plane-client.ts';
import { readDirectRunKey } from '../control-plane/direct-keys.ts';
import { type databaseFlags, parseDatabase } from '../database-flags.ts';
import { fetchWhoami, formatWhoami } from '../login/fetch-whoami.ts';
import { readScenarioTexts } from '../onboard/scenario-import.ts';
import { createProbeSender } from '../onboard/service-calls.ts';
import { readFolderScenarios } from './folder-scenarios.ts';

const pageTimeoutMs = 5000;

export type DoctorFlags = ControlPlaneFlagValues &
  FlagValues<typeof databaseFlags> & { readonly instance: string | undefined };

/** Creates the context; sends nothing yet. Throws FLAG_INVALID, CREDENTIAL_IN_CLEAR, EXECUTOR_CA_UNREADABLE. */
export async function doctorContext(
  flags: DoctorFlags,
  environment: Environment,
  request: Omit<DoctorRequest, 'controlPlane'>,
): Promise<DoctorContext> {
  const { platform, variables, paths, clock } = environment;
  const { url: controlPlane, fetch: controlPlaneFetch } = await resolveControlPlane(flags, environment);
  const get = async (url: string): Promise<HttpPage | undefined> => {
    const signal = AbortSignal.timeout(pageTimeoutMs);
    const init = { method: 'GET', headers: {}, signal, redirect: 'manual' } as const;
    try {
      const response = await (url.startsWith(controlPlane) ? controlPlaneFetch(url, init) : fetch(url, init));
      return { status: response.status, date: response.headers.get('date') ?? undefined, text: await response.text() };
    } catch {
      return undefined;
    }
  };
  return {
    ...request,
    platform: createComposePlatform(environment),
    environment: { platform, variables },
    controlPlane,
    dataFolder: paths.data,
    readFreeBytes,
    folderContext: createFolderContext(environment),
    async inspectDatabase() {
      const connections = parseDatabase(flags, environment, 'vp doctor');
      if (connections === undefined) return undefined;
      const { inspectDatabase } = await import('../../store/postgres/inspect-database.ts');
      return inspectDatabase(connections, { clock });
    },
    nowMs: () => clock.nowMs(),
    fetchPage: get,
    connect: () => openClient(flags, environment),
    describeUser: async ({ transport }) => formatWhoami(await fetchWhoami(transport)),
    findInstance: (client) => resolveInstance(flags.instance, client, request),
    findOnboarded: (instanceId) => findOnboardedInstance(paths, instanceId),
    sendProbe: createProbeSender(environment),
    findExecutor(port) {
      const key = readDirectRunKey(paths, port);
      return key === undefined ? undefined : { port, key };
    },
    clock,
    readProbeFiles: (testDir) => readScenarioTexts(testDir, environment.cwd),
    callTool: async (url, token, tool) => (await import('./agent-tool-call.ts')).callToolAsAgent(url, token, tool),
    readScenarios: readFolderScenarios,
    state: {},
  };
}

/** The named instance, else the one that an agent's folder is connected to, else the only registered one. */
async function resolveInstance(
  named: string | undefined,
  client: Client | undefined,
  { testDir, productDir }: Pick<DoctorRequest, 'testDir' | 'productDir'>,
) {
  const folders = [testDir, productDir].filter((folder) => folder !== undefined);
  const instanceId = named ?? (await findOnlyInstance(folders));
  if (client) {
    const registered = await selectInstance(client, instanceId);
    return { id: registered.instance_id, registered };
  }
  if (instanceId === undefined) throw vpError('DOCTOR_INSTANCE_UNKNOWN', {});
  return { id: instanceId, registered: undefined };
}

/** The instance that the folders are connected to; undefined if there are none or several. */
async function findOnlyInstance(folders: readonly string[]): Promise<string | undefined> {
  const instanceIds = await Promise.all(
    folders.map((folder) =>
      listConnectedInstances(folder).catch((error: unknown) => {
        if (error instanceof VpError) return [];
        throw error;
      }),
    ),
  );
  const [first, second] = [...new Set(instanceIds.flat())];
  return second === undefined ? first : undefined;
}
