/** What each kind of receiver gets, as its documentation describes it. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import type { NotificationChange } from '../../src/contract/notifications-api.ts';
import { formatBody, formatMail } from '../../src/notifications/format-message.ts';

const change: NotificationChange = {
  ...{ event: 'newly_failing', instance: 'shop', scenario_id: 'RT-1', run_id: '20261120T143012345' },
  ...{ title: 'RT-1 fails in <shop> & |more|', text: '*bold* <!channel> [a](http://evil.example)\nsecond\u0007 line' },
  ...{ target_version: '2.4.1', path: '/runs/20261120T143012345', at: '2026-11-20T14:30:12.345Z' },
};
const address = 'https://vp.example';
const message = { id: 'ntf_1', changes: [change], address };
const many = { ...message, changes: Array.from({ length: 30 }, (_, index) => ({ ...change, title: `T${index}` })) };

t.test('Slack gets blocks, in which nothing of a response is a link or a mention', async (t) => {
  const body = JSON.parse(formatBody('slack', message));
  t.match(body, {
    text: 'RT-1 fails in &lt;shop&gt; &amp; |more|',
    unfurl_links: false,
    blocks: [
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: '*<https://vp.example/runs/20261120T143012345|RT-1 fails in &lt;shop&gt; &amp; ¦more¦>*\n*bold* &lt;!channel&gt; [a](http://evil.example) second line',
        },
      },
      { type: 'context', elements: [{ type: 'plain_text', text: 'shop · version 2.4.1 · 2026-11-20T14:30:12.345Z' }] },
    ],
  });
  const digest = JSON.parse(formatBody('slack', many));
  t.equal(digest.text, '30 changes');
  t.equal(digest.blocks.length, 41, 'fewer than the 50 that Slack takes');
  t.match(digest.blocks.at(-1).text.text, /settings\/notifications\|and 10 more>$/);
});

t.test('Microsoft Teams gets an Adaptive Card of text runs, which are not interpreted', async (t) => {
  const body = JSON.parse(formatBody('teams', message));
  t.match(body, {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          ...{ type: 'AdaptiveCard', version: '1.4' },
          body: [
            { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: change.title, weight: 'Bolder' }] },
            { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: /^\*bold\* <!channel>/ }] },
            { type: 'RichTextBlock' },
          ],
          actions: [{ type: 'Action.OpenUrl', url: 'https://vp.example/runs/20261120T143012345' }],
        },
      },
    ],
  });
  const long = { ...many, changes: many.changes.map((it) => ({ ...it, text: 'x'.repeat(5_000) })) };
  t.ok(Buffer.byteLength(formatBody('teams', long)) < 28_000, 'within the limit of Teams');
});

t.test('what a target answers makes no message larger than Slack and Teams take', (t) => {
  const hostile = ['<&>'.repeat(2_000), '"\\'.repeat(3_000), '漢'.repeat(5_000), '😀'.repeat(3_000)];
  for (const text of hostile)
    for (const count of [1, 30]) {
      const changes = Array.from({ length: count }, () => ({ ...change, title: text, text }));
      const slack = formatBody('slack', { ...message, changes });
      const { blocks, text: summary } = JSON.parse(slack);
      for (const block of blocks)
        if (block.type === 'section') t.ok(block.text.text.length <= 3_000, 'a block of Slack');
      t.ok(summary.length <= 3_000);
      const teams = formatBody('teams', { ...message, changes });
      t.ok(Buffer.byteLength(teams) <= 28_000, 'a card of Teams');
      t.notMatch(slack + teams, /\\ud[89ab]/, 'no half of a character');
      const { body } = JSON.parse(teams).attachments[0].content;
      const listed = body.filter((block: { inlines: [{ weight?: string }] }) => block.inlines[0].weight).length;
      if (listed < count) t.equal(body.at(-1).inlines[0].text, `and ${count - listed} more`);
    }
  const cut = { ...change, text: `${'x'.repeat(998)}😀😀` };
  t.notMatch(formatBody('slack', { ...message, changes: [cut] }), /\\ud83d/, 'not at the cut either');
  t.end();
});

t.test('a webhook gets every change with its page, and the path is not in it', async (t) => {
  const body = JSON.parse(formatBody('webhook', message));
  t.match(body, {
    type: 'notification.newly_failing',
    timestamp: change.at,
    data: { event: 'newly_failing', scenario_id: 'RT-1', url: `${address}${change.path}`, path: undefined },
  });
  t.equal(JSON.parse(formatBody('webhook', many)).data.changes.length, 30);
});

t.test('the webhook of the documentation is the one that is sent', async (t) => {
  const page = readFileSync('docs/how-to/notifications.md', 'utf8');
  const [, json = ''] = /```json\n([\s\S]+?)```/.exec(page) ?? [];
  const documented = JSON.parse(json);
  const { url: _url, ...rest } = documented.data;
  const sent = JSON.parse(formatBody('webhook', { ...message, changes: [{ ...rest, path: change.path }] }));
  t.same(sent, documented);
});

t.test('a mail is plain text with a subject of one line', async (t) => {
  const { subject, text } = formatMail({ ...message, changes: [{ ...change, title: 'a\r\nBcc: eve@evil.example' }] });
  t.equal(subject, '[vp] a Bcc: eve@evil.example');
  t.match(
    text,
    /^a Bcc: .*\n.*second line\nshop · version 2.4.1 · .*\nhttps:\/\/vp.example\/runs\/20261120T143012345\n$/,
  );
  t.match(formatMail(many), {
    subject: '[vp] 30 changes',
    text: /and 10 more: https:\/\/vp.example\/settings\/notifications\n$/,
  });
});
