/** Bytes sent to a target and received from it, without interpretation. */

/** A request, ready for the wire. `origin` is scheme, host and port; `headers` are names and values in turn. */
export type WireRequest = {
  readonly origin: string;
  readonly method: string;
  /** Begins with `/`; may hold a query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Uint8Array | undefined;
};

/** How far a request came: connecting, sent, first byte of the response, in the body. */
export type WireStage = 'connect' | 'sent' | 'head' | 'body';

/** Receives the events of one request, in this order. The last one is `onEnd` or `onBroken`, once. */
export type WireListener = {
  /**
   * Called immediately before the first byte is sent; `fresh` if the connection was opened for this request. If it returns
   * `false`, nothing is sent and no further event follows.
   */
  mayStart(fresh: boolean): boolean;
  onFirstByte(): void;
  /** `rawHeaders`: names and values in turn, as they came (bytes, or Latin-1 text). */
  onHead(status: number, rawHeaders: readonly (Buffer | string)[]): void;
  onData(chunk: Buffer): void;
  /** `surplusBytes`: how many bytes had arrived behind the end of the response. */
  onEnd(surplusBytes: number): void;
  onBroken(stage: WireStage, error: Error): void;
};
