import { command } from '../../command-line/command.ts';
import type { StatusPage } from '../../contract/status-pages-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openStatusPages, statusPageFlags } from './status-page-flags.ts';

function describeSelection({ tags, suite, branch }: StatusPage): string {
  const parts = [
    ...(suite === null ? [] : [`suite ${suite}`]),
    ...(branch === null ? [] : [`branch ${branch}`]),
    ...(tags.length === 0 ? [] : [`tag ${tags.join(', ')}`]),
  ];
  return parts.join(', ') || 'everything';
}

function buildColumns(nowMs: number): TableColumn<StatusPage>[] {
  return [
    { title: 'PAGE', text: ({ status_page_id: id }) => id },
    { title: 'TITLE', text: ({ title }) => title, minWidth: 8 },
    { title: 'SHOWS', text: describeSelection, optional: true },
    { title: 'UNTIL', text: ({ until, ended }) => (ended ? 'ended' : until.slice(0, 10)) },
    { title: 'BY', text: ({ created_by: by }) => by },
    { title: 'CREATED', text: ({ created_at: at }) => formatRelativeTime(at, nowMs), optional: true },
    { title: 'LAST VIEWED', text: ({ last_viewed_at: at }) => (at === null ? 'never' : formatRelativeTime(at, nowMs)) },
  ];
}

/** `vp status-pages list`. */
export const statusPagesListCommand = command({
  name: 'status-pages list',
  summary: 'list the pages that people without an account can read',
  positionals: [],
  flags: statusPageFlags,
  examples: [['vp status-pages list', 'who made them, until when, and when they were last viewed']],
  notes:
    'Links are not listed: they were shown when they were created. Ended pages are listed for 30 days. With --json: {"status_pages": […]}.',
  async run({ flags, json, environment }) {
    const { streams, variables, clock } = environment;
    const { statusPages, instance } = await openStatusPages(flags, environment);
    const pages = await statusPages.list(instance);
    const paint = paintFor(streams.stdout, variables);
    const table = formatTable(pages, buildColumns(clock.nowMs()), streams.stdout, paint);
    const none = `${instance} has no status page; create one with \`vp status-pages create --title "…" --until 90d\`\n`;
    streams.stdout.write(json ? `${JSON.stringify({ status_pages: pages }, null, 2)}\n` : table || none);
    return exitCode.done;
  },
});
