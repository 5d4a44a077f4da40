/**
 * The only access of the log reader to the container engine, whose socket would allow everything. Five requests are
 * possible, all of them GET; the only variable parts are the project's name and a container's id, each validated so
 * that it cannot form another path.
 */
import { type IncomingMessage, request } from 'node:http';
import { vpError } from '../../errors/vp-error.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import { describeSystemError } from '../log-unavailable.ts';

/** The engine, restricted to one compose project. */
export type LogEngine = { readonly socketPath: string; readonly project: string };

export type EngineRequest =
  | { readonly kind: 'containers' }
  | { readonly kind: 'starts' }
  | { readonly kind: 'details'; readonly id: string }
  | { readonly kind: 'lastLine'; readonly id: string }
  | { readonly kind: 'follow'; readonly id: string; readonly tail: number | 'all' };

/** The label with the name of a container's compose project. */
export const projectLabel = 'com.docker.compose.project';

const projectNamePattern = /^[a-z0-9][a-z0-9_-]{0,127}$/;
const containerIdPattern = /^[0-9a-f]{12,64}$/;

/** True for a valid name of a compose project. */
export function isProjectName(text: string): boolean {
  return projectNamePattern.test(text);
}

export function isContainerId(text: string): boolean {
  return containerIdPattern.test(text);
}

/**
 * Sends a request to the engine; the response body is a stream. Rejects with LOG_ENGINE_UNREACHABLE when it does not
 * answer, with the system's error when the response breaks off, and with the reason of `signal`.
 */
export function sendEngineRequest(
  engine: LogEngine,
  engineRequest: EngineRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { socketPath } = engine;
  const options = { socketPath, path: buildPath(engine, engineRequest), method: 'GET', agent: false, signal };
  return new Promise((resolve, reject) => {
    const clientRequest = request({ ...options, headers: { host: 'localhost' } }, resolve);
    clientRequest.once('error', (error) => reject(signal.aborted ? signal.reason : toEngineError(error, socketPath)));
    clientRequest.end();
  });
}

const unreachableCodes = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'EPERM', 'ENOTSOCK', 'ENOTDIR']);

function toEngineError(error: unknown, socket: string): unknown {
  if (!unreachableCodes.has(getSystemErrorCode(error) ?? '')) return error;
  return vpError('LOG_ENGINE_UNREACHABLE', { socket, reason: describeSystemError(error) }, { cause: error });
}

function buildPath({ project }: LogEngine, engineRequest: EngineRequest): string {
  if (!isProjectName(project)) throw vpError('LOG_PROJECT_INVALID', { project });
  const label = [`${projectLabel}=${project}`];
  switch (engineRequest.kind) {
    case 'containers':
      return `/containers/json?all=1&filters=${encodeFilters({ label })}`;
    case 'starts':
      return `/events?filters=${encodeFilters({ type: ['container'], event: ['start'], label })}`;
    case 'details':
      return `/containers/${assertContainerId(engineRequest.id)}/json`;
    case 'lastLine':
      return `/containers/${assertContainerId(engineRequest.id)}/logs?stdout=1&stderr=1&timestamps=1&tail=1`;
    case 'follow':
      return `/containers/${assertContainerId(engineRequest.id)}/logs?follow=1&stdout=1&stderr=1&timestamps=1&tail=${engineRequest.tail}`;
  }
}

function encodeFilters(filters: Readonly<Record<string, readonly string[]>>): string {
  return encodeURIComponent(JSON.stringify(filters));
}

function assertContainerId(id: string): string {
  if (!isContainerId(id)) throw new Error('the engine returned a malformed container id');
  return id;
}
