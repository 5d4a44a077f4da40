import { type Check, fine } from './check.ts';
import type { PreflightContext } from './context.ts';

/** The container engine answers this user, and has compose of version 2. */
export const runtimeCheck: Check<Pick<PreflightContext, 'engine'>> = {
  id: 'runtime',
  title: 'container engine and compose',
  async look({ engine }) {
    const { program, version, composeVersion } = (await engine()).facts;
    return fine(`${program} ${version}`, `compose ${composeVersion}`);
  },
};
