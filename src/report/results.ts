import type { Report } from './report.ts';

/** The text of a scenario and the file it stands in, as the reader named it. */
export type ScenarioSource = { readonly file: string; readonly text: string };

/** A run that was asked for and whose end is not known; `hint` says how to see it. */
export type UnfinishedRun = {
  readonly scenarioId: string;
  readonly instance: string;
  /** undefined when it was never requested. */
  readonly runId: string | undefined;
  readonly state: 'not_requested' | 'queued' | 'in_progress';
  readonly hint: string;
};

/** What every format shows: the runs of one invocation in the order in which they were asked for. */
export type Results = {
  readonly reports: readonly Report[];
  readonly unfinished: readonly UnfinishedRun[];
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  /** Of the program that writes the results. */
  readonly version: string;
  /** By scenario id; a scenario that is missing here is shown without its file. */
  readonly sources: ReadonlyMap<string, ScenarioSource>;
};
