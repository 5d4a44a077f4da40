import { toVpError } from '../../errors/vp-error.ts';

/** An error as pages display it. `isRetryable`: the same request may succeed later. */
export type ErrorDescription = {
  readonly message: string;
  readonly cure: string;
  readonly code: string;
  readonly isRetryable: boolean;
};

/** The table's is for the command line. */
const unreachableCure = 'check your network, and whether the control plane runs; then try again';

export function describeError(thrown: unknown): ErrorDescription {
  const { message, cure, code, row } = toVpError(thrown);
  const pageCure = code === 'CONTROL_PLANE_UNREACHABLE' ? unreachableCure : cure;
  return { message, cure: pageCure, code, isRetryable: row.status >= 500 || row.status === 429 };
}
