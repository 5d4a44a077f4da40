/** How the help groups commands: by their first word. A test finds commands that no group has. */
import type { CommandGroup } from '../command-line/command.ts';

export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Start',
    words: {
      demo: undefined,
      new: undefined,
      docs: undefined,
      completion: undefined,
    },
  },
  {
    title: 'Verify',
    words: {
      run: undefined,
      runs: undefined,
      suites: undefined,
      open: undefined,
      export: undefined,
      failures: undefined,
      compare: undefined,
      health: undefined,
      views: 'saved filters',
      schedules: 'timed runs',
      notifications: 'messages',
      'status-pages': 'public pages and badges',
      prove: undefined,
    },
  },
  {
    title: 'Author',
    words: {
      guide: undefined,
      import: undefined,
      coverage: undefined,
      lsp: undefined,
      validate: undefined,
      format: undefined,
      'validate-config': undefined,
      scenarios: 'the catalogue of scenarios of an instance',
    },
  },
  { title: 'Sign in', words: { login: undefined, use: undefined, whoami: undefined, logout: undefined } },
  {
    title: 'Set up',
    words: {
      init: undefined,
      preflight: undefined,
      onboard: undefined,
      doctor: undefined,
      connect: undefined,
      disconnect: undefined,
      'agent-token': 'the tokens of agents',
      teardown: undefined,
    },
  },
  {
    title: 'Hub',
    words: {
      hubs: undefined,
      tokens: 'access tokens',
      approvals: 'calls that wait for approval',
      usage: undefined,
      audit: 'the audit log of a hub',
      registry: 'registries of MCP servers',
    },
  },
  {
    title: 'Administer',
    words: {
      serve: undefined,
      executor: undefined,
      instances: undefined,
      system: undefined,
      router: undefined,
      'log-reader': undefined,
      dashboard: undefined,
      'setup-link': undefined,
      'reset-password': undefined,
      backup: undefined,
      restore: undefined,
      'accept-loss': undefined,
      move: undefined,
      migrate: undefined,
    },
  },
];

/** Commands that other parts of the product start; the help of `vp` does not list them. */
export const internalCommands: readonly string[] = [
  'complete',
  'example-target',
  'place-files',
  'reach',
  'socket-group',
];
