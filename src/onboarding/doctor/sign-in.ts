import { fine, skipped } from '../preflight/check.ts';
import type { DoctorCheck } from './context.ts';

/** This user is signed in at the control plane. */
export const signInCheck: DoctorCheck = {
  id: 'sign_in',
  title: 'sign-in',
  async look({ client, who, found }) {
    if (!found.isThere) return skipped('not looked at: the control plane does not answer');
    const made = await client();
    const name = await who(made);
    found.client = made;
    return fine(name);
  },
};
