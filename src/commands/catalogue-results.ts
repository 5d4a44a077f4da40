/** The commands about runs, suites and failures, in the order of the help. */
import type { CommandEntry } from '../command-line/command.ts';

export const resultsCatalogue: readonly CommandEntry[] = [
  {
    name: 'runs',
    summary: 'list runs, newest first, or watch them',
    load: async () => (await import('./runs/list.ts')).runsCommand,
  },
  {
    name: 'runs show',
    summary: 'show all details of a run',
    load: async () => (await import('./runs/show.ts')).runsShowCommand,
  },
  {
    name: 'runs cancel',
    summary: 'cancel a run',
    load: async () => (await import('./runs/cancel.ts')).runsCancelCommand,
  },
  {
    name: 'suites',
    summary: 'list suites, each with one verdict',
    load: async () => (await import('./suites/list.ts')).suitesCommand,
  },
  {
    name: 'suites show',
    summary: 'show a suite: its verdict, and what did not pass',
    load: async () => (await import('./suites/show.ts')).suitesShowCommand,
  },
  {
    name: 'suites rerun',
    summary: 'run again what did not pass in a suite',
    load: async () => (await import('./suites/rerun.ts')).suitesRerunCommand,
  },
  {
    name: 'suites cancel',
    summary: 'cancel the runs of a suite that have not ended',
    load: async () => (await import('./suites/cancel.ts')).suitesCancelCommand,
  },
  {
    name: 'open',
    summary: 'open the page of a run, suite or failure',
    load: async () => (await import('./results/open.ts')).openCommand,
  },
  {
    name: 'export',
    summary: 'write a run or suite to one HTML file',
    load: async () => (await import('./results/export.ts')).exportCommand,
  },
  {
    name: 'failures',
    summary: 'list failures, each once',
    load: async () => (await import('./failures/list.ts')).failuresCommand,
  },
  {
    name: 'failures show',
    summary: 'show a failure: since when, in which versions of the target, in which runs',
    load: async () => (await import('./failures/show.ts')).failuresShowCommand,
  },
  {
    name: 'failures resolve',
    summary: 'mark a failure as resolved, until it comes back',
    load: async () => (await import('./failures/resolve.ts')).failuresResolveCommand,
  },
  {
    name: 'failures assign',
    summary: 'say who looks after a failure',
    load: async () => (await import('./failures/assign.ts')).failuresAssignCommand,
  },
];
