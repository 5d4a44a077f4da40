/**
 * What protobufjs reads in the square of its length: the fields of a message (15,000 take 90 seconds), the options of a file and the
 * members of one that is an object (250 KB take 5), and a text that is not closed (250 KB take 140). They are refused before it reads them.
 */

/** The squares of the numbers of fields, of all messages together: two seconds, and one message of 2,200. */
const maxSquares = 5_000_000;

/** Throws where messages with so many fields take too long. */
export function assertFieldCounts(counts: Iterable<number>): void {
  let squares = 0;
  for (const count of counts) squares += count * count;
  if (squares > maxSquares) throw new Error('its messages have too many fields, or there are too many options');
}

const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[A-Za-z_]\w*|[{}:;"']|\/\*/g;

/**
 * The options of the file, and the statements of each block but those of enums; members of a `oneof` count to the message around it, and
 * those of an object in an option to the object.
 */
function* countStatements(text: string): Generator<number> {
  const open: { readonly kind: string; count: number }[] = [];
  let firstWord = '';
  let fileOptions = 0;
  for (const { 0: part, index } of text.matchAll(token)) {
    if (part === '"' || part === "'" || part === '/*')
      throw new Error(`what begins with ${part} in line ${countLines(text, index)} does not end`);
    if (part === '{') open.push({ kind: firstWord, count: 0 });
    else if (part === '}') yield* closeBlock(open);
    else if (part === ';') {
      const block = open.at(-1);
      if (block) block.count += 1;
      else if (firstWord === 'option') fileOptions += 1;
    } else if (part === ':') countMember(open.at(-1));
    else if (/^\w/.test(part) && firstWord === '') firstWord = part;
    if (part === '{' || part === '}' || part === ';') firstWord = '';
  }
  while (open.length > 0) yield* closeBlock(open);
  yield fileOptions;
}

function countMember(block: { count: number } | undefined): void {
  if (block) block.count += 1;
}

function* closeBlock(open: { readonly kind: string; count: number }[]): Generator<number> {
  const block = open.pop();
  const outer = open.at(-1);
  if (!block || block.kind === 'enum') return;
  if (block.kind === 'oneof' && outer) outer.count += block.count;
  else yield block.count;
}

function countLines(text: string, end: number): number {
  return text.slice(0, end).split('\n').length;
}

/** Throws where a `.proto` file would take too long to read. */
export function assertReadableProto(text: string): void {
  assertFieldCounts(countStatements(text));
}

/** A google.protobuf.DescriptorProto. */
export type MessageDescriptor = {
  readonly field?: readonly unknown[];
  readonly nestedType?: readonly MessageDescriptor[];
};

/** The number of fields of each message, nested ones too. */
export function* countFields(messages: readonly MessageDescriptor[] = []): Generator<number> {
  for (const { field = [], nestedType } of messages) {
    yield field.length;
    yield* countFields(nestedType);
  }
}
