/** The steps of an onboarding, in order. A new step is one file and one line here. */
import type { OnboardingContext } from '../context.ts';
import type { WorkflowStep } from '../workflow/step.ts';
import { agentsStep } from './agents.ts';
import { configStep } from './config.ts';
import { controlPlaneEndpointStep } from './control-plane-endpoint.ts';
import { executorConfigStep } from './executor-config.ts';
import { executorOnlineStep } from './executor-online.ts';
import { foldersStep } from './folders.ts';
import { imageStep } from './image.ts';
import { instanceStep } from './instance.ts';
import { instanceIdStep } from './instance-id.ts';
import { machineStep } from './machine.ts';
import { observabilityStep } from './observability.ts';
import { portStep } from './port.ts';
import { preflightStep } from './preflight.ts';
import { proofStep } from './proof.ts';
import { registrationStep } from './registration.ts';
import { routerStep } from './router.ts';
import { scenariosStep } from './scenarios.ts';
import { signInStep } from './sign-in.ts';
import { stackFilesStep } from './stack-files.ts';

/** Nothing is registered before the target's network is known to reach the control plane. */
export const onboardingSteps: readonly WorkflowStep<OnboardingContext>[] = [
  preflightStep,
  foldersStep,
  configStep,
  signInStep,
  instanceIdStep,
  imageStep,
  controlPlaneEndpointStep,
  machineStep,
  portStep,
  registrationStep,
  observabilityStep,
  executorConfigStep,
  stackFilesStep,
  routerStep,
  instanceStep,
  executorOnlineStep,
  scenariosStep,
  proofStep,
  agentsStep,
];
