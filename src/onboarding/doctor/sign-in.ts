import { checkPassed, checkSkipped } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

export const signInCheck: DoctorCheck = {
  id: 'sign_in',
  title: 'sign-in',
  async inspect({ connect, describeUser, state }) {
    if (!state.isControlPlaneReachable) return checkSkipped('not checked: the control plane does not answer');
    const client = await connect();
    const name = await describeUser(client);
    state.client = client;
    return checkPassed(name);
  },
};
