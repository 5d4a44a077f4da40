/** Problem details (RFC 9457): the public form of an error. */
import { toVpError, type VpError, vpError } from '../errors/vp-error.ts';

export const problemMediaType = 'application/problem+json';

/** The members of a problem; a test checks that they match `Problem` of contract/schemas.ts. */
export type ProblemBody = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly cure: string;
  readonly values?: Readonly<Record<string, string | number>>;
  readonly diagnostics?: readonly unknown[];
};

/** The error for callers: private errors become INTERNAL, without any detail. */
export function toPublicError(thrown: unknown): VpError {
  const error = toVpError(thrown);
  return error.row.visibility === 'private' ? vpError('INTERNAL', {}) : error;
}

/** `title` is the same for every occurrence of a code, `detail` is not. */
export function toProblemBody(error: VpError): ProblemBody {
  const phrase = error.code.toLowerCase().replaceAll('_', ' ');
  return {
    type: `urn:vp:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title: phrase.charAt(0).toUpperCase() + phrase.slice(1),
    status: error.row.status,
    code: error.code,
    detail: error.message,
    cure: error.cure,
    ...(Object.keys(error.values).length > 0 ? { values: error.values } : {}),
    ...(error.diagnostics.length > 0 ? { diagnostics: error.diagnostics } : {}),
  };
}

/** Headers that a status requires (RFC 9110 sections 10.2.3, 11.6.1; RFC 6750 section 3). */
function buildStatusHeaders(error: VpError): Record<string, string> {
  const { code } = error;
  if (code === 'CREDENTIAL_MISSING') return { 'WWW-Authenticate': 'Bearer realm="vp"' };
  if (code === 'CREDENTIAL_INVALID') return { 'WWW-Authenticate': 'Bearer realm="vp", error="invalid_token"' };
  if (code === 'CREDENTIAL_INSUFFICIENT') {
    return { 'WWW-Authenticate': 'Bearer realm="vp", error="insufficient_scope"' };
  }
  if (code === 'METHOD_REFUSED') return { Allow: String(error.values.allowed) };
  if (error.row.status === 429) return { 'Retry-After': String(error.values.retry_after_s) };
  if (error.row.status === 503) return { 'Retry-After': '2' };
  return {};
}

export function createProblemResponse(thrown: unknown): Response {
  const error = toPublicError(thrown);
  return new Response(JSON.stringify(toProblemBody(error)), {
    status: error.row.status,
    headers: { 'Content-Type': problemMediaType, ...buildStatusHeaders(error) },
  });
}
