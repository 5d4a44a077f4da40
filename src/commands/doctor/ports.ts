/** How doctor looks at this machine, at the control plane and at what answers here. */
import type { Client } from '../../client/client.ts';
import type { Environment } from '../../environment/environment.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { instancesIn } from '../../onboarding/doctor/agent-entry.ts';
import type { DoctorContext, DoctorWish, Page } from '../../onboarding/doctor/context.ts';
import { placeOf } from '../../onboarding/folders/place.ts';
import { freeBytes, machineOf } from '../../onboarding/preflight/context.ts';
import { type ControlPlaneValues, chosenInstance, connect, wayTo } from '../control-plane.ts';
import { askWho, whoText } from '../login/who.ts';
import { folderScenarios } from './folder-scenarios.ts';

const pageMs = 5000;

/** What flags say. */
export type DoctorFlags = ControlPlaneValues & { readonly instance: string | undefined };

/** The context of a process; nothing is called yet. Throws FLAG_INVALID, CREDENTIAL_IN_CLEAR, EXECUTOR_CA_UNREADABLE. */
export async function doctorContext(
  flags: DoctorFlags,
  environment: Environment,
  wish: Omit<DoctorWish, 'controlPlane'>,
): Promise<DoctorContext> {
  const { platform, variables, paths, clock } = environment;
  const place = { platform, variables };
  const { url: controlPlane, fetch: outward } = await wayTo(flags, environment);
  const get = async (url: string): Promise<Page | undefined> => {
    const signal = AbortSignal.timeout(pageMs);
    const asked = { method: 'GET', headers: {}, signal, redirect: 'manual' } as const;
    try {
      const answer = await (url.startsWith(controlPlane) ? outward(url, asked) : fetch(url, asked));
      return { status: answer.status, date: answer.headers.get('date') ?? undefined, text: await answer.text() };
    } catch {
      return undefined;
    }
  };
  return {
    ...wish,
    ...machineOf(place),
    place,
    controlPlane,
    dataFolder: paths.data,
    freeBytes,
    folderPlace: placeOf(environment),
    nowMs: () => clock.nowMs(),
    get,
    client: () => connect(flags, environment),
    who: async ({ transport }) => whoText(await askWho(transport)),
    instance: (client) => instanceOf(flags.instance, client, wish),
    callTool: async (url, token, tool) => (await import('./agent-call.ts')).callTool(url, token, tool),
    readScenarios: folderScenarios,
    found: {},
  };
}

/** The one that is named, else the one whose entry is in an agent's folder, else the only one there is. */
async function instanceOf(
  named: string | undefined,
  client: Client | undefined,
  { testDir, productDir }: Pick<DoctorWish, 'testDir' | 'productDir'>,
) {
  const folders = [testDir, productDir].filter((folder) => folder !== undefined);
  const connected = named ?? (await onlyIn(folders));
  if (client) {
    const registered = await chosenInstance(client, connected);
    return { id: registered.instance_id, registered };
  }
  if (connected === undefined) throw vpError('DOCTOR_INSTANCE_UNKNOWN', {});
  return { id: connected, registered: undefined };
}

/** The instance that the folders are connected to, where it is one. */
async function onlyIn(folders: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(
    folders.map((folder) =>
      instancesIn(folder).catch((error: unknown) => {
        if (error instanceof VpError) return [];
        throw error;
      }),
    ),
  );
  const [first, second] = [...new Set(found.flat())];
  return second === undefined ? first : undefined;
}
