/**
 * Presence of routers: each router that listens on this machine writes its URL to a file in its user's configuration folder, so
 * that `vp connect` writes the address at which one really answers. A killed router leaves its file: every URL is probed.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { UserPaths } from '../environment/paths.ts';
import type { Random } from '../environment/random.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { isObject } from '../json/json-object.ts';
import { readPresence, readPrivateFile } from './presence.ts';

type Paths = Pick<UserPaths, 'config'>;

const localUrl = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$/;
const defaultUrl = 'http://127.0.0.1:9765';
const probeTimeoutMs = 1_000;

function getFolder({ config }: Paths): string {
  return join(config, 'routers');
}

/** Writes the file with mode 0600. Returns a function that removes it; a router works without one too. */
export function announceRouter(paths: Paths, url: string, random: Pick<Random, 'token'>): () => void {
  if (!localUrl.test(url)) return () => undefined;
  const file = join(getFolder(paths), `${new URL(url).port}.json`);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileAtomically(file, `${JSON.stringify({ url })}\n`, { random });
  } catch {
    return () => undefined;
  }
  return () => rmSync(file, { force: true });
}

function listAnnounced(paths: Paths): readonly string[] {
  try {
    const names = readdirSync(getFolder(paths)).filter((name) => /^\d{1,5}\.json$/.test(name));
    return names.flatMap((name) => parseUrl(readPrivateFile(join(getFolder(paths), name))));
  } catch {
    return [];
  }
}

function parseUrl(text: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (!isObject(value) || !('url' in value)) return [];
    return typeof value.url === 'string' && localUrl.test(value.url) ? [value.url] : [];
  } catch {
    return [];
  }
}

/** Whether a router answers at the base URL. */
export async function isRouter(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    const health: unknown = await (await fetch(`${url}/healthz`, { signal, redirect: 'manual' })).json();
    return isObject(health) && 'role' in health && health.role === 'router';
  } catch {
    return false;
  }
}

/** The base URLs of this user's routers that answer now. */
export async function listRunningRouters(paths: Paths): Promise<readonly string[]> {
  const urls = listAnnounced(paths);
  const answers = await Promise.all(urls.map(isRouter));
  return urls.filter((_url, index) => answers[index]);
}

/** The base URL of a router, and whether it answers. */
export type RouterAddress = { readonly url: string; readonly isRunning: boolean };

/**
 * The router for an instance: one of this user if the executor is this user's too; else the one at the usual address, which
 * may be in a container; else any of this user. The usual address if none runs.
 */
export async function findRouter(paths: Paths, instance: string): Promise<RouterAddress> {
  const [running, isDefaultRunning] = await Promise.all([listRunningRouters(paths), isRouter(defaultUrl)]);
  const [own] = running.toSorted((a, b) => Number(b === defaultUrl) - Number(a === defaultUrl));
  const isOwnExecutor = readPresence(paths, instance) !== undefined;
  if (own !== undefined && (isOwnExecutor || !isDefaultRunning)) return { url: own, isRunning: true };
  return { url: defaultUrl, isRunning: isDefaultRunning };
}
