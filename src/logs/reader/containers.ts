/** The containers of the project, as the engine lists them. */
import type { IncomingMessage } from 'node:http';
import { type Static, Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import { createValidator } from '../../http/schema/validator.ts';
import { tryParseJson } from '../../json/json-object.ts';
import { GrowingBuffer } from '../../streams/growing-buffer.ts';
import { isContainerId, type LogEngine, projectLabel, sendEngineRequest } from './engine-request.ts';

/** `name` is for messages. */
export type Container = {
  readonly id: string;
  readonly name: string;
  readonly service: string;
  readonly isRunning: boolean;
};

const rowSchema = Type.Object({
  Id: Type.String(),
  Names: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  State: Type.String(),
  Labels: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]),
});
const listSchema = Type.Array(rowSchema);
const detailsSchema = Type.Object({
  State: Type.Object({ StartedAt: Type.String() }),
  Image: Type.Optional(Type.String()),
});
type ContainerRow = Static<typeof rowSchema>;

const listValidator = createValidator<readonly ContainerRow[]>(listSchema);
const detailsValidator = createValidator<Static<typeof detailsSchema>>(detailsSchema);
const maxResponseBytes = 16 * 1024 * 1024;
const runningStates = new Set(['running', 'paused', 'restarting']);

/**
 * All containers of the project; a container without its label is skipped, whatever the engine's filter did. Rejects
 * with LOG_ENGINE_UNREACHABLE, LOG_ENGINE_FAULT, and the error of a broken connection.
 */
export async function listLogContainers(engine: LogEngine, signal: AbortSignal): Promise<readonly Container[]> {
  const response = await sendEngineRequest(engine, { kind: 'containers' }, signal);
  const text = await readText(response);
  const rows = response.statusCode === 200 ? parseRows(text) : undefined;
  if (rows) return rows.flatMap((row) => toContainers(row, engine.project));
  throw vpError('LOG_ENGINE_FAULT', { request: 'the list of containers', response: `status ${response.statusCode}` });
}

/** When a container was last started, and the digest of its image; undefined where the engine does not say. */
export type ContainerOrigin = { readonly startedAtMs: number | undefined; readonly image: string | undefined };

/** Some engines omit the algorithm. */
const digestForm = /^(?:sha256:)?([0-9a-f]{64})$/;

/**
 * Everything else in the engine's answer, such as environment variables, is dropped. Rejects as `sendEngineRequest` does.
 */
export async function readContainerOrigin(
  engine: LogEngine,
  id: string,
  signal: AbortSignal,
): Promise<ContainerOrigin> {
  const response = await sendEngineRequest(engine, { kind: 'details', id }, signal);
  const details = tryParseJson(await readText(response));
  if (response.statusCode !== 200 || !detailsValidator.isValid(details))
    return { startedAtMs: undefined, image: undefined };
  const startedAtMs = Date.parse(details.State.StartedAt);
  const digest = digestForm.exec(details.Image ?? '')?.[1];
  return {
    // The engine writes year 1 for a container that was never started.
    startedAtMs: startedAtMs > 0 ? startedAtMs : undefined,
    image: digest === undefined ? undefined : `sha256:${digest}`,
  };
}

async function readText(response: IncomingMessage): Promise<string> {
  const bytes = new GrowingBuffer();
  for await (const chunk of response) {
    bytes.append(chunk);
    if (bytes.length > maxResponseBytes) throw new Error('the answer of the engine is larger than 16 MB');
  }
  return bytes.takeAll().toString('utf8');
}

function parseRows(text: string): readonly ContainerRow[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return listValidator.isValid(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toContainers({ Id: id, Names, State, Labels }: ContainerRow, project: string): Container[] {
  const service = Labels?.['com.docker.compose.service'];
  if (Labels?.[projectLabel] !== project || service === undefined || !isContainerId(id)) return [];
  const name = Names?.[0]?.replace(/^\//, '') ?? id.slice(0, 12);
  return [{ id, name, service, isRunning: runningStates.has(State) }];
}
