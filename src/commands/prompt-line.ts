import { createInterface } from 'node:readline';

/** The next line of input; empty if the stream ends first. */
export async function readLine(stdin: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}

/** True if a person at a terminal can be prompted. */
export function isInteractive(stdin: NodeJS.ReadableStream): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true;
}
