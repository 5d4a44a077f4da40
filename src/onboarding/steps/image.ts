/** The image of executor, log reader and router. It must be a release. */

import type { OnboardingContext } from '../context.ts';
import { parseRelease } from '../image-release.ts';
import type { WorkflowStep } from '../workflow/step.ts';

export const imageStep: WorkflowStep<OnboardingContext> = {
  id: 'image',
  title: 'image',
  async check({ request: { image }, ports }) {
    parseRelease(image);
    return ports.platform.inspect({ component: 'image', image });
  },
  act: (context) => context.ports.platform.apply({ component: 'image', image: context.request.image }, context),
};
