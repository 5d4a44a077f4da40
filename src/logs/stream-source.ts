/** A log that flows in: standard input, or any other stream. */
import type { Clock } from '../environment/clock.ts';
import { LineSplitter } from './line-splitter.ts';
import { lineLimitBytes } from './line-text.ts';
import { LineWatches } from './line-watches.ts';
import type { LogSource } from './log-source.ts';
import { Standing } from './standing.ts';
import { troubleOf } from './trouble.ts';

/** A stream of bytes, as `process.stdin` is one. */
export type ByteStream = NodeJS.ReadableStream & { destroy?(): unknown };

/** Reads `stream` to its end, at its own pace. Closing destroys it. */
export function streamSource(stream: ByteStream, clock: Clock): LogSource {
  const splitter = new LineSplitter(lineLimitBytes);
  const form = { limitBytes: lineLimitBytes, needleOf: (text: string) => text, read: (text: string) => ({ text }) };
  const watches = new LineWatches({ clock, form, torn: () => [splitter.torn] });
  const ended = { ...troubleOf('LOG_STREAM_ENDED', {}), isFinal: true };
  const standing = new Standing(clock, ended);
  standing.set(undefined);
  const end = (): void => {
    splitter.flush(watches.take);
    standing.set(ended);
  };
  const data = (chunk: Buffer | string): void => {
    splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, watches.take);
  };
  stream.on('data', data).on('end', end).on('error', end).on('close', end);
  return {
    trouble: () => standing.trouble,
    ready: (timeoutMs) => standing.ready(timeoutMs),
    watch: (text) => watches.begin(text),
    async close() {
      stream.off('data', data);
      stream.pause();
      stream.destroy?.();
    },
  };
}
