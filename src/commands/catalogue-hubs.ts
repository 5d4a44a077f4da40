/** The part of the catalogue for hubs, their tokens and their audit log. */
import type { CommandEntry } from '../command-line/command.ts';

export const hubCatalogue: readonly CommandEntry[] = [
  {
    name: 'hubs',
    summary: 'list the hubs that you belong to',
    load: async () => (await import('./hubs/list.ts')).hubsCommand,
  },
  {
    name: 'hubs create',
    summary: 'create a hub that you own',
    load: async () => (await import('./hubs/create.ts')).hubsCreateCommand,
  },
  {
    name: 'hubs rename',
    summary: 'change the slug or name of a hub',
    load: async () => (await import('./hubs/rename.ts')).hubsRenameCommand,
  },
  {
    name: 'hubs tool-list',
    summary: 'choose whether clients of a hub list all tools, or search for them',
    load: async () => (await import('./hubs/tool-list.ts')).hubsToolListCommand,
  },
  {
    name: 'hubs remove',
    summary: 'remove a hub with its connections and tokens',
    load: async () => (await import('./hubs/remove.ts')).hubsRemoveCommand,
  },
  {
    name: 'hubs leave',
    summary: 'leave a hub',
    load: async () => (await import('./hubs/leave.ts')).hubsLeaveCommand,
  },
  {
    name: 'hubs members',
    summary: 'list the members of a hub',
    load: async () => (await import('./hubs/members.ts')).hubsMembersCommand,
  },
  {
    name: 'hubs add',
    summary: 'add a person to a hub, or change the role of a member',
    load: async () => (await import('./hubs/add.ts')).hubsAddCommand,
  },
  {
    name: 'hubs expel',
    summary: 'remove a person from a hub',
    load: async () => (await import('./hubs/expel.ts')).hubsExpelCommand,
  },
  {
    name: 'hubs connections',
    summary: 'list the tool servers of a hub with their state',
    load: async () => (await import('./hubs/connections.ts')).hubsConnectionsCommand,
  },
  {
    name: 'hubs connect',
    summary: 'connect a tool server to a hub',
    load: async () => (await import('./hubs/connect.ts')).hubsConnectCommand,
  },
  {
    name: 'hubs tools',
    summary: 'list the tools, prompts and resources of a hub, and what waits for approval',
    load: async () => (await import('./hubs/tools.ts')).hubsToolsCommand,
  },
  {
    name: 'hubs approve',
    summary: 'review the definition of a tool, prompt or resource that waits, and approve it',
    load: async () => (await import('./hubs/approve.ts')).hubsApproveCommand,
  },
  {
    name: 'hubs verify',
    summary: 'run the scenarios of a tool against its definition that waits for approval',
    load: async () => (await import('./hubs/verify.ts')).hubsVerifyCommand,
  },
  {
    name: 'hubs export',
    summary: 'write a hub as a YAML file: settings, members, connections and policy, without secrets',
    load: async () => (await import('./hubs/export.ts')).hubsExportCommand,
  },
  {
    name: 'hubs diff',
    summary: 'show what `vp hubs apply` would change in a hub',
    load: async () => (await import('./hubs/diff.ts')).hubsDiffCommand,
  },
  {
    name: 'hubs apply',
    summary: 'change a hub so that it matches a file',
    load: async () => (await import('./hubs/apply.ts')).hubsApplyCommand,
  },
  {
    name: 'hubs budgets',
    summary: 'show, add and remove the budgets of a hub',
    load: async () => (await import('./hubs/budgets.ts')).hubsBudgetsCommand,
  },
  {
    name: 'hubs probe',
    summary: 'list what a tool server offers, before or after it is connected',
    load: async () => (await import('./hubs/probe.ts')).hubsProbeCommand,
  },
  {
    name: 'hubs change',
    summary: 'change a connection: its name, URL, credential, or whether it is enabled',
    load: async () => (await import('./hubs/change.ts')).hubsChangeCommand,
  },
  {
    name: 'hubs sign-in',
    summary: 'sign in at the server of a connection, in the browser',
    load: async () => (await import('./hubs/sign-in.ts')).hubsSignInCommand,
  },
  {
    name: 'hubs disconnect',
    summary: 'remove a connection of a hub and its credential',
    load: async () => (await import('./hubs/disconnect.ts')).hubsDisconnectCommand,
  },
  {
    name: 'tokens create',
    summary: 'create a personal access token for one hub',
    load: async () => (await import('./tokens/create.ts')).tokensCreateCommand,
  },
  {
    name: 'tokens list',
    summary: 'list your personal access tokens, without their secrets',
    load: async () => (await import('./tokens/list.ts')).tokensListCommand,
  },
  {
    name: 'tokens tool-list',
    summary: 'choose whether clients with one of your tokens list all tools, or search for them',
    load: async () => (await import('./tokens/tool-list.ts')).tokensToolListCommand,
  },
  {
    name: 'tokens reveal',
    summary: 'show one of your tokens again, soon after signing in',
    load: async () => (await import('./tokens/reveal.ts')).tokensRevealCommand,
  },
  {
    name: 'tokens rotate',
    summary: 'replace one of your tokens',
    load: async () => (await import('./tokens/rotate.ts')).tokensRotateCommand,
  },
  {
    name: 'tokens revoke',
    summary: 'revoke a personal access token at once',
    load: async () => (await import('./tokens/revoke.ts')).tokensRevokeCommand,
  },
  {
    name: 'approvals list',
    summary: 'list the calls of a hub that wait for an approval',
    load: async () => (await import('./approvals/list.ts')).approvalsListCommand,
  },
  {
    name: 'approvals show',
    summary: 'show a call that waits for an approval, with all that its server would get',
    load: async () => (await import('./approvals/show.ts')).approvalsShowCommand,
  },
  {
    name: 'approvals approve',
    summary: 'review a call that waits, and approve it once',
    load: async () => (await import('./approvals/approve.ts')).approvalsApproveCommand,
  },
  {
    name: 'approvals deny',
    summary: 'review a call that waits and deny it, or take back an unused approval',
    load: async () => (await import('./approvals/deny.ts')).approvalsDenyCommand,
  },
  {
    name: 'usage',
    summary: 'count the calls of a hub by person, client, tool or day',
    load: async () => (await import('./usage/usage.ts')).usageCommand,
  },
  {
    name: 'audit search',
    summary: 'search the audit log of a hub, newest first',
    load: async () => (await import('./audit/search.ts')).auditSearchCommand,
  },
  {
    name: 'audit export',
    summary: 'write the audit log of a hub to standard output, oldest call first',
    load: async () => (await import('./audit/export.ts')).auditExportCommand,
  },
  {
    name: 'audit anchor',
    summary: 'print a statement of how far the audit log has come, to be kept elsewhere',
    load: async () => (await import('./audit/anchor.ts')).auditAnchorCommand,
  },
  {
    name: 'audit key',
    summary: 'create the key that signs statements about the audit log, and print its public key',
    load: async () => (await import('./audit/key.ts')).auditKeyCommand,
  },
  {
    name: 'audit verify',
    summary: 'find audit entries that were removed, altered or moved',
    load: async () => (await import('./audit/verify.ts')).auditVerifyCommand,
  },
];
