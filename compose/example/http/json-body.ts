import type { Context } from 'hono';
import { ApiError } from './api-error.ts';

/** Largest request body, in bytes. */
export const maxBodyBytes = 1024 * 1024;

/** The request's body as JSON; throws `bad_request` when it is not UTF-8 or not JSON. */
export async function readJsonBody(c: Context): Promise<unknown> {
  const bytes = await c.req.arrayBuffer();
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ApiError('bad_request', 'the body is not valid JSON');
  }
}
