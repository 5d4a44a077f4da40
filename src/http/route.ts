/** A route as data: what it is called, who may call it, what goes in and out, and the function behind it. */
import type { TObject, TSchema } from '@sinclair/typebox';
import { type VpError, vpError } from '../errors/vp-error.ts';
import { type Out, readerOf } from './reading.ts';
import { untilGone } from './waiting.ts';

/** Methods that routes may answer; HEAD and OPTIONS follow from them. */
export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an accepted credential stands for. */
export type Caller = { readonly kind: string };

/** A request that found its route; `services` is what the app was made with. */
export type Arrival<S, C extends Caller> = {
  readonly services: S;
  readonly caller: C | undefined;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** As the answer tells it; undefined without a listener. */
  readonly requestId: string | undefined;
  /** Where the caller's connection comes from. */
  readonly address: string;
  /** Further headers of the answer, whatever it will be. */
  readonly answerHeaders: Headers;
  /** Aborted when the listener closes; undefined without a listener. */
  readonly closing: AbortSignal | undefined;
};

/** What a handler gets: values of the schemas' types, and a way to wait that ends with the caller or the listener. */
export type Call<S, C, P, Q, H, B> = Omit<Arrival<S, never>, 'caller' | 'params'> & {
  readonly caller: C;
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  waiting<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
};
type Frozen<T> = T extends readonly (infer I)[]
  ? readonly Frozen<I>[]
  : T extends object
    ? { readonly [N in keyof T]: Frozen<T[N]> }
    : T;

/** What is told about a route, also to OpenAPI. */
export type RouteFacts = {
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
  /** Larger bodies are refused unread; 64 KiB unless said otherwise. */
  readonly bodyLimitBytes?: number;
  /** The JSON answer; without it (and `media`) the answer is 204. */
  readonly answer?: TSchema;
  /** 200 with an answer, 204 without, unless said otherwise. */
  readonly status?: 200 | 201 | 202;
  /** Media types of an answer that is not JSON. */
  readonly media?: readonly string[];
  /** Lasts until its reader leaves, so its duration says nothing. */
  readonly stream?: boolean;
  /** Nothing in its path says whose things it is about: the handler itself keeps to what the caller may see. */
  readonly narrows?: boolean;
};

/** What needs no credential at all. */
export const anyone = 'anyone';

/** A route whose types are forgotten, as apps and pages keep them. */
export type Route<S, C extends Caller> = RouteFacts & {
  /** What it does, as the app's table of who may do what calls it; or {@link anyone}. */
  readonly action: string;
  /** Validates and answers: a value for `answer`, or a whole response. Throws what the caller is to be told. */
  serve(arrival: Arrival<S, C>): Promise<unknown>;
};

/** Who may do what; `M` says for each action whom its handlers meet. */
export type Access<S, C extends Caller, M> = {
  allows<A extends keyof M & string>(caller: C, action: A): caller is M[A] & C;
  /** Looks closer, before anything else of the request is read; throws the refusal. */
  admit?(arrival: Arrival<S, C>, caller: C, route: RouteFacts & { readonly action: keyof M & string }): Promise<void>;
};

type Schemas = Pick<RouteFacts, 'params' | 'query' | 'headers' | 'body' | 'answer'>;
type SchemasOf<P, Q, H, B, A> = {
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  readonly answer?: A;
};
type Spec<S, C, N, P, Q, H, B, A> = Omit<RouteFacts, keyof Schemas> &
  SchemasOf<P, Q, H, B, A> & {
    readonly action: N;
    handler(call: Call<S, C, Out<P>, Out<Q>, Out<H>, Out<B>>): Promise<Frozen<Out<A>> | Response>;
  };
type OpenSpec<S, P, Q, H, B, A> = Omit<Spec<S, undefined, never, P, Q, H, B, A>, 'action'>;

/** Makers of routes for one kind of app; a route without an action does not compile. */
export function routesFor<S, C extends Caller, M>(access: Access<S, C, M>) {
  function route<
    const N extends keyof M & string,
    P extends TObject,
    Q extends TObject,
    H extends TObject,
    B extends TSchema,
    A extends TSchema,
  >(spec: Spec<S, M[N] & C, N, P, Q, H, B, A>): Route<S, C> {
    const read = readerOf(spec);
    return {
      ...spec,
      async serve(arrival) {
        const { caller } = arrival;
        if (!caller || !access.allows(caller, spec.action)) throw refusal(caller, spec);
        await access.admit?.(arrival, caller, spec);
        return spec.handler(callOf(arrival, caller, await read(arrival.request, arrival.params)));
      },
    };
  }
  /** For the few routes that need no credential. */
  function openRoute<P extends TObject, Q extends TObject, H extends TObject, B extends TSchema, A extends TSchema>(
    spec: OpenSpec<S, P, Q, H, B, A>,
  ): Route<S, C> {
    const read = readerOf(spec);
    return {
      ...spec,
      action: anyone,
      serve: async (arrival) => spec.handler(callOf(arrival, undefined, await read(arrival.request, arrival.params))),
    };
  }
  return { route, openRoute };
}

function callOf<S, C, V extends object>(arrival: Arrival<S, Caller>, caller: C, values: V) {
  const { services, request, requestId, closing, address, answerHeaders } = arrival;
  const waiting = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    untilGone(request.signal, closing, work);
  return { ...values, services, caller, request, requestId, closing, address, answerHeaders, waiting };
}

/** Refuses a caller; `undefined` has shown no credential. */
export function refusal(caller: Caller | undefined, { method, path }: Pick<RouteFacts, 'method' | 'path'>): VpError {
  if (!caller) return vpError('CREDENTIAL_MISSING', {});
  return vpError('CREDENTIAL_INSUFFICIENT', { action: `${method} ${path}` });
}
