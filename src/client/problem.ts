/** Answers that are problems (RFC 9457), as the errors that they were on the other side. */
import type { ErrorCode } from '../errors/table.ts';
import { errorTable } from '../errors/table.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { isObject, parsedJson, unexpected } from './answer.ts';
import type { Answer } from './transport.ts';

/** What to throw for an answer that is not a success. */
export async function thrownOf(answer: Answer, url: string): Promise<VpError> {
  const { status, headers } = answer;
  const type = headers.get('content-type')?.split(';')[0]?.trim() ?? '';
  if (type === 'application/problem+json') {
    const problem = problemOf(await answer.text());
    if (problem) return errorOf(problem, url, headers.get('x-request-id'));
  } else {
    await answer.body?.getReader().cancel();
  }
  if (status >= 502 && status <= 504) {
    return vpError('CONTROL_PLANE_UNREACHABLE', { url, problem: `something before it answers ${status}` });
  }
  if (status === 0 || (status >= 300 && status < 400)) {
    return unexpected(url, `it leads elsewhere (${headers.get('location') ?? 'without saying where'})`);
  }
  return unexpected(url, `status ${status}${type === '' ? '' : `, ${type}`}`);
}

type Told = {
  readonly code: string;
  readonly detail: string;
  readonly cure: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly diagnostics: readonly object[];
};

function problemOf(text: string): Told | undefined {
  const value = parsedJson(text);
  if (!isObject(value)) return undefined;
  const { code, detail, cure } = value;
  if (typeof code !== 'string' || typeof detail !== 'string' || typeof cure !== 'string') return undefined;
  return { code, detail, cure, values: valuesOf(value.values), diagnostics: diagnosticsOf(value.diagnostics) };
}

function valuesOf(told: unknown): Record<string, string | number> {
  if (!isObject(told)) return {};
  const values: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(told)) {
    if (typeof value === 'string' || typeof value === 'number') values[name] = value;
  }
  return values;
}

function diagnosticsOf(told: unknown): readonly object[] {
  return Array.isArray(told) ? told.filter(isObject) : [];
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** A code of a newer control plane keeps its own words. */
function errorOf({ code, detail, cure, values, diagnostics }: Told, url: string, requestId: string | null): VpError {
  if (code === 'INTERNAL') return vpError('CONTROL_PLANE_FAULT', { url, request_id: requestId ?? 'unknown' });
  const known = isKnown(code) ? code : 'CONTROL_PLANE_ANSWER_UNEXPECTED';
  return new VpError({ code: known, message: detail, cure }, values, { diagnostics, detail: `answered ${code}` });
}
