/** A route as data: what it is called, who may call it, what goes in and out, and the function behind it. */
import type { TObject, TSchema } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';
import { type Out, readerOf } from './reading.ts';
import { untilGone } from './waiting.ts';

/** Methods that routes may answer; HEAD and OPTIONS follow from them. */
export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What an accepted credential stands for. */
export type Caller = { readonly kind: string };

/** A request that found its route and whose caller may use it; `services` is what the app was made with. */
export type Arrival<S, C extends Caller> = {
  readonly services: S;
  readonly caller: C | undefined;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** Aborted when the listener closes; undefined without a listener. */
  readonly closing: AbortSignal | undefined;
};

/** What a handler gets: values of the schemas' types, and a way to wait that ends with the caller or the listener. */
export type Call<S, C, P, Q, H, B> = {
  readonly services: S;
  readonly caller: C;
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  readonly request: Request;
  readonly closing: AbortSignal | undefined;
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
};

/** A route whose types are forgotten, as apps and pages keep them. */
export type Route<S, C extends Caller> = RouteFacts & {
  /** Kinds of callers; `anyone` needs no credential at all. */
  readonly audience: readonly C['kind'][] | 'anyone';
  /** Validates and answers: a value for `answer`, or a whole response. Throws what the caller is to be told. */
  serve(arrival: Arrival<S, C>): Promise<unknown>;
};

type Spec<S, C extends Caller, K extends C['kind'], P, Q, H, B, A> = Omit<RouteFacts, keyof Schemas> & {
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  readonly answer?: A;
  readonly audience: readonly [K, ...K[]];
  handler(call: Call<S, Extract<C, { kind: K }>, Out<P>, Out<Q>, Out<H>, Out<B>>): Promise<Frozen<Out<A>> | Response>;
};
type OpenSpec<S, A> = Omit<RouteFacts, keyof Schemas> & {
  readonly answer?: A;
  handler(call: Pick<Arrival<S, never>, 'services' | 'request' | 'closing'>): Promise<Frozen<Out<A>> | Response>;
};
type Schemas = Pick<RouteFacts, 'params' | 'query' | 'headers' | 'body' | 'answer'>;

/** Makers of routes for one kind of app; a route without an audience does not compile. */
export function routesFor<S, C extends Caller>() {
  function route<
    const K extends C['kind'],
    P extends TObject,
    Q extends TObject,
    H extends TObject,
    B extends TSchema,
    A extends TSchema,
  >(spec: Spec<S, C, K, P, Q, H, B, A>): Route<S, C> {
    const read = readerOf(spec);
    const isMeant = (caller: C): caller is Extract<C, { kind: K }> =>
      spec.audience.some((kind) => kind === caller.kind);
    return {
      ...spec,
      async serve({ services, caller, request, params, closing }) {
        if (!caller || !isMeant(caller)) throw refusal(caller, spec);
        return spec.handler({
          ...(await read(request, params)),
          services,
          caller,
          request,
          closing,
          waiting: (work) => untilGone(request.signal, closing, work),
        });
      },
    };
  }
  /** For the few routes that need no credential. */
  function openRoute<A extends TSchema>(spec: OpenSpec<S, A>): Route<S, C> {
    return { ...spec, audience: 'anyone', serve: (arrival) => spec.handler(arrival) };
  }
  return { route, openRoute };
}

function refusal(caller: Caller | undefined, { method, path }: Pick<RouteFacts, 'method' | 'path'>) {
  if (!caller) return vpError('CREDENTIAL_MISSING', {});
  return vpError('CREDENTIAL_INSUFFICIENT', { action: `${method} ${path}` });
}
