/** The commands of schedules, notifications and status pages. */
import type { CommandEntry } from '../command-line/command.ts';

export const automationCatalogue: readonly CommandEntry[] = [
  {
    name: 'schedules list',
    summary: 'list the schedules of an instance',
    load: async () => (await import('./schedules/list.ts')).schedulesListCommand,
  },
  {
    name: 'schedules add',
    summary: 'create a schedule',
    load: async () => (await import('./schedules/add.ts')).schedulesAddCommand,
  },
  {
    name: 'schedules edit',
    summary: 'change when a schedule runs, or what it runs',
    load: async () => (await import('./schedules/edit.ts')).schedulesEditCommand,
  },
  {
    name: 'schedules pause',
    summary: 'pause a schedule',
    load: async () => (await import('./schedules/pause.ts')).schedulesPauseCommand,
  },
  {
    name: 'schedules resume',
    summary: 'resume a paused schedule',
    load: async () => (await import('./schedules/resume.ts')).schedulesResumeCommand,
  },
  {
    name: 'schedules remove',
    summary: 'remove a schedule; its runs stay',
    load: async () => (await import('./schedules/remove.ts')).schedulesRemoveCommand,
  },
  {
    name: 'schedules next',
    summary: 'show the next five times of a schedule, or try flags before you create one',
    load: async () => (await import('./schedules/next.ts')).schedulesNextCommand,
  },
  {
    name: 'notifications list',
    summary: 'list who is notified of changes of state',
    load: async () => (await import('./notifications/list.ts')).notificationsListCommand,
  },
  {
    name: 'notifications add',
    summary: 'send changes of state to a webhook, a chat or people',
    load: async () => (await import('./notifications/add.ts')).notificationsAddCommand,
  },
  {
    name: 'notifications edit',
    summary: 'change what a channel gets, when, or its address',
    load: async () => (await import('./notifications/edit.ts')).notificationsEditCommand,
  },
  {
    name: 'notifications test',
    summary: 'send a test message to a channel now',
    load: async () => (await import('./notifications/test.ts')).notificationsTestCommand,
  },
  {
    name: 'notifications log',
    summary: 'list what was sent, what waits and what was given up',
    load: async () => (await import('./notifications/log.ts')).notificationsLogCommand,
  },
  {
    name: 'notifications retry',
    summary: 'send a message that was given up again',
    load: async () => (await import('./notifications/retry.ts')).notificationsRetryCommand,
  },
  {
    name: 'notifications remove',
    summary: 'remove a channel; its log stays',
    load: async () => (await import('./notifications/remove.ts')).notificationsRemoveCommand,
  },
  {
    name: 'status-pages create',
    summary: 'make a page and a badge for people without an account',
    load: async () => (await import('./status-pages/create.ts')).statusPagesCreateCommand,
  },
  {
    name: 'status-pages list',
    summary: 'list the pages that people without an account can read',
    load: async () => (await import('./status-pages/list.ts')).statusPagesListCommand,
  },
  {
    name: 'status-pages extend',
    summary: 'let a status page end at another time',
    load: async () => (await import('./status-pages/extend.ts')).statusPagesExtendCommand,
  },
  {
    name: 'status-pages revoke',
    summary: 'end a status page and its badge now',
    load: async () => (await import('./status-pages/revoke.ts')).statusPagesRevokeCommand,
  },
];
