import type {
  ChallengeResponse,
  CompleteRequest,
  ControlPort,
  HeartbeatResponse,
  HelloResponse,
  LeaseOffer,
} from '../contract/executor-api.ts';
import { formatReportJson } from '../report/report-text.ts';
import type { Client } from './client.ts';
import { createObjectGuard } from './transport/json-response.ts';

const isChallengeResponse = createObjectGuard<ChallengeResponse>('challenge');
const isHelloResponse = createObjectGuard<HelloResponse>('instance', 'epoch', 'lease_ms', 'heartbeat_ms');
const isLeaseOffer = createObjectGuard<LeaseOffer>('lease');
const isHeartbeatResponse = createObjectGuard<HeartbeatResponse>('lease_ms', 'cancel_requested');

/** Added to the wait itself. */
const responseTimeoutMs = 15_000;
/** A report of 12 MB over a slow line. */
const uploadTimeoutMs = 120_000;

function formatCompletion({ report, ...rest }: CompleteRequest): string {
  return `${JSON.stringify(rest).slice(0, -1)},"report":${formatReportJson(report)}}`;
}

/** The executor API over HTTP; the client has the executor's key. Calls that each run makes have no time limit but their `signal`, if given. */
export function createHttpControlPort({ transport }: Pick<Client, 'transport'>): ControlPort {
  const buildRequest = (
    operation: string,
    body: object | string,
    signal: AbortSignal | undefined,
    timeoutMs = responseTimeoutMs,
  ) => ({ method: 'POST', path: `/api/v1/executor/${operation}`, body, signal, timeoutMs }) as const;
  const isLimitedByCaller = true;
  return {
    challenge: (message, signal) => transport.json(buildRequest('challenge', message, signal), isChallengeResponse),
    hello: (message, signal) =>
      transport.json(buildRequest('hello', message, signal, uploadTimeoutMs), isHelloResponse),
    poll: (message, signal) =>
      transport.json(
        { ...buildRequest('poll', message, signal, message.wait_ms + responseTimeoutMs), isLimitedByCaller },
        isLeaseOffer,
      ),
    heartbeat: (message, signal) =>
      transport.json({ ...buildRequest('heartbeat', message, signal), isLimitedByCaller }, isHeartbeatResponse),
    complete: (message, signal) =>
      transport.json(
        { ...buildRequest('complete', formatCompletion(message), signal, uploadTimeoutMs), isLimitedByCaller },
        isLeaseOffer,
      ),
    giveBack: (message, signal) => transport.noContent(buildRequest('give-back', message, signal)),
    directRun: (message, signal) => transport.noContent(buildRequest('direct-run', message, signal, uploadTimeoutMs)),
  };
}
