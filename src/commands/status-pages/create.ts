import { command, type Invocation } from '../../command-line/command.ts';
import { formatBadgeMarkdown } from '../../contract/badge-markdown.ts';
import { maxStaleAfterS, minStaleAfterS } from '../../contract/status-page-limits.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { parseEnd } from '../parse-end.ts';
import { parseDurationMs } from '../runs/parse-since.ts';
import { openStatusPages, statusPageFlags, untilFlag } from './status-page-flags.ts';

const flags = {
  title: { type: 'string', placeholder: '<text>', describe: 'what people read on the page and the badge' },
  until: untilFlag,
  tag: {
    type: 'strings',
    placeholder: '<tag>',
    kind: 'tag',
    describe: 'only scenarios with one of these tags; may be repeated',
  },
  'suite-name': {
    type: 'string',
    placeholder: '<name>',
    describe: 'only runs of suites with this name: that of a schedule, or the tags of `vp run`',
  },
  branch: { type: 'string', placeholder: '<name>', describe: 'only runs of suites of this branch' },
  'stale-after': {
    type: 'string',
    placeholder: '<duration>',
    describe: 'without a run for so long, such as 36h, it says stale; by default twice the usual interval',
  },
  ...statusPageFlags,
} as const;

const commandName = 'vp status-pages create';

/** `vp status-pages create`. */
export const statusPagesCreateCommand = command({
  name: 'status-pages create',
  summary: 'make a page and a badge for people without an account',
  positionals: [],
  flags,
  examples: [
    ['vp status-pages create --title "Shop" --until 90d', 'everything in the catalogue'],
    ['vp status-pages create --title "Shop" --until 2027-01-31 --branch main', 'what the pipeline of main runs'],
    ['vp status-pages create --title "Smoke" --until 30d --tag smoke --stale-after 1h', 'stale after an hour'],
  ],
  notes: `The link is printed only once, and whoever has it can read the page. Public are the title, the titles of the scenarios, their states, pass rates and
last runs, and the times and kinds of the last failures; ids, checks, messages, responses, addresses and names of people are not. What is in
quarantine is shown apart. With --json: {"status_page": {…}, "url", "badge_url"}.`,
  run: (invocation) => create(invocation),
});

function requireFlag(name: string, value: string | undefined): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw vpError('FLAG_INVALID', { command: commandName, flag: `--${name}`, problem: 'is required' });
}

function parseStaleAfter(text: string): number {
  const seconds = parseDurationMs(text, commandName, '--stale-after') / 1000;
  if (seconds >= minStaleAfterS && seconds <= maxStaleAfterS) return Math.floor(seconds);
  throw vpError('FLAG_INVALID', { command: commandName, flag: '--stale-after', problem: 'must be from 1m to 90d' });
}

async function create({ flags: given, json, environment }: Invocation<typeof flags>): Promise<ExitCode> {
  const { stdout } = environment.streams;
  const { tag, 'suite-name': suite, branch, 'stale-after': staleAfter } = given;
  const title = requireFlag('title', given.title);
  const until = parseEnd(requireFlag('until', given.until), environment.clock.nowMs(), commandName);
  const selection = {
    ...(tag.length === 0 ? {} : { tags: [...tag] }),
    ...(suite === undefined ? {} : { suite }),
    ...(branch === undefined ? {} : { branch }),
  };
  const limit = staleAfter === undefined ? {} : { stale_after_s: parseStaleAfter(staleAfter) };
  const { statusPages, instance } = await openStatusPages(given, environment);
  const created = await statusPages.create(instance, { title, until, ...selection, ...limit });
  const { status_page: page, url, badge_url: badgeUrl } = created;
  const lines = [
    `status page ${page.status_page_id} of ${instance} until ${page.until} (the link is not shown again)`,
    `  page      ${url}`,
    `  badge     ${badgeUrl}`,
    `  Markdown  ${escapeUnsafeLine(formatBadgeMarkdown(created))}`,
    `\`vp status-pages revoke ${page.status_page_id} --instance ${instance}\` ends it`,
  ];
  stdout.write(json ? `${JSON.stringify(created, null, 2)}\n` : `${lines.join('\n')}\n`);
  return exitCode.done;
}
