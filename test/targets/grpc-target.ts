/** A server of gRPC by `@grpc/grpc-js`, with the orders of test/targets/grpc. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { loadSync, type PackageDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import descriptor from 'protobufjs/ext/descriptor.js';
import type { Test } from 'tap';
import { parseProtoFiles } from '../../src/executor/grpc/parse-proto.ts';
import type { KeyPair } from './certificates.ts';

const protoFolder = join(import.meta.dirname, 'grpc');

/** A file of the schema, by its path from there. */
export function readProtoFile(name: string): string | undefined {
  try {
    return readFileSync(join(protoFolder, name), 'utf8');
  } catch {
    return undefined;
  }
}

type Order = { readonly order_id: string; readonly item?: string; readonly state?: string; readonly data?: Buffer };
type OrderRequest = { readonly order_id: string };
type WatchRequest = { readonly order_id: string; readonly messages: number };

/** A call that arrived; `deadlineMs` from its arrival on. */
export type ReceivedCall = { readonly method: string; readonly metadata: Metadata; readonly deadlineMs: number };

export type GrpcTarget = {
  readonly origin: string;
  readonly server: Server;
  readonly calls: readonly ReceivedCall[];
  /** How many streams the client has cancelled. */
  readonly cancelled: () => number;
  /** How often it was asked for its schema. */
  readonly reflections: () => number;
};

export type GrpcTargetOptions = {
  /** Which versions of reflection it has; `single files`: v1, and each answer has one file, as those of some servers. */
  readonly reflection?: 'both' | 'v1' | 'v1alpha' | 'single files' | 'none';
  readonly keys?: KeyPair;
};

const packages: PackageDefinition = loadSync('shop/v1/orders.proto', {
  includeDirs: [protoFolder],
  keepCase: true,
  defaults: true,
  longs: String,
  enums: String,
});

/** The number of the order says what becomes of the call. */
const failures: Readonly<Record<string, readonly [code: number, message: string]>> = {
  '404': [status.NOT_FOUND, 'no order “404”'],
  '401': [status.UNAUTHENTICATED, 'sign in'],
  '503': [status.UNAVAILABLE, 'come back later'],
};

/** A `google.rpc.Status` of code 3 with a `google.rpc.BadRequest` about the field `item`. */
const badRequestDetails = Buffer.from(
  'CAMSA2JhZBpBCil0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuQmFkUmVxdWVzdBIUChIKBGl0ZW0SCmlzIG1pc3NpbmcaKgojdHlwZS5nb29nbGVhcGlzLmNvbS9zaG9wLnYxLlVua25vd24SA2FiYw==',
  'base64',
);

type NotedCall = Pick<ServerUnaryCall<unknown, unknown>, 'metadata' | 'getDeadline'> & {
  on(event: 'cancelled', listener: () => void): unknown;
};

function isService(definition: PackageDefinition[string] | undefined): definition is ServiceDefinition {
  return definition !== undefined && !('format' in definition);
}

