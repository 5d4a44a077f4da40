/** What goes to a target and what is heard of it, below any meaning. */

/** A request, ready for the wire. `origin` is scheme, host and port; `headers` are names and values in turn. */
export type WireRequest = {
  readonly origin: string;
  readonly method: string;
  /** Begins with `/`; may hold a query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Uint8Array | undefined;
};

/** How far a request came: dialling, sent, first byte of an answer, in the body. */
export type WireStage = 'connect' | 'sent' | 'head' | 'body';

/** Hears of one request, in this order. Either `onEnd` or `onBroken` comes last, and once. */
export type WireListener = {
  /**
   * Asked in the moment before the first byte leaves; `fresh` when the connection was made for this request. After
   * `false` nothing is sent and nothing more is heard.
   */
  mayStart(fresh: boolean): boolean;
  onFirstByte(): void;
  /** `rawHeaders`: names and values in turn, as they came (bytes, or Latin-1 text). */
  onHead(status: number, rawHeaders: readonly (Buffer | string)[]): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onBroken(stage: WireStage, error: Error): void;
};
