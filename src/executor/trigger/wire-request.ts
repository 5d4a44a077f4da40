/** Converts a bound request to the request on the wire, and to the request displayed to people. */
import type { WireRequest } from '../../outbound/wire.ts';
import type { HeaderList, SentRequest } from '../../run/evidence.ts';
import type { BoundRequest } from '../../scenario/bind.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { formatHostHeader } from './target-address.ts';

/** Headers that the executor adds; `userAgent` only when the scenario sets none. */
export type ExecutorHeaders = {
  readonly correlationId: string;
  readonly bearerToken: string | undefined;
  readonly userAgent: string;
};

/**
 * The header lines of the request: those of the executor, then the scenario's in its order. Excludes Host and
 * Content-Length.
 */
export function buildHeaders(request: BoundRequest, executorHeaders: ExecutorHeaders): HeaderList {
  const addedHeaders: [string, string][] = [['X-Correlation-Id', executorHeaders.correlationId]];
  if (!request.headers.some(([name]) => name.toLowerCase() === 'user-agent'))
    addedHeaders.push(['User-Agent', executorHeaders.userAgent]);
  if (request.authorization === 'config' && executorHeaders.bearerToken !== undefined) {
    addedHeaders.push(['Authorization', `Bearer ${executorHeaders.bearerToken}`]);
  }
  return [...addedHeaders, ...request.headers];
}

/** `origin` is scheme, host and port. */
export function toWireRequest(request: BoundRequest, origin: string, headers: HeaderList): WireRequest {
  return {
    origin,
    method: request.method,
    path: request.path,
    headers: headers.flat(),
    body:
      request.bodyBytes ??
      (request.body === undefined || request.messages ? undefined : Buffer.from(request.body, 'utf8')),
  };
}

/** The request as displayed to people: every line that was sent except Connection. */
export function toSentRequest(
  wire: WireRequest,
  headers: HeaderList,
  body: string | undefined,
  redactor: Redactor,
): SentRequest {
  const length: HeaderList = wire.body ? [['Content-Length', String(wire.body.length)]] : [];
  const allHeaders: HeaderList = [['Host', formatHostHeader(wire.origin)], ...headers, ...length];
  return {
    method: wire.method,
    url: redactor.redactText(wire.origin + wire.path),
    headers: redactor.redactHeaders(allHeaders),
    body: body === undefined ? undefined : redactor.redactText(body),
  };
}
