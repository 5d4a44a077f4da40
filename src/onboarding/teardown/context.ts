/** What the steps of a teardown work on. */
import type { Client } from '../../client/client.ts';
import type { Engine } from '../../containers/engine.ts';
import type { Environment } from '../../environment/environment.ts';
import type { JournalFacts } from '../engine/journal.ts';
import type { StepContext } from '../engine/run-steps.ts';

/** What was asked for. */
export type TeardownAsked = {
  readonly instanceId: string;
  readonly controlPlane: string;
  readonly kit: string;
  /** The machine key is used, and nobody is asked to sign in. */
  readonly noSignIn: boolean;
};

/** The outside world. */
export type TeardownPorts = {
  readonly environment: Pick<Environment, 'clock' | 'random' | 'paths' | 'variables' | 'platform'>;
  engine(): Promise<Engine>;
  /** With the machine key, or else as this user, who is asked to sign in where nobody is signed in. */
  connect(machineKey: string | undefined, signal: AbortSignal): Promise<Client>;
  /** Forgets which revisions of the catalogue this user's files were. */
  forgetScenarios(instance: string): void;
};

/** The context of a step. `removed` and `kept` are told at the end. */
export type TeardownContext = StepContext & {
  readonly asked: TeardownAsked;
  readonly ports: TeardownPorts;
  /** What the onboarding noted; undefined where its kit is gone. */
  readonly facts: JournalFacts | undefined;
  readonly removed: string[];
  readonly kept: { readonly what: string; readonly why: string }[];
  /** The registration is gone: the kit is needed no longer. */
  readonly state: { isUnregistered: boolean };
};
