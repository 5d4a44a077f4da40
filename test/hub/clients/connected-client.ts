/** What the tests need of every client. */
export type CallOptions = {
  readonly onprogress?: (progress: { progress: number }) => void;
  readonly signal?: AbortSignal;
};

export type ConnectedClient = {
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  close(): Promise<void>;
};
