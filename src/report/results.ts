import type { Report } from './report.ts';

/** `file` is the path as the user wrote it, or the name of a revision in the catalogue. */
export type ScenarioSource = { readonly file: string; readonly text: string; readonly inCatalogue?: boolean };

/** Why no further runs were started; `reason` follows the flag in sentences. */
export type RunStop = { readonly flag: '--fail-fast' | '--until-fail' | '--max-time'; readonly reason: string };

/** A run that was wanted and has no result; `hint` says why, or how to look it up. */
export type UnfinishedRun = {
  readonly scenarioId: string;
  readonly instance: string;
  /** undefined when it was never requested. */
  readonly runId: string | undefined;
  /** `cancelled`: requested, and taken back before it started. `no_report`: ended, and its report is gone. */
  readonly state: 'not_requested' | 'cancelled' | 'queued' | 'in_progress' | 'no_report';
  readonly hint: string;
  /** The flag that left it out. */
  readonly stoppedBy?: RunStop['flag'] | undefined;
};

/** The change that was verified, and the CI job that did it; only what is known. */
export type ResultSource = {
  readonly branch?: string;
  readonly commit?: string;
  readonly author?: string;
  readonly job?: string;
  readonly url?: string;
};

/** `main, commit 4f2c9e1, by Ana, job test`; empty where nothing is known. */
export function describeSource({ branch, commit, author, job }: ResultSource = {}): string {
  const parts = [branch, commit && `commit ${commit}`, author && `by ${author}`, job && `job ${job}`];
  return parts.filter(Boolean).join(', ');
}

/** The runs of one invocation in the order in which they were requested. */
export type RunResults = {
  readonly reports: readonly Report[];
  readonly unfinished: readonly UnfinishedRun[];
  /** The runs were to be proven: one that passed without a proof is not good. */
  readonly isProof?: boolean;
  /** Why there are no results or not all; one line. */
  readonly problem?: string | undefined;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  /** The version of the program that writes the results. */
  readonly version: string;
  /** By scenario id; a scenario that is missing here is displayed without its file. */
  readonly sources: ReadonlyMap<string, ScenarioSource>;
  /** How often runs were tried, by run id; absent for those that were tried once. */
  readonly attempts?: ReadonlyMap<string, number>;
  /** Paths of files with more about the runs, relative to the folder that a CI system checked out. */
  readonly attachments?: readonly string[];
  readonly source?: ResultSource;
};
