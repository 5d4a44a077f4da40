/** Finds a method in the files that the scenario names, or in what the target says about itself; once for each run. */
import protobuf, { type NamespaceBase, type Root, type Type } from 'protobufjs';
import type { WireRequest } from '../../outbound/wire.ts';
import type { ExecutionFailure } from '../../run/evidence.ts';
import type { GrpcMethod, ProtoFile } from '../../scenario/scenario.ts';
import { createFailure } from '../execution-failure.ts';
import type { TriggerOptions } from '../trigger/send-request.ts';
import { formatAddress } from '../trigger/target-address.ts';
import { formatHint } from './name-hint.ts';
import { parseProtoFiles } from './parse-proto.ts';
import { reflectSchema } from './reflection.ts';

/** The schemas of one run, by their service or file. */
export type GrpcSchemas = Map<string, Promise<Root | ExecutionFailure>>;

export type ResolvedMethod = {
  readonly root: Root;
  readonly requestType: Type;
  readonly responseType: Type;
  readonly sendsStream: boolean;
  readonly answersStream: boolean;
};

/** `wire` has the headers with which the target is asked. Never rejects. */
export async function resolveMethod(
  method: GrpcMethod,
  wire: Omit<WireRequest, 'path'>,
  options: TriggerOptions,
  schemas: GrpcSchemas,
): Promise<ResolvedMethod | ExecutionFailure> {
  const key = method.proto?.[0]?.path ?? method.service;
  const loading = schemas.get(key) ?? loadSchema(method, wire, options);
  schemas.set(key, loading);
  const root = await loading;
  if (!('kind' in root)) return findMethod(root, method, wire.origin);
  // The next request tries again.
  schemas.delete(key);
  return root;
}

async function loadSchema(
  { service, proto }: GrpcMethod,
  wire: Omit<WireRequest, 'path'>,
  options: TriggerOptions,
): Promise<Root | ExecutionFailure> {
  return proto ? parseFiles(service, proto) : reflectSchema(service, wire, options);
}

function parseFiles(service: string, proto: readonly ProtoFile[]): Root | ExecutionFailure {
  try {
    return parseProtoFiles(proto);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return createFailure('EXECUTOR_GRPC_SCHEMA_INVALID', { service, reason, source: proto[0]?.path ?? 'the file' });
  }
}

function findMethod(
  root: Root,
  { service: serviceName, rpc, proto }: GrpcMethod,
  origin: string,
): ResolvedMethod | ExecutionFailure {
  const source = proto?.[0]?.path ?? `the target at ${formatAddress(origin)}`;
  const service = findService(root, serviceName);
  if (!service) {
    const hint = formatHint(serviceName, listServices(root), 'services');
    return createFailure('EXECUTOR_GRPC_METHOD_UNKNOWN', { source, method: serviceName, hint });
  }
  const method = Object.hasOwn(service.methods, rpc) ? service.methods[rpc] : undefined;
  method?.resolve();
  const { resolvedRequestType: requestType, resolvedResponseType: responseType } = method ?? {};
  if (method && requestType && responseType) {
    const { requestStream: sendsStream = false, responseStream: answersStream = false } = method;
    return { root, requestType, responseType, sendsStream, answersStream };
  }
  const hint = formatHint(rpc, Object.keys(service.methods), 'methods');
  return createFailure('EXECUTOR_GRPC_METHOD_UNKNOWN', { source, method: `${serviceName}/${rpc}`, hint });
}

/** With their packages. */
function listServices(namespace: NamespaceBase): string[] {
  return namespace.nestedArray.flatMap((entry) => {
    if (entry instanceof protobuf.Service) return [entry.fullName.slice(1)];
    return entry instanceof protobuf.Namespace ? listServices(entry) : [];
  });
}

function findService(root: Root, name: string) {
  try {
    return root.lookupService(name);
  } catch {
    return undefined;
  }
}
