/**
 * Which control plane the dashboard of this machine shows. It shows one, so it stays with the first as long as another instance of
 * this machine is registered there: otherwise each onboarding at a second one would move it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { UserPaths } from '../../../environment/paths.ts';
import type { Random } from '../../../environment/random.ts';
import { findOnboardedInstance, listOnboardedInstances } from '../../onboarded-instances.ts';
import { writeOnboardingFile } from '../../onboarding-file.ts';
import type { ComponentSpec, ControlPlaneEndpoint } from '../../platform/platform.ts';

const Endpoint = Type.Union([
  Type.Object({ kind: Type.Literal('socket'), folder: Type.String() }),
  Type.Object({
    kind: Type.Literal('url'),
    url: Type.String(),
    ca: Type.Optional(Type.String()),
    hosts: Type.Optional(Type.Array(Type.String())),
  }),
]);
const StoredSelection = Type.Object({ control_plane: Type.String(), endpoint: Endpoint });

/** `isOther`: not the control plane of the instance that is onboarded. */
export type ControlPlaneSelection = {
  readonly control_plane: string;
  readonly endpoint: ControlPlaneEndpoint;
  readonly isOther: boolean;
};

export async function selectControlPlane(
  paths: Pick<UserPaths, 'data'>,
  folder: string,
  { instanceId, endpoint }: Pick<ComponentSpec<'observability'>, 'instanceId' | 'endpoint'>,
): Promise<ControlPlaneSelection> {
  const own = (await findOnboardedInstance(paths, instanceId))?.facts.control_plane ?? '';
  const stored = await readStoredSelection(folder);
  const isUsed = (url: string): Promise<boolean> =>
    listOnboardedInstances(paths).then((instances) =>
      instances.some(
        ({ facts }) => facts.instance_id !== instanceId && facts.registered && facts.control_plane === url,
      ),
    );
  if (stored && stored.control_plane !== own && (await isUsed(stored.control_plane)))
    return { ...stored, isOther: true };
  return { control_plane: own, endpoint, isOther: false };
}

function selectionPath(folder: string): string {
  return join(folder, 'control-plane.json');
}

async function readStoredSelection(folder: string): Promise<Static<typeof StoredSelection> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(selectionPath(folder), 'utf8'));
    return Value.Check(StoredSelection, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export async function saveControlPlane(
  folder: string,
  { control_plane, endpoint }: ControlPlaneSelection,
  random: Pick<Random, 'token'>,
): Promise<void> {
  await writeOnboardingFile(selectionPath(folder), `${JSON.stringify({ control_plane, endpoint })}\n`, random);
}
