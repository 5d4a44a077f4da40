/** A bound request → what goes over the wire, and the same as people may see it. */
import type { WireRequest } from '../outbound/wire.ts';
import type { HeaderList, SentRequest } from '../run/evidence.ts';
import type { BoundRequest } from '../scenario/bind.ts';
import type { Redactor } from './redact.ts';

/** What the executor adds by itself; `userAgent` only where the scenario has none. */
export type OwnHeaders = {
  readonly correlationId: string;
  readonly bearerToken: string | undefined;
  readonly userAgent: string;
};

/** The header lines of the request: our own, then the scenario's in its order. Host and Content-Length are not among them. */
export function headersOf(request: BoundRequest, own: OwnHeaders): HeaderList {
  const ours: [string, string][] = [['X-Correlation-Id', own.correlationId]];
  if (!request.headers.some(([name]) => name.toLowerCase() === 'user-agent')) ours.push(['User-Agent', own.userAgent]);
  if (request.authorization === 'config' && own.bearerToken !== undefined) {
    ours.push(['Authorization', `Bearer ${own.bearerToken}`]);
  }
  return [...ours, ...request.headers];
}

/** The request for the wire; `origin` is scheme, host and port. */
export function wireRequest(request: BoundRequest, origin: string, headers: HeaderList): WireRequest {
  return {
    origin,
    method: request.method,
    path: request.path,
    headers: headers.flat(),
    body: request.body === undefined ? undefined : Buffer.from(request.body, 'utf8'),
  };
}

/** The request as people see it: every line that left, but for Connection. */
export function sentRequest(
  wire: WireRequest,
  headers: HeaderList,
  body: string | undefined,
  redactor: Redactor,
): SentRequest {
  const length: HeaderList = wire.body ? [['Content-Length', String(wire.body.length)]] : [];
  const all: HeaderList = [['Host', new URL(wire.origin).host], ...headers, ...length];
  return {
    method: wire.method,
    url: redactor.text(wire.origin + wire.path),
    headers: redactor.headers(all),
    body: body === undefined ? undefined : redactor.text(body),
  };
}
