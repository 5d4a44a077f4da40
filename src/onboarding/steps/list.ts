/** Every step of an onboarding, in order. Adding one is its file and one line here. */
import type { OnboardingContext } from '../context.ts';
import type { Step } from '../engine/step.ts';
import { agentsStep } from './agents.ts';
import { composeFilesStep } from './compose-files.ts';
import { configStep } from './config.ts';
import { executorConfigStep } from './executor-config.ts';
import { executorSeenStep } from './executor-seen.ts';
import { foldersStep } from './folders.ts';
import { imageStep } from './image.ts';
import { instanceStep } from './instance.ts';
import { instanceIdStep } from './instance-id.ts';
import { observabilityStep } from './observability.ts';
import { portStep } from './port.ts';
import { preflightStep } from './preflight.ts';
import { proofStep } from './proof.ts';
import { registrationStep } from './registration.ts';
import { routerStep } from './router.ts';
import { scenariosStep } from './scenarios.ts';
import { signInStep } from './sign-in.ts';
import { wayStep } from './way.ts';

/** The list. Nothing is registered before there is a way from the target's network to the control plane. */
export const onboardingSteps: readonly Step<OnboardingContext>[] = [
  preflightStep,
  foldersStep,
  configStep,
  signInStep,
  instanceIdStep,
  imageStep,
  wayStep,
  portStep,
  registrationStep,
  observabilityStep,
  executorConfigStep,
  composeFilesStep,
  routerStep,
  instanceStep,
  executorSeenStep,
  scenariosStep,
  proofStep,
  agentsStep,
];
