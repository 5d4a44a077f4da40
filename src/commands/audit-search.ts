import type { AuditCall, AuditFound } from '../contract/hub-audit-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { auditOutcomes } from '../hub/words.ts';
import { paintFor } from '../terminal/paint.ts';
import { progressOn } from '../terminal/progress.ts';
import { type Column, table } from '../terminal/table.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { sinceMoment } from './runs/since.ts';

const columns: Column<AuditCall>[] = [
  { title: 'TIME', of: ({ at }) => at.replace('T', ' ').replace(/\.\d+Z$/, '') },
  { title: 'PERSON', of: ({ person }) => person },
  { title: 'VIA', of: ({ via, via_name }) => via_name ?? via, spare: true },
  { title: 'CALLED', of: calledText, least: 12 },
  { title: 'OUTCOME', of: ({ outcome }) => outcome },
  { title: 'TOOK', of: ({ duration_ms }) => `${Math.round(duration_ms)} ms`, alignRight: true, spare: true },
  { title: 'REASON', of: ({ reason }) => reason ?? '', least: 10, spare: true },
];

function calledText({ connection, tool, method }: AuditCall): string {
  return connection !== null && tool !== null ? `${connection}__${tool}` : method;
}

const mostListed = 10_000;
/** A question looks at some thousand calls, so this ends in seconds even where nothing is found. */
const mostQuestions = 100;

type Searching = (more: { readonly limit: number; readonly cursor: string | undefined }) => Promise<AuditFound>;
type Found = { readonly calls: readonly AuditCall[]; readonly lookedUntil: string | null };

/** Asks until there are enough; `onLooked` is told how far back it has come. */
async function found(search: Searching, limit: number, onLooked: (until: string) => void): Promise<Found> {
  const calls: AuditCall[] = [];
  let cursor: string | undefined;
  for (let asked = 1; ; asked += 1) {
    const page = await search({ limit: Math.min(200, limit - calls.length), cursor });
    calls.push(...page.items);
    cursor = page.next_cursor ?? undefined;
    const lookedUntil = page.looked_until;
    if (cursor === undefined || lookedUntil === null) return { calls, lookedUntil: null };
    if (calls.length >= limit || asked >= mostQuestions) return { calls, lookedUntil };
    onLooked(lookedUntil);
  }
}

/** `vp audit search`. */
export const auditSearchCommand = command({
  name: 'audit search',
  summary: 'find calls in the audit of a hub, newest first',
  positionals: [{ name: 'hub', describe: 'slug of the hub', required: true }],
  flags: {
    person: { type: 'string', placeholder: '<id>', describe: 'only calls of this person' },
    token: { type: 'string', placeholder: '<id>', describe: 'only calls by this token or granted client' },
    connection: { type: 'string', placeholder: '<name>', describe: 'only calls of this connection' },
    tool: { type: 'string', placeholder: '<name>', describe: 'only calls of this tool, as its server calls it' },
    outcome: { type: 'string', placeholder: '<outcome>', choices: auditOutcomes, describe: 'only calls that ended so' },
    'request-id': { type: 'string', placeholder: '<id>', describe: 'only calls of this request' },
    since: { type: 'string', placeholder: '<time>', describe: 'only calls since: 30s, 15m, 1h, 7d, or a moment' },
    until: { type: 'string', placeholder: '<time>', describe: 'only calls until then' },
    limit: { type: 'number', placeholder: '<n>', default: 50, whole: [1, mostListed], describe: 'how many at most' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp audit search acme --since 1h', 'what was called lately'],
    ['vp audit search acme --outcome denied --json', 'what was refused, with everything that is known of it'],
  ],
  notes:
    'An owner of the hub sees all calls, others see their own. Times are in UTC. A long search stops after some ' +
    'hundred thousand calls and says how to go on. With --json: {"calls": […], "looked_until": null}.',
  async run({ flags, words: [hub = ''], json, environment }) {
    const { streams, variables, clock } = environment;
    const { hubAudit } = await connect(flags, environment);
    const { person, token, connection, tool, since, until, limit } = flags;
    const moment = (text: string | undefined) => (text === undefined ? undefined : sinceMoment(text, clock.nowMs()));
    const range = { from: moment(since), to: moment(until) };
    const outcome = auditOutcomes.find((one) => one === flags.outcome);
    const wanted = { person, token, connection, tool, outcome, request_id: flags['request-id'], ...range };
    const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    const progress = progressOn(streams.stderr, clock);
    const lookedAt = (until: string): void => progress.tell(`searching, ${until.replace('T', ' ').slice(0, 19)}`);
    const search: Searching = (more) => hubAudit.search(hub, { ...given, ...more });
    const { calls, lookedUntil } = await found(search, limit, lookedAt).finally(() => progress.end());
    const text = table(calls, columns, streams.stdout, paintFor(streams.stdout, variables)) || 'no such calls\n';
    const document = { calls, looked_until: lookedUntil };
    streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    if (lookedUntil !== null && !json)
      streams.stderr.write(`older calls were not looked at; go on with --until ${lookedUntil}\n`);
    return exitCode.done;
  },
});
