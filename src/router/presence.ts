/**
 * Presence files: each executor of this machine writes its URL to a file in its user's configuration folder, which the
 * router reads at each request. A stopped executor keeps its file, so that agents learn that it has stopped and not that
 * their token is invalid.
 */

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import type { UserPaths } from '../environment/paths.ts';
import type { Random } from '../environment/random.ts';
import { userId } from '../environment/user.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { createValidator } from '../http/schema/validator.ts';
import { tryParseJson } from '../json/json-object.ts';

const Presence = Type.Object({
  instance: Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$' }),
  /** The executor's own listener on this machine: only http with a loopback address. */
  url: Type.String({ pattern: '^http://(127\\.0\\.0\\.1|localhost|\\[::1\\]):[0-9]{1,5}$' }),
  pid: Type.Integer({ minimum: 1 }),
  state: Type.Union([Type.Literal('listening'), Type.Literal('stopped')]),
});

export type Presence = Static<typeof Presence>;

const presenceValidator = createValidator<Presence>(Presence);
const maxFileBytes = 4096;

/** `<config>/executors/<instance>.json`. */
export function getPresenceFile(paths: Pick<UserPaths, 'config'>, instance: string): string {
  return join(paths.config, 'executors', `${instance}.json`);
}

/** Writes the file with mode 0600. Rejects with system errors. */
export async function writePresence(
  paths: Pick<UserPaths, 'config'>,
  presence: Presence,
  random: Pick<Random, 'token'>,
): Promise<void> {
  const file = getPresenceFile(paths, presence.instance);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  writeFileAtomically(file, `${JSON.stringify(presence)}\n`, { random });
}

/** Does nothing when another process has replaced the executor. */
export async function markExecutorStopped(
  paths: Pick<UserPaths, 'config'>,
  { instance, pid }: Pick<Presence, 'instance' | 'pid'>,
  random: Pick<Random, 'token'>,
): Promise<void> {
  const presence = readPresence(paths, instance);
  if (presence?.pid === pid) await writePresence(paths, { ...presence, state: 'stopped' }, random);
}

/** Undefined without a valid file that only this user can access. */
export function readPresence(paths: Pick<UserPaths, 'config'>, instance: string): Presence | undefined {
  const presence = tryParseJson(readPrivateFile(getPresenceFile(paths, instance)) ?? '');
  return presenceValidator.isValid(presence) && presence.instance === instance ? presence : undefined;
}

/** All valid files of this user, by instance. */
export function listPresences(paths: Pick<UserPaths, 'config'>): readonly Presence[] {
  let names: readonly string[];
  try {
    names = readdirSync(dirname(getPresenceFile(paths, ''))).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names.toSorted().flatMap((name) => readPresence(paths, name.slice(0, -'.json'.length)) ?? []);
}

/** The text of a small file that no other user can write; symbolic links are not followed. */
export function readPrivateFile(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(descriptor);
    // Windows has access control lists instead of mode bits.
    const isPrivate = sep !== '/' || (stats.uid === userId && (stats.mode & 0o077) === 0);
    return isPrivate && stats.isFile() && stats.size <= maxFileBytes ? readFileSync(descriptor, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
