export type LinkEvents = {
  /** Called with the text of each message. Those that follow wait until what it returns settles; it never rejects. */
  onMessage(text: string): Promise<void> | undefined;
  /** Called once, however the connection ends. */
  onClose(reason: Error): void;
};

/** A connection that carries messages in both directions, each of them a JSON text. */
export type MessageLink = {
  /** True for the standard streams of a program. */
  readonly isProgram: boolean;
  /** Throws if it cannot be opened. */
  open(events: LinkEvents): Promise<void>;
  /** Calls `onError` if the message could not be sent, or `onSent`. Messages arrive in order. */
  send(text: string, onError: (error: unknown) => void, onSent?: () => void): void;
  /** Called when the revision is known. */
  setRevision?(revision: string): void;
  close(): Promise<void>;
};
