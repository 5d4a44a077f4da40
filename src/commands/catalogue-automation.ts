/** The commands of schedules, notifications and status pages. */
import type { CommandEntry } from '../command-line/command.ts';

export const automationCatalogue: readonly CommandEntry[] = [
  {
    name: 'schedules list',
    summary: 'list what runs by itself, and when next',
    load: async () => (await import('./schedules/list.ts')).schedulesListCommand,
  },
  {
    name: 'schedules add',
    summary: 'let scenarios run by themselves',
    load: async () => (await import('./schedules/add.ts')).schedulesAddCommand,
  },
  {
    name: 'schedules edit',
    summary: 'change when a schedule is due, or what it runs',
    load: async () => (await import('./schedules/edit.ts')).schedulesEditCommand,
  },
  {
    name: 'schedules pause',
    summary: 'request nothing until the schedule is resumed',
    load: async () => (await import('./schedules/pause.ts')).schedulesPauseCommand,
  },
  {
    name: 'schedules resume',
    summary: 'go on with the next tick of a paused schedule',
    load: async () => (await import('./schedules/pause.ts')).schedulesResumeCommand,
  },
  {
    name: 'schedules remove',
    summary: 'remove a schedule; its runs stay',
    load: async () => (await import('./schedules/pause.ts')).schedulesRemoveCommand,
  },
  {
    name: 'schedules next',
    summary: 'show the next five times of a schedule, or of times that you try',
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
    load: async () => (await import('./notifications/send.ts')).notificationsTestCommand,
  },
  {
    name: 'notifications log',
    summary: 'list what was sent, what waits and what was given up',
    load: async () => (await import('./notifications/list.ts')).notificationsLogCommand,
  },
  {
    name: 'notifications retry',
    summary: 'send a message that was given up again',
    load: async () => (await import('./notifications/send.ts')).notificationsRetryCommand,
  },
  {
    name: 'notifications remove',
    summary: 'remove a channel; its log stays',
    load: async () => (await import('./notifications/send.ts')).notificationsRemoveCommand,
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
