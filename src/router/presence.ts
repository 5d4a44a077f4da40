/**
 * Where the executors of this machine are: each tells it in a file of its user's configuration folder, which the router
 * reads at each request. A stopped executor is still known, so that agents learn that it is away and not that their
 * token is wrong.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import type { Paths } from '../environment/paths.ts';
import type { Random } from '../environment/random.ts';
import { userId } from '../environment/user.ts';
import { validatorOf } from '../http/validator.ts';

const Presence = Type.Object({
  instance: Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$' }),
  /** The executor's own listener; on this machine, so nothing but plain http to a loopback address. */
  url: Type.String({ pattern: '^http://(127\\.0\\.0\\.1|localhost|\\[::1\\]):[0-9]{1,5}$' }),
  pid: Type.Integer({ minimum: 1 }),
  state: Type.Union([Type.Literal('listening'), Type.Literal('stopped')]),
});
/** What an executor says of itself. */
export type Presence = Static<typeof Presence>;

const presenceCheck = validatorOf<Presence>(Presence);
const largestBytes = 4096;

/** `<config>/executors/<instance>.json`. */
export function presenceFile(paths: Pick<Paths, 'config'>, instance: string): string {
  return join(paths.config, 'executors', `${instance}.json`);
}

/** Tells where an executor is, in a file of mode 0600. Rejects with what the system says. */
export async function writePresence(
  paths: Pick<Paths, 'config'>,
  presence: Presence,
  random: Pick<Random, 'token'>,
): Promise<void> {
  const file = presenceFile(paths, presence.instance);
  const part = `${file}.${random.token(6)}.part`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    const handle = await open(part, 'wx', 0o600);
    await handle.writeFile(`${JSON.stringify(presence)}\n`).finally(() => handle.close());
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Tells that an executor has stopped, unless another process has taken its place. */
export async function endPresence(
  paths: Pick<Paths, 'config'>,
  { instance, pid }: Pick<Presence, 'instance' | 'pid'>,
  random: Pick<Random, 'token'>,
): Promise<void> {
  const known = readPresence(paths, instance);
  if (known?.pid === pid) await writePresence(paths, { ...known, state: 'stopped' }, random);
}

/** What the executor of `instance` said; undefined without a file that is of this user alone and says what it should. */
export function readPresence(paths: Pick<Paths, 'config'>, instance: string): Presence | undefined {
  const said = parsed(ownText(presenceFile(paths, instance)));
  return presenceCheck.accepts(said) && said.instance === instance ? said : undefined;
}

/** The text of a small file that nobody else could have written; links are not followed. */
function ownText(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(descriptor);
    // Windows keeps access in lists, not in mode bits.
    const isOurs = sep !== '/' || (found.uid === userId && (found.mode & 0o077) === 0);
    return isOurs && found.isFile() && found.size <= largestBytes ? readFileSync(descriptor, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
