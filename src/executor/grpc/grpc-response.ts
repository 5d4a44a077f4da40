/** The end of a call as a response with JSON: the status of HTTP for its code, and its trailers among the headers. */
import type { Root } from 'protobufjs';
import type { WireRequest } from '../../outbound/wire.ts';
import { type ExecutionFailure, findHeaderValue, type HeaderList } from '../../run/evidence.ts';
import type { MessageCollector } from '../streams/message-collector.ts';
import { toBody } from '../streams/receive-messages.ts';
import type { TriggerResult } from '../trigger/send-request.ts';
import { decodeErrorDetails } from './error-details.ts';
import { createBrokenFailure, type FrameExchange, isGrpcHead } from './frame-exchange.ts';
import { decodeStatusMessage, getStatusName, grpcCodes, parseStatusCode, toHttpStatus } from './grpc-status.ts';

/** They describe the messages as bytes; the response has their JSON, and the details in its body. */
const binaryHeaders = /^(?:content-(?:type|length|encoding)|grpc-(?:encoding|accept-encoding|status-details-bin))$/i;
/** How the call ended: in the trailers, or in the head where nothing follows it. */
const endingHeaders = /^grpc-(?:status|message|status-details-bin)$/i;

export type GrpcAnswer = {
  readonly wire: WireRequest;
  readonly root: Root;
  /** The JSON of the messages where they are not collected. */
  readonly texts: readonly string[];
  readonly collector: MessageCollector | undefined;
  /** The failure of a stream that nothing receives; undefined where the method answers with one message. */
  readonly unreceived: ExecutionFailure | undefined;
};

export function toGrpcResponse(exchange: FrameExchange, answer: GrpcAnswer): TriggerResult {
  const { head, body, timings, failure, hasEnded } = exchange;
  const { collector, texts } = answer;
  const common = { surplusBytes: 0, timings, failure };
  if (!head || failure || !isGrpcHead(head)) return { ...common, head, bytes: body };
  const all = listHeaders(head.headers, exchange.trailers);
  const headers = toCheckedHeaders(all);
  if (!hasEnded) {
    collector?.end('time');
    const open = { status: toHttpStatus(grpcCodes.ok), headers };
    return { ...common, head: open, ...(collector ? toBody(collector) : { bytes: toBytes() }) };
  }
  const code = parseStatusCode(findHeaderValue(headers, 'grpc-status'));
  const problem = findProblem(code, answer);
  if (code === undefined || problem) return { ...common, head, bytes: body, failure: problem };
  const checkedHead = { status: toHttpStatus(code), headers };
  collector?.end(code === grpcCodes.ok ? 'end' : `status ${getStatusName(code)}`);
  if (collector) return { ...common, head: checkedHead, ...toBody(collector) };
  const text = code === grpcCodes.ok ? texts[0] : formatError(code, all, answer);
  return { ...common, head: checkedHead, bytes: toBytes(text) };
}

function toBytes(text = ''): Buffer {
  return Buffer.from(text);
}

/** Why the end of the call is none, or nothing can be checked of it. */
function findProblem(code: number | undefined, { wire, texts, collector, unreceived }: GrpcAnswer) {
  if (code === undefined) return createBrokenFailure(wire, 'it ended without a grpc-status');
  if (code !== grpcCodes.ok || collector || texts.length === 1) return undefined;
  if (unreceived) return unreceived;
  return createBrokenFailure(wire, 'its status is OK, and it has no message');
}

/** A server that begins before it knows how the call ends may say OK in the head: only the trailers after it count. */
function listHeaders(head: HeaderList, trailers: HeaderList | undefined): HeaderList {
  return trailers ? [...head.filter(([name]) => !endingHeaders.test(name)), ...trailers] : head;
}

function toCheckedHeaders(headers: HeaderList): HeaderList {
  const others = headers.filter(([name]) => !binaryHeaders.test(name));
  const decoded = others.map(
    ([name, value]) => [name, name.toLowerCase() === 'grpc-message' ? decodeStatusMessage(value) : value] as const,
  );
  return [...decoded, ['content-type', 'application/json']];
}

function formatError(code: number, headers: HeaderList, { root }: GrpcAnswer): string {
  const message = decodeStatusMessage(findHeaderValue(headers, 'grpc-message') ?? '');
  const details = decodeErrorDetails(findHeaderValue(headers, 'grpc-status-details-bin'), root);
  return JSON.stringify({ code, message, details });
}
