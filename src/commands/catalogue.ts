/** Every subcommand, in the order of the help. Adding one is its file and one line here. Length: it is the list of them. */
import { hubCatalogue } from './catalogue-hubs.ts';
import { registryCatalogue } from './catalogue-registry.ts';
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
    name: 'setup-link',
    summary: 'make a new link that lets the first owner of a control plane set it up',
    load: async () => (await import('./setup-link.ts')).setupLinkCommand,
  },
  {
    name: 'reset-password',
    summary: 'make a link that sets a new password for somebody who forgot theirs',
    load: async () => (await import('./reset-password.ts')).resetPasswordCommand,
  },
  {
    name: 'login',
    summary: 'sign in to a control plane, in the browser',
    load: async () => (await import('./login.ts')).loginCommand,
  },
  {
    name: 'logout',
    summary: 'sign out of a control plane',
    load: async () => (await import('./logout.ts')).logoutCommand,
  },
  {
    name: 'whoami',
    summary: 'tell who you are for a control plane',
    load: async () => (await import('./whoami.ts')).whoamiCommand,
  },
  {
    name: 'onboard',
    summary: 'set everything up for an application that runs in docker compose',
    load: async () => (await import('./onboard.ts')).onboardCommand,
  },
  {
    name: 'teardown',
    summary: 'take an instance away again, and leave its target running',
    load: async () => (await import('./teardown.ts')).teardownCommand,
  },
  {
    name: 'executor',
    summary: 'execute the runs of one instance against its target',
    load: async () => (await import('./executor.ts')).executorCommand,
  },
  {
    name: 'log-reader',
    summary: 'read the logs of one compose project for an executor, and nothing else',
    load: async () => (await import('./log-reader.ts')).logReaderCommand,
  },
  {
    name: 'router',
    summary: 'lead the agents of this machine to the executors of their instances',
    load: async () => (await import('./router.ts')).routerCommand,
  },
  {
    name: 'dashboard',
    summary: 'show how the instances of this machine are, in charts',
    load: async () => (await import('./dashboard.ts')).dashboardCommand,
  },
  {
    name: 'run',
    summary: 'run scenarios and tell why they passed or failed',
    load: async () => (await import('./run.ts')).runCommand,
  },
  {
    name: 'prove',
    summary: 'find checks that cannot fail, and what nothing checks',
    load: async () => (await import('./prove.ts')).proveCommand,
  },
  {
    name: 'runs',
    summary: 'list runs, newest first, or watch them',
    load: async () => (await import('./runs.ts')).runsCommand,
  },
  {
    name: 'runs show',
    summary: 'tell everything about a run',
    load: async () => (await import('./runs-show.ts')).runsShowCommand,
  },
  {
    name: 'runs cancel',
    summary: 'cancel a run',
    load: async () => (await import('./runs-cancel.ts')).runsCancelCommand,
  },
  {
    name: 'scenarios list',
    summary: 'list the scenarios of an instance’s catalogue',
    load: async () => (await import('./scenarios-list.ts')).scenariosListCommand,
  },
  {
    name: 'scenarios push',
    summary: 'send scenario files to an instance’s catalogue',
    load: async () => (await import('./scenarios-push.ts')).scenariosPushCommand,
  },
  {
    name: 'scenarios pull',
    summary: 'write an instance’s catalogue into a folder of files',
    load: async () => (await import('./scenarios-pull.ts')).scenariosPullCommand,
  },
  {
    name: 'scenarios diff',
    summary: 'show how a folder differs from an instance’s catalogue',
    load: async () => (await import('./scenarios-diff.ts')).scenariosDiffCommand,
  },
  {
    name: 'instances',
    summary: 'list the registered instances and how their executors are',
    load: async () => (await import('./instances.ts')).instancesCommand,
  },
  {
    name: 'instances create',
    summary: 'register an instance for one target, and make its executor key',
    load: async () => (await import('./instances-create.ts')).instancesCreateCommand,
  },
  {
    name: 'instances show',
    summary: 'tell everything about an instance',
    load: async () => (await import('./instances-show.ts')).instancesShowCommand,
  },
  {
    name: 'instances rotate-key',
    summary: 'make a new executor key; the old one ends at once',
    load: async () => (await import('./instances-rotate-key.ts')).instancesRotateKeyCommand,
  },
  {
    name: 'instances remove',
    summary: 'remove an instance with its key, scenarios and run history',
    load: async () => (await import('./instances-remove.ts')).instancesRemoveCommand,
  },
  {
    name: 'init',
    summary: 'write the kit from which an instance is onboarded and torn down',
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'preflight',
    summary: 'check whether this machine is ready to be onboarded, and name what is in the way',
    load: async () => (await import('./preflight.ts')).preflightCommand,
  },
  {
    name: 'doctor',
    summary: 'find what is wrong with an onboarded instance, and tell how to clear it',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'connect',
    summary: 'give the folders of agents the tools of an instance',
    load: async () => (await import('./connect.ts')).connectCommand,
  },
  {
    name: 'disconnect',
    summary: 'take the tools of an instance out of the folders of agents again',
    load: async () => (await import('./disconnect.ts')).disconnectCommand,
  },
  {
    name: 'agent-token make',
    summary: 'make a token for an agent: good for one role on one instance',
    load: async () => (await import('./agent-token-make.ts')).agentTokenMakeCommand,
  },
  {
    name: 'agent-token list',
    summary: 'list the tokens of an instance’s agents, without their secrets',
    load: async () => (await import('./agent-token-list.ts')).agentTokenListCommand,
  },
  {
    name: 'agent-token rotate',
    summary: 'make a new token for an agent; the old one ends at once',
    load: async () => (await import('./agent-token-rotate.ts')).agentTokenRotateCommand,
  },
  {
    name: 'agent-token end',
    summary: 'end the token of an agent at once',
    load: async () => (await import('./agent-token-end.ts')).agentTokenEndCommand,
  },
  ...hubCatalogue,
  ...registryCatalogue,
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
    name: 'guide',
    summary: 'explain how a scenario is written, with an example',
    load: async () => (await import('./guide.ts')).guideCommand,
  },
  {
    name: 'validate-config',
    summary: 'check platform-config.yaml and its .env, and tell every problem at once',
    load: async () => (await import('./validate-config.ts')).validateConfigCommand,
  },
  {
    name: 'backup',
    summary: 'copy the control plane’s stores into files, while they are in use',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'put a copy made by vp backup in the place of the control plane’s stores',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    name: 'example-target',
    summary: 'run the example application that the demo verifies',
    load: async () => (await import('./example-target.ts')).exampleTargetCommand,
  },
  {
    name: 'reach',
    summary: 'for onboarding: say whether a control plane answers at an address',
    load: async () => (await import('./reach.ts')).reachCommand,
  },
  {
    name: 'place-files',
    summary: 'for onboarding: put files from standard input into a folder',
    load: async () => (await import('./place-files.ts')).placeFilesCommand,
  },
  {
    name: 'socket-group',
    summary: 'for onboarding: print the number of the group that a socket belongs to',
    load: async () => (await import('./socket-group.ts')).socketGroupCommand,
  },
  {
    name: 'completion',
    summary: 'print a script that completes vp in your shell',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
];
