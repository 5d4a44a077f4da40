import { PassThrough } from 'node:stream';

/** A terminal that types the next answer whenever a prompt has been written. */
export function createTyping(answers: readonly string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const remaining = [...answers];
  let text = '';
  const stderr = {
    write(part: string) {
      text += part;
      if (!part.endsWith('> ')) return;
      const answer = remaining.shift();
      setImmediate(() => (answer === undefined ? stdin.end() : stdin.write(answer)));
    },
  };
  return { stdin, stderr, written: () => text, remaining };
}
