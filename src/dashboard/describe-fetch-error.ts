import { describeConnectionError } from '../errors/connection-problems.ts';

const trustStep = 'start the dashboard with --ca <file.pem>, the certificate of that authority';

/** Says briefly why a request failed, with the code of the system error if there is one. */
export function describeFetchError(error: unknown, url: string, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'the connection failed';
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} s`;
  const problem = describeConnectionError(error, { url, trustStep });
  if (problem !== undefined) return problem;
  const cause = error.cause instanceof Error ? error.cause : error;
  return ('code' in cause && typeof cause.code === 'string' ? cause.code : cause.message).slice(0, 200);
}
