/** The data of a stream of server-sent events. */

/** The data of each event of a body; leaving the loop lets go of the body. */
export async function* eventsIn(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let data: string[] = [];
  for await (const chunk of body ?? []) {
    const piece = decoder.decode(chunk, { stream: true });
    pieces.push(piece);
    // A line that comes in a million pieces is looked at once.
    if (!/[\r\n]/.test(piece)) continue;
    const lines = pieces.join('').split(lineEnd);
    pieces = [lines.pop() ?? ''];
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      if (line !== '' || data.length === 0) continue;
      yield data.join('\n');
      data = [];
    }
  }
}

/** A lone carriage return ends a line too, but not at the end of a chunk, where its line feed may follow. */
const lineEnd = /\r\n|\n|\r(?!$)/;
