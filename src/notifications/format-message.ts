/** Changes as each kind of receiver expects them. The same changes always give the same text, so that attempts are alike. */
import type { ChannelKind } from '../contract/notification-names.ts';
import type { NotificationChange } from '../contract/notifications-api.ts';

/** `address` is the URL of the control plane for people. */
export type Message = {
  readonly id: string;
  readonly changes: readonly NotificationChange[];
  readonly address: string;
};

const maxTextLength = 1000;
const maxGroupedTextLength = 200;
/** Slack takes 50 blocks. */
const maxListedChanges = 20;
/** Slack takes 3,000 characters in a block, and a character may take five when it is escaped. */
const maxEscapedLength = { title: 1200, text: 1500 } as const;
/** Teams takes 28 KB. */
const maxCardBytes = 27_000;

function toLine(text: string, maxLength: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  // Half of a character would make the JSON invalid for some receivers.
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}

function getLogUrl({ address }: Message): string {
  return `${address}/settings/notifications`;
}

type Item = { readonly title: string; readonly text: string; readonly facts: string; readonly url: string };

function toItem(change: NotificationChange, { changes, address }: Message): Item {
  const { instance, owner, target_version: version, at } = change;
  const facts = [
    ...(instance === null ? [] : [instance]),
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(owner === undefined ? [] : [`owner ${toLine(owner, maxGroupedTextLength)}`]),
    at,
  ];
  return {
    title: toLine(change.title, maxGroupedTextLength),
    text: toLine(change.text, changes.length === 1 ? maxTextLength : maxGroupedTextLength),
    facts: facts.join(' · '),
    url: `${address}${change.path}`,
  };
}

function toItems(message: Message, maxItems = maxListedChanges): Item[] {
  return message.changes.slice(0, maxItems).map((change) => toItem(change, message));
}

function formatSubject({ changes }: Message): string {
  const [first] = changes;
  return changes.length === 1 && first ? toLine(first.title, maxGroupedTextLength) : `${changes.length} changes`;
}

/** Empty when all changes are listed. */
function formatRest({ changes }: Message, listed = maxListedChanges): string {
  return changes.length > listed ? `and ${changes.length - listed} more` : '';
}

/** `&`, `<` and `>` are escaped, nothing else. The result has at most `maxLength` characters. */
function escapeForSlack(text: string, maxLength: number): string {
  const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  let escaped = '';
  for (const character of text) {
    const next = escapes[character] ?? character;
    if (escaped.length + next.length >= maxLength) return `${escaped}…`;
    escaped += next;
  }
  return escaped;
}

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
function formatSlack(message: Message): object {
  const { title: maxTitle, text: maxText } = maxEscapedLength;
  const escapeUrl = (url: string): string => escapeForSlack(url, Number.POSITIVE_INFINITY);
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  const context = (text: string) => ({ type: 'context', elements: [{ type: 'plain_text', text }] });
  const blocks = toItems(message).flatMap(({ title, text, facts, url }) => [
    section(
      `*<${escapeUrl(url)}|${escapeForSlack(title, maxTitle).replaceAll('|', '¦')}>*\n${escapeForSlack(text, maxText)}`,
    ),
    context(facts),
  ]);
  const rest = formatRest(message);
  return {
    text: escapeForSlack(formatSubject(message), maxTitle),
    unfurl_links: false,
    unfurl_media: false,
    blocks: rest === '' ? blocks : [...blocks, section(`<${escapeUrl(getLogUrl(message))}|${rest}>`)],
  };
}

/**
 * A message with an Adaptive Card, as the workflow "when a Teams webhook request is received" takes it. A text run is shown as
 * it is; a text block would interpret Markdown.
 */
function formatTeams(message: Message): object {
  for (let maxItems = maxListedChanges; ; maxItems -= 1) {
    const card = formatCard(message, maxItems);
    if (maxItems === 1 || Buffer.byteLength(JSON.stringify(card)) <= maxCardBytes) return card;
  }
}

function formatCard(message: Message, maxItems: number): object {
  const run = (text: string, style: object) => ({ type: 'TextRun', text, ...style });
  const block = (...inlines: readonly object[]) => ({ type: 'RichTextBlock', inlines });
  const open = (url: string) => ({ selectAction: { type: 'Action.OpenUrl', url } });
  const items = toItems(message, maxItems);
  const body = items.flatMap(({ title, text, facts, url }) => [
    block(run(title, { weight: 'Bolder', ...open(url) })),
    block(run(text, {})),
    block(run(facts, { isSubtle: true, size: 'Small' })),
  ]);
  const rest = formatRest(message, maxItems);
  const [first] = items;
  const url = message.changes.length === 1 && first ? first.url : getLogUrl(message);
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: rest === '' ? body : [...body, block(run(rest, {}))],
    actions: [{ type: 'Action.OpenUrl', title: 'Open in vp', url }],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

/** Every change, whatever their number. */
function formatWebhook({ changes, address }: Message): object {
  const data = changes.map(({ path, ...change }) => ({ ...change, url: `${address}${path}` }));
  const [first] = data;
  const timestamp = changes
    .map(({ at }) => at)
    .sort()
    .at(-1);
  if (first && data.length === 1) return { type: `notification.${first.event}`, timestamp, data: first };
  return { type: 'notification.digest', timestamp, data: { changes: data } };
}

/** The body of the request, as JSON. */
export function formatBody(kind: Exclude<ChannelKind, 'email'>, message: Message): string {
  const formats = { slack: formatSlack, teams: formatTeams, webhook: formatWebhook };
  return JSON.stringify(formats[kind](message));
}

export function formatMail(message: Message): { readonly subject: string; readonly text: string } {
  const items = toItems(message).map(({ title, text, facts, url }) => `${title}\n${text}\n${facts}\n${url}\n`);
  const rest = formatRest(message);
  const end = rest === '' ? [] : [`${rest}: ${getLogUrl(message)}\n`];
  return { subject: `[vp] ${formatSubject(message)}`, text: [...items, ...end].join('\n') };
}
