/** How a run of a stream ends: the code of its failure, or what the check says that waits for its messages. It never passes. */
import { type HostileTarget, outcomes } from './behaviour.ts';

export const streamOutcomes = {
  ...outcomes,
  notASocket: 'EXECUTOR_SOCKET_INVALID',
  notHttp2: 'EXECUTOR_GRPC_NOT_HTTP2',
  brokenCall: 'EXECUTOR_GRPC_BROKEN',
  invalidSchema: 'EXECUTOR_GRPC_SCHEMA_INVALID',
  unknownMethod: 'EXECUTOR_GRPC_METHOD_UNKNOWN',
  missingSchema: 'EXECUTOR_GRPC_SCHEMA_MISSING',
  /** Before or after the connection. */
  timeout: 'EXECUTOR_TIMEOUT',
  /** Its messages were awaited for as long as the scenario says. */
  inTime: 'in the time',
  ended: 'the stream ended after',
  cut: 'the stream ended within a message',
  unreadable: 'cannot be read',
  tooMany: 'its values would take more than',
  limit: 'which is the limit',
  noStream: 'no stream: status',
} as const;

const ofTime: ReadonlySet<number | string> = new Set([
  streamOutcomes.headersTimeout,
  streamOutcomes.bodyTimeout,
  streamOutcomes.inTime,
  streamOutcomes.timeout,
]);

/** Those that only time ends, as the tables of streams name them. */
export function withTimes(targets: readonly HostileTarget[]): readonly HostileTarget[] {
  return targets.map((target) => ({ ...target, isSilent: ofTime.has(target.outcome) }));
}
