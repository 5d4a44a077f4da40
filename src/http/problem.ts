/** Problem details (RFC 9457): what a caller gets to read of an error. */
import { asVpError, type VpError, vpError } from '../errors/vp-error.ts';

/** The media type of a problem. */
export const problemType = 'application/problem+json';

/** The members of a problem; the same shape as `Problem` in contract/words.ts, which a test holds against it. */
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

/** What was thrown as callers may see it: private errors become INTERNAL, without a word of their own. */
export function publicError(thrown: unknown): VpError {
  const error = asVpError(thrown);
  return error.row.visibility === 'private' ? vpError('INTERNAL', {}) : error;
}

/** The problem of a public error. `title` is the same for every occurrence of a code, `detail` is not. */
export function problemOf(error: VpError): ProblemBody {
  const words = error.code.toLowerCase().replaceAll('_', ' ');
  return {
    type: `urn:vp:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status: error.row.status,
    code: error.code,
    detail: error.message,
    cure: error.cure,
    ...(Object.keys(error.values).length > 0 ? { values: error.values } : {}),
    ...(error.diagnostics.length > 0 ? { diagnostics: error.diagnostics } : {}),
  };
}

/** Headers that a status demands (RFC 9110 sections 10.2.3, 11.6.1; RFC 6750 section 3). */
function headersOf(error: VpError): Record<string, string> {
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

/** The response that tells `thrown` to a caller. */
export function problemResponse(thrown: unknown): Response {
  const error = publicError(thrown);
  return new Response(JSON.stringify(problemOf(error)), {
    status: error.row.status,
    headers: { 'Content-Type': problemType, ...headersOf(error) },
  });
}
