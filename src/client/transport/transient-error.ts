import { VpError } from '../../errors/vp-error.ts';

/** True for errors that may be gone at a retry: unreachable, shutting down, busy. */
export function isTransientError(error: unknown): error is VpError {
  if (!(error instanceof VpError)) return false;
  const { status } = error.row;
  return error.code === 'CONTROL_PLANE_UNREACHABLE' || status === 429 || status === 503;
}
