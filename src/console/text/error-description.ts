import { toVpError } from '../../errors/vp-error.ts';

/**
 * An error as pages display it. `isRetryable`: the same request may succeed later. `beginsWithName`: its message begins with the name of
 * something, such as an environment, which is not capitalized.
 */
export type ErrorDescription = {
  readonly message: string;
  readonly cure: string;
  readonly code: string;
  readonly isRetryable: boolean;
  readonly beginsWithName: boolean;
};

/** Other values at the beginning are texts, such as `{{problem}}`. */
const nameAtBeginning =
  /^\{\{(?:address|connection|domain|failure|file|host|instance|name|path|registry|run|scenarios?|slug|tool|url)\}\}/;

/** The table's is for the command line. */
const unreachableCure = 'check your network, and whether the control plane runs; then try again';

export function describeError(thrown: unknown): ErrorDescription {
  const { message, cure, code, row } = toVpError(thrown);
  const pageCure = code === 'CONTROL_PLANE_UNREACHABLE' ? unreachableCure : cure;
  return {
    message,
    cure: pageCure,
    code,
    isRetryable: row.status >= 500 || row.status === 429,
    beginsWithName: nameAtBeginning.test(row.sentence),
  };
}
