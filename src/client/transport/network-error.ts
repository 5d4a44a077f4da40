import {
  explainConnectionError,
  findCodedError,
  formatConnectionProblem,
  trustSteps,
} from '../../errors/connection-problems.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';

const refusedPort = 'HTTP clients refuse this port, which belongs to another protocol; use another one';

/** The Fetch standard blocks some ports before a connection, without a code. */
function isRefusedPort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.cause instanceof Error && thrown.cause.message === 'bad port';
}

/** An error of `fetch` as CONTROL_PLANE_UNREACHABLE, with what to do where its code says it; a VpError is returned unchanged. */
export function createNetworkError(thrown: unknown, url: string): VpError {
  if (thrown instanceof VpError) return thrown;
  const problem = explainConnectionError(thrown, { url, trustStep: trustSteps.client });
  const text = problem
    ? formatConnectionProblem(problem)
    : (findCodedError(thrown)?.code ?? describeWithoutCode(thrown));
  const context = { detail: String(thrown), cause: thrown };
  const error = vpError('CONTROL_PLANE_UNREACHABLE', { url, problem: text }, context);
  if (problem?.step === undefined) return error;
  // Of a connection that broke it is only one of the possible reasons.
  return error.withCure(problem.kind === 'closed' ? `${error.cure}; ${problem.step}` : problem.step);
}

/** Browsers give no code. */
function describeWithoutCode(thrown: unknown): string {
  return isRefusedPort(thrown) ? refusedPort : 'the connection failed';
}

/** True for an error of {@link createNetworkError} where nothing listens, so that nothing can have been received. */
export function isConnectionRefused({ code, cause }: VpError): boolean {
  return code === 'CONTROL_PLANE_UNREACHABLE' && findCodedError(cause)?.code === 'ECONNREFUSED';
}
