/** Signs in to the control plane, with an existing credential or in the browser. */
import type { OnboardingContext } from '../context.ts';
import { upToDate, type WorkflowStep } from '../workflow/step.ts';

export const signInStep: WorkflowStep<OnboardingContext> = {
  id: 'sign-in',
  title: 'signed in to the control plane',
  async check({ request, ports, state, signal, report }) {
    report(request.controlPlane);
    if (ports.environment.variables.PLATFORM_AUTHOR_TOKEN) {
      ports.warn(
        'PLATFORM_AUTHOR_TOKEN is deprecated; it is used for the scenarios',
        'set VP_TOKEN, or run `vp login`',
      );
    }
    const onOpen = (url: string, userCode?: string): void => {
      report(userCode === undefined ? 'waiting for the sign-in in the browser' : `waiting for the code ${userCode}`);
      ports.onOpen(url, userCode);
    };
    const { client, userName } = await ports.signIn({ signal, onOpen });
    state.client = client;
    state.userName = userName;
    return upToDate(`${userName} at ${request.controlPlane}`);
  },
};
