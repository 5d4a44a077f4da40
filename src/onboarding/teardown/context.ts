/** What the steps of a teardown work on. */
import type { Client } from '../../client/client.ts';
import type { Environment } from '../../environment/environment.ts';
import type { Platform } from '../platform/platform.ts';
import type { JournalFacts } from '../workflow/journal.ts';
import type { StepContext } from '../workflow/run-steps.ts';

/** What the user asked for. */
export type TeardownRequest = {
  readonly instanceId: string;
  readonly controlPlane: string;
  readonly kit: string;
  /** Use the machine key instead of a sign-in. */
  readonly noSignIn: boolean;
};

/** What the steps need from outside, except files. */
export type TeardownPorts = {
  readonly environment: Pick<Environment, 'clock' | 'random' | 'paths' | 'variables' | 'platform'>;
  readonly platform: Platform;
  /** A client with the machine key, else one of this user, who signs in if necessary. */
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
  readonly removed: string[];
  readonly retained: { readonly what: string; readonly why: string }[];
  /** Set once the registration is removed: then the kit is no longer needed. */
  readonly state: { isUnregistered: boolean };
};
