/** Reads an event stream piece by piece. */
export type EventBlock = {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly comment?: string;
};

/** The blocks of a stream as they come; `next` rejects when it ends. */
export function openEventReader(response: Response): {
  next(): Promise<EventBlock>;
  waitForEnd(): Promise<void>;
  cancel(): Promise<void>;
} {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('there is no body');
  let text = '';
  const takeBlock = (): EventBlock | undefined => {
    const end = text.indexOf('\n\n');
    if (end === -1) return undefined;
    const lines = text.slice(0, end).split('\n');
    text = text.slice(end + 2);
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')) || 'comment', line.slice(line.indexOf(':') + 1).trim()]),
    );
  };
  return {
    async next() {
      for (;;) {
        const block = takeBlock();
        if (block) return block;
        const { done, value } = await reader.read();
        if (done) throw new Error('the stream ended');
        text += value;
      }
    },
    async waitForEnd() {
      while (!(await reader.read()).done);
    },
    cancel: () => reader.cancel(),
  };
}