export async function startGrpcTarget(
  t: Test,
  { reflection = 'both', keys }: GrpcTargetOptions = {},
): Promise<GrpcTarget> {
  const calls: ReceivedCall[] = [];
  let cancelled = 0;
  let reflections = 0;
  const countReflections: ServerInterceptor = (method, call) => {
    if (method.path.includes('.reflection.')) reflections += 1;
    return new ServerInterceptingCall(call);
  };
  const server = new Server({ interceptors: [countReflections] });
  const note = (method: string, call: NotedCall): void => {
    calls.push({ method, metadata: call.metadata, deadlineMs: Number(call.getDeadline()) - Date.now() });
    call.on('cancelled', () => {
      cancelled += 1;
    });
  };
  const service = packages['shop.v1.Orders'];
  if (!isService(service)) throw new Error('the service was not loaded');
  const orders = new Map<string, Order>();
  server.addService(service, {
    CreateOrder: (call: ServerUnaryCall<{ item: string }, Order>, callback: sendUnaryData<Order>) => {
      note('CreateOrder', call);
      const { item } = call.request;
      if (item === '') {
        const metadata = new Metadata();
        metadata.set('grpc-status-details-bin', badRequestDetails);
        callback({ code: status.INVALID_ARGUMENT, details: 'bad', metadata });
        return;
      }
      const order = { ...call.request, order_id: '9007199254740993', state: 'OPEN' };
      orders.set(order.order_id, order);
      const metadata = new Metadata();
      metadata.set('x-served-by', 'orders');
      call.sendMetadata(metadata);
      callback(null, order);
    },
    GetOrder: (call: ServerUnaryCall<OrderRequest, Order>, callback: sendUnaryData<Order>) => {
      note('GetOrder', call);
      const { order_id: orderId } = call.request;
      if (orderId === '408') return;
      const [code, details] = failures[orderId] ?? [];
      const trailers = new Metadata();
      trailers.set('x-trailer', 'last');
      if (code !== undefined) callback({ code, details, metadata: trailers });
      else if (orderId === '10') callback(null, { order_id: orderId, data: Buffer.alloc(11 * 1024 * 1024) }, trailers);
      else callback(null, orders.get(orderId) ?? { order_id: orderId }, trailers);
    },
    DeleteOrder: (call: ServerUnaryCall<OrderRequest, object>, callback: sendUnaryData<object>) => {
      note('DeleteOrder', call);
      orders.delete(call.request.order_id);
      callback(null, {});
    },
    WatchOrder: (call: ServerWritableStream<WatchRequest, Order>) => {
      note('WatchOrder', call);
      const { order_id: orderId, messages } = call.request;
      const [code, details] = failures[orderId] ?? [];
      for (let index = 1; index <= messages; index += 1)
        call.write({ order_id: orderId, state: index === 3 ? 'PAID' : 'OPEN', item: `item ${index}` });
      if (code !== undefined) call.emit('error', { code, details });
      else if (orderId === '500') server.forceShutdown();
      else if (orderId !== '408') call.end();
    },
    AddItems: (call: ServerReadableStream<{ item: string }, object>, callback: sendUnaryData<object>) => {
      note('AddItems', call);
      const items: string[] = [];
      call.on('data', ({ item }: { item: string }) => items.push(item));
      call.on('end', () => callback(null, { count: items.length, items }));
    },
    Negotiate: (call: ServerDuplexStream<{ item: string }, Order>) => {
      note('Negotiate', call);
      call.on('data', ({ item }: { item: string }) => call.write({ order_id: '1', item }));
      call.on('end', () => call.end());
    },
  });
  addReflection(server, reflection);
  const credentials = keys
    ? ServerCredentials.createSsl(null, [{ private_key: Buffer.from(keys.key), cert_chain: Buffer.from(keys.cert) }])
    : ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  t.teardown(() => server.forceShutdown());
  const origin = keys ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  return { origin, server, calls, cancelled: () => cancelled, reflections: () => reflections };
}

/** The class of the package adds both versions; an older server has one. */
function addReflection(server: Server, versions: NonNullable<GrpcTargetOptions['reflection']>): void {
  if (versions === 'none') return;
  if (versions === 'single files') {
    addSingleFiles(server);
    return;
  }
  const add = server.addService.bind(server);
  const filtered: Pick<Server, 'addService'> = {
    addService: (service, implementation) => {
      const path = Object.values(service)[0]?.path ?? '';
      if (versions === 'both' || path.startsWith(`/grpc.reflection.${versions}.`)) add(service, implementation);
    },
  };
  new ReflectionService(packages).addToServer(Object.assign(Object.create(server), filtered));
}

type ReflectionRequest = { readonly file_by_filename?: string; readonly file_containing_symbol?: string };

/** Answers with the file of a name, or the one of the service. */
function addSingleFiles(server: Server): void {
  const reflection = loadSync('grpc/reflection/v1/reflection.proto', {
    includeDirs: [join(import.meta.dirname, '../../node_modules/@grpc/reflection/build/proto')],
    keepCase: true,
  });
  const service = reflection['grpc.reflection.v1.ServerReflection'];
  if (!isService(service)) throw new Error('the service was not loaded');
  const files = listDescriptors();
  server.addService(service, {
    ServerReflectionInfo: (call: ServerDuplexStream<ReflectionRequest, object>) => {
      call.on('data', ({ file_by_filename: name = 'shop_v1.proto' }: ReflectionRequest) =>
        call.write({ file_descriptor_response: { file_descriptor_proto: [files.get(name)] } }),
      );
      call.on('end', () => call.end());
    },
  });
}

/** By their names; a file for each package, the one of the service with its dependency. */
function listDescriptors(): ReadonlyMap<string, Uint8Array> {
  const paths = ['shop/v1/orders.proto', 'shop/v1/money.proto'];
  const root = parseProtoFiles(paths.map((path) => ({ path, text: readProtoFile(path) ?? '' })));
  const { file = [] } = root.toDescriptor('proto3');
  return new Map(
    file.map((each) => {
      const dependency = each.package === 'shop.v1' ? ['google_protobuf.proto'] : [];
      const { FileDescriptorProto } = descriptor;
      return [each.name ?? '', FileDescriptorProto.encode({ ...each, dependency }).finish()];
    }),
  );
}
