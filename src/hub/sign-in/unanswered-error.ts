import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client';
import { describeConnectionError, trustSteps } from '../../errors/connection-problems.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { ResponseTimeoutError } from './bounded-fetch.ts';

/** What an authorization server did that may work the next time; undefined where it answered. */
export function describeNoAnswer(serverUrl: string, error: unknown): string | undefined {
  if (error instanceof ResponseTimeoutError) return 'it took too long';
  if (error instanceof OAuthError) return isTemporary(error.code) ? `it reported ${error.code}` : undefined;
  return describeConnectionError(error, { url: serverUrl, trustStep: trustSteps.controlPlane });
}

export function toUnansweredError(
  { name: connection }: { readonly name: string },
  serverUrl: string,
  error: unknown,
): VpError | undefined {
  const problem = describeNoAnswer(serverUrl, error);
  return problem === undefined ? undefined : vpError('CONNECTION_SIGN_IN_UNANSWERED', { connection, problem });
}

const temporaryCodes: readonly string[] = [
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
];

function isTemporary(code: string): boolean {
  return temporaryCodes.includes(code);
}
