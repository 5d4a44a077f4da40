/** The part of the catalogue that is about hubs and their tokens. */
import type { CatalogueEntry } from './catalogue.ts';

/** In the order of the help. */
export const hubCatalogue: readonly CatalogueEntry[] = [
  {
    name: 'hubs',
    summary: 'list the hubs that you belong to',
    load: async () => (await import('./hubs.ts')).hubsCommand,
  },
  {
    name: 'hubs create',
    summary: 'make a hub that you own',
    load: async () => (await import('./hubs-create.ts')).hubsCreateCommand,
  },
  {
    name: 'hubs rename',
    summary: 'give a hub another slug or name',
    load: async () => (await import('./hubs-rename.ts')).hubsRenameCommand,
  },
  {
    name: 'hubs remove',
    summary: 'remove a hub with its connections and tokens',
    load: async () => (await import('./hubs-remove.ts')).hubsRemoveCommand,
  },
  {
    name: 'hubs leave',
    summary: 'end your own membership of a hub',
    load: async () => (await import('./hubs-leave.ts')).hubsLeaveCommand,
  },
  {
    name: 'hubs members',
    summary: 'list who belongs to a hub',
    load: async () => (await import('./hubs-members.ts')).hubsMembersCommand,
  },
  {
    name: 'hubs add',
    summary: 'add somebody to a hub, or give a member another role',
    load: async () => (await import('./hubs-add.ts')).hubsAddCommand,
  },
  {
    name: 'hubs expel',
    summary: 'end somebody’s membership of a hub',
    load: async () => (await import('./hubs-expel.ts')).hubsExpelCommand,
  },
  {
    name: 'hubs connections',
    summary: 'list the tool servers of a hub and how they are',
    load: async () => (await import('./hubs-connections.ts')).hubsConnectionsCommand,
  },
  {
    name: 'hubs connect',
    summary: 'connect a tool server to a hub',
    load: async () => (await import('./hubs-connect.ts')).hubsConnectCommand,
  },
  {
    name: 'hubs probe',
    summary: 'look at what a tool server offers, before it is connected or later',
    load: async () => (await import('./hubs-probe.ts')).hubsProbeCommand,
  },
  {
    name: 'hubs change',
    summary: 'change a connection of a hub: name, address, credential, on or off',
    load: async () => (await import('./hubs-change.ts')).hubsChangeCommand,
  },
  {
    name: 'hubs sign-in',
    summary: 'sign in at the server of a connection, in the browser',
    load: async () => (await import('./hubs-sign-in.ts')).hubsSignInCommand,
  },
  {
    name: 'hubs disconnect',
    summary: 'remove a connection of a hub with its credential',
    load: async () => (await import('./hubs-disconnect.ts')).hubsDisconnectCommand,
  },
  {
    name: 'tokens create',
    summary: 'make a personal access token for one hub',
    load: async () => (await import('./tokens-create.ts')).tokensCreateCommand,
  },
  {
    name: 'tokens list',
    summary: 'list your personal access tokens, without their secrets',
    load: async () => (await import('./tokens-list.ts')).tokensListCommand,
  },
  {
    name: 'tokens reveal',
    summary: 'show one of your tokens again, soon after signing in',
    load: async () => (await import('./tokens-reveal.ts')).tokensRevealCommand,
  },
  {
    name: 'tokens rotate',
    summary: 'make a new token in the place of one of yours',
    load: async () => (await import('./tokens-rotate.ts')).tokensRotateCommand,
  },
  {
    name: 'tokens revoke',
    summary: 'end a personal access token at once',
    load: async () => (await import('./tokens-revoke.ts')).tokensRevokeCommand,
  },
  {
    name: 'audit search',
    summary: 'find calls in the audit of a hub, newest first',
    load: async () => (await import('./audit-search.ts')).auditSearchCommand,
  },
  {
    name: 'audit export',
    summary: 'write the audit of a hub to standard output, oldest call first',
    load: async () => (await import('./audit-export.ts')).auditExportCommand,
  },
  {
    name: 'audit verify',
    summary: 'find entries of the audit that were removed, altered or moved',
    load: async () => (await import('./audit-verify.ts')).auditVerifyCommand,
  },
];
