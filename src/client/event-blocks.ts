/** Text of an event stream (WHATWG HTML, section 9.2.6) → its events, whatever pieces it arrives in. */

/** An event, or (without data) a mere move of the last event id. */
export type EventBlock = { readonly id: string | undefined; readonly data: string | undefined };

/** Takes pieces of text and gives the blocks that they complete. */
export function eventBlocks(): (piece: string) => EventBlock[] {
  let rest = '';
  return (piece) => {
    rest += piece;
    const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
    rest = blocks.pop() ?? '';
    return blocks.map(blockOf);
  };
}

function blockOf(text: string): EventBlock {
  const fields = text.split(/\r\n|\n|\r/).map(fieldOf);
  const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
  const id = fields.findLast(([name]) => name === 'id')?.[1];
  return { id, data: data.length > 0 ? data.join('\n') : undefined };
}

function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
