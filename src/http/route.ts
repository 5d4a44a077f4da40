/** A route as data: its name, who may call it, the schemas of request and response, and its handler. */
import type { TObject, TSchema } from '@sinclair/typebox';
import { type VpError, vpError } from '../errors/vp-error.ts';
import type { AddedHeaders } from './added-headers.ts';
import { createRequestReader, type SchemaValue } from './request-reader.ts';
import { runUntilDisconnected } from './run-until-disconnected.ts';

/** HEAD and OPTIONS are derived from the listed methods. */
export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The holder of an accepted credential. */
export type RouteCaller = { readonly kind: string };

/** A request whose route was found; `services` is the app's record of services. */
export type RouteRequest<S, C extends RouteCaller> = {
  readonly services: S;
  readonly caller: C | undefined;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** The id in the response header; undefined without a listener. */
  readonly requestId: string | undefined;
  /** Address of the caller. */
  readonly address: string;
  /** Headers to add to the response, whatever it will be. */
  readonly responseHeaders: AddedHeaders;
  /** Aborted when the listener closes; undefined without a listener. */
  readonly closing: AbortSignal | undefined;
};

/** The argument of a handler: validated values, and `whileConnected`, which aborts work when the caller disconnects or the listener closes. */
export type RouteCall<S, C, P, Q, H, B> = Omit<RouteRequest<S, never>, 'caller' | 'params'> & {
  readonly caller: C;
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  whileConnected<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
};
type DeepReadonly<T> = T extends readonly (infer I)[]
  ? readonly DeepReadonly<I>[]
  : T extends object
    ? { readonly [N in keyof T]: DeepReadonly<T[N]> }
    : T;

/** The data of a route, as the OpenAPI document has it. */
export type RouteDescription = {
  readonly method: RouteMethod;
  /** Template as in OpenAPI: `/api/v1/runs/{run}`. */
  readonly path: string;
  /** Operation id, unique. */
  readonly operation: string;
  readonly summary: string;
  readonly params?: TObject;
  readonly query?: TObject;
  /** Names in lower case. */
  readonly headers?: TObject;
  readonly body?: TSchema;
  /** Larger bodies are refused unread; 64 KiB by default. */
  readonly bodyLimitBytes?: number;
  /** The JSON response; without it (and `media`) the response is 204. */
  readonly response?: TSchema;
  /** By default 200 with a response body, 204 without. */
  readonly status?: 200 | 201 | 202;
  /** Media types of a response that is not JSON. */
  readonly media?: readonly string[];
  /** The credential that the handler of an open route verifies itself, such as "a token of the hub". */
  readonly credential?: string;
  /** The path holds a secret, so the log has the template in its place. */
  readonly hasSecretPath?: boolean;
  /** Lasts until its reader disconnects, so its duration is not measured. */
  readonly stream?: boolean;
  /** The path names no instance: the handler itself filters the response by what the caller may see. */
  readonly filtersByCaller?: boolean;
};

/** Action of routes that need no credential. */
export const anyoneAction = 'anyone';

/** A route with its schema types erased. */
export type Route<S, C extends RouteCaller> = RouteDescription & {
  /** Action in the app's authorization table, or {@link anyoneAction}. */
  readonly action: string;
  /** Validates and handles the request; returns a value for `response`, or a `Response`. Throws the error for the caller. */
  serve(routeRequest: RouteRequest<S, C>): Promise<unknown>;
  /** Compiles its schemas before its first request. */
  prepare(): void;
};

/** The authorization rules of an app; `M` maps each action to the callers that its handlers get. */
export type AccessRules<S, C extends RouteCaller, M> = {
  allows<A extends keyof M & string>(caller: C, action: A): caller is M[A] & C;
  /** A further check before anything else of the request is read; throws the refusal. */
  checkAccess?(
    routeRequest: RouteRequest<S, C>,
    caller: C,
    route: RouteDescription & { readonly action: keyof M & string },
  ): Promise<void>;
};

type SchemaKeys = Pick<RouteDescription, 'params' | 'query' | 'headers' | 'body' | 'response'>;
type RouteSchemas<P, Q, H, B, A> = {
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  readonly response?: A;
};
type RouteSpec<S, C, N, P, Q, H, B, A> = Omit<RouteDescription, keyof SchemaKeys> &
  RouteSchemas<P, Q, H, B, A> & {
    readonly action: N;
    handler(
      call: RouteCall<S, C, SchemaValue<P>, SchemaValue<Q>, SchemaValue<H>, SchemaValue<B>>,
    ): Promise<DeepReadonly<SchemaValue<A>> | Response>;
  };
type OpenRouteSpec<S, P, Q, H, B, A> = Omit<RouteSpec<S, undefined, never, P, Q, H, B, A>, 'action'>;

/** Route factories for one kind of app; a route without an action does not compile. */
export function createRouteFactories<S, C extends RouteCaller, M>(access: AccessRules<S, C, M>) {
  function route<
    const N extends keyof M & string,
    P extends TObject,
    Q extends TObject,
    H extends TObject,
    B extends TSchema,
    A extends TSchema,
  >(spec: RouteSpec<S, M[N] & C, N, P, Q, H, B, A>): Route<S, C> {
    const { readRequest, prepare } = createRequestReader(spec);
    return {
      ...spec,
      prepare,
      async serve(routeRequest) {
        const { caller } = routeRequest;
        if (!caller || !access.allows(caller, spec.action)) throw createAccessError(caller, spec);
        await access.checkAccess?.(routeRequest, caller, spec);
        return spec.handler(
          createRouteCall(routeRequest, caller, await readRequest(routeRequest.request, routeRequest.params)),
        );
      },
    };
  }
  /** For routes that need no credential. */
  function openRoute<P extends TObject, Q extends TObject, H extends TObject, B extends TSchema, A extends TSchema>(
    spec: OpenRouteSpec<S, P, Q, H, B, A>,
  ): Route<S, C> {
    const { readRequest, prepare } = createRequestReader(spec);
    return {
      ...spec,
      prepare,
      action: anyoneAction,
      serve: async (routeRequest) =>
        spec.handler(
          createRouteCall(routeRequest, undefined, await readRequest(routeRequest.request, routeRequest.params)),
        ),
    };
  }
  return { route, openRoute };
}

function createRouteCall<S, C, V extends object>(routeRequest: RouteRequest<S, RouteCaller>, caller: C, values: V) {
  const { services, request, requestId, closing, address, responseHeaders } = routeRequest;
  const whileConnected = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    runUntilDisconnected(request.signal, closing, work);
  return {
    ...values,
    services,
    caller,
    request,
    requestId,
    closing,
    address,
    responseHeaders,
    whileConnected,
  };
}

/** `caller` is undefined without a credential. */
function createAccessError(
  caller: RouteCaller | undefined,
  { method, path }: Pick<RouteDescription, 'method' | 'path'>,
): VpError {
  if (!caller) return vpError('CREDENTIAL_MISSING', {});
  return vpError('CREDENTIAL_INSUFFICIENT', { action: `${method} ${path}` });
}
