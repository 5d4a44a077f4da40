/** Who does this: a credential that is there already, or a sign-in in the browser. */
import type { OnboardingContext } from '../context.ts';
import { done, type Step } from '../engine/step.ts';

/** The step. */
export const signInStep: Step<OnboardingContext> = {
  id: 'sign-in',
  title: 'signed in to the control plane',
  async check({ asked, ports, found, signal, say }) {
    say(asked.controlPlane);
    if (ports.environment.variables.PLATFORM_AUTHOR_TOKEN) {
      ports.warn(
        'PLATFORM_AUTHOR_TOKEN is deprecated; it is used for the scenarios',
        'set VP_TOKEN, or run `vp login`',
      );
    }
    const onOpen = (url: string, userCode?: string): void => {
      say(userCode === undefined ? 'waiting for the sign-in in the browser' : `waiting for the code ${userCode}`);
      ports.onOpen(url, userCode);
    };
    const { client, who } = await ports.signIn({ signal, onOpen });
    found.client = client;
    found.who = who;
    return done(`${who} at ${asked.controlPlane}`);
  },
};
