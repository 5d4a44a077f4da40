/** Errors of the API: one class and one JSON shape. */
import type { Context } from 'hono';
import type { ExampleEnv } from './context.ts';

/** Codes of the API's errors with their HTTP status. */
const apiErrors = {
  bad_request: 400,
  invalid: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  body_too_large: 413,
  recipient_refused: 422,
  internal: 500,
  unavailable: 503,
} as const;
export type ApiErrorCode = keyof typeof apiErrors;

/** What is wrong with one field; `field` is empty when it is the body as a whole. */
export type Problem = { readonly field: string; readonly message: string };

/** `message` is sent to the caller. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly problems: readonly Problem[];

  constructor(code: ApiErrorCode, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}

/** The JSON response for an error: `error`, `message`, `requestId`, and `problems` if there are any. */
export function apiErrorResponse(c: Context<ExampleEnv>, error: ApiError, headers: Record<string, string> = {}) {
  const { code, message, problems } = error;
  const body = { error: code, message, requestId: c.get('requestId'), ...(problems.length > 0 && { problems }) };
  return c.json(body, apiErrors[code], headers);
}
