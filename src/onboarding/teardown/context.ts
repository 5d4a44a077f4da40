/** What the steps of a teardown work on. */
import type { Client } from '../../client/client.ts';
import type { Environment } from '../../environment/environment.ts';
import type { Platform } from '../platform/platform.ts';
import type { JournalFacts, OnboardingJournal } from '../workflow/journal.ts';
import type { StepContext } from '../workflow/run-steps.ts';

/** The request of the user. */
export type TeardownRequest = {
  readonly instanceId: string;
  readonly controlPlane: string;
  readonly kit: string;
  /** Use the machine key, or a stored sign-in, and never ask for a new one. */
  readonly noSignIn: boolean;
};

/** What the steps need from outside, except files. */
export type TeardownPorts = {
  readonly environment: Pick<Environment, 'clock' | 'random' | 'paths' | 'variables' | 'platform'>;
  readonly platform: Platform;
  /** A client with the machine key, else one of this user, who signs in if `noSignIn` permits. Throws MACHINE_KEY_ABSENT. */
  connect(machineKey: string | undefined, signal: AbortSignal): Promise<Client>;
  /** Removes what this user has stored about the scenario revisions of an instance. */
  forgetScenarios(instance: string): void;
};

/** The context of a step. `removed` and `retained` are printed at the end. */
export type TeardownContext = StepContext & {
  readonly request: TeardownRequest;
  readonly ports: TeardownPorts;
  /** From the journal of the onboarding; undefined where its kit no longer exists. */
  readonly facts: JournalFacts | undefined;
  /** The step of that onboarding that neither finished nor was undone. */
  readonly interruptedStep: OnboardingJournal['in_hand'];
  readonly removed: string[];
  readonly retained: { readonly what: string; readonly why: string }[];
  readonly state: TeardownState;
};

/** `removed`: by this teardown; `absent`: looked up, or never made; `unknown`: it could not be looked up. */
export type RegistrationState = 'removed' | 'absent' | 'unknown';

/** The kit is needed for a retry while the registration is `unknown`. */
export type TeardownState = { registration: RegistrationState; usedBy: readonly string[] };
