/** Asks a server for the schema of a service: grpc.reflection.v1, and v1alpha where there is no v1. */
import type { Root } from 'protobufjs';
import type { WireRequest } from '../../outbound/wire.ts';
import { type ExecutionFailure, findHeaderValue } from '../../run/evidence.ts';
import { createFailure } from '../execution-failure.ts';
import type { TriggerOptions } from '../trigger/send-request.ts';
import { formatAddress } from '../trigger/target-address.ts';
import { DecodingBudget } from './decoding-budget.ts';
import { createBrokenFailure, exchangeFrames, isGrpcHead } from './frame-exchange.ts';
import { decodeStatusMessage, getStatusName, grpcCodes, parseStatusCode } from './grpc-status.ts';
import { encodeFrame } from './message-frames.ts';
import { formatHint } from './name-hint.ts';
import { fileDescriptorType, parseDescriptors, parseProtoFiles, readDescriptorNames } from './parse-proto.ts';

/** Both versions have the same messages. */
const versions = ['v1', 'v1alpha'] as const;
/** Files of a schema, their bytes, and rounds of questions for those that others depend on. */
const limits = { maxFiles: 2000, maxBytes: 4 * 1024 * 1024, maxRounds: 30 } as const;

const reflectionTypes = `syntax = "proto3";
message Request {
  oneof message_request { string file_by_filename = 3; string file_containing_symbol = 4; string list_services = 7; }
}
message Response {
  oneof message_response {
    Files file_descriptor_response = 4;
    Services list_services_response = 6;
    Failure error_response = 7;
  }
}
message Files { repeated bytes file_descriptor_proto = 1; }
message Services { repeated Service service = 1; }
message Service { string name = 1; }
message Failure { int32 error_code = 1; string error_message = 2; }
`;

type Question = Readonly<Record<string, string>>;

type Answer = {
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto?: readonly Uint8Array[] };
  readonly listServicesResponse?: { readonly service?: readonly { readonly name?: string }[] };
  readonly errorResponse?: { readonly errorCode?: number; readonly errorMessage?: string };
};

/** `status`: of a call that the server refused. */
type Answers =
  | { readonly answers: readonly Answer[] }
  | { readonly status: number; readonly reason: string }
  | { readonly failure: ExecutionFailure };

let types: Root | undefined;

/** `wire` has the headers of each question. All of them together have the time of the request. Never rejects. */
export async function reflectSchema(
  service: string,
  wire: Omit<WireRequest, 'path'>,
  options: TriggerOptions,
): Promise<Root | ExecutionFailure> {
  const { clock, timeoutMs } = options;
  const startMs = clock.monotonicMs();
  let refusal = '';
  for (const version of versions) {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
    const ask = (questions: readonly Question[]): Promise<Answers> => {
      const remainingMs = Math.max(0, timeoutMs - (clock.monotonicMs() - startMs));
      return askServer({ ...wire, path }, questions, { ...options, remainingMs });
    };
    const first = await ask([{ fileContainingSymbol: service }]);
    if ('failure' in first) return first.failure;
    if ('answers' in first) return collectFiles(service, first.answers, ask, wire.origin);
    refusal = `the target has no reflection (${first.reason})`;
    if (first.status !== grpcCodes.unimplemented) break;
  }
  return createFailure('EXECUTOR_GRPC_SCHEMA_MISSING', { service, reason: refusal });
}

/** A server answers with one file or with all; those that are missing are asked for by their names. */
async function collectFiles(
  service: string,
  first: readonly Answer[],
  ask: (questions: readonly Question[]) => Promise<Answers>,
  origin: string,
): Promise<Root | ExecutionFailure> {
  const invalid = (reason: string): ExecutionFailure =>
    createFailure('EXECUTOR_GRPC_SCHEMA_INVALID', { service, reason, source: 'the reflection of the target' });
  const files: DescriptorFiles = { byName: new Map(), sizeBytes: 0, budget: new DecodingBudget() };
  const requested = new Set<string>();
  let answers = first;
  for (let round = 0; round < limits.maxRounds; round += 1) {
    const refused = answers.find(({ errorResponse }) => errorResponse)?.errorResponse;
    if (refused && round === 0) return describeUnknownService(service, await ask([{ listServices: '' }]), origin);
    if (refused) return invalid(refused.errorMessage ?? `code ${refused.errorCode}`);
    const dependencies = addFiles(files, answers);
    if ('problem' in dependencies) return invalid(dependencies.problem);
    const missing = dependencies.absent.filter((name) => !requested.has(name));
    if (missing.length === 0) return parseFiles(files.byName, invalid);
    if (files.byName.size + missing.length > limits.maxFiles) break;
    for (const name of missing) requested.add(name);
    const next = await ask(missing.map((fileByFilename) => ({ fileByFilename })));
    if ('failure' in next) return next.failure;
    if ('status' in next) return invalid(next.reason);
    answers = next.answers;
  }
  return invalid('it has too many files');
}

