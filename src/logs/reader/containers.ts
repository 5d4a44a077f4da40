/** The containers of the project, as the engine lists them. */
import type { IncomingMessage } from 'node:http';
import { type Static, Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import { validatorOf } from '../../http/validator.ts';
import { askEngine, type Engine, isContainerId, projectLabel } from './engine-request.ts';

/** A container of the project. `name` is for people. */
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
type Row = Static<typeof rowSchema>;

const list = validatorOf<readonly Row[]>(listSchema);
const answerLimitBytes = 16 * 1024 * 1024;
const living = new Set(['running', 'paused', 'restarting']);

/**
 * All containers of the project; one that does not carry its label is left out, whatever the engine's filter did.
 * Rejects with LOG_ENGINE_UNREACHABLE, LOG_ENGINE_FAULT, and what a broken connection throws.
 */
export async function containersOf(engine: Engine, signal: AbortSignal): Promise<readonly Container[]> {
  const answer = await askEngine(engine, { kind: 'containers' }, signal);
  const text = await textOf(answer);
  const rows = answer.statusCode === 200 ? rowsIn(text) : undefined;
  if (rows) return rows.flatMap((row) => containerOf(row, engine.project));
  throw vpError('LOG_ENGINE_FAULT', { asked: 'the list of containers', answer: `status ${answer.statusCode}` });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer) {
    bytes += piece.length;
    if (bytes > answerLimitBytes) throw new Error('the list of containers is larger than 16 MB');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function rowsIn(text: string): readonly Row[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return list.accepts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function containerOf({ Id: id, Names, State, Labels }: Row, project: string): Container[] {
  const service = Labels?.['com.docker.compose.service'];
  if (Labels?.[projectLabel] !== project || service === undefined || !isContainerId(id)) return [];
  const name = Names?.[0]?.replace(/^\//, '') ?? id.slice(0, 12);
  return [{ id, name, service, isRunning: living.has(State) }];
}
