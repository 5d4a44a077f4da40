/** Every subcommand in the order of the help. Adding one is its file and one entry here. Length: it is the list of them. */

import type { CommandEntry } from '../command-line/command.ts';
import { automationCatalogue } from './catalogue-automation.ts';
import { hubCatalogue } from './catalogue-hubs.ts';
import { registryCatalogue } from './catalogue-registry.ts';
import { resultsCatalogue } from './catalogue-results.ts';

export const catalogue: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'see scenarios verify an application, and a failure explained',
    load: async () => (await import('./demo/demo.ts')).demoCommand,
  },
  {
    name: 'new',
    summary: 'set up checks for your own application',
    load: async () => (await import('./new/new.ts')).newCommand,
  },
  {
    name: 'new scenario',
    summary: 'write a scenario for a request, with checks that hold on what the application answers',
    load: async () => (await import('./new/scenario.ts')).newScenarioCommand,
  },
  {
    name: 'serve',
    summary: 'run the control plane: queue, catalogue, run history, API',
    load: async () => (await import('./serve/serve.ts')).serveCommand,
  },
  {
    name: 'setup-link',
    summary: 'create a new link for the first owner of a control plane',
    load: async () => (await import('./admin/setup-link.ts')).setupLinkCommand,
  },
  {
    name: 'reset-password',
    summary: 'create a link for setting a new password',
    load: async () => (await import('./admin/reset-password.ts')).resetPasswordCommand,
  },
  {
    name: 'login',
    summary: 'sign in to a control plane, in the browser',
    load: async () => (await import('./login/login.ts')).loginCommand,
  },
  {
    name: 'logout',
    summary: 'sign out of a control plane',
    load: async () => (await import('./login/logout.ts')).logoutCommand,
  },
  {
    name: 'whoami',
    summary: 'show as whom you are signed in to a control plane',
    load: async () => (await import('./login/whoami.ts')).whoamiCommand,
  },
  {
    name: 'use',
    summary: 'choose the control plane and instance of later commands',
    load: async () => (await import('./use/use.ts')).useCommand,
  },
  {
    name: 'onboard',
    summary: 'set up the platform for an application in docker compose',
    load: async () => (await import('./onboard/onboard.ts')).onboardCommand,
  },
  {
    name: 'teardown',
    summary: 'remove an instance, and leave its target running',
    load: async () => (await import('./onboard/teardown.ts')).teardownCommand,
  },
  {
    name: 'executor',
    summary: 'execute the runs of one instance against its target',
    load: async () => (await import('./roles/executor.ts')).executorCommand,
  },
  {
    name: 'log-reader',
    summary: 'let an executor read the logs of one compose project',
    load: async () => (await import('./roles/log-reader.ts')).logReaderCommand,
  },
  {
    name: 'router',
    summary: 'route agents of this machine to executors',
    load: async () => (await import('./roles/router.ts')).routerCommand,
  },
  {
    name: 'dashboard',
    summary: 'serve charts of the instances of this machine',
    load: async () => (await import('./roles/dashboard.ts')).dashboardCommand,
  },
  {
    name: 'run',
    summary: 'run scenarios and show why they passed or failed',
    load: async () => (await import('./run/run.ts')).runCommand,
  },
  {
    name: 'prove',
    summary: 'find checks that cannot fail, and data that is not checked',
    load: async () => (await import('./run/prove.ts')).proveCommand,
  },
  ...resultsCatalogue,
  ...automationCatalogue,
  {
    name: 'compare',
    summary: 'show what a version of the application broke',
    load: async () => (await import('./compare/compare.ts')).compareCommand,
  },
  {
    name: 'health',
    summary: 'show how far results can be relied on: flaky, slower',
    load: async () => (await import('./health/health.ts')).healthCommand,
  },
  {
    name: 'views list',
    summary: 'list saved views: named filters of runs and scenarios',
    load: async () => (await import('./views/list.ts')).viewsListCommand,
  },
  {
    name: 'views save',
    summary: 'save filters of runs or scenarios as a view',
    load: async () => (await import('./views/save.ts')).viewsSaveCommand,
  },
  {
    name: 'views rename',
    summary: 'give a view another name; its address stays',
    load: async () => (await import('./views/rename.ts')).viewsRenameCommand,
  },
  {
    name: 'views delete',
    summary: 'delete a view, for everyone who sees it',
    load: async () => (await import('./views/delete.ts')).viewsDeleteCommand,
  },
  {
    name: 'scenarios list',
    summary: 'list the scenarios of an instance’s catalogue',
    load: async () => (await import('./scenarios/list.ts')).scenariosListCommand,
  },
  {
    name: 'scenarios push',
    summary: 'send scenario files to an instance’s catalogue',
    load: async () => (await import('./scenarios/push.ts')).scenariosPushCommand,
  },
  {
    name: 'scenarios pull',
    summary: 'write an instance’s catalogue to a folder of files',
    load: async () => (await import('./scenarios/pull.ts')).scenariosPullCommand,
  },
  {
    name: 'scenarios diff',
    summary: 'show the differences between a folder and an instance’s catalogue',
    load: async () => (await import('./scenarios/diff.ts')).scenariosDiffCommand,
  },
  {
    name: 'scenarios history',
    summary: 'list the revisions of a scenario, newest first',
    load: async () => (await import('./scenarios/history.ts')).scenariosHistoryCommand,
  },
  {
    name: 'scenarios rename',
    summary: 'change the ID of a scenario',
    load: async () => (await import('./scenarios/rename.ts')).scenariosRenameCommand,
  },
  {
    name: 'scenarios delete',
    summary: 'delete scenarios from an instance’s catalogue',
    load: async () => (await import('./scenarios/delete.ts')).scenariosDeleteCommand,
  },
  {
    name: 'scenarios restore',
    summary: 'restore a deleted scenario, or an earlier revision',
    load: async () => (await import('./scenarios/restore.ts')).scenariosRestoreCommand,
  },
  {
    name: 'scenarios quarantine',
    summary: 'put a scenario in quarantine, or list the scenarios in quarantine',
    load: async () => (await import('./scenarios/quarantine.ts')).scenariosQuarantineCommand,
  },
  {
    name: 'scenarios release',
    summary: 'take scenarios out of quarantine',
    load: async () => (await import('./scenarios/release.ts')).scenariosReleaseCommand,
  },
  {
    name: 'instances',
    summary: 'list the instances',
    load: async () => (await import('./instances/list.ts')).instancesCommand,
  },
  {
    name: 'instances create',
    summary: 'register an instance for a target, and create its executor key',
    load: async () => (await import('./instances/create.ts')).instancesCreateCommand,
  },
  {
    name: 'instances show',
    summary: 'show all details of an instance',
    load: async () => (await import('./instances/show.ts')).instancesShowCommand,
  },
  {
    name: 'instances rotate-key',
    summary: 'replace the executor key; the old one is revoked at once',
    load: async () => (await import('./instances/rotate-key.ts')).instancesRotateKeyCommand,
  },
  {
    name: 'instances remove',
    summary: 'remove an instance with its key, scenarios and run history',
    load: async () => (await import('./instances/remove.ts')).instancesRemoveCommand,
  },
  {
    name: 'system',
    summary: 'show the store of the control plane, and its replicas',
    load: async () => (await import('./system/system.ts')).systemCommand,
  },
  {
    name: 'init',
    summary: 'write the kit for onboarding and tearing down an instance',
    load: async () => (await import('./onboard/init.ts')).initCommand,
  },
  {
    name: 'preflight',
    summary: 'check whether this machine is ready for onboarding',
    load: async () => (await import('./doctor/preflight.ts')).preflightCommand,
  },
  {
    name: 'doctor',
    summary: 'find what is wrong with an instance, and how to fix it',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  {
    name: 'connect',
    summary: 'give agents’ folders the tools of an instance',
    load: async () => (await import('./agents/connect.ts')).connectCommand,
  },
  {
    name: 'disconnect',
    summary: 'remove the tools of an instance from agents’ folders',
    load: async () => (await import('./agents/disconnect.ts')).disconnectCommand,
  },
  {
    name: 'agent-token create',
    summary: 'create an agent token, valid for one role on one instance',
    load: async () => (await import('./agent-token/create.ts')).agentTokenCreateCommand,
    formerNames: ['agent-token make'],
  },
  {
    name: 'agent-token list',
    summary: 'list the agent tokens of an instance, without their secrets',
    load: async () => (await import('./agent-token/list.ts')).agentTokenListCommand,
  },
  {
    name: 'agent-token rotate',
    summary: 'replace an agent token; the old one is revoked at once',
    load: async () => (await import('./agent-token/rotate.ts')).agentTokenRotateCommand,
  },
  {
    name: 'agent-token revoke',
    summary: 'revoke the token of an agent at once',
    load: async () => (await import('./agent-token/revoke.ts')).agentTokenRevokeCommand,
    formerNames: ['agent-token end'],
  },
  ...hubCatalogue,
  ...registryCatalogue,
  {
    name: 'validate',
    summary: 'check scenario files, and list all problems with their fixes',
    load: async () => (await import('./authoring/validate.ts')).validateCommand,
  },
  {
    name: 'format',
    summary: 'format scenario files without changing their meaning',
    load: async () => (await import('./authoring/format.ts')).formatCommand,
  },
  {
    name: 'import',
    summary: 'write scenarios from documents, collections and recordings',
    load: async () => (await import('./import/import.ts')).importCommand,
  },
  {
    name: 'coverage',
    summary: 'show what of an OpenAPI document is checked',
    load: async () => (await import('./coverage/coverage.ts')).coverageCommand,
  },
  {
    name: 'lsp',
    summary: 'serve an editor: problems, completion, hover, fixes',
    load: async () => (await import('./authoring/lsp.ts')).lspCommand,
  },
  {
    name: 'docs',
    summary: 'list the pages of the documentation, or print one',
    load: async () => (await import('./docs/docs.ts')).docsCommand,
  },
  {
    name: 'guide',
    summary: 'explain how to write a scenario, with an example',
    load: async () => (await import('./authoring/guide.ts')).guideCommand,
  },
  {
    name: 'validate-config',
    summary: 'check platform-config.yaml and its .env, and list all problems',
    load: async () => (await import('./authoring/validate-config.ts')).validateConfigCommand,
  },
  {
    name: 'backup',
    summary: 'back up the control plane’s stores, even while they are in use',
    load: async () => (await import('./admin/backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'restore the control plane’s stores from a backup',
    load: async () => (await import('./admin/restore.ts')).restoreCommand,
  },
  {
    name: 'move',
    summary: 'move the control plane’s stores to PostgreSQL, or back',
    load: async () => (await import('./admin/move.ts')).moveCommand,
  },
  {
    name: 'migrate',
    summary: 'bring stores to this version, or check what that needs',
    load: async () => (await import('./admin/migrate.ts')).migrateCommand,
  },
  {
    name: 'accept-loss',
    summary: 'continue with stores that have lost changes',
    load: async () => (await import('./admin/accept-loss.ts')).acceptLossCommand,
  },
  {
    name: 'example-target',
    summary: 'run the example application that the demo verifies',
    load: async () => (await import('./demo/example-target.ts')).exampleTargetCommand,
  },
  {
    name: 'reach',
    summary: 'for onboarding: check whether a control plane is reachable',
    load: async () => (await import('./onboard/reach.ts')).reachCommand,
  },
  {
    name: 'place-files',
    summary: 'for onboarding: write files from standard input to a folder',
    load: async () => (await import('./onboard/place-files.ts')).placeFilesCommand,
  },
  {
    name: 'socket-group',
    summary: 'for onboarding: print the group id of a socket',
    load: async () => (await import('./onboard/socket-group.ts')).socketGroupCommand,
  },
  {
    name: 'complete',
    summary: 'for completion scripts: print what the last word of a line may be',
    load: async () => (await import('./complete/complete.ts')).completeCommand,
  },
  {
    name: 'completion',
    summary: 'print a script that completes vp in your shell',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
];
