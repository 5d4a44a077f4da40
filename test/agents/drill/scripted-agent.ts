/** The scripted agent: what it calls, and what it reads out of the answers. It counts what a model would read. */
import type { Agent, ToolResponse } from '../agent-test-setup.ts';
import { apiDocument } from './api-document.ts';
import { draftAll, type Knowledge } from './method.ts';
import { isPaged, type Operation, readOperations } from './operations.ts';
import { type Draft, formatDraft } from './scenario-draft.ts';

export type DrillReport = {
  /** Kinds of faults with the scenarios that found them. */
  readonly findings: ReadonlyMap<string, readonly string[]>;
  readonly calls: number;
  readonly tokens: number;
  /** Tokens of each answer. */
  readonly answers: readonly string[];
  readonly suiteText: string;
};

const requestId = { 'X-Request-Id': '${correlation_id}' };

export async function playDrill(agent: Agent): Promise<DrillReport> {
  const answers: string[] = [];
  let bytes = 0;
  const call = async (name: string, input?: Record<string, unknown>): Promise<ToolResponse> => {
    const response = await agent.call(name, input);
    // A model may get the text, the data or both: both are counted.
    const size = Buffer.byteLength(response.text) + Buffer.byteLength(JSON.stringify(response.data));
    bytes += size;
    answers.push(`${name} ${Math.ceil(size / 4)}`);
    return response;
  };
  await call('author__get_guide', { topic: 'brief' });
  await call('author__get_executor_status');
  const drafts = draftAll(await explore(readOperations(apiDocument), call));
  const written = await call('author__write_scenario', { texts: drafts.map(formatDraft) });
  if (written.data.stored !== drafts.length) throw new Error(written.text);
  const suite = await call('author__request_suite', { ids: drafts.map(({ id }) => id), wait_s: 120 });
  if (suite.data.ended !== drafts.length) throw new Error(suite.text);
  const findings = readFindings(suite.text, drafts);
  return { findings, calls: answers.length, tokens: Math.ceil(bytes / 4), answers, suiteText: suite.text };
}

type Call = (name: string, input?: Record<string, unknown>) => Promise<ToolResponse>;

/** Two calls: new rows with one element and with six, and the lists with one row and with all; then the small one of the new rows. */
async function explore(operations: readonly Operation[], call: Call): Promise<Knowledge> {
  const lists = operations.filter(isPaged).map(({ path }) => path);
  const creations = operations.filter(({ method, example }) => method === 'POST' && findList(example) !== undefined);
  const first = await call('author__probe_target', {
    requests: [
      ...creations.flatMap(({ path, example }) => [1, 6].map((count) => post(path, repeatElements(example, count)))),
      ...lists.flatMap((path) => [1, 100].map((perPage) => get(`${path}?page=1&perPage=${perPage}`))),
    ],
    select: ['body.id', 'body.data.id', 'log.lines'],
  });
  const lines = first.text.split('\n');
  const read = (line: string | undefined, selector: string): string =>
    new RegExp(`(?:→ |; )${selector.replaceAll('.', '\\.')}: ([^;]*)`).exec(line ?? '')?.[1] ?? '';
  const created = creations.map(({ path }, index) => {
    return { path, ids: [lines[2 * index], lines[2 * index + 1]].map((line) => read(line, 'body.id')) };
  });
  const rows = lists.map((path, index) => {
    const at = 2 * (creations.length + index);
    return { path, one: lines[at], all: lines[at + 1] };
  });
  const second = await call('author__probe_target', {
    requests: created.map(({ path, ids: [small = ''] }) => get(`${path}/${small}`)),
    select: ['log.lines', 'status'],
  });
  const secondLines = second.text.split('\n');
  return {
    operations,
    ids: new Map(rows.map(({ path, all }) => [path, read(all, 'body.data.id').split(', ')])),
    linesOfOne: new Map(rows.map(({ path, one }) => [path, Number(read(one, 'log.lines'))])),
    grown: new Map(
      created.map(({ path, ids }, index) => [
        path,
        { id: ids[1] ?? '', lines: Number(read(secondLines[index], 'log.lines')) },
      ]),
    ),
  };
}

const get = (path: string) => ({ method: 'GET', path, headers: requestId });
const post = (path: string, body: object) => ({
  method: 'POST',
  path,
  headers: { ...requestId, 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

function findList(example: Operation['example']): readonly [name: string, elements: readonly unknown[]] | undefined {
  for (const [name, value] of Object.entries(example ?? {})) if (Array.isArray(value)) return [name, value];
  return undefined;
}

function repeatElements(example: Operation['example'], count: number): object {
  const [name, elements] = findList(example) ?? ['', []];
  return { ...example, [name]: Array.from({ length: count }, () => elements[0]) };
}

/** What the text of the suite says of scenarios that did not pass, by the meaning of their checks. */
function readFindings(text: string, drafts: readonly Draft[]): Map<string, string[]> {
  const findings = new Map<string, string[]>();
  let current: Draft | undefined;
  for (const line of text.split('\n')) {
    const id = /^(\S+): (?!passed)/.exec(line)?.[1];
    if (!line.startsWith(' ')) current = drafts.find((draft) => draft.id === id);
    const common = /^\d+ of them \(([^)]*)\): (.*)$/.exec(line);
    const ids = common?.[1]?.split(', ') ?? (line.startsWith('  ') && current ? [current.id] : []);
    for (const draft of drafts.filter((each) => ids.includes(each.id))) {
      const { meaning } = draft;
      const kind = typeof meaning === 'string' ? meaning : /`status=/.test(line) ? meaning.status : meaning.others;
      if (/follow from the status$/.test(line)) continue;
      findings.set(kind, [...new Set([...(findings.get(kind) ?? []), draft.id])]);
    }
  }
  return findings;
}
