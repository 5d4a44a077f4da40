/** The messages of the log reader: one JSON object per line, either a log line or the reader's state. */

import { type Static, Type } from '@sinclair/typebox';
import { createValidator } from '../../http/schema/validator.ts';
import { tryParseJson } from '../../json/json-object.ts';
import { maxLineBytes } from '../lines/decode-line.ts';
import type { TargetLogLine } from '../lines/line-watches.ts';
import type { LogUnavailable } from '../log-source.ts';

/**
 * The state is sent at every change and at least this often; a reader silent for three times as long is considered
 * lost. That is less than a run waits for its lines, so that a run reports the reader's failure and does not blame the
 * target.
 */
export const readerHeartbeatMs = 1000;
/** A reader that is requested again sends the lines written since, up to this age. */
export const resumeWindowMs = 15 * 60_000;
/** Maximum size of a message: a line of which every byte is escaped, plus the other members. */
export const maxMessageBytes = 6 * maxLineBytes + 4096;

/** A line of a service's log with the engine's timestamp. */
export type LineMessage = {
  readonly service: string;
  /** First characters of the container's id. */
  readonly container: string;
  readonly stream: 'stdout' | 'stderr';
  readonly at: string;
  readonly text: string;
  /** When the process that wrote the line was started, by the engine's clock; undefined where that is not known. */
  readonly startedAtMs?: number | undefined;
  /** The digest of the container's image; undefined where that is not known. */
  readonly image?: string | undefined;
};
/** The services whose logs are being followed, and why a log is unavailable. */
export type LogReaderState = { readonly services: readonly string[]; readonly trouble: LogUnavailable | null };

/** Prefix of a state message. A line message cannot contain it, because its quotation marks are escaped. */
export const stateMessagePrefix = '{"state":{';

/** Of the digests of images. */
const imageDigestPattern = '^sha256:[0-9a-f]{64}$';
const lineSchema = Type.Object({
  service: Type.Optional(Type.String()),
  container: Type.String(),
  stream: Type.String(),
  at: Type.String(),
  text: Type.String(),
  startedAtMs: Type.Optional(Type.Number()),
  image: Type.Optional(Type.String({ pattern: imageDigestPattern })),
});
const unavailableSchema = Type.Object({ problem: Type.String(), cure: Type.String() });
const stateSchema = Type.Object({
  state: Type.Object({ services: Type.Array(Type.String()), trouble: Type.Union([unavailableSchema, Type.Null()]) }),
});
const lineValidator = createValidator<Static<typeof lineSchema>>(lineSchema);
const stateValidator = createValidator<{ readonly state: LogReaderState }>(stateSchema);

/** A line as a message, with its line break. */
export function formatLineMessage({ service, container, stream, at, text, startedAtMs, image }: LineMessage): string {
  return `${JSON.stringify({ service, container, stream, at, text, startedAtMs, image })}\n`;
}

/** A state as a message, with its line break. */
export function formatStateMessage({ services, trouble }: LogReaderState): string {
  return `${JSON.stringify({ state: { services, trouble } })}\n`;
}

/** The line in `message`, with its identity; undefined when there is none. */
export function parseLineMessage(message: string): TargetLogLine | undefined {
  const value = tryParseJson(message);
  if (!lineValidator.isValid(value)) return undefined;
  const { service, container, stream, at, text, startedAtMs, image } = value;
  const writtenAtMs = Date.parse(at);
  return {
    ...{ text, identity: `${container} ${stream} ${at} ${text}`, processStartedAtMs: startedAtMs, service, image },
    ...(Number.isNaN(writtenAtMs) ? {} : { writtenAtMs }),
  };
}

/** The state in `message`; undefined when there is none. */
export function parseStateMessage(message: string): LogReaderState | undefined {
  const value = tryParseJson(message);
  return stateValidator.isValid(value) ? value.state : undefined;
}
