/** What stands behind `--log` → a followed log. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { vpError } from '../errors/vp-error.ts';
import { fileSource } from './file-source.ts';
import type { LogSource } from './log-source.ts';
import { readerSource } from './reader-source.ts';
import { streamSource } from './stream-source.ts';

/** Longest path of a unix socket, with room for the byte that ends it. */
const socketPathLimit = 107;

/**
 * Opens `source`: `-` is standard input, `unix:<path>` the socket of a log reader, everything else a file, which need not be
 * there yet. Rejects with LOG_SOURCE_INVALID and LOG_STDIN_TERMINAL.
 */
export async function sourceOf(
  source: string,
  { streams, clock, cwd }: Pick<Environment, 'streams' | 'clock' | 'cwd'>,
): Promise<LogSource> {
  if (source === '-') return streamSource(notTerminal(streams.stdin), clock);
  const socket = /^unix:(?:\/\/)?(.*)$/s.exec(source)?.[1];
  if (socket !== undefined) return readerSource({ socketPath: socketPathOf(socket, source, cwd), clock });
  if (source.trim() === '') throw invalid(source, 'it is empty');
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) throw invalid(source, 'addresses of the network are not read');
  if (source.includes('\0')) throw invalid(source, 'no path has a zero byte');
  const path = resolve(cwd, source);
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw invalid(source, whatItIs(found));
  return fileSource({ path, clock });
}

function invalid(source: string, problem: string) {
  return vpError('LOG_SOURCE_INVALID', { source: source.slice(0, 200), problem });
}

function notTerminal(stdin: NodeJS.ReadableStream): NodeJS.ReadableStream {
  if ('isTTY' in stdin && stdin.isTTY === true) throw vpError('LOG_STDIN_TERMINAL', {});
  return stdin;
}

function socketPathOf(socket: string, source: string, cwd: string): string {
  if (socket === '') throw invalid(source, 'the path of the socket is missing');
  const path = resolve(cwd, socket);
  if (Buffer.byteLength(path) > socketPathLimit) {
    throw invalid(source, `the path of a socket has at most ${socketPathLimit} bytes`);
  }
  return path;
}

function whatItIs(found: Stats): string {
  if (found.isFIFO()) return 'it is a pipe; write `--log -` and lead the pipe to standard input';
  if (found.isDirectory()) return 'it is a folder; name a file in it';
  return found.isSocket() ? 'it is a socket; write `unix:` before it' : 'it is no file';
}
