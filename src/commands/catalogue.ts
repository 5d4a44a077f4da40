/** Every subcommand, in the order of the help. Adding one is its file and one line here. */
import type { Command } from './command.ts';

/** A line of the catalogue; the file behind `load` repeats `name` and `summary`. */
export type CatalogueEntry = {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
};

/** The catalogue. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    name: 'demo',
    summary: 'see four scenarios verify a real application, and one failure explained',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'serve',
    summary: 'run the control plane: queue, catalogue, run history, API',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'executor',
    summary: 'execute the runs of one instance against its target',
    load: async () => (await import('./executor.ts')).executorCommand,
  },
  {
    name: 'run',
    summary: 'run scenarios and tell why they passed or failed',
    load: async () => (await import('./run.ts')).runCommand,
  },
  {
    name: 'validate',
    summary: 'check scenario files and tell every problem with its place and cure',
    load: async () => (await import('./validate.ts')).validateCommand,
  },
  {
    name: 'format',
    summary: 'write scenario files in the usual way, without changing what they say',
    load: async () => (await import('./format.ts')).formatCommand,
  },
  {
    name: 'validate-config',
    summary: 'check platform-config.yaml and its .env, and tell every problem at once',
    load: async () => (await import('./validate-config.ts')).validateConfigCommand,
  },
  {
    name: 'backup',
    summary: 'copy the control plane’s store into a file, while it is in use',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'put a copy made by vp backup in the place of the control plane’s store',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    name: 'example-target',
    summary: 'run the example application that the demo verifies',
    load: async () => (await import('./example-target.ts')).exampleTargetCommand,
  },
  {
    name: 'completion',
    summary: 'print a script that completes vp in your shell',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
];
