/**
 * Parses the text of an event stream (WHATWG HTML, section 9.2.6), in any chunks. The package `eventsource-parser` does not report
 * events without data, but the control plane sends positions in such events, and reconnections resume after them.
 */

/** Without `data` it only sets the last event id. */
export type ServerSentEvent = { readonly id: string | undefined; readonly data: string | undefined };

/** The returned function takes a chunk and returns the events that it completes. */
export function createEventStreamParser(): (chunk: string) => ServerSentEvent[] {
  let buffer = '';
  return (chunk) => {
    buffer += chunk;
    const blocks = buffer.split(/\r\n\r\n|\n\n|\r\r/);
    buffer = blocks.pop() ?? '';
    return blocks.map(parseEvent);
  };
}

function parseEvent(text: string): ServerSentEvent {
  const fields = text.split(/\r\n|\n|\r/).map(parseField);
  const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
  const id = fields.findLast(([name]) => name === 'id')?.[1];
  return { id, data: data.length > 0 ? data.join('\n') : undefined };
}

function parseField(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
