/** Problem responses (RFC 9457) as the errors that they were on the server. */

import type { ErrorCode } from '../../errors/table.ts';
import { errorTable } from '../../errors/table.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { isObject, tryParseJson } from '../../json/json-object.ts';
import type { FetchResponse } from './fetch-response.ts';
import { createUnexpectedResponseError } from './json-response.ts';

/** The error to throw for a response that is not a success. */
export async function createResponseError(response: FetchResponse, url: string): Promise<VpError> {
  const { status, headers } = response;
  const type = headers.get('content-type')?.split(';')[0]?.trim() ?? '';
  if (type === 'application/problem+json') {
    const problem = parseProblem(await response.text());
    if (problem) return toVpError(problem, url, headers.get('x-request-id'));
  } else {
    await response.body?.getReader().cancel();
  }
  // A machine that slept while it sent a request gets 408 when it wakes up (RFC 9110: the request may be repeated).
  if (status === 408) {
    return vpError('CONTROL_PLANE_UNREACHABLE', { url, problem: 'it did not receive the whole request in time (408)' });
  }
  if (status === 429 || (status >= 502 && status <= 504)) {
    const error = vpError('CONTROL_PLANE_UNREACHABLE', {
      url,
      problem: `a proxy in front of it responds with ${status}`,
    });
    return status === 429 ? error.withCure('wait a minute, or raise the limit of requests of that proxy') : error;
  }
  if (status === 0 || (status >= 300 && status < 400)) {
    return createUnexpectedResponseError(url, `it redirects to ${headers.get('location') ?? 'an unnamed address'}`);
  }
  return createUnexpectedResponseError(url, `status ${status}${type === '' ? '' : `, ${type}`}`);
}

type ProblemMembers = {
  readonly code: string;
  readonly detail: string;
  readonly cure: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly diagnostics: readonly object[];
};

function parseProblem(text: string): ProblemMembers | undefined {
  const value = tryParseJson(text);
  if (!isObject(value)) return undefined;
  const { code, detail, cure } = value;
  if (typeof code !== 'string' || typeof detail !== 'string' || typeof cure !== 'string') return undefined;
  return { code, detail, cure, values: parseValues(value.values), diagnostics: parseDiagnostics(value.diagnostics) };
}

function parseValues(value: unknown): Record<string, string | number> {
  if (!isObject(value)) return {};
  const values: Record<string, string | number> = {};
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' || typeof member === 'number') values[name] = member;
  }
  return values;
}

function parseDiagnostics(value: unknown): readonly object[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** An unknown code of a newer control plane keeps its own message. */
function toVpError(
  { code, detail, cure, values, diagnostics }: ProblemMembers,
  url: string,
  requestId: string | null,
): VpError {
  if (code === 'INTERNAL') return vpError('CONTROL_PLANE_FAULT', { url, request_id: requestId ?? 'unknown' });
  const knownCode = isErrorCode(code) ? code : 'CONTROL_PLANE_ANSWER_UNEXPECTED';
  return new VpError({ code: knownCode, message: detail, cure }, values, { diagnostics, detail: `answered ${code}` });
}
