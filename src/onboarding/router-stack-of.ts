/** The compose project of this machine's router. */
import { known, type OnboardingContext } from './context.ts';
import { routerStack } from './stacks/router.ts';
import { knowsStartInterval, type Stack } from './stacks/stack.ts';

/** Where agents of this machine reach it. */
export const routerUrl = 'http://127.0.0.1:9765/mcp';

/** Run from the image of the onboarding: the newest one that was onboarded with serves all instances. */
export function routerStackOf(context: OnboardingContext): Stack {
  const startInterval = knowsStartInterval(known(context, 'engine').facts);
  return routerStack({ image: context.asked.image, startInterval, scraped: true });
}
