import { toVpError } from '../../errors/vp-error.ts';

/** An error as pages display it. `isRetryable`: the same request may succeed later. */
export type ErrorDescription = {
  readonly message: string;
  readonly cure: string;
  readonly code: string;
  readonly isRetryable: boolean;
};

export function describeError(thrown: unknown): ErrorDescription {
  const { message, cure, code, row } = toVpError(thrown);
  return { message, cure, code, isRetryable: row.status >= 500 || row.status === 429 };
}
