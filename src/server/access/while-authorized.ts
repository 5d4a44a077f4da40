/** Work that waits for long must end with the credential that was accepted at its start. */
import { createCredentialInvalidError } from '../../errors/credential-invalid-error.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Identity } from '../../identity/identity.ts';

/**
 * Runs `work` with a signal that is aborted with `signal`, and when the caller's credential is revoked, also since the request was
 * authenticated. Then throws CREDENTIAL_INVALID.
 */
export async function whileAuthorized<T>(
  identity: Pick<Identity, 'onRevoked' | 'isCredentialValid'>,
  caller: Caller,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  const { promise: revoked, reject } = Promise.withResolvers<never>();
  const refuse = (): void => {
    const error = createCredentialInvalidError(undefined);
    controller.abort(error);
    reject(error);
  };
  revoked.catch(() => undefined);
  const unsubscribe = identity.onRevoked(caller, refuse);
  try {
    if (!(await identity.isCredentialValid(caller))) refuse();
    return await Promise.race([work(controller.signal), revoked]);
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', onAbort);
  }
}
