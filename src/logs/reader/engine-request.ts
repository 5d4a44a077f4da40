/**
 * The only way from the log reader to the container engine, whose socket would allow everything. Four requests can be made,
 * all of them GET; what varies in them is the project's name and a container's id, each of a shape that fits no other path.
 */
import { type IncomingMessage, request } from 'node:http';
import { vpError } from '../../errors/vp-error.ts';
import { systemCode, systemReason } from '../trouble.ts';

/** The engine of one compose project. */
export type Engine = { readonly socketPath: string; readonly project: string };

/** A request that the engine may be asked. */
export type EngineRequest =
  | { readonly kind: 'containers' }
  | { readonly kind: 'starts' }
  | { readonly kind: 'lastLine'; readonly id: string }
  | { readonly kind: 'follow'; readonly id: string; readonly tail: number | 'all' };

/** Containers carry the name of their compose project in this label. */
export const projectLabel = 'com.docker.compose.project';

const projectShape = /^[a-z0-9][a-z0-9_-]{0,127}$/;
const idShape = /^[0-9a-f]{12,64}$/;

/** True for a name that compose accepts for a project. */
export function isProjectName(text: string): boolean {
  return projectShape.test(text);
}

/** True for a container's id. */
export function isContainerId(text: string): boolean {
  return idShape.test(text);
}

/**
 * Asks the engine; the answer's body is a stream. Rejects with LOG_ENGINE_UNREACHABLE where nobody answers, with the
 * system's error where the answer breaks off, and with the reason of `signal`.
 */
export function askEngine(engine: Engine, asked: EngineRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { socketPath } = engine;
  const options = { socketPath, path: pathOf(engine, asked), method: 'GET', agent: false, signal };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, headers: { host: 'localhost' } }, resolve);
    outgoing.once('error', (error) => reject(signal.aborted ? signal.reason : faultOf(error, socketPath)));
    outgoing.end();
  });
}

const unreachable = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'EPERM', 'ENOTSOCK', 'ENOTDIR']);

function faultOf(error: unknown, socket: string): unknown {
  if (!unreachable.has(systemCode(error))) return error;
  return vpError('LOG_ENGINE_UNREACHABLE', { socket, reason: systemReason(error) }, { cause: error });
}

function pathOf({ project }: Engine, asked: EngineRequest): string {
  if (!isProjectName(project)) throw vpError('LOG_PROJECT_INVALID', { project });
  const label = [`${projectLabel}=${project}`];
  switch (asked.kind) {
    case 'containers':
      return `/containers/json?all=1&filters=${inQuery({ label })}`;
    case 'starts':
      return `/events?filters=${inQuery({ type: ['container'], event: ['start'], label })}`;
    case 'lastLine':
      return `/containers/${idOf(asked.id)}/logs?stdout=1&stderr=1&timestamps=1&tail=1`;
    case 'follow':
      return `/containers/${idOf(asked.id)}/logs?follow=1&stdout=1&stderr=1&timestamps=1&tail=${asked.tail}`;
  }
}

function inQuery(filters: Readonly<Record<string, readonly string[]>>): string {
  return encodeURIComponent(JSON.stringify(filters));
}

function idOf(id: string): string {
  if (!isContainerId(id)) throw new Error('the engine gave a container id of another shape');
  return id;
}
