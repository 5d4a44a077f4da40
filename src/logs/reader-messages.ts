/** What the log reader says: a JSON object in each line, either a line of a log or how things stand. */
import { type Static, Type } from '@sinclair/typebox';
import { validatorOf } from '../http/validator.ts';
import { lineLimitBytes } from './line-text.ts';
import type { ReadLine } from './line-watches.ts';
import type { LogTrouble } from './log-source.ts';

/**
 * How things stand is said at every change and at least so often; a reader silent for three times as long is lost. That is
 * less than a run waits for its lines, so that a run says what is wrong and does not blame the target.
 */
export const readerBeatMs = 1000;
/** A reader that is asked anew tells what was written since, up to so long ago. */
export const resumeWindowMs = 15 * 60_000;
/** Longest message: a line of which every byte must be escaped, and some words around it. */
export const messageLimitBytes = 6 * lineLimitBytes + 4096;

/** A line of a service's log, where it was written, and the engine's moment of it. */
export type LineMessage = {
  readonly service: string;
  /** Beginning of the container's id. */
  readonly container: string;
  readonly stream: 'stdout' | 'stderr';
  readonly at: string;
  readonly text: string;
};
/** Which services' logs are being followed, and why not all is well. */
export type ReaderState = { readonly services: readonly string[]; readonly trouble: LogTrouble | null };

/** How a message about the state begins. A line's message cannot contain it: there quotation marks are escaped. */
export const stateStart = '{"state":{';

const lineSchema = Type.Object({
  container: Type.String(),
  stream: Type.String(),
  at: Type.String(),
  text: Type.String(),
});
const troubleSchema = Type.Object({ problem: Type.String(), cure: Type.String() });
const stateSchema = Type.Object({
  state: Type.Object({ services: Type.Array(Type.String()), trouble: Type.Union([troubleSchema, Type.Null()]) }),
});
const line = validatorOf<Static<typeof lineSchema>>(lineSchema);
const state = validatorOf<{ readonly state: ReaderState }>(stateSchema);

/** A line as a message, with its line break. */
export function lineMessage({ service, container, stream, at, text }: LineMessage): string {
  return `${JSON.stringify({ service, container, stream, at, text })}\n`;
}

/** A state as a message, with its line break. */
export function stateMessage({ services, trouble }: ReaderState): string {
  return `${JSON.stringify({ state: { services, trouble } })}\n`;
}

/** The line that `message` carries, known again by its identity; undefined where it carries none. */
export function lineOf(message: string): ReadLine | undefined {
  const value = parsed(message);
  if (!line.accepts(value)) return undefined;
  const { container, stream, at, text } = value;
  return { text, identity: `${container} ${stream} ${at} ${text}` };
}

/** The state that `message` tells; undefined where it tells none. */
export function stateOf(message: string): ReaderState | undefined {
  const value = parsed(message);
  return state.accepts(value) ? value.state : undefined;
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}
