/** The members of a node:http request that guards check. */
export type RequestHead = {
  readonly url?: string | undefined;
  readonly headers: { readonly host?: string | undefined; readonly origin?: string | undefined };
  readonly socket: { readonly localPort?: number | undefined; readonly localAddress?: string | undefined };
};
