/** Opens the log source named by `--log`. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { LogSource } from '../log-source.ts';
import { openFileSource } from './file-source.ts';
import { openReaderSource } from './reader-source.ts';
import { openStreamSource } from './stream-source.ts';

/** Maximum path of a unix socket, without its terminating null byte. */
const maxSocketPathBytes = 107;

/**
 * Opens `source`: `-` is standard input, `unix:<path>` the socket of a log reader, everything else a file, which may
 * not exist yet. `services` select what a log reader sends. Rejects with LOG_SOURCE_INVALID and LOG_STDIN_TERMINAL.
 */
export async function openLogSource(
  source: string,
  { streams, clock, cwd }: Pick<Environment, 'streams' | 'clock' | 'cwd'>,
  services: readonly string[] = [],
): Promise<LogSource> {
  if (source === '-') return openStreamSource(assertNotTerminal(streams.stdin), clock);
  const socket = /^unix:(?:\/\/)?(.*)$/s.exec(source)?.[1];
  if (socket !== undefined)
    return openReaderSource({ socketPath: resolveSocketPath(socket, source, cwd), services, clock });
  if (source.trim() === '') throw createInvalidError(source, 'it is empty');
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) throw createInvalidError(source, 'network addresses are not supported');
  if (source.includes('\0')) throw createInvalidError(source, 'a path must not contain a null byte');
  const path = resolve(cwd, source);
  const stats = await stat(path).catch(() => undefined);
  if (stats && !stats.isFile()) throw createInvalidError(source, describeFileKind(stats));
  return openFileSource({ path, clock });
}

function createInvalidError(source: string, problem: string) {
  return vpError('LOG_SOURCE_INVALID', { source: source.slice(0, 200), problem });
}

function assertNotTerminal(stdin: NodeJS.ReadableStream): NodeJS.ReadableStream {
  if ('isTTY' in stdin && stdin.isTTY === true) throw vpError('LOG_STDIN_TERMINAL', {});
  return stdin;
}

function resolveSocketPath(socket: string, source: string, cwd: string): string {
  if (socket === '') throw createInvalidError(source, 'the path of the socket is missing');
  const path = resolve(cwd, socket);
  if (Buffer.byteLength(path) > maxSocketPathBytes) {
    throw createInvalidError(source, `the path of a socket must have at most ${maxSocketPathBytes} bytes`);
  }
  return path;
}

function describeFileKind(stats: Stats): string {
  if (stats.isFIFO()) return 'it is a pipe; pass `--log -` and connect the pipe to standard input';
  if (stats.isDirectory()) return 'it is a folder; pass a file in it';
  return stats.isSocket() ? 'it is a socket; prefix it with `unix:`' : 'it is not a file';
}
