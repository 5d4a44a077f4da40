import { asVpError } from '../../errors/vp-error.ts';

/** What people are told of something that went wrong; `mayMend`: asking again may help. */
export type Told = {
  readonly message: string;
  readonly cure: string;
  readonly code: string;
  readonly mayMend: boolean;
};

/** A sentence and its cure for whatever was thrown. */
export function toldOf(thrown: unknown): Told {
  const { message, cure, code, row } = asVpError(thrown);
  return { message, cure, code, mayMend: row.status >= 500 || row.status === 429 };
}
