/** Finds out how the id of a run gets into the target's log: sends a request with ids of its own, and looks for them. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Environment } from '../environment/environment.ts';
import type { LogSource, LogWatch } from '../logs/log-source.ts';
import { openLogSource } from '../logs/sources/open-log-source.ts';
import type { HeaderList } from '../run/evidence.ts';
import { findFieldContaining, guessLogFormat, hasLevelField, type LogGuess } from './log-format.ts';
import { describeShape } from './survey.ts';
import type { ProbeRequest, ProbeResponse, TargetProbe } from './target-probe.ts';

/** What a scenario has to send so that the log has the id: nothing more, a header line, or a parameter in the path. */
export type LogChannel = {
  readonly name: string;
  readonly headers: HeaderList;
  readonly query: string | undefined;
};

export type LogTrace = {
  readonly guess: LogGuess;
  /** Undefined where no line had one of the ids. */
  readonly channel: LogChannel | undefined;
  /** The JSON field that holds the id. */
  readonly field: string | undefined;
  /** Every line with the id has a level, so that errors can be counted. */
  readonly hasLevels: boolean;
  /** A line with an id, or the last line seen, as evidence of the guess. */
  readonly example: string | undefined;
  /** Why the log could not be read. */
  readonly problem: string | undefined;
};

const readyTimeoutMs = 2000;
const lineTimeoutMs = 2500;
/** Lines of one request come together. */
const settleMs = 150;
const tailBytes = 65_536;
const exampleLines = 200;

/** Headers that applications and servers log, in the order of preference. */
const headerChannels = [
  { mark: 'r', name: 'X-Request-Id', headers: [] },
  { mark: 'c', name: 'X-Correlation-Id', headers: [] },
  { mark: 'u', name: 'User-Agent', headers: [['User-Agent', 'vp (${correlation_id})']] },
] as const;
const queryName = 'vp_run';

export type LogTraceOptions = {
  readonly source: string;
  readonly probe: TargetProbe;
  readonly request: ProbeRequest;
  readonly environment: Pick<Environment, 'streams' | 'clock' | 'cwd' | 'random'>;
};

/** Rejects with LOG_SOURCE_INVALID. */
export async function traceLog({ source, probe, request, environment }: LogTraceOptions): Promise<LogTrace> {
  const log = await openLogSource(source, environment);
  const { clock, random, cwd } = environment;
  try {
    await log.ready(readyTimeoutMs);
    const token = `vp-new-${random.token(9).replaceAll(/[-_]/g, 'x')}`;
    const byHeader = await traceHeaders(log, probe, request, token, clock);
    const byQuery = byHeader.mark ? undefined : await traceQuery(log, probe, request, token, clock);
    const traced = byQuery ?? byHeader;
    const tail = source.startsWith('unix:') ? [] : readTail(resolve(cwd, source));
    const guess = guessLogFormat([...tail, ...traced.lines]);
    const ownLines = traced.lines.filter((text) => text.includes(`${token}-${traced.mark}`));
    const line = ownLines.find((text) => findFieldContaining(text, token) !== undefined) ?? ownLines[0];
    const { level } = guess;
    return {
      guess,
      channel: line === undefined ? undefined : toChannel(traced.mark),
      field: line === undefined ? undefined : findFieldContaining(line, `${token}-${traced.mark}`),
      hasLevels: level !== undefined && ownLines.every((text) => hasLevelField(text, level.field)),
      example: stripVTControlCharacters(line ?? tail.at(-1) ?? '') || undefined,
      problem: log.getProblem()?.problem,
    };
  } finally {
    await log.close();
  }
}

type Clock = Environment['clock'];
/** `mark` is empty where no id was in a line. */
type Traced = { readonly mark: string; readonly lines: readonly string[] };

async function traceHeaders(
  log: LogSource,
  probe: TargetProbe,
  request: ProbeRequest,
  token: string,
  clock: Clock,
): Promise<Traced> {
  const watch = log.watch(token);
  const headers = headerChannels.map(({ mark, name }) => [name, `${token}-${mark}`] as const);
  await probe.send({ ...request, headers: [...(request.headers ?? []), ...headers] });
  const lines = await readLines(watch, clock);
  const channel = headerChannels.find(({ mark }) => lines.some((line) => line.includes(`${token}-${mark}`)));
  return { mark: channel?.mark ?? '', lines };
}

/** A parameter that the target ignores: only where the response is the same with it. */
async function traceQuery(
  log: LogSource,
  probe: TargetProbe,
  request: ProbeRequest,
  token: string,
  clock: Clock,
): Promise<Traced | undefined> {
  const watch = log.watch(`${token}-q`);
  const plain = await probe.send(request);
  const marked = await probe.send({ ...request, path: appendQuery(request.path, `${token}-q`) });
  const lines = await readLines(watch, clock);
  const isSame =
    'response' in plain && 'response' in marked && summarize(plain.response) === summarize(marked.response);
  return isSame && lines.length > 0 ? { mark: 'q', lines } : undefined;
}

async function readLines(watch: LogWatch, clock: Clock): Promise<readonly string[]> {
  const deadline = clock.monotonicMs() + lineTimeoutMs;
  while (watch.lines.length === 0 && clock.monotonicMs() < deadline)
    await watch.changed(deadline - clock.monotonicMs());
  if (watch.lines.length > 0) await clock.sleep(settleMs);
  watch.stop();
  return [...watch.lines];
}

function summarize({ status, body }: ProbeResponse): string {
  if (body.kind !== 'json') return `${status} ${body.kind}`;
  const { value } = body;
  const keys = typeof value === 'object' && value !== null ? Object.keys(value).slice(0, 50).join(',') : '';
  return `${status} ${describeShape(value)} ${keys}`;
}

export function appendQuery(path: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${queryName}=${value}`;
}

function toChannel(mark: string): LogChannel {
  const channel = headerChannels.find((each) => each.mark === mark);
  if (channel) return { name: channel.name, headers: channel.headers, query: undefined };
  return { name: `the parameter ${queryName}`, headers: [], query: '${correlation_id}' };
}

/** The last lines of a file; none where it cannot be read, which the log source reports. */
function readTail(file: string): string[] {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, tailBytes));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString('utf8').split(/\r?\n/);
    return lines
      .slice(size > tailBytes ? 1 : 0)
      .filter((line) => line.trim() !== '')
      .slice(-exampleLines);
  } catch {
    return [];
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
