import { asVpError } from '../../errors/vp-error.ts';

/** What people are told of something that went wrong. */
export type Told = { readonly message: string; readonly cure: string; readonly code: string };

/** A sentence and its cure for whatever was thrown. */
export function toldOf(thrown: unknown): Told {
  const { message, cure, code } = asVpError(thrown);
  return { message, cure, code };
}
