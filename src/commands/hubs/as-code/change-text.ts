/** Changes of a hub as lines and as JSON; neither has a secret. */
import { appendErrorCode } from '../../../errors/append-code.ts';
import { escapeUnsafeLine } from '../../../report/escape-unsafe.ts';
import type { TerminalPaint } from '../../../terminal/paint.ts';
import type { ChangeResult } from './apply-changes.ts';
import type { HubChange } from './plan-changes.ts';

/** The kind of change, and what it concerns. */
export type ChangeDocument = { readonly kind: HubChange['kind']; readonly subject: string };

export function toChangeDocument(change: HubChange): ChangeDocument {
  return { kind: change.kind, subject: getSubject(change) };
}

function getSubject(change: HubChange): string {
  switch (change.kind) {
    case 'create_hub':
      return change.name;
    case 'change_settings':
      return Object.keys(change.settings).join(', ');
    case 'remove_member':
    case 'add_member':
    case 'change_role':
      return change.member.email;
    case 'set_policy':
      return 'policy';
    default:
      return change.connection.name;
  }
}

/** In the form of an order: `add max@example.com as viewer`. */
function formatChange(change: HubChange): string {
  const subject = getSubject(change);
  switch (change.kind) {
    case 'create_hub':
      return `create the hub ${subject}`;
    case 'change_settings':
      return `change the settings ${subject}`;
    case 'remove_member':
      return `remove the ${change.member.role} ${subject}`;
    case 'add_member':
      return `add ${subject} as ${change.member.role}`;
    case 'change_role':
      return `make ${subject} ${change.member.role}, not ${change.before}`;
    case 'set_policy':
      return 'set the policy';
    case 'disconnect':
      return `disconnect ${subject}, with its credential, sign-ins and approvals`;
    case 'change_connection':
      return `change the connection ${subject}`;
    default:
      return `connect ${subject}`;
  }
}

export function formatChanges(changes: readonly HubChange[]): string {
  return changes.map((change) => `  ${escapeUnsafeLine(formatChange(change))}\n`).join('');
}

export function formatUnlistedItems(unlisted: readonly string[]): string {
  if (unlisted.length === 0) return '';
  return `not in the file, and unchanged without --prune: ${escapeUnsafeLine(unlisted.join(', '))}\n`;
}

export function formatResults(results: readonly ChangeResult[], paint: TerminalPaint): string {
  return results
    .map(({ change, outcome, error }) => {
      const text = escapeUnsafeLine(formatChange(change));
      if (outcome === 'done') return `${paint.passed('✓')} ${text}\n`;
      if (!error) return `${paint.faint('–')} ${text}: not made\n`;
      const lines = [`${paint.failed('✕')} ${text}: ${appendErrorCode(escapeUnsafeLine(error.message), error.code)}`];
      return `${[...lines, `    ${escapeUnsafeLine(error.cure)}`].join('\n')}\n`;
    })
    .join('');
}

export function toResultDocument({ change, outcome, error }: ChangeResult) {
  const failure = error && { code: error.code, message: error.message, cure: error.cure };
  return { ...toChangeDocument(change), outcome, error: failure ?? null };
}
