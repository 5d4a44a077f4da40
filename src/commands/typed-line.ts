import { createInterface } from 'node:readline';

/** The next line that somebody types; empty where the stream ends first. */
export async function typedLine(stdin: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}

/** True where a person is at the terminal and can be asked. */
export function canBeAsked(stdin: NodeJS.ReadableStream): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true;
}
