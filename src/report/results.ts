import type { Report } from './report.ts';

/** `file` is the path as the user wrote it. */
export type ScenarioSource = { readonly file: string; readonly text: string };

/** A requested run whose end is not known; `hint` says how to look it up. */
export type UnfinishedRun = {
  readonly scenarioId: string;
  readonly instance: string;
  /** undefined when it was never requested. */
  readonly runId: string | undefined;
  readonly state: 'not_requested' | 'queued' | 'in_progress';
  readonly hint: string;
};

/** The runs of one invocation in the order in which they were requested. */
export type RunResults = {
  readonly reports: readonly Report[];
  readonly unfinished: readonly UnfinishedRun[];
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  /** Of the program that writes the results. */
  readonly version: string;
  /** By scenario id; a scenario that is missing here is displayed without its file. */
  readonly sources: ReadonlyMap<string, ScenarioSource>;
};
