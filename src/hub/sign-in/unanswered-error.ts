import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client';
import { describeConnectionError, trustSteps } from '../../errors/connection-problems.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { ResponseTimeoutError } from './bounded-fetch.ts';

/** What an authorization server did that may work the next time; undefined where it refused. */
export function describeNoAnswer(serverUrl: string, error: unknown): string | undefined {
  if (error instanceof ResponseTimeoutError) return 'it took too long';
  if (error instanceof OAuthError) return describeTemporaryError(error);
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

function describeTemporaryError({ code, message }: OAuthError): string | undefined {
  const [, status] = unreadableError.exec(message) ?? [];
  if (status !== undefined) return temporaryStatus.test(status) ? `it reported HTTP ${status}` : undefined;
  return temporaryCodes.includes(code) ? `it reported ${code}` : undefined;
}

/** The SDK turns each error response that is no OAuth JSON, such as a page of a proxy, into `server_error` with this message. */
const unreadableError = /^HTTP (\d{3}): Invalid OAuth error response/;
/** 429: too many requests. */
const temporaryStatus = /^(5\d\d|429)$/;