type DescriptorFiles = {
  readonly byName: Map<string, Uint8Array>;
  sizeBytes: number;
  readonly budget: DecodingBudget;
};

/** `absent`: the names of files that others depend on and that did not come. */
type Dependencies = { readonly absent: readonly string[] } | { readonly problem: string };

/** Adds the files of the answers. */
function addFiles(files: DescriptorFiles, answers: readonly Answer[]): Dependencies {
  const named = new Set<string>();
  const received = answers.flatMap(({ fileDescriptorResponse }) => fileDescriptorResponse?.fileDescriptorProto ?? []);
  for (const bytes of received) {
    files.sizeBytes += bytes.length;
    if (files.sizeBytes > limits.maxBytes) return { problem: `its files have more than ${limits.maxBytes} bytes` };
    try {
      files.budget.spend(fileDescriptorType, bytes);
      const { name, dependencies } = readDescriptorNames(bytes);
      files.byName.set(name, bytes);
      for (const dependency of dependencies) named.add(dependency);
    } catch (error) {
      return { problem: `a file cannot be read (${error instanceof Error ? error.message : String(error)})` };
    }
  }
  return { absent: [...named].filter((name) => !files.byName.has(name)) };
}

function parseFiles(
  files: ReadonlyMap<string, Uint8Array>,
  invalid: (reason: string) => ExecutionFailure,
): Root | ExecutionFailure {
  try {
    return parseDescriptors([...files.values()]);
  } catch (error) {
    return invalid(error instanceof Error ? error.message : String(error));
  }
}

function describeUnknownService(service: string, listed: Answers, origin: string): ExecutionFailure {
  const services =
    'answers' in listed ? listed.answers.flatMap((each) => each.listServicesResponse?.service ?? []) : [];
  const names = services.flatMap(({ name }) => name ?? []).filter((name) => !name.startsWith('grpc.reflection.'));
  return createFailure('EXECUTOR_GRPC_METHOD_UNKNOWN', {
    source: `the target at ${formatAddress(origin)}`,
    method: service,
    hint: formatHint(service, names, 'services'),
  });
}

async function askServer(
  wire: WireRequest,
  questions: readonly Question[],
  options: TriggerOptions & { readonly remainingMs: number },
): Promise<Answers> {
  types ??= parseProtoFiles([{ path: 'reflection.proto', text: reflectionTypes }]);
  const [request, response] = [types.lookupType('Request'), types.lookupType('Response')];
  const answers: Answer[] = [];
  const budget = new DecodingBudget();
  const { head, trailers, hasEnded, failure } = await exchangeFrames(wire, {
    ...options,
    beforeSend: undefined,
    frames: questions.map((question) => encodeFrame(request.encode(request.fromObject(question)).finish())),
    onMessage: (bytes) => {
      if (answers.length === questions.length) return createBrokenFailure(wire, 'it has more answers than questions');
      budget.spend(response, bytes);
      answers.push(response.toObject(response.decode(bytes), { arrays: true }));
      return 'more';
    },
  });
  if (failure) return { failure };
  const headers = [...(trailers ?? []), ...(head?.headers ?? [])];
  const status = parseStatusCode(findHeaderValue(headers, 'grpc-status'));
  if (hasEnded && head && isGrpcHead(head) && status === grpcCodes.ok) return { answers };
  const message = decodeStatusMessage(findHeaderValue(headers, 'grpc-message') ?? '');
  const reason = status === undefined ? `status ${head?.status ?? 0} of HTTP` : getStatusName(status);
  return { status: status ?? grpcCodes.unknown, reason: message === '' ? reason : `${reason}: ${message}` };
}
