/**
 * Reads a file of hurl into its entries. The body of a request or response is taken as it stands.
 * Length: one pass over the lines of a file, whose parts share the position.
 */

/** A line `name: value` of a section; `line` counts from 1. */
export type HurlLine = { readonly name: string; readonly value: string; readonly text: string; readonly line: number };

export type HurlBody =
  | { readonly kind: 'text'; readonly text: string; readonly language: string }
  /** `file,…;`, `base64,…;` and `hex,…;`. */
  | { readonly kind: 'reference'; readonly text: string };

export type HurlPart = {
  readonly headers: readonly HurlLine[];
  /** Lines by the lower-case name of their section. */
  readonly sections: ReadonlyMap<string, readonly HurlLine[]>;
  readonly body: HurlBody | undefined;
};

export type HurlEntry = {
  readonly line: number;
  readonly method: string;
  readonly url: string;
  readonly request: HurlPart;
  /** Undefined where the entry expects nothing. `status`: `200`, or `*`; `version`: `1.1`, where one is expected. */
  readonly response: (HurlPart & { readonly status: string; readonly version: string | undefined }) | undefined;
};

const requestLine = /^([A-Z]{3,10})\s+(\S.*)$/;
const responseLine = /^HTTP(?:\/([\d.]+|\*))?\s+(\d{3}|\*)\s*(?:#.*)?$/;
const longAssert = /\s(?:[=!]=|[a-z]\w+)\s+```[a-z]*$/;
const sectionLine = /^\[([A-Za-z]+)\]\s*(?:#.*)?$/;
const sectionNames: ReadonlySet<string> = new Set(
  'query querystringparams form formparams multipart multipartformdata cookies basicauth options captures asserts'.split(
    ' ',
  ),
);

class HurlReader {
  readonly #lines: readonly string[];
  #index = 0;

  constructor(text: string) {
    this.#lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  }

  readEntries(): readonly HurlEntry[] | { readonly problem: string } {
    const entries: HurlEntry[] = [];
    for (this.#skipBlank(); this.#index < this.#lines.length; this.#skipBlank()) {
      const line = this.#index + 1;
      const [, method = '', url = ''] = requestLine.exec(this.#line.trim()) ?? [];
      if (method === '') return { problem: `line ${line} is no request: ${this.#line.trim().slice(0, 60)}` };
      this.#index += 1;
      const request = this.#readPart();
      this.#skipBlank();
      const [, version, status] = responseLine.exec(this.#line.trim()) ?? [];
      if (status !== undefined) this.#index += 1;
      const response =
        status === undefined
          ? undefined
          : { ...this.#readPart(), status, version: version === '*' ? undefined : version };
      entries.push({ line, method, url: stripComment(url), request, response });
    }
    return entries;
  }

  get #line(): string {
    return this.#lines[this.#index] ?? '';
  }

  #skipBlank(): void {
    while (this.#index < this.#lines.length && /^\s*(?:#.*)?$/.test(this.#line)) this.#index += 1;
  }

  #isNextPart(): boolean {
    const text = this.#line.trim();
    return this.#index >= this.#lines.length || requestLine.test(text) || responseLine.test(text);
  }

  #readPart(): HurlPart {
    const headers: HurlLine[] = [];
    const sections = new Map<string, HurlLine[]>();
    let current = headers;
    for (this.#skipBlank(); !this.#isNextPart(); this.#skipBlank()) {
      const section = this.#readSectionName();
      if (section !== undefined) {
        current = sections.get(section) ?? [];
        sections.set(section, current);
        continue;
      }
      const entry = this.#readKeyValue(current === headers);
      if (entry) current.push(entry);
      else return { headers, sections, body: this.#readBody() };
    }
    return { headers, sections, body: undefined };
  }

  #readSectionName(): string | undefined {
    const name = sectionLine.exec(this.#line.trim())?.[1]?.toLowerCase();
    if (name === undefined || !sectionNames.has(name)) return undefined;
    this.#index += 1;
    return name;
  }

  /** Undefined where the line begins a body. A line of asserts has no name. */
  #readKeyValue(isHeader: boolean): HurlLine | undefined {
    const text = this.#line.trim();
    const isTemplate = /^\{\{[^{}]+\}\}[^:]*:/.test(text);
    const isBody = !isTemplate && /^(?:[{<`]|\[|"|(?:file|base64|hex),)/.test(text);
    if (isBody && (isHeader || !/^"[^"]*"\s*:/.test(text))) return undefined;
    if (isHeader && /^[\w-]+;$/.test(text)) return this.#readEmptyHeader(text);
    const [, name = '', value = ''] = /^((?:\\.|[^:\\])+?)\s*:\s*(.*)$/.exec(text) ?? [];
    if (isHeader && name === '') return undefined;
    const line = this.#index + 1;
    this.#index += 1;
    if (!isHeader && longAssert.test(text)) return { name, value, text: this.#readLongAssert(text), line };
    return { name: unescapeName(name), value: isHeader ? stripComment(value) : value, text: stripComment(text), line };
  }

  /** `body == ```…`: a text of several lines, which is one text here as it is in quotation marks. */
  #readLongAssert(text: string): string {
    const lines: string[] = [];
    while (this.#index < this.#lines.length && this.#line.trim() !== '```') {
      lines.push(`${this.#line}\n`);
      this.#index += 1;
    }
    this.#index += 1;
    return `${text.replace(/```[a-z]*$/, '')}${JSON.stringify(lines.join(''))}`;
  }

  /** `Name;` is a header without a value. */
  #readEmptyHeader(text: string): HurlLine {
    this.#index += 1;
    return { name: text.slice(0, -1), value: '', text, line: this.#index };
  }

  #readBody(): HurlBody {
    const first = this.#line.trim();
    if (first.startsWith('```')) return this.#readFence();
    if (/^(?:file|base64|hex),/.test(first)) {
      this.#index += 1;
      return { kind: 'reference', text: stripComment(first) };
    }
    if (first.startsWith('`')) {
      this.#index += 1;
      return { kind: 'text', text: first.replace(/^`/, '').replace(/`.*$/, ''), language: '' };
    }
    return first.startsWith('<') ? this.#readUntilNextPart() : this.#readJson();
  }

  #readFence(): HurlBody {
    const opening = this.#line.trim();
    this.#index += 1;
    const inline = /^```(.+?)```/.exec(opening)?.[1];
    if (inline !== undefined) return { kind: 'text', text: inline, language: '' };
    const lines: string[] = [];
    while (this.#index < this.#lines.length && !this.#line.trimEnd().endsWith('```')) {
      lines.push(this.#line);
      this.#index += 1;
    }
    const last = this.#line.trimEnd().replace(/```$/, '');
    this.#index += 1;
    if (last !== '') lines.push(last);
    return { kind: 'text', text: lines.join('\n'), language: opening.slice(3).split(',')[0]?.trim() ?? '' };
  }

  #readUntilNextPart(): HurlBody {
    const lines: string[] = [];
    while (this.#index < this.#lines.length && !responseLine.test(this.#line.trim()) && !requestLine.test(this.#line)) {
      lines.push(this.#line);
      this.#index += 1;
    }
    return { kind: 'text', text: lines.join('\n').trimEnd(), language: 'xml' };
  }

  /** A JSON value, up to the line on which it is complete. */
  #readJson(): HurlBody {
    const lines: string[] = [];
    let depth = 0;
    let isInString = false;
    do {
      const line = this.#line;
      for (let index = 0; index < line.length; index += 1) {
        const sign = line.charAt(index);
        if (isInString && sign === '\\') index += 1;
        else if (sign === '"') isInString = !isInString;
        else if (!isInString && /[{[]/.test(sign)) depth += 1;
        else if (!isInString && /[}\]]/.test(sign)) depth -= 1;
      }
      lines.push(line);
      this.#index += 1;
    } while (depth > 0 && this.#index < this.#lines.length);
    return { kind: 'text', text: lines.join('\n').trimEnd(), language: 'json' };
  }
}

/** A comment begins at `#` after a space, outside of quotation marks and patterns. */
export function stripComment(text: string): string {
  let quote = '';
  for (let index = 0; index < text.length; index += 1) {
    const sign = text.charAt(index);
    if (sign === '\\') index += 1;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === '`') quote = sign;
    else if (sign === '#' && (index === 0 || /\s/.test(text.charAt(index - 1)))) return text.slice(0, index).trimEnd();
  }
  return text.trimEnd().replaceAll('\\#', '#');
}

function unescapeName(text: string): string {
  return text
    .replaceAll(/\\u\{([0-9a-fA-F]{1,6})\}/g, (_, code: string) =>
      String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(code, 16))),
    )
    .replaceAll(/\\([:#\s])/g, '$1');
}

export function parseHurl(text: string): readonly HurlEntry[] | { readonly problem: string } {
  return new HurlReader(text).readEntries();
}
