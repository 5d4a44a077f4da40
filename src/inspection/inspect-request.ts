/** Sends one request more than once, and looks at the log: the checks and header lines of its scenario. */
import type { Environment } from '../environment/environment.ts';
import { vpError } from '../errors/vp-error.ts';
import { proposeChecks } from '../judge/prove/propose-checks.ts';
import type { HeaderList } from '../run/evidence.ts';
import { appendQuery, type LogTrace, traceLog } from './log-trace.ts';
import type { ProbeRequest, ProbeResponse, TargetProbe } from './target-probe.ts';

export type InspectionOptions = {
  readonly probe: TargetProbe;
  readonly request: ProbeRequest;
  /** As in `--log`; undefined without a log. */
  readonly log: string | undefined;
  /** True where a line's level is known to say whether it is an error. */
  readonly countsErrors: (trace: LogTrace) => boolean;
  readonly secrets: readonly string[];
  readonly environment: Pick<Environment, 'streams' | 'clock' | 'cwd' | 'random'>;
};

/** `path` and `headers` are for the scenario, with placeholders. */
export type RequestInspection = {
  readonly response: ProbeResponse;
  readonly checks: readonly string[];
  readonly notes: readonly string[];
  readonly path: string;
  readonly headers: HeaderList;
  readonly trace: LogTrace | undefined;
};

/** Times that are shown in seconds differ after this. */
const pauseMs = 1100;

/** Rejects with NEW_REQUEST_UNANSWERED, NEW_UNSTABLE, LOG_SOURCE_INVALID. */
export async function inspectRequest(options: InspectionOptions): Promise<RequestInspection> {
  const { probe, request, log, secrets, environment } = options;
  const { clock } = environment;
  const startMs = clock.monotonicMs();
  const first = await sendOrThrow(probe, request);
  const trace = log === undefined ? undefined : await traceLog({ source: log, probe, request, environment });
  const remainingMs = pauseMs - (clock.monotonicMs() - startMs);
  if (remainingMs > 0) await clock.sleep(remainingMs);
  const second = await sendOrThrow(probe, request);
  const { checks, notes } = proposeChecks([first, second], secrets);
  if (checks.length === 0) {
    const statuses = `${first.status}, then ${second.status}`;
    throw vpError('NEW_UNSTABLE', { request: `${request.method} ${request.path}`, statuses });
  }
  const channel = trace?.channel;
  const logChecks = trace && channel ? ['log lines>=1', ...(options.countsErrors(trace) ? ['log errors=0'] : [])] : [];
  return {
    response: second,
    checks: [...checks, ...logChecks],
    notes,
    path: channel?.query === undefined ? request.path : appendQuery(request.path, channel.query),
    headers: channel?.headers ?? [],
    trace,
  };
}

async function sendOrThrow(probe: TargetProbe, request: ProbeRequest): Promise<ProbeResponse> {
  const result = await probe.send(request);
  if ('response' in result) return result.response;
  const { message: problem, cure: instead } = result.failure;
  throw vpError('NEW_REQUEST_UNANSWERED', { request: `${request.method} ${request.path}`, problem, instead });
}
