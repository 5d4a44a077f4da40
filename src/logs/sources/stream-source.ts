/** A log read from a stream, such as standard input. */
import type { Clock } from '../../environment/clock.ts';
import { maxLineBytes } from '../lines/decode-line.ts';
import { LineSplitter } from '../lines/line-splitter.ts';
import { LineWatches } from '../lines/line-watches.ts';
import type { LogSource } from '../log-source.ts';
import { createLogUnavailable } from '../log-unavailable.ts';
import { SourceAvailability } from './source-availability.ts';

/** A stream of bytes such as `process.stdin`. */
export type ByteStream = NodeJS.ReadableStream & { destroy?(): unknown };

/** Reads `stream` to its end. Closing destroys it. */
export function openStreamSource(stream: ByteStream, clock: Clock): LogSource {
  const splitter = new LineSplitter(maxLineBytes);
  const lineFormat = { maxBytes: maxLineBytes, toNeedle: (text: string) => text, read: (text: string) => ({ text }) };
  const watches = new LineWatches({ clock, lineFormat, getIncompleteLines: () => [splitter.incompleteLine] });
  const endedProblem = { ...createLogUnavailable('LOG_STREAM_ENDED', {}), isFinal: true };
  const availability = new SourceAvailability(clock, endedProblem);
  availability.set(undefined);
  const finish = (): void => {
    splitter.flush(watches.take);
    availability.set(endedProblem);
  };
  const push = (chunk: Buffer | string): void => {
    splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, watches.take);
  };
  stream.on('data', push).on('end', finish).on('error', finish).on('close', finish);
  return {
    getProblem: () => availability.problem,
    hasGivenLines: () => watches.hasLines,
    ready: (timeoutMs) => availability.ready(timeoutMs),
    watch: (text) => watches.start(text),
    async close() {
      stream.off('data', push);
      stream.pause();
      stream.destroy?.();
    },
  };
}
