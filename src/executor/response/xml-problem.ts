/**
 * Why a text is not a well-formed XML document (XML 1.0, section 2.1), which every XML parser refuses. htmlparser2 reads on after what
 * is wrong. Own code, because it needs no tree: names, nesting, attributes and references, in one pass over the text.
 */

const name = String.raw`[\p{L}_:][\p{L}\p{M}\p{N}._:\u00b7-]*`;
/** One piece of markup after `<`; what has no end matches nothing. */
const comment = /<!--(?!-?>)[\s\S]*?-->/y;
const cdata = /<!\[CDATA\[[\s\S]*?\]\]>/y;
const instruction = /<\?[\s\S]*?\?>/y;
const endTag = new RegExp(String.raw`</(${name})\s*>`, 'uy');
const startTag = new RegExp(String.raw`<(${name})((?:\s+${name}\s*=\s*(?:"[^<"]*"|'[^<']*'))*)\s*(/?)>`, 'uy');
const attribute = new RegExp(String.raw`(${name})\s*=\s*(?:"([^<"]*)"|'([^<']*)')`, 'gu');
const reference = new RegExp(String.raw`&(?:#\d+|#x[\da-fA-F]+|(${name}));`, 'uy');
const predefined: ReadonlySet<string> = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

/** The end of a document type: `>` outside of quotes and of the brackets of its own declarations. */
function findDoctypeEnd(text: string, start: number): number | undefined {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"' || character === "'") {
      index = text.indexOf(character, index + 1);
      if (index === -1) return undefined;
    } else if (text.startsWith('<!--', index)) {
      index = text.indexOf('-->', index + 4);
      if (index === -1) return undefined;
    } else if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    else if (character === '>' && depth === 0) return index + 1;
    else if (character === '<' && depth === 0 && index > start) return undefined;
  }
  return undefined;
}

class XmlScanner {
  readonly #text: string;
  readonly #open: string[] = [];
  #hasRoot = false;
  /** Its declarations may define other entities. */
  #hasDoctype = false;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): string | undefined {
    const text = this.#text;
    let position = 0;
    while (position < text.length) {
      const next = text.indexOf('<', position);
      const end = next === -1 ? text.length : next;
      const problem = this.#checkText(position, end);
      if (problem !== undefined) return problem;
      if (end === text.length) break;
      const after = this.#takeMarkup(end);
      if (typeof after === 'string') return after;
      position = after;
    }
    const unclosed = this.#open.at(-1);
    if (unclosed !== undefined) return `\`<${shorten(unclosed)}>\` is not closed`;
    return this.#hasRoot ? undefined : 'it has no element';
  }

  #checkText(start: number, end: number): string | undefined {
    const text = this.#text.slice(start, end);
    if (this.#open.length === 0 && text.trim() !== '') {
      const where = this.#hasRoot ? 'after its element' : 'before its element';
      return `there is text ${where}, ${this.#describe(start + text.search(/\S/))}`;
    }
    return this.#checkReferences(text, start);
  }

  #checkReferences(text: string, start: number): string | undefined {
    for (let index = text.indexOf('&'); index !== -1; index = text.indexOf('&', index + 1)) {
      const match = matchAt(reference, text, index);
      const entity = match?.[1];
      const isKnown = match && (entity === undefined || this.#hasDoctype || predefined.has(entity));
      if (!isKnown) return `\`&\` begins no known entity, ${this.#describe(start + index)}`;
    }
    return undefined;
  }

  /** The position behind the markup at `start`, or what is wrong with it. */
  #takeMarkup(start: number): number | string {
    const text = this.#text;
    if (text.startsWith('<!--', start)) return this.#skip(comment, start, 'a comment that does not end');
    if (text.startsWith('<![CDATA[', start) && this.#open.length > 0)
      return this.#skip(cdata, start, 'a CDATA section that does not end');
    if (text.startsWith('<?', start)) return this.#takeInstruction(start);
    if (text.startsWith('<!DOCTYPE', start) && !this.#hasRoot) {
      this.#hasDoctype = true;
      return findDoctypeEnd(text, start) ?? this.#fail('a document type that does not end', start);
    }
    return text.startsWith('</', start) ? this.#takeEndTag(start) : this.#takeStartTag(start);
  }

  #skip(pattern: RegExp, start: number, problem: string): number | string {
    return matchAt(pattern, this.#text, start) ? pattern.lastIndex : this.#fail(problem, start);
  }

  #takeInstruction(start: number): number | string {
    if (/^<\?xml\s/i.test(this.#text.slice(start, start + 6)) && start > 0)
      return this.#fail('an XML declaration that is not at its beginning', start);
    return this.#skip(instruction, start, 'an instruction that does not end');
  }

  #takeEndTag(start: number): number | string {
    const tagName = matchAt(endTag, this.#text, start)?.[1];
    if (tagName === undefined) return this.#fail('an end tag that is malformed', start);
    const expected = this.#open.pop();
    if (expected === undefined) return this.#fail(`\`</${shorten(tagName)}>\` without its start`, start);
    if (expected === tagName) return endTag.lastIndex;
    return this.#fail(`\`</${shorten(tagName)}>\` where \`<${shorten(expected)}>\` is open`, start);
  }

  #takeStartTag(start: number): number | string {
    const [tag, tagName = '', attributes = '', slash] = matchAt(startTag, this.#text, start) ?? [];
    if (tag === undefined) return this.#fail('a tag that is malformed', start);
    if (this.#open.length === 0 && this.#hasRoot) return this.#fail('a second element', start);
    const names = new Set<string>();
    for (const [, key = '', double, single] of attributes.matchAll(attribute)) {
      if (names.has(key)) return this.#fail(`the attribute \`${shorten(key)}\` twice`, start);
      names.add(key);
      const problem = this.#checkReferences(double ?? single ?? '', start);
      if (problem !== undefined) return problem;
    }
    this.#hasRoot = true;
    if (slash === '') this.#open.push(tagName);
    return start + tag.length;
  }

  #fail(problem: string, position: number): string {
    return `it has ${problem}, ${this.#describe(position)}`;
  }

  #describe(position: number): string {
    return `in line ${this.#text.slice(0, position).split('\n').length}`;
  }
}

function shorten(text: string): string {
  return text.slice(0, 100);
}

/** Undefined where the text is well-formed. A byte order mark is no part of `text`. */
export function findXmlProblem(text: string): string | undefined {
  return new XmlScanner(text).scan();
}
