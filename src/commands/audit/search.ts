import { describeCall } from '../../client/hubs/describe-call.ts';
import { eachPage, maxPageSize } from '../../client/transport/pages.ts';
import { command } from '../../command-line/command.ts';
import type { AuditCall, AuditSearchResponse } from '../../contract/hubs/audit-api.ts';
import { formatCallOrigin } from '../../contract/hubs/call-origin.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { auditOutcomes } from '../../hub/audit/audit-entry.ts';
import { paintFor } from '../../terminal/paint.ts';
import { createProgress } from '../../terminal/progress.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { parseSince } from '../runs/parse-since.ts';
import { describeNoCalls, resolvePersonId, splitToolName } from './search-names.ts';

const columns: TableColumn<AuditCall>[] = [
  { title: 'TIME (UTC)', text: ({ at: startedAt }) => startedAt.replace('T', ' ').replace(/\.\d+Z$/, '') },
  { title: 'PERSON', text: ({ person }) => person },
  { title: 'VIA', text: formatCallOrigin, optional: true },
  { title: 'CALLED', text: describeCall, minWidth: 12 },
  { title: 'OUTCOME', text: ({ outcome }) => outcome },
  { title: 'TOOK', text: ({ duration_ms }) => `${Math.round(duration_ms)} ms`, alignRight: true, optional: true },
  { title: 'REASON', text: ({ reason }) => reason ?? '', minWidth: 10, optional: true },
];

const maxCalls = 10_000;
/** Each request scans a few thousand calls, so the search ends within seconds even without a match. */
const maxRequests = 100;

type FetchPage = (more: {
  readonly limit: number;
  readonly cursor: string | undefined;
}) => Promise<AuditSearchResponse>;
type SearchResult = { readonly calls: readonly AuditCall[]; readonly searchedUntil: string | null };

/** Fetches pages until there are `limit` calls; `onProgress` gets the time up to which calls were searched. */
async function searchCalls(
  search: FetchPage,
  limit: number,
  onProgress: (until: string) => void,
): Promise<SearchResult> {
  const calls: AuditCall[] = [];
  const readPage = (cursor: string | undefined) =>
    search({ limit: Math.min(maxPageSize, limit - calls.length), cursor });
  let requestCount = 0;
  for await (const { items, next_cursor: next, looked_until: searchedUntil } of eachPage(readPage)) {
    calls.push(...items);
    requestCount += 1;
    if (next === null || searchedUntil === null) break;
    if (calls.length >= limit || requestCount >= maxRequests) return { calls, searchedUntil };
    onProgress(searchedUntil);
  }
  return { calls, searchedUntil: null };
}

/** `vp audit search`. */
export const auditSearchCommand = command({
  name: 'audit search',
  summary: 'search the audit log of a hub, newest first',
  positionals: [hubArgument],
  flags: {
    person: {
      type: 'string',
      placeholder: '<person>',
      describe: 'only calls by this member: email address, name or id',
    },
    token: { type: 'string', placeholder: '<id>', describe: 'only calls with this token, or by this OAuth client' },
    connection: { type: 'string', placeholder: '<name>', describe: 'only calls to this connection' },
    tool: {
      type: 'string',
      placeholder: '<name>',
      describe: 'only calls of this tool: its name, or <connection>__<tool>',
    },
    outcome: {
      type: 'string',
      placeholder: '<outcome>',
      choices: auditOutcomes,
      describe: 'only calls with this outcome',
    },
    'request-id': { type: 'string', placeholder: '<id>', describe: 'only calls with this request id' },
    since: {
      type: 'string',
      placeholder: '<time>',
      describe: 'only calls since then: 30s, 15m, 1h, 7d, or a timestamp',
    },
    until: { type: 'string', placeholder: '<time>', describe: 'only calls until then' },
    limit: {
      type: 'number',
      placeholder: '<n>',
      default: 50,
      integerRange: [1, maxCalls],
      describe: 'maximum number of results',
    },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp audit search acme --since 1h', 'the calls of the last hour'],
    ['vp audit search acme --person max@example.com --tool docs__search', 'who called what'],
    ['vp audit search acme --outcome denied --json', 'denied calls, with all their fields'],
  ],
  notes:
    'Owners of the hub see all calls, other members their own. Times are in UTC. A long search stops after a few ' +
    'hundred thousand calls and prints how to continue. With --json: {"calls": […], "looked_until": null}.',
  async run({ flags, args: [hub = ''], json, environment }) {
    const { streams, variables, clock } = environment;
    const client = await openClient(flags, environment);
    const { token, connection, tool, since, until, limit } = flags;
    const person = flags.person === undefined ? undefined : await resolvePersonId(client, hub, flags.person);
    const parseTime = (flag: '--since' | '--until', text: string | undefined) =>
      text === undefined ? undefined : parseSince(text, clock.nowMs(), { command: 'vp audit search', flag });
    const range = { from: parseTime('--since', since), to: parseTime('--until', until) };
    const outcome = auditOutcomes.find((candidate) => candidate === flags.outcome);
    const filter = { person, token, connection, tool, outcome, request_id: flags['request-id'], ...range };
    const progress = createProgress(streams.stderr, clock);
    const reportProgress = (until: string): void =>
      progress.update(`searching, ${until.replace('T', ' ').slice(0, 19)}`);
    const search = (names: Partial<typeof filter> = {}): Promise<SearchResult> => {
      const query = Object.fromEntries(
        Object.entries({ ...filter, ...names }).filter(([, value]) => value !== undefined),
      );
      const fetchPage: FetchPage = (more) => client.hubAudit.search(hub, { ...query, ...more });
      return searchCalls(fetchPage, limit, reportProgress).finally(() => progress.stop());
    };
    let result = await search();
    const nameParts = result.calls.length === 0 ? await splitToolName(client, hub, flags) : undefined;
    if (nameParts) result = await search(nameParts);
    const { calls, searchedUntil } = result;
    const text =
      formatTable(calls, columns, streams.stdout, paintFor(streams.stdout, variables)) || describeNoCalls(flags);
    const document = { calls, looked_until: searchedUntil };
    streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    if (searchedUntil !== null && !json)
      streams.stderr.write(`older calls were not searched; continue with --until ${searchedUntil}\n`);
    return exitCode.done;
  },
});
