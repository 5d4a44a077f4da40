import { command } from '../../command-line/command.ts';
import { type HubUsage, type HubUsageItem, usageGroupings } from '../../contract/hubs/usage-api.ts';
import { formatUsageCsv } from '../../contract/hubs/usage-csv.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { parseSince } from '../runs/parse-since.ts';

const formatMs = (value: number | null): string => (value === null ? '' : `${Math.round(value)} ms`);
const formatKb = (bytes: number): string => `${Math.ceil(bytes / 1024)} KB`;

const columns: TableColumn<HubUsageItem>[] = [
  { title: 'NAME', text: ({ name }) => name, minWidth: 12 },
  { title: 'CALLS', text: ({ calls }) => String(calls), alignRight: true },
  { title: 'ERRORS', text: ({ errors }) => String(errors), alignRight: true },
  { title: 'DENIED', text: ({ denied }) => String(denied), alignRight: true },
  { title: 'P50', text: ({ p50_ms: p50 }) => formatMs(p50), alignRight: true, optional: true },
  { title: 'P95', text: ({ p95_ms: p95 }) => formatMs(p95), alignRight: true, optional: true },
  { title: 'ANSWERS', text: ({ answer_bytes: bytes }) => formatKb(bytes), alignRight: true, optional: true },
  { title: '≈ TOKENS', text: ({ estimated_tokens: tokens }) => String(tokens), alignRight: true, optional: true },
];

/** `vp usage`. */
export const usageCommand = command({
  name: 'usage',
  summary: 'count the calls of a hub by person, client, tool or day',
  positionals: [hubArgument],
  flags: {
    by: {
      type: 'string',
      placeholder: '<what>',
      choices: usageGroupings,
      default: 'tool',
      describe: 'what to count by; `token` has OAuth clients too, days are in UTC',
    },
    since: { type: 'string', placeholder: '<time>', describe: 'since when: 1h, 7d, or a timestamp; by default 7d' },
    until: { type: 'string', placeholder: '<time>', describe: 'until when' },
    csv: { type: 'boolean', describe: 'write CSV, for a spreadsheet' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp usage acme --by person', 'who called how often in the last seven days'],
    ['vp usage acme --by day --since 30d --csv > usage.csv', 'a month, day by day'],
  ],
  notes:
    'Owners of the hub see all calls, others their own. Counted from the audit; at most the newest 100,000 calls. Tokens are an ' +
    'estimate: one for four bytes of requests and answers. With --json: {"usage": …}.',
  async run({ flags, args: [hub = ''], json, environment }) {
    const { streams, variables, clock } = environment;
    if (flags.csv && json) throw vpError('FLAG_CONTRADICTED', { flag: '--csv', other: '--json' });
    const { hubUsage } = await openClient(flags, environment);
    const parseTime = (flag: '--since' | '--until', text: string | undefined) =>
      text === undefined ? undefined : parseSince(text, clock.nowMs(), { command: 'vp usage', flag });
    const by = usageGroupings.find((name) => name === flags.by) ?? 'tool';
    const usage = await hubUsage.get(hub, {
      by,
      from: parseTime('--since', flags.since),
      to: parseTime('--until', flags.until),
    });
    if (json) streams.stdout.write(`${JSON.stringify({ usage }, null, 2)}\n`);
    else if (flags.csv) streams.stdout.write(formatUsageCsv(usage));
    else {
      const table = formatTable(usage.items, columns, streams.stdout, paintFor(streams.stdout, variables));
      streams.stdout.write(`${table}${formatTotal(usage)}\n`);
    }
    if (usage.is_partial) streams.stderr.write(`there are more calls; those since ${usage.from} are counted\n`);
    return exitCode.done;
  },
});

function formatTotal({ total, from, to }: HubUsage): string {
  const { calls, errors, denied, estimated_tokens: tokens } = total;
  return `${calls} ${calls === 1 ? 'call' : 'calls'} from ${formatMinute(from)} to ${formatMinute(to)} UTC: ${errors} ${errors === 1 ? 'error' : 'errors'}, ${denied} denied, about ${tokens} tokens (4 bytes each)`;
}

function formatMinute(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ');
}
